"""What a page may choose and how long it may think: nothing beyond the lists and the limits of the server."""

import json
import threading
from unittest.mock import Mock

import pytest
from page_messages import LOCAL, SOCKET, answer, ask
from small_trainings import quiet, small
from starlette.testclient import TestClient

from athenan.arena.roster import PLAYERS
from athenan.evaluation.chances import OF_RESULTS
from athenan.games import catalogue
from athenan.games.catalogue import make
from athenan.learning.training import train
from athenan.play.player import RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import GameError
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import Mcts
from athenan.search.monte_carlo.rave import Rave
from athenan.search.walking.walk_search import Search
from athenan.system.memory import of_machine
from athenan.web import choices as web_choices
from athenan.web import sockets
from athenan.web.choices import Choices
from athenan.web.files import read_file
from athenan.web.messages import MOST_SECONDS
from athenan.web.refusals import Refusal
from athenan.web.server import application
from athenan.web.tree_memory import TreeMemory

ELSEWHERE = "openspiel:hex(board_size=5)"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.txt", f"# {ELSEWHERE}\n"),
        ("x.jsonl", json.dumps({"game": ELSEWHERE, "moves": ""})),
        ("x", json.dumps({"game": ELSEWHERE, "moves": ""})),
        ("x.jsonl", json.dumps({"game": [ELSEWHERE], "moves": ""})),
        ("x.jsonl", json.dumps([ELSEWHERE])),
        ("x.jsonl", "[" * 10_000),
    ],
)
def test_a_file_names_no_game_that_a_page_cannot_choose(name, text, monkeypatch):
    """A game of OpenSpiel starts a process, which stays, for each of its settings."""
    monkeypatch.setitem(catalogue.MODULES, "openspiel", "no.such.module")  # it would be an ImportError
    choices = Choices("tictactoe")
    with pytest.raises(ValueError, match=r"its game is .*, not tictactoe|is not a match|match of"):
        read_file(name, text, make("tictactoe"), choices.make_game)
    with pytest.raises(GameError):
        choices.make_game(ELSEWHERE)


def test_games_of_the_table_in_files_are_read():
    choices, shown = Choices("tictactoe"), make("tictactoe")
    for name, text in (("x.txt", "# hex:5\nc3 d4"), ("x.jsonl", json.dumps({"game": "hex:5", "moves": "c3 d4"}))):
        assert read_file(name, text, shown, choices.make_game)[:4] == ("hex:5", "c3 d4", "", "")
    assert read_file("x.txt", "# Hex:size=5\n", shown, choices.make_game)[0] == "hex:5"


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("x.sgf", "(;GM[11]SZ[5];B[c3];W[z9])", "z9"),
        ("x.sgf", "(;GM[1]SZ[50];B[aa])", "size must be from 2 to 19, not 50"),
        ("x.pdn", '[GameType "20"] 1. 31-36 *', "31-36"),
        ("x.txt", "# hex:5\nc3 z9", "'z9' is not a legal action of hex:5"),
        ("x.jsonl", json.dumps({"game": "hex:5", "moves": "c3 z9"}), "'z9' is not a legal action of hex:5"),
    ],
)
def test_what_is_wrong_in_a_match_of_another_game_is_told(name, text, wrong):
    """Not that it is of another game, which the page would open."""
    with pytest.raises(Refusal) as raised:
        read_file(name, text, make("tictactoe"), Choices("tictactoe").make_game)
    told = str(raised.value.values)
    assert wrong in told and "tictactoe" not in told


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with the run `one`."""
    folder = tmp_path_factory.mktemp("runs")
    train(small("tictactoe", matches=1, seed=1), folder / "one", display=quiet())
    return folder


def test_players_take_the_memory_that_the_server_gives(runs, monkeypatch):
    game, made = make("tictactoe"), Mock(wraps=web_choices.make_search)
    monkeypatch.setattr(web_choices, "make_search", made)
    choices = Choices("tictactoe", folder=runs, memory=16 << 20)
    for name in ("mcts", "rave"):
        player = choices.make_player(name, game)
        assert isinstance(player, SearchPlayer) and isinstance(player.searcher, Mcts | Rave)
        assert player.searcher.settings.memory == 16 << 20
        assert player.limit is None  # else it would go before that of an action
    learnt = choices.make_player("run:one", game)
    assert isinstance(learnt, SearchPlayer) and learnt.limit is None
    choices.make_session("run:one", game)
    assert [call.kwargs["memory"] for call in made.call_args_list] == [16 << 20] * 2


def test_the_network_of_go_searches_by_rollouts_at_its_strongest_level():
    game, choices = make("go:7"), Choices("go:7", memory=64 << 20)
    for name, kind in (("athenan", Rave), ("athenan,level=strongest", Rave), ("athenan,level=club", Search)):
        player = choices.make_player(name, game)
        assert isinstance(player, SearchPlayer) and isinstance(player.searcher, kind)
        if isinstance(player.searcher, Rave):
            assert player.searcher.settings.memory == 64 << 20 and player.chances is OF_RESULTS
    with pytest.raises(ValueError, match="there is no level"):
        choices.make_player("athenan,level=master", game)
    session = choices.make_session("athenan", game)
    assert isinstance(session.searcher, Rave) and session.chances is OF_RESULTS


def test_the_trees_of_all_pages_share_a_memory():
    memory, sizes = TreeMemory(each=512 << 20), list[int]()

    def tree(size: int) -> Tree:
        sizes.append(size)
        return Tree()

    trees = [memory.lend(tree) for _ in range(2 * sockets.MOST_PAGES)]
    assert sizes[:5] == [512 << 20] * 5 and sizes == sorted(sizes, reverse=True) and sizes[-1] == 16 << 20
    assert sum(sizes) < 5 << 30
    trees.clear()
    with pytest.raises(ZeroDivisionError):
        memory.lend(lambda size: 1 // 0)
    assert memory.lend(tree) and sizes[-1] == 512 << 20


def test_all_trees_get_no_more_than_a_share_of_the_machine():
    memory, sizes = TreeMemory(each=512 << 20, most=1 << 30), list[int]()

    def tree(size: int) -> Tree:
        sizes.append(size)
        return Tree()

    trees = [memory.lend(tree) for _ in range(12)]
    assert len(trees) == 12 and sizes[0] == 256 << 20 and sizes == sorted(sizes, reverse=True)
    assert sum(size for size in sizes if size > 16 << 20) <= 1 << 30
    assert 64 << 20 < of_machine() < 1 << 50


class Tree:
    """Something that a weak reference can name."""


def test_a_limit_of_evaluations_is_also_one_of_time(monkeypatch):
    limits = []

    class Noting(RandomPlayer):
        def select(self, state, limit):
            limits.append(limit)
            return super().select(state, limit)

    monkeypatch.setitem(PLAYERS, "noting", lambda game: Noting())
    with TestClient(application(Choices("tictactoe")), **LOCAL) as made, made.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="", fen="")
        answer(socket, "position")
        for seconds, evaluations in ((0, 10**9), (2, 0), (2, 30)):
            ask(socket, "think", player="noting", seconds=seconds, evaluations=evaluations)
            answer(socket, "position")
    assert limits == [Budget(MOST_SECONDS, None, 10**9), Budget(2), Budget(2, None, 30)]


def test_the_runs_are_read_once_and_beside_the_server(runs, monkeypatch):
    """Whatever walks the folder of runs and reads them would let all pages wait."""
    threads, read = [], Choices.networks_of

    def noting(choices, game):
        threads.append(threading.current_thread().name)
        return read(choices, game)

    monkeypatch.setattr(Choices, "networks_of", noting)
    choices = Choices("tictactoe", {"one": runs / "one"}, runs)
    with TestClient(application(choices), **LOCAL) as made, made.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="", fen="")
        found = answer(socket, "game")
        answer(socket, "position")
    assert found["players"][0] == found["searches"][0] == found["opponent"] == "run:one"
    assert len(threads) == 1 and threads[0].startswith("search")
