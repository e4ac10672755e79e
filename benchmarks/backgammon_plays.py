"""Backgammon's legal moves beside those of OpenSpiel or GNU Backgammon, in random positions with random rolls.

    python benchmarks/backgammon_plays.py openspiel --positions 100000    # needs: pip install open_spiel
    python benchmarks/backgammon_plays.py gnubg --positions 100000        # needs: gnubg, such as Debian's

For each position the set of the positions that the whole roll can lead to must be equal, and so must their number be to
that of our sequences of actions, none of which may lead where another does. OpenSpiel's positions are those of its own
random matches (`--hyper`: of hypergammon). GNU Backgammon, whose Python lists all moves of a position that is set up,
is asked about positions of our random matches, about checkers put at random, and about checkers at random near the end.
Prints how many positions of which kind were compared; ends with status 1 at the first difference, and prints it.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from athenan import Game, make
from athenan.engines.process import find_program
from athenan.games.backgammon import positions
from athenan.games.backgammon.gnubg import position_id
from athenan.games.backgammon.positions import Position
from athenan.rules import CHANCE, State

Case = tuple[Position, tuple[int, int], set[Position]]
"""A position of the player to move, the dice, and the positions that the roll leads to, according to the other."""
BATCH = 500  # positions of one process of gnubg
IN_GNUBG = """
import gnubg, json, os
path = os.environ["BACKGAMMON_PLAYS"]
for line in ("set player 0 human", "set player 1 human", "set automatic roll off", "set automatic game off",
             "set automatic move off", "set automatic bearoff off", "set confirm new off", "set display off",
             "set evaluation chequerplay evaluation plies 0", "new game", "set turn 0"):
    gnubg.command(line)
with open(path) as questions, open(path + ".answers", "w") as answers:
    for text, dice in json.load(questions):
        gnubg.command("set board " + text)
        gnubg.command("set dice %d %d" % tuple(dice))
        hint = gnubg.hint(5000)
        answers.write(json.dumps([move["move"] for move in hint["hint"]] if hint else []) + chr(10))
"""


def compare(game: Game, case: Case, player: int) -> str | None:
    """What differs, if anything does."""
    position, dice, theirs = case
    state = positions.roll(game, positions.before_roll(game, position, player), dice)
    ours, sequences = set(positions.plays(game, state)), count_sequences(game, state)
    if ours == theirs and sequences == len(ours):
        return None
    return (
        f"position {position}, dice {dice}: {len(ours)} positions by {sequences} sequences, the other has "
        f"{len(theirs)}; only ours: {sorted(ours - theirs)}; only theirs: {sorted(theirs - ours)}"
    )


def count_sequences(game: Game, state: State) -> int:
    """The number of sequences of actions to the end of the turn."""
    if game.player(state) == CHANCE or game.outcome(state) is not None:
        return 1
    return sum(count_sequences(game, game.play(state, int(action))) for action in game.actions(state))


def kinds(case: Case) -> list[str]:
    """What is special in a position."""
    (own, other), dice, theirs = case
    found = {
        "doubles": dice[0] == dice[1],
        "checkers on the bar": own[25] > 0,
        "bearing off": any(after[0][0] > own[0] for after in theirs),
        "the opponent is hit": any(after[1][25] > other[25] for after in theirs),
        "no legal move": theirs == {(own, other)},
    }
    return [name for name, holds in found.items() if holds]


# OpenSpiel: x is its player 0 and moves up from its point 0; its observations hold four numbers a point (1, 2,
# 3, more) of the player who observes, then of the other, and then of each the bar, those borne off, whose turn it is.


def spiel_position(state: Any, player: int) -> Position:
    """The position of OpenSpiel's state as a player sees it."""
    numbers = np.round(np.array(state.observation_tensor(player))[:198]).astype(int)
    sides = []
    for number, side in enumerate((player, 1 - player)):
        counts = numbers[96 * number : 96 * (number + 1)].reshape(24, 4)
        points = counts @ [1, 2, 3, 1] + 3 * (counts[:, 3] > 0)
        bar, borne_off, _ = numbers[192 + 3 * number :][:3]
        sides.append(tuple(map(int, [borne_off, *(points[::-1] if side == 0 else points), bar])))
    return sides[0], sides[1]


def spiel_results(state: Any, player: int) -> set[Position]:
    """The positions that the roll leads to, of which a double is two actions of OpenSpiel."""
    found, unfinished, seen = set(), [state], set()
    while unfinished:
        where = unfinished.pop()
        for action in where.legal_actions():
            child = where.child(action)
            if child.is_terminal() or child.is_chance_node() or child.current_player() != player:
                found.add(spiel_position(child, player))
                continue
            middle = spiel_position(child, player)
            if middle not in seen:
                seen.add(middle)
                unfinished.append(child)
    return found


def openspiel_cases(hyper: bool, seed: int) -> Iterator[Case]:
    """Positions of OpenSpiel's random matches with their rolls."""
    import pyspiel

    choose = random.Random(seed)
    game = pyspiel.load_game(f"backgammon(hyper_backgammon={str(hyper).lower()})")
    while True:
        state = game.new_initial_state()
        state.apply_action(choose.choice(state.legal_actions()))
        last = CHANCE
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(choose.choices(*zip(*state.chance_outcomes(), strict=True))[0])
                last = CHANCE
                continue
            player = state.current_player()
            if last != player:  # not the second half of a double
                dice = tuple(round(number) for number in state.observation_tensor(player)[198:])
                yield spiel_position(state, player), (dice[0], dice[1]), spiel_results(state, player)
            last = player
            state.apply_action(choose.choice(state.legal_actions()))


# GNU Backgammon: it is given position IDs, and lists moves such as "bar/24* 13/10(2)".


def random_positions(game: Game, seed: int) -> Iterator[Position]:
    """In turn a position of a random match, one of checkers put anywhere, one of checkers at the end of a match."""
    source = np.random.default_rng(seed)
    while True:
        state = game.initial()
        while game.outcome(state) is None:
            state = game.play(state, game.draw(state, source))
            if game.player(state) == CHANCE and source.random() < 0.3:
                yield positions.position_of(state, int(state[1]))
                yield scattered(source, 25, 25)
                yield scattered(source, int(source.integers(5, 9)), int(source.integers(6, 26)))


def scattered(source: np.random.Generator, highest: int, highest_of_other: int) -> Position:
    """Checkers at random places up to the highest ones, some in heaps, some borne off; nobody has borne off all."""
    while True:
        own, other = (heap(source, top) for top in (highest, highest_of_other))
        if not (own[1:25] * other[1:25][::-1]).any() and own[0] < 15 and other[0] < 15:
            return tuple(map(int, own)), tuple(map(int, other))


def heap(source: np.random.Generator, highest: int) -> Any:
    few = source.integers(1, highest + 1, size=int(source.integers(1, 10)))
    places = np.where(source.random(15) < source.random() / 2, 0, source.choice(few, 15))
    return np.bincount(places, minlength=26)


def gnubg_cases(program: str, game: Game, seed: int) -> Iterator[Case]:
    """Random positions and rolls with GNU Backgammon's moves, by the batch."""
    source, found = np.random.default_rng(seed + 1), random_positions(game, seed)
    while True:
        batch = [(next(found), tuple(map(int, source.integers(1, 7, 2)))) for _ in range(BATCH)]
        ids = [(position_id(positions.before_roll(game, position)), dice) for position, dice in batch]
        for (position, dice), moves in zip(batch, ask_gnubg(program, ids), strict=True):
            yield position, (dice[0], dice[1]), {positions.after_move(position, move) for move in moves or [""]}


def ask_gnubg(program: str, questions: list[Any]) -> list[list[str]]:
    """The moves in each position."""
    with tempfile.TemporaryDirectory() as folder:
        asked, script = Path(folder) / "questions.json", Path(folder) / "ask.py"
        asked.write_text(json.dumps(questions))
        script.write_text(IN_GNUBG)
        subprocess.run(
            [program, "-t", "-q", "-r", "-p", str(script)], env=os.environ | {"BACKGAMMON_PLAYS": str(asked)},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        return [json.loads(line) for line in Path(f"{asked}.answers").read_text().splitlines()]


def run(game: Game, cases: Iterator[Case], count: int, report: Callable[[str], None]) -> bool:
    """Compares so many positions; returns whether all agree."""
    found: Counter[str] = Counter()
    results = 0
    for number in range(count):
        case = next(cases)
        if difference := compare(game, case, number % 2):
            report(difference)
            return False
        found.update(kinds(case))
        results += len(case[2])
        if (number + 1) % 5000 == 0 or number + 1 == count:
            special = ", ".join(f"{name} {found[name]:,}" for name in sorted(found))
            report(f"{number + 1:,} positions without a difference, {results:,} positions after the roll; {special}")
    return True


def main() -> None:
    """Compares, and prints the result."""
    options = argparse.ArgumentParser()
    options.add_argument("other", choices=("openspiel", "gnubg"))
    options.add_argument("--positions", type=int, default=100_000)
    options.add_argument("--hyper", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    game = make("backgammon:hyper" if given.hyper else "backgammon")
    if given.other == "openspiel":
        cases = openspiel_cases(given.hyper, given.seed)
    elif (program := find_program("gnubg")) is None:
        sys.exit("gnubg is not installed: on Debian, apt-get install gnubg")
    elif given.hyper:
        sys.exit("gnubg is asked about backgammon only: leave --hyper out")
    else:
        cases = gnubg_cases(program, game, given.seed)
    if not run(game, cases, given.positions, lambda line: print(line, flush=True)):
        sys.exit(1)


if __name__ == "__main__":
    main()
