"""`athenan positions`: makes solved positions, on which players are graded."""

from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Annotated

from athenan import jobs
from athenan.cli.arguments import Argument
from athenan.cli.options import GameName, Workers, parse, processes, read_game
from athenan.cli.progress import showing
from athenan.grading.positions import (
    PositionsError,
    Recipe,
    Solved,
    position_line,
    read_positions,
    recipe_line,
)
from athenan.grading.solvers import PERFECT
from athenan.grading.solving import OutOfTime, Question, check_recipe, solve, usual_recipe
from athenan.growing import GrowingFile
from athenan.rules.game import Game
from athenan.search.named import parse_search
from athenan.settings import Between, Count, Seed, counted

_MOST_REPEATED = 200
"""The search for positions ends after this many repeated ones in a row."""


@dataclass(frozen=True)
class Positions:
    """Makes solved positions of a game, on which `athenan grade` grades players.

    Positions come from matches between players of different strength. None of them has an immediate win, and in each
    some action loses value. The same options make the same positions. The command continues an existing file.
    """

    game: GameName
    """The game, such as connect_four."""
    file: Annotated[Path, Argument(positional=True, metavar="FILE")]
    """The file of JSON lines to write."""
    count: Annotated[int, Between(1, 10**6), Argument(metavar="N")] = 100
    """The number of positions in the finished file."""
    plies: Annotated[
        Annotated[tuple[int, int], Between(0, 10_000)] | None,
        Argument(metavar="LEAST MOST", default="by game"),
    ] = None
    """The number of actions before a position."""
    rollouts: Annotated[Count | None, Argument(metavar="N", default="by game")] = None
    """Rollouts of the strongest player of the matches. Others have fewer, or play at random."""
    solver: Annotated[str | None, Argument(metavar="SOLVER", default="by game")] = None
    """What solves the positions: bitbully (Connect Four 7x6), equations (Pig), or the search that proves values, such
    as ubfm or alphabeta."""
    evaluations: Annotated[Count | None, Argument(metavar="N", default="1,000,000")] = None
    """States that the proofs of one position may evaluate. Another position replaces one that needs more."""
    seed: Seed = 0
    """Seed of the matches."""
    minutes: Annotated[
        Annotated[float, Between(1e-4, 10**7)] | None,
        Argument(metavar="M", default="until there are N"),
    ] = None
    """Stop after M minutes, with the positions found so far."""
    workers: Workers = 1
    """Processes that make positions."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Positions, "positions", arguments)
    game = read_game(options.game)
    recipe = _recipe(options, game)
    check_recipe(recipe)
    with GrowingFile(options.file) as file:
        have = _continued(options.file, recipe) if file.size else ()
        number, whole = len(have), f"{counted(options.count, 'solved position')} of {game.name}"
        made = _make(options, game, recipe, have)
        with closing(made), showing(lambda: f"{number:,} of {whole}"):
            for position in made:
                line = position_line(position, game)
                file.add(line if file.size else recipe_line(recipe) + line)
                number += 1
    if not number:
        raise PositionsError(f"no solved position of {game.name} was found in the time: give more --minutes")
    print(f"{options.file}: {counted(number, 'solved position')} of {game.name}")


def _recipe(options: Positions, game: Game) -> Recipe:
    usual, solver = usual_recipe(game), options.solver
    if solver and solver not in PERFECT:
        parse_search(solver)  # it may be a user's, whose code runs only if it is named
    return replace(
        usual,
        plies=options.plies or usual.plies,
        rollouts=options.rollouts or usual.rollouts,
        solver=solver or usual.solver,
        evaluations=options.evaluations or (None if solver in PERFECT else usual.evaluations),
        seed=options.seed,
    )


def _continued(path: Path, recipe: Recipe) -> Sequence[Solved]:
    """The positions that a file already has. Raises PositionsError if it was made in another way."""
    file = read_positions(path)
    if file.recipe != recipe:
        raise PositionsError(f"{path} was made with other options, {_differing(file.recipe, recipe)}: name a new file")
    return file.positions


def _differing(before: Recipe, now: Recipe) -> str:
    """The options in which two recipes differ, with both values."""
    old, new = ({name: _in_words(value) for name, value in asdict(recipe).items()} for recipe in (before, now))
    return ", ".join(f"{name} {old[name]} instead of {new[name]}" for name in old if old[name] != new[name])


def _in_words(value: object) -> str:
    """The value of an option; None is no limit."""
    if isinstance(value, tuple):
        return " to ".join(map(str, value))
    return "unlimited" if value is None else str(value)


def _make(options: Positions, game: Game, recipe: Recipe, have: Sequence[Solved]) -> Generator[Solved, None, None]:
    """Positions in the order of their numbers, no state twice, until there are enough or time runs out."""
    end = monotonic() + 60 * options.minutes if options.minutes else float("inf")
    seen = {game.after(position.moves).tobytes() for position in have}
    first = have[-1].number + 1 if have else 0
    found, last_new = dict[int, Solved](), first
    questions = (Question(recipe, number, end) for number in count(first))
    with suppress(OutOfTime), closing(jobs.run(solve, questions, processes(options.workers))) as results:
        for number in count(first):
            if len(seen) >= options.count:
                return
            while number not in found:
                question, position = next(results)
                found[question.number] = position
            state = game.after((position := found.pop(number)).moves).tobytes()
            if state not in seen:
                seen.add(state)
                last_new = number
                yield position
            elif number - last_new >= _MOST_REPEATED:
                raise PositionsError(
                    f"only {counted(len(seen), 'position')} of {game.name} can be found: ask for no more"
                )
