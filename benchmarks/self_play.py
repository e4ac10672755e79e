"""Processor time that an action of self-play takes outside of the compiled search, where Python's lock is held.

    python benchmarks/self_play.py othello:8 --seconds 0.0003 0.001 --iterations 2

One actor plays with a new pattern network of the recipe, and learns nothing. For each limit of an action, prints:

- actions, and states evaluated, a second of processor time;
- ms: processor time of an action, in milliseconds;
- outside: microseconds of it outside of the kernel that searches and plays. The ends of matches are among them: their
  examples are collected, and a new tree is begun;
- calls of that kernel, for an action.
"""

import argparse
from collections.abc import Callable
from time import thread_time
from typing import Any

from athenan.games.catalogue import make
from athenan.learning.components import Components
from athenan.learning.recipe import recommended
from athenan.learning.self_play.by_search import SearchPlay
from athenan.report.tables import Table, as_text


class Timed:
    """A function whose calls are counted, with their processor time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.calls, self.seconds = 0, 0.0

    def __call__(self, *given: Any) -> Any:
        """Calls the function."""
        began = thread_time()
        found = self._function(*given)
        self.seconds += thread_time() - began
        self.calls += 1
        return found


def self_play(name: str, limits: dict[str, float | int | None], memory: int) -> SearchPlay:
    """The self-play of one actor, by processor time."""
    config = recommended(name, minutes=5, threads=1).changed(
        run={"clock": "processor"}, action={"seconds": None, "iterations": None, **limits}, playing={"memory": memory}
    )
    components = Components(config, make(name), None, new=True)
    choice = components.choice([0, 1], lambda: 0.0)
    playing = components.actor(components.evaluator(components.learner(), 1), choice, lambda: 0).self_play
    if not isinstance(playing, SearchPlay) or playing._acting is None:
        raise SystemExit(f"the recipe of {name} does not play in compiled code")
    return playing


def row(name: str, limits: dict[str, float | int | None], options: argparse.Namespace) -> tuple[str, ...]:
    """What was measured of one limit."""
    playing = self_play(name, limits, options.memory)
    assert playing._acting is not None
    playing._acting._play_on = kernel = Timed(playing._acting._play_on)
    playing.next_match(lambda: False)  # loads the code
    kernel.calls, kernel.seconds, actions, states = 0, 0.0, 0, playing.spent.evaluations
    began = thread_time()
    while thread_time() < began + options.duration:
        match = playing.next_match(lambda: False)
        assert match
        actions += len(match.actions)
    passed = thread_time() - began
    outside = passed - kernel.seconds
    return (
        ", ".join(f"{value:g} {limit}" for limit, value in limits.items() if value is not None),
        f"{actions / passed:,.0f}", f"{(playing.spent.evaluations - states) / passed:,.0f}",
        f"{1e3 * passed / actions:.3f}", f"{1e6 * outside / actions:.0f} ({outside / passed:.1%})",
        f"{kernel.calls / actions:.2f}",
    )  # fmt: skip


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--seconds", type=float, nargs="*", default=[0.0003, 0.001])
    parser.add_argument("--iterations", type=int, nargs="*", default=[2])
    parser.add_argument("--duration", type=float, default=4.0, help="seconds of processor time for each limit")
    parser.add_argument("--memory", type=int, default=512, help="MiB of the search tree")
    options = parser.parse_args()
    limits: list[dict[str, float | int | None]] = [
        *({"iterations": count} for count in options.iterations), *({"seconds": one} for one in options.seconds)
    ]  # fmt: skip
    rows = tuple(row(options.game, one, options) for one in limits)
    header = ("action", "actions/s", "states/s", "ms", "µs outside", "calls")
    print(as_text(Table(options.game, header, rows)))


if __name__ == "__main__":
    main()
