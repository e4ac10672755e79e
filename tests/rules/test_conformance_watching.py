"""How `check_game` runs rules that never return or raise, in a process of its own beside other threads."""

import threading
from dataclasses import replace
from typing import Any

import numba
import pytest
from game_tables import TICTACTOE, tables

from athenan import GameError, check_game, rules
from athenan.rules.conformance import watching
from athenan.rules.facts import altered


@rules.kernel(rules.INITIAL)
def endless_initial(params, state):
    while params[0] < 1000:
        state[8] += 1


@rules.kernel(rules.ACTIONS)
def endless_actions(params, state, actions):
    while params[0] < 1000:
        actions[0] += 1
    return 0


@rules.kernel(rules.OUTCOME)
def endless_outcome(params, state):
    while params[0] < 1000:
        state[8] += 1
    return 0


@rules.kernel(rules.ENCODE)
def endless_encode(params, state, planes):
    while params[0] < 1000:
        planes[0] += 1


@rules.kernel(rules.PLAY)
def endless_play(params, state, action, following):
    while params[0] < 1000:
        following[0] += 1


@pytest.mark.parametrize(
    "kernel", [endless_initial, endless_actions, endless_outcome, endless_encode, endless_play],
    ids=["initial", "actions", "outcome", "encode", "play"],
)  # fmt: skip
def test_an_endless_loop_is_told_with_its_kernel(kernel: rules.Kernel, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.id
    with pytest.raises(GameError, match=f"^tictactoe: {name} did not return within 0.5 s: is there an endless loop"):
        check_game(altered(TICTACTOE, table=rules.table(**tables(**{name: kernel}))), seconds=0.5)


def test_a_check_that_cannot_fork_says_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(watching, "can_fork", lambda: False)
    with pytest.raises(GameError, match="max_length"):
        check_game(altered(TICTACTOE, max_length=6))
    assert "tictactoe is checked in this process, as this system cannot fork" in caplog.text


def test_what_a_check_raises_is_said_with_the_function() -> None:
    class Strange(Exception):
        """It cannot be pickled, as its class has no name that can be imported."""

    def image(state: Any) -> Any:
        raise Strange("no image")

    colours = TICTACTOE.colour_symmetry
    assert colours is not None
    with pytest.raises(GameError, match=r"^tictactoe: colour_symmetry raised Strange: no image$"):
        check_game(altered(TICTACTOE, colour_symmetry=replace(colours, state=image)))


def test_checks_run_beside_threads_that_compile() -> None:
    """A fork must not wait for a lock that a thread of this process holds."""
    end = threading.Event()

    def compile_on() -> None:
        while not end.is_set():
            numba.njit("int64(int64)")(lambda number: number + 1)

    thread = threading.Thread(target=compile_on)
    thread.start()
    try:
        for seed in range(5):
            check_game(TICTACTOE, matches=1, seed=seed, seconds=30)
    finally:
        end.set()
        thread.join()
