"""OpenSpiel's AlphaZero as a rival: trains it for some minutes, then plays it against a player of athenan.

    python benchmarks/openspiel_alphazero.py train connect_four /tmp/theirs --minutes 10 --python os-venv/bin/python
    python benchmarks/openspiel_alphazero.py match connect_four /tmp/theirs runs/ours --games 100 --seconds 0.1

`--python` is a Python that has OpenSpiel with its learning: `pip install open_spiel jax flax optax chex
orbax-checkpoint`; by default the one that runs this file. Both sides have the same seconds an action; openings are
random and played with both colours, as in `athenan match`. OpenSpiel's Hex has no swap: play `hex:5,swap=false`.
"""

import argparse
import contextlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from athenan import Budget, Game, make, make_player, play_series
from athenan.play.limit import Limit, budget_of
from athenan.play.player import Move, PlayerError

WORKER = Path(__file__).with_name("openspiel_worker.py")
MATCHES_OF_CHECK = 100


GAMES = {"connect_four:7x6": "connect_four"} | {
    f"hex:{size},swap=false": f"hex(board_size={size})" for size in range(3, 12)
}
"""OpenSpiel's names of the games that are the same in both, by athenan's."""


def openspiel_name(game: Game) -> str:
    """OpenSpiel's name of a game. Raises ValueError for a game that it does not have with the same rules."""
    if game.name not in GAMES:
        raise ValueError(f"{game.name} is not compared with OpenSpiel; games are {', '.join(GAMES)}")
    return GAMES[game.name]


class WorkerError(RuntimeError):
    """OpenSpiel's process cannot do what it was asked for."""


class Worker:
    """OpenSpiel in a process of its own, which answers a line of JSON by one. Raises WorkerError if it cannot.

    `folder` is one of a training; without one its MCTS has random rollouts in place of a network. `options` are those
    of `openspiel_worker.py`.
    """

    def __init__(self, game: Game, folder: str | None, python: str = sys.executable, options: Sequence[str] = ()):
        command = [python, "-W", "ignore", str(WORKER), "answer", openspiel_name(game), *options]
        command += ["--folder", folder] if folder else []
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self._read()
        except WorkerError:
            self.close()
            raise

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request."""
        with contextlib.suppress(BrokenPipeError):  # then there is nothing to read
            print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._read()

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise WorkerError(f"OpenSpiel's process ended with status {self._process.wait()}; see above")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


class OpenSpielPlayer:
    """A `Player` whose actions OpenSpiel's MCTSBot selects: those with most simulations, of the present network.

    Actions have the same numbers in both: `check_rules` checks it. The tree is not kept, as in OpenSpiel.
    """

    def __init__(self, name: str, worker: Worker) -> None:
        self.name = name
        self.simulations: list[int] = []
        """How many simulations each selected action had."""
        self._worker = worker

    def new_match(self, game: Game, seed: int) -> None:
        self._game, self._seed = game, seed
        self._actions: list[int] = []

    def observe(self, action: int, following: Any) -> None:
        self._actions.append(int(action))

    def select(self, state: Any, limit: Limit) -> Move:
        budget = budget_of(limit, self._game, state)
        if budget.evaluations:
            raise PlayerError("OpenSpiel's search is limited by seconds or iterations, not by evaluations")
        seed = (self._seed + len(self._actions)) % 2**32
        answer = self._worker.ask(
            do="select", actions=self._actions, seed=seed, seconds=budget.seconds, simulations=budget.iterations
        )
        self.simulations.append(answer["simulations"])
        return Move(answer["action"], answer["value"])

    def close(self) -> None:
        self._worker.close()


def check_rules(game: Game, worker: Worker, count: int = MATCHES_OF_CHECK) -> None:
    """Replays random matches of OpenSpiel. Raises ValueError where actions, players or results differ."""
    for match in worker.ask(do="matches", count=count, seed=1)["matches"]:
        state = game.initial()
        for number, action in enumerate(match["actions"]):
            theirs = (match["legal"][number], match["players"][number])
            ours = (sorted(int(one) for one in game.actions(state)), game.player(state))
            if ours != theirs:
                raise ValueError(f"after {match['actions'][:number]} actions and player are {ours}, theirs {theirs}")
            state = game.play(state, action)
        if game.outcome(state) != match["gain"]:
            raise ValueError(f"{match['actions']} gains {game.outcome(state)}, theirs {match['gain']}")


def _flags(options: argparse.Namespace) -> list[str]:
    """Options of the process."""
    return [f"--{name}" for name in ("not-compiled", "no-solve") if getattr(options, name.replace("-", "_"), False)]


def train(options: argparse.Namespace) -> None:
    """Trains OpenSpiel's AlphaZero in its process."""
    command = [
        options.python, "-W", "ignore", str(WORKER), "train", openspiel_name(make(options.game)),
        "--folder", options.folder, "--minutes", str(options.minutes), "--settings", options.settings,
        *_flags(options),
    ]  # fmt: skip
    if status := subprocess.run(command, check=False).returncode:
        raise WorkerError(f"the training of OpenSpiel ended with status {status}; see above")


def match(options: argparse.Namespace) -> None:
    """Plays the matches; prints the score of athenan's player."""
    game = make(options.game)
    limit = Budget(iterations=options.iterations) if options.iterations else Budget(seconds=options.seconds)
    with contextlib.ExitStack() as closing:
        mine = make_player(options.player, game, people=False)
        closing.callback(mine.close)
        worker = Worker(game, options.folder, options.python, _flags(options))
        rival = OpenSpielPlayer(f"openspiel:{options.folder}", worker)
        closing.callback(rival.close)
        check_rules(game, worker)
        series = play_series(
            game, [mine, rival], options.games, limit, random_opening=options.random_opening, seed=options.seed,
            progress=lambda now: print(f"{now.games}: {now.standing()}", file=sys.stderr),
        )  # fmt: skip
    made = fmean(rival.simulations)
    if options.json:
        print(json.dumps(series.report() | {"opponent_simulations_per_move": made}, indent=2))
    else:
        print(f"{series.summary()}\nOpenSpiel made {made:.0f} simulations an action")


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    training, playing = tasks.add_parser("train"), tasks.add_parser("match")
    for task in (training, playing):
        task.add_argument("game", help="connect_four or hex:5,swap=false")
        task.add_argument("folder", help="where OpenSpiel's training is")
        task.add_argument("--python", default=sys.executable, help="one that has OpenSpiel, jax, flax, optax")
        task.add_argument("--not-compiled", action="store_true", help="the network as OpenSpiel runs it, uncompiled")
    training.add_argument("--minutes", type=float, required=True)
    training.add_argument("--settings", default="{}", help="JSON, in place of those of OpenSpiel's example")
    playing.add_argument("player", help="athenan's, such as runs/x or mcts:1000")
    playing.add_argument("--games", type=int, default=100)
    playing.add_argument("--seconds", type=float, default=0.1, help="per action, for both")
    playing.add_argument("--iterations", type=int, help="of the searches of both, in place of seconds")
    playing.add_argument("--no-solve", action="store_true", help="OpenSpiel's search without its solver")
    playing.add_argument("--random-opening", type=int, default=1)
    playing.add_argument("--seed", type=int, default=0)
    playing.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Runs the command."""
    options = parse()
    try:
        {"train": train, "match": match}[options.task](options)
    except (ValueError, WorkerError) as error:
        sys.exit(f"openspiel_alphazero: {error}")


if __name__ == "__main__":
    main()
