"""Lines of another program are read while a server thinks: if they end, so does its search."""

import subprocess
import sys
from collections.abc import Iterator
from threading import Event

import pytest

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.engines.engine import Engine, ThinkingOptions
from athenan.engines.names import ProtocolName
from athenan.engines.protocols import SERVERS
from athenan.engines.serving import serve
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game

HOURS = ThinkingOptions(Budget(seconds=3600))


def thinking(game: Game) -> SearchPlayer:
    player = make_player("mcts", game)
    assert isinstance(player, SearchPlayer)
    return SearchPlayer("mcts", player.searcher)


def told(protocol: ProtocolName, engine: Engine, lines: Iterator[str]) -> list[str]:
    answers = list[str]()
    serve(SERVERS[protocol](engine, answers.append), lines)
    return answers


@pytest.mark.parametrize(
    ("protocol", "game", "line"),
    [("gtp", "hex:5", "genmove b"), ("gtp", "hex:5", "reg_genmove b"), ("gtp", "hex:5", "lz-genmove_analyze b 10"),
     ("gtp", "hex:5", "athenan-analysis"), ("gomocup", "gomoku:5,opening=free", "BEGIN")],
)  # fmt: skip
def test_the_end_of_the_input_ends_a_search(protocol: ProtocolName, game: str, line: str) -> None:
    """It answers what it has found, and so do the commands after it; each would search for an hour."""
    answers = told(protocol, Engine(make(game), thinking, HOURS), iter([line, line]))
    assert len([answer for answer in answers if answer.strip()]) >= 2
    assert not answers[0].startswith(("?", "ERROR"))


def test_lines_are_read_while_a_search_goes_on() -> None:
    """The search would last for an hour: it can end only if the line after it, and the end, are read meanwhile."""
    read = Event()

    def lines() -> Iterator[str]:
        yield "genmove b"
        yield "name"
        read.set()

    assert told("gtp", Engine(make("hex:5"), thinking, HOURS), lines())[1] == "= athenan\n\n"
    assert read.is_set()


def test_input_that_ends_with_quit_is_answered_in_full() -> None:
    """As of a file of commands: a search is as long as it is given."""
    engine = Engine(make("hex:5"), thinking, ThinkingOptions(Budget(iterations=50_000)))
    assert told("gtp", engine, iter(["genmove b", "7 quit"]))[1] == "=7\n\n"
    assert engine.session.searcher.effort().iterations == 50_000


def test_a_controller_that_dies_ends_the_engine() -> None:
    command = [sys.executable, "-m", "athenan", "engine", "hex:5", "--seconds", "3600"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdin
        assert engine.stdout
        engine.stdin.write("name\ngenmove b\n")
        engine.stdin.flush()
        assert engine.stdout.readline() == "= athenan\n"
        engine.stdin.close()
        assert engine.wait(120) == 0


def test_what_reading_raises_is_raised_after_the_answers() -> None:
    def lines() -> Iterator[str]:
        yield "name"
        raise OSError("the line is broken")

    answers = list[str]()
    with pytest.raises(OSError, match="the line is broken"):
        serve(SERVERS["gtp"](Engine(make("hex:5"), thinking, HOURS), answers.append), lines())
    assert answers == ["= athenan\n\n"]
