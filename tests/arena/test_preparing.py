"""Opponents that another process prepares, and which kernels a first reply needs."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from athenan import Budget, make
from athenan.arena import preparing
from athenan.arena.preparing import PreparedPlayer, compile_all, prepared_player, smaller
from athenan.cli.play import run
from athenan.play.match import play_match
from athenan.play.player import Player, RandomPlayer
from athenan.rules.compiler import NotCompiledError

FIRST_REPLY = """
import sys
from athenan.rules.compiler import Kernel

def noted(kernel, *signature, compile=Kernel.compile, seen=set(), within=[]):
    if not within and kernel not in seen:  # kernels that it calls belong to it
        seen.add(kernel)
        print(kernel.py_func.__module__, kernel.py_func.__name__)
    within.append(kernel)
    try:
        return compile(kernel, *signature)
    finally:
        within.pop()

Kernel.compile = noted
from athenan import Budget, make
from athenan.arena.preparing import smaller
game = make(sys.argv[1])
player = smaller("athenan", game)
player.new_match(game, 0)
player.select(game.play(game.initial(), int(game.actions(game.initial())[0])), Budget(seconds=1))
"""
BESIDE_THE_RULES = [
    "athenan.rules.calls initial",
    "athenan.rules.direct _list_actions",
    "athenan.rules.direct _play_if_legal",
    "athenan.rules.direct _read_outcome",
    "athenan.search.monte_carlo.rollouts expand",
    "athenan.search.monte_carlo.rollouts roll_out",
]


@pytest.mark.parametrize("name", ["connect_four", "othello:8", "hex:7"])
def test_a_first_reply_needs_the_rules_and_six_kernels_more(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_REPLY, name], capture_output=True, text=True, check=True)
    functions = [kernel.py_func for kernel in make(name).table.kernels.values()]
    rules = [f"{function.__module__} {function.__name__}" for function in functions]
    assert sorted(done.stdout.splitlines()) == sorted([*rules, *BESIDE_THE_RULES])


def nothing_is_compiled(text: str, game: object, threads: int | None) -> Player:
    raise NotCompiledError(text)


@pytest.fixture
def unprepared(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Makes `prepared_player` find nothing compiled, so that another process prepares."""
    monkeypatch.setattr(preparing, "make_player", nothing_is_compiled)
    return monkeypatch


def test_a_smaller_opponent_plays_until_the_network_is_ready_and_then_the_network(
    unprepared: pytest.MonkeyPatch,
) -> None:
    game = make("connect_four")
    player = prepared_player("athenan:club", game, 1)
    unprepared.undo()
    assert isinstance(player, PreparedPlayer) and player.smaller.name == "mcts:1000"
    player.new_match(game, 0)
    state = game.initial()
    first = player.select(state, Budget(iterations=10))
    assert player.playing is player.smaller and first.action in game.actions(state)
    player.observe(first.action, game.play(state, first.action))
    assert player._process.popen.wait() == 0
    assert player.take_over() and not player.take_over()
    assert player.playing.name.startswith("athenan@")
    play_match(game, [player, RandomPlayer()], limit=Budget(iterations=10))
    player.close()


def test_a_network_that_cannot_be_used_leaves_the_match_to_the_smaller_opponent(
    unprepared: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game = make("connect_four")
    player = prepared_player("athenan@00000000", game, None)
    unprepared.undo()
    assert isinstance(player, PreparedPlayer)
    player.new_match(game, 0)
    assert player._process.popen.wait() != 0
    assert not player.take_over() and player.playing is player.smaller
    assert "is not the package's network" in caplog.text
    player.close()


def test_leaving_ends_the_preparation(unprepared: pytest.MonkeyPatch) -> None:
    player = prepared_player("athenan", make("connect_four"), None)
    assert isinstance(player, PreparedPlayer)
    player.close()
    assert player._process.popen.returncode is not None


def test_players_without_networks_are_not_prepared_elsewhere() -> None:
    assert prepared_player("mcts:10", make("connect_four"), None).name == "mcts:10"


@pytest.mark.parametrize(("text", "name"), [("athenan:beginner", "mcts:10"), ("athenan,level=casual", "mcts:100")])
def test_the_smaller_opponent_has_the_level_of_the_other(text: str, name: str) -> None:
    assert smaller(text, make("connect_four")).name == name


def test_where_chance_moves_first_a_player_is_prepared_as_well() -> None:
    compile_all("mcts:10", make("pig"), None)


def test_results_that_can_be_repeated_wait_for_the_network(
    unprepared: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unprepared.setattr("sys.stdin", StringIO("quit\n"))
    run(["connect_four", "--evaluations", "10"])
    assert "prepared" not in capsys.readouterr().out


def test_a_person_reads_who_replies_until_the_network_is_ready(
    unprepared: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unprepared.setattr("sys.stdin", StringIO("1\nquit\n"))
    unprepared.setattr(PreparedPlayer, "take_over", lambda player: False)
    run(["connect_four"])
    told = capsys.readouterr().out
    assert "athenan:casual, which is being prepared, once. Until then mcts:100 plays." in told
    assert "mcts:100 (Yellow, o) plays" in told


FRESH = """
from athenan.rules.compiler import only_compiled
from athenan import make
with only_compiled():
    make("tictactoe").initial()
"""
ONE_COMPILES = """
import sys
from athenan.rules.numba_parts import COMPILING, Listener, register

class Count(Listener):
    def on_start(self, event):
        print(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): ...

register(COMPILING, Count())
from athenan import make
make("tictactoe").table.kernels["outcome"].compile()
"""


def test_only_one_of_several_processes_compiles_a_kernel(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen([sys.executable, "-c", ONE_COMPILES], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    compiled = [name for process in started for name in process.communicate()[0].split()]
    assert compiled and len(compiled) == len(set(compiled))
    assert not list(tmp_path.rglob("*.lock"))


def test_nothing_is_compiled_where_only_compiled_code_may_be_used(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FRESH], env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "NotCompiledError" in done.stderr
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]
