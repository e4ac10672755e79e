"""`athenan grade`: how often players keep the game value of solved positions."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from rich.console import Console

from athenan import jobs
from athenan.arena.learnt_players import labelled
from athenan.arena.pairs import close_players, kept_player
from athenan.cli.arguments import Argument
from athenan.cli.data import DataOptions
from athenan.cli.options import (
    GameName,
    Limits,
    OwnRules,
    PlayerNames,
    Threads,
    Workers,
    allow_rules,
    parse,
    processes,
    read_game,
)
from athenan.cli.playing import DEFAULT_SECONDS
from athenan.cli.streams import width
from athenan.cli.threads import names_of
from athenan.grading.data import TABLES, data
from athenan.grading.grades import Answer, Grade, GradeJob, do_grade
from athenan.grading.positions import (
    PositionFile,
    PositionsError,
    Recipe,
    Solved,
    packaged,
    packaged_games,
    read_positions,
)
from athenan.play.player import PlayerError
from athenan.report.tables import WIDTH, Table, as_text
from athenan.rules.game import Game
from athenan.runs.checkpoint import kept
from athenan.search.budget import Budget
from athenan.search.clock import ClockName
from athenan.settings import Between, Seed, counted

_PART = 20
"""Positions of one job of a worker."""
_NOTE = (
    "Value kept: the share of positions in which the action keeps the game value (win or draw), with Wilson's 95% "
    "interval, and the same for won and for drawn positions. Then the seconds per action, on the wall clock and of the "
    "processor. In no position is there an immediate win, and in each some action loses value."
)
_NOTE_OF_CHANCE = (
    "Value kept: the share of positions in which no action has a greater expectation than the one that is played, with "
    "Wilson's 95% interval. Loss: the expectation lost per position, where a win is 1 and a loss -1, with its 95% "
    "interval. Then the seconds per action, on the wall clock and of the processor. In no position is there an "
    "immediate win, and in each some action loses 0.01 or more."
)


@dataclass(frozen=True)
class GradeOptions:
    """Grades players by solved positions: how often their action keeps the game value.

    Players are named as in athenan match. The package has positions of some games; `athenan positions` makes others.
    """

    game: GameName
    """The game, such as connect_four."""
    players: PlayerNames = ()
    """The players."""
    limits: Limits = field(default_factory=Limits)
    time: ClockName = "wall"
    """What counts the seconds of searches here: the wall clock, or the processor, unaffected by other programs."""
    along: bool = False
    """For runs: also grade all networks that they have kept (train --keep), RUN@MINUTES."""
    positions: Annotated[Path | None, Argument(metavar="FILE", default="the package's")] = None
    """A file of solved positions that athenan positions has made."""
    count: Annotated[Annotated[int, Between(1, 10**6)] | None, Argument(metavar="N", default="all")] = None
    """Take only the first N positions."""
    seed: Seed = 0
    """Seed of the players. Results are repeatable unless a limit is a time."""
    workers: Workers = 1
    """Processes that play. One is the command itself."""
    threads: Threads = 1
    rules: OwnRules = ""
    json: bool = False
    """Print JSON: for each player value_kept with its interval, and the positions whose value was lost."""
    data: DataOptions = field(default_factory=DataOptions)


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(GradeOptions, "grade", arguments)
    options.data.format(options.json, TABLES)  # bad options are refused before the players think
    allow_rules(options.rules)
    game = read_game(options.game)
    limit = options.limits.or_seconds(DEFAULT_SECONDS)
    file = _file(options.positions, game)
    positions = file.positions[: options.count]
    with ExitStack() as closing_all:
        closing_all.callback(close_players)
        names = _names(options, game, limit)
        if options.workers > 1:
            close_players()
        found = dict[str, list[Answer]]((name, []) for name in names)
        try:
            _ask(options, game, positions, limit, found)
        except KeyboardInterrupt:
            if any(found.values()):
                _report(options, game, file.recipe, positions, limit, found)
            raise
    _report(options, game, file.recipe, positions, limit, found)


def _report(
    options: GradeOptions,
    game: Game,
    recipe: Recipe,
    positions: Sequence[Solved],
    limit: Budget,
    found: Mapping[str, Sequence[Answer]],
) -> None:
    """Shows the grades of the players that have answered."""
    grades = [Grade(name, sorted(some, key=lambda answer: answer.number)) for name, some in found.items() if some]
    partial = any(len(some) < len(positions) for some in found.values())
    title = f"{recipe.game}, {limit.in_words} an action"
    title = f"{title}; partial, not all of {counted(len(positions), 'position')}" if partial else title
    if form := options.data.format(options.json, TABLES):
        whole = lambda: {
            "game": recipe.game, "recipe": asdict(recipe), "positions": len(positions), "limit": asdict(limit),
            "time": options.time, "seed": options.seed, "partial": partial,
            "players": [grade.as_json() for grade in grades],
        }  # fmt: skip
        rows = lambda: data(game.name, limit, grades)
        options.data.print(form, rows, lambda: [_table(title, game, grades)], whole)
    else:
        _show(title, game, grades)


def _file(path: Path | None, game: Game) -> PositionFile:
    """The positions. Raises PositionsError without positions of this game."""
    if (path := path or packaged(game.name)) is None:
        raise PositionsError(
            f"the package has no solved positions of {game.name}, only of {', '.join(packaged_games())}: make some by "
            f"`athenan positions {game.name} FILE`, and name the file by --positions"
        )
    file = read_positions(path)
    if file.recipe.game != game.name:
        raise PositionsError(f"{path} has positions of {file.recipe.game}, not of {game.name}")
    if not file.positions:
        raise PositionsError(f"{path} has no positions yet: continue it with `athenan positions {game.name} {path}`")
    return file


def _names(options: GradeOptions, game: Game, limit: Budget) -> list[str]:
    """The canonical names of the players. Each player is made once, to find out whether it can be."""
    if not options.players:
        raise PlayerError("which players? For example: athenan grade connect_four mcts:1000 runs/x")
    asked = list[str]()
    for player in options.players:
        path, comma, settings = player.partition(",")
        along = [f"{path}@{minutes:.10g}{comma}{settings}" for minutes in kept(path)] if options.along else []
        asked += [*along, player]
    players = (kept_player(name, game, options.threads, named=True) for name in asked)
    return list(dict.fromkeys(names_of(players, options.threads, limit)))


def _ask(
    options: GradeOptions, game: Game, positions: Sequence[Solved], limit: Budget, found: Mapping[str, list[Answer]]
) -> None:
    """Asks the players, and adds the answers of each to `found`. In a terminal a line shows how far they are."""
    size = 1 if options.workers == 1 else _PART
    parts = [positions[begin : begin + size] for begin in range(0, len(positions), size)]
    work = (
        GradeJob(game.name, name, part, limit, options.seed, options.threads, options.time)
        for name in found for part in parts
    )  # fmt: skip
    labels = {name: labelled(name, game) for name in found}
    results = jobs.run(do_grade, work, processes(options.workers))
    with closing(results), Console(stderr=True).status(f"grading in {game.name}") as status:
        for job, some in results:
            found[job.player] += some
            grade = Grade(labels[job.player], found[job.player])
            if sys.stderr.isatty():
                status.update(_standing(grade, len(positions)))
            elif len(grade.answers) == len(positions) and not options.data.format(options.json, TABLES):
                print(_standing(grade, len(positions)), file=sys.stderr, flush=True)


def _standing(grade: Grade, positions: int) -> str:
    """How far a player is."""
    return f"{grade.player}: {len(grade.answers):,} of {counted(positions, 'position')}, value kept {grade.share:.1%}"


def _show(title: str, game: Game, grades: Sequence[Grade]) -> None:
    print(as_text(_table(title, game, grades), width(WIDTH)))
    for grade in grades:
        forfeits = [answer.forfeit for answer in grade.answers if answer.forfeit]
        if forfeits:
            count = counted(len(forfeits), "position")
            print(f"{labelled(grade.player, game)} did not answer in {count}, the last time because {forfeits[-1]}")


def _table(title: str, game: Game, grades: Sequence[Grade]) -> Table:
    chance = game.stochastic
    rows = tuple((labelled(grade.player, game), *_row(grade, chance)) for grade in grades)
    details = ("loss", "interval of loss") if chance else ("won", "drawn")
    header = ("player", "value kept", "95% interval", "positions", *details, "seconds", "processor")
    return Table(title, header, rows, _NOTE_OF_CHANCE if chance else _NOTE)


def _row(grade: Grade, chance: bool) -> tuple[str, ...]:
    low, high = grade.interval
    parts = [grade.of_value(value) for value in (1, 0)]
    shares = [f"{part.share:.1%} of {len(part.answers)}" if part.answers else "" for part in parts]
    losses = [f"{loss:.4f}" for loss in (grade.loss, *(grade.loss_interval or ()))]
    details = [losses[0], " to ".join(losses[1:])] if chance else shares
    times = f"{grade.seconds_per_action:.3f}", f"{grade.processor_seconds_per_action:.3f}"
    return f"{grade.share:.1%}", f"{low:.1%} to {high:.1%}", f"{len(grade.answers):,}", *details, *times
