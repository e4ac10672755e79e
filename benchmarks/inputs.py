"""What networks see of a state: the nanoseconds of processor time that its planes and its features take.

    python benchmarks/inputs.py hex:11 go:9 clobber:10

The states are those of random matches. Times are the best of `--repetitions`, because other programs on the machine
only add to them. The digest is that of all planes and features: another one means that networks learnt before see
something else.
"""

import argparse
from collections.abc import Callable
from hashlib import sha256
from time import process_time

from athenan import Game, make
from athenan.report.tables import Table, as_text
from athenan.rules.features import add_features, with_features
from athenan.rules.playouts import encode_states, encoded_states, random_states


def measured(game: Game, count: int, repetitions: int) -> tuple[str, str, str, str]:
    """A row of the table."""
    states = random_states(game, count)
    planes = encoded_states(game, states)
    inputs = with_features(game, planes).reshape(count, -1)

    def best(run: Callable[[], None]) -> str:
        seconds = []
        for _ in range(repetitions):
            began = process_time()
            run()
            seconds.append(process_time() - began)
        return f"{1e9 * min(seconds) / count:,.0f}"

    by_planes, by_features = best(lambda: encode_states(game.rules, states, planes)), ""
    if game.features.planes:
        by_features = best(lambda: add_features(game.rules, planes.shape[1], inputs))
    return game.name, by_planes, by_features, sha256(inputs.tobytes()).hexdigest()[:16]


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--states", type=int, default=5000)
    parser.add_argument("--repetitions", type=int, default=20)
    options = parser.parse_args()
    rows = tuple(measured(make(name), options.states, options.repetitions) for name in options.games)
    print(as_text(Table("nanoseconds a state", ("game", "planes", "features", "digest"), rows)))


if __name__ == "__main__":
    main()
