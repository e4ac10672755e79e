"""What travels between a learner and actors in other processes: `python benchmarks/many_machines.py [GAME ...]`.

Plays with an untrained network, that of the recipe unless there is a `--network`, 300 evaluations an action, in one
process and one thread, and learns the matches. GAME/ALGORITHM, such as hex:7/alphazero, has the recipe of `train
--algorithm` and its iterations. Prints for each game: actions and examples of a match, the bytes that it travels with,
the bytes of the network, the processor seconds of an actor and of the learner for a match, and how many actors one
thread of learning keeps up with.
Times are of the processor, so that they can be taken on a busy machine.
"""

import argparse
import pickle
import subprocess
import sys
import tempfile
import time
from statistics import fmean

from athenan import make, recommended
from athenan.learning.examples.examples import Examples
from athenan.learning.self_play.remote_actors import Order, Played, play
from athenan.learning.trainer import Trainer
from athenan.runs.checkpoint import RunDirectory

MATCHES = 8
EVALUATIONS = 300


def measure(name: str, network: str | None) -> None:
    """Prints the line of a game."""
    game, _, algorithm = name.partition("/")
    config = recommended(
        game, minutes=60, timed=False, threads=1, algorithm=algorithm or None, network=network
    ).changed(
        playing={"memory": 256}, run={"threads": 1},
        replay={"memory_matches": 1},  # so that as much is learnt after each match as when the memory is full
    )  # fmt: skip
    if not algorithm:
        config = config.changed(action={"evaluations": EVALUATIONS})
    with tempfile.TemporaryDirectory() as folder, RunDirectory(folder) as directory:
        trainer = Trainer(config, make(game), directory)
        order, snapshot = Order(config, trainer.heuristic.as_json(), (0, 0)), trainer._snapshot()
        play(order, snapshot)  # makes the actor, and compiles
        played, acting = list[Played](), 0.0
        while sum(len(one.matches) for one in played) < MATCHES:
            began = time.process_time()
            played.append(play(order, snapshot))
            acting += time.process_time() - began
        matches = [match for one in played for match in one.matches]
        learning = fmean(learnt_in(trainer, match.examples) for match in matches[MATCHES // 2 :])
    acting /= len(matches)
    examples = fmean(len(match.examples) for match in matches)
    travels = fmean(len(pickle.dumps(match)) for match in matches)
    print(
        f"| {name} | {fmean(len(match.actions) for match in matches):.0f} | {examples:,.0f} | {travels / 1e3:,.0f} kB "
        f"| {len(pickle.dumps(snapshot)) / 1e3:,.0f} kB | {acting:.2f} s | {learning:.2f} s | {acting / learning:.1f} |"
    )


def learnt_in(trainer: Trainer, examples: Examples) -> float:
    """The processor seconds of a learning phase."""
    began = time.process_time()
    trainer.state.waiting = examples
    trainer._learn()
    return time.process_time() - began


def main() -> None:
    """Prints the table, each game in a process of its own."""
    parser = argparse.ArgumentParser(description="Measures what travels between a learner and actors.")
    parser.add_argument("names", nargs="*", metavar="GAME", default=["hex:7", "connect_four", "hex:7/alphazero"])
    parser.add_argument("--network", help="an architecture; default: that of the recipe")
    given = parser.parse_args()
    if len(given.names) == 1:
        measure(given.names[0], given.network)
        return
    print("| game | actions | examples | a match | the network | actor, a match | learner, a match | actors |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    network = ["--network", given.network] if given.network else []
    for name in given.names:
        subprocess.run([sys.executable, __file__, name, *network], check=True)


if __name__ == "__main__":
    main()
