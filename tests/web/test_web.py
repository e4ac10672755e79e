"""The page in a real browser, and the server without one."""

import sys
from contextlib import ExitStack
from ipaddress import ip_address

import pytest
from page_messages import LOCAL, SOCKET, answer, ask
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from athenan.games.catalogue import make
from athenan.system.sockets import seen_from_outside
from athenan.web import messages
from athenan.web.choices import Choices, read_players
from athenan.web.position import Position
from athenan.web.server import application
from athenan.web.sockets import MOST_PAGES
from athenan.web.trainings import runs_of


@pytest.fixture
def client():
    with TestClient(application(Choices("tictactoe")), **LOCAL) as made:
        yield made


def test_a_position(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="b2", fen="")
        found = answer(socket, "game")
        assert found["players"][:3] == ["random", "mcts", "rave"] and found["opponent"] == "mcts"
        found = answer(socket, "position")
        assert [move["name"] for move in found["moves"]] == ["b2"] and found["side"] == 1 and not found["over"]
        assert len(found["actions"]) == 8 and all(len(one["path"]) == 1 for one in found["actions"])
        ask(socket, "play", 2, action=found["actions"][0]["id"])
        assert answer(socket, "position")["request"] == 2
        ask(socket, "position", 3, moves="a1 a2 b1 b2 c1")
        assert answer(socket, "position")["outcome"] == 1


def test_a_search_reports_and_ends_when_something_else_is_asked(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="hex:3,swap=false", moves="", fen="")
        answer(socket, "position")
        ask(socket, "analyse", 2, search="proof", on=True, chances=True)
        found = answer(socket, "analysis")
        while not found["exact"]:
            found = answer(socket, "analysis")
        assert found["proven"] == 1
        assert found["overlay"].count("<g class=") and len(found["actions"]) == 9
        ask(socket, "analyse", 3, search="rollouts", on=True, chances=True)
        assert answer(socket, "analysis")["request"] == 3
        ask(socket, "choose", 3, places=[0])
        ask(socket, "stop", 4)
        ask(socket, "position", 5, moves="b2")
        assert answer(socket, "position")["request"] == 5


def test_a_player_moves(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="a1 b1 a2 b2", fen="")
        answer(socket, "position")
        ask(socket, "think", 2, player="mcts", seconds=0, evaluations=500)
        assert answer(socket, "moved")["value"] > 0
        assert answer(socket, "position")["outcome"] == 1


def test_another_position_is_seen_while_a_player_thinks(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="a1 b1", fen="")
        answer(socket, "position")
        ask(socket, "think", 2, player="mcts", seconds=300, evaluations=0)
        for moves in ("a1", "", "c3 b2 a1"):
            ask(socket, "look", 2, moves=moves)
            found = answer(socket, "seen")
            assert [one["name"] for one in found["moves"]] == moves.split() and found["request"] == 2
        ask(socket, "think", 3, player="mcts", seconds=0, evaluations=20)  # the position has stayed
        assert [one["name"] for one in answer(socket, "position")["moves"]][:2] == ["a1", "b1"]


SET_UP = "B:W31,32,33:B18,19,K1"


def test_a_position_is_set_up_as_fen(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="draughts", moves="", fen=SET_UP)
        found = answer(socket, "position")
        assert found["side"] == 1 and found["moves"] == [] and found["start"] == SET_UP
        first = found["actions"][0]
        ask(socket, "think", 2, player="mcts", seconds=0, evaluations=20)
        found = answer(socket, "position")
        assert len(found["moves"]) == 1 and found["fen"].startswith("W:W")
        ask(socket, "position", 3, moves=first["name"])
        game = make("draughts")
        after = game.after(first["name"], game.read_fen(SET_UP))
        assert answer(socket, "position")["fen"] == game.write_fen(after)
        ask(socket, "open", 4, game="draughts", moves="", fen=found["fen"])  # what is shown can be set up
        assert answer(socket, "position")["fen"] == found["fen"]
        ask(socket, "open", 5, game="tictactoe", moves="", fen="x")
        assert "tictactoe has no FEN" in socket.receive_json()["text"]


@pytest.mark.parametrize(
    ("game", "moves", "turns"),
    [
        ("amazons:6", "e1-c3 e3 b6-d4 f6 b1-c1", "e1-c3 e3 | b6-d4 f6 | b1-c1"),
        ("connect6:6", "a1 b1 b2 c1 c2 d1", "a1 | b1 b2 | c1 c2 | d1"),
        ("backgammon", "6-4 13/9 8/2 1-1 24/23* 8/7 6/5 5/4 2-2", "6-4 13/9 8/2 | 1-1 24/23* 8/7 6/5 5/4 | 2-2"),
        ("pig", "roll 2 roll 3 hold roll 1 roll", "roll 2 roll 3 hold | roll 1 | roll"),
        ("einstein", "1b5 2a4 3c5 4b4 5a3 6a5 6 6xb5 3", "1b5 2a4 3c5 4b4 5a3 6a5 | 6 6xb5 | 3"),
        ("morpion:4D", "c6-f9 d6-d9", "c6-f9 | d6-d9"),
        ("tictactoe", "a1 b1 c1", "a1 | b1 | c1"),
    ],
)
def test_moves_are_told_in_turns(game, moves, turns):
    position = Position(make(game))
    position.go(moves)
    told = position.view()["moves"]
    assert "".join(f" | {one['name']}" if one["begins"] else f" {one['name']}" for one in told) == f" | {turns}"
    assert not any(one["forced"] for one in told)


def test_a_pass_without_an_alternative_is_told():
    position = Position(make("othello:4"))
    position.go("c4 d2 a1 a2 c1 d4 a3 b4 d3 b1 d1 a4")  # the pass before a4 is left out
    forced = [one["name"] for one in position.view()["moves"] if one["forced"]]
    assert forced == [name for name in position.names if name == "pass"] != []
    position.go(" ".join(position.names[:3]))
    assert not any(one["forced"] for one in position.view()["moves"])


def test_chance_is_drawn_by_the_server(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="pig:10,length=20", moves="roll", fen="")
        found = answer(socket, "position")
        assert found["side"] == 2 and found["actions"] == []
        ask(socket, "roll", 2)
        assert answer(socket, "position")["moves"][1]["name"] in "123456"


def test_a_match_is_reviewed(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="a1 b1 a2 b2", fen="")
        answer(socket, "position")
        ask(socket, "review", 2, search="proof", seconds=2)
        told = [answer(socket, "graph") for _ in range(5)]
        assert [one["ply"] for one in told] == [0, 1, 2, 3, 4]
        assert told[0]["proven"] == 0 and told[-1]["proven"] == 1
        assert [(one["mark"], one["lost"]) for one in told] == [("", 0), ("blunder", 0.5), *[("", 0)] * 2, ("", None)]
        assert told[1]["line"][0] == "b2" and "step" in told[1]["way"] and told[0]["way"] == ""
        assert answer(socket, "reviewed")["accuracy"] == {"first": 1.0, "second": pytest.approx(0.54, abs=0.01)}


@pytest.mark.parametrize(("name", "mark", "replies"), [("b2", "", ()), ("c3", "blunder", ("b2", "c1", "b3"))])
def test_a_move_is_tried_instead_of_a_mistake(name, mark, replies, client):
    """Whatever lets Blue win after a1 is a blunder. The position stays as it is."""
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="a1", fen="")
        action = next(one["id"] for one in answer(socket, "position")["actions"] if one["name"] == name)
        ask(socket, "try", 2, search="proof", seconds=2, action=action)
        found = answer(socket, "tried")
        assert (found["move"], found["mark"], found["lost"]) == (name, mark, 0.5 if mark else 0)
        assert not replies or found["line"][0] in replies
        assert found["sides"][:2] == [0, 1]
        ask(socket, "try", 3, search="proof", seconds=0.1, action=0)
        assert answer(socket, "error")["request"] == 3
        ask(socket, "position", 4, moves="a1")
        assert [one["name"] for one in answer(socket, "position")["moves"]] == ["a1"]


def test_rollouts_mark_what_threw_away_a_draw(client):
    """They prove nothing, but the share of points that they win is a win chance."""
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="a1 b1 a2 b2", fen="")
        answer(socket, "position")
        ask(socket, "review", 2, search="rollouts", seconds=0.3)
        told = [answer(socket, "graph") for _ in range(5)]
        assert [one["mark"] for one in told] == ["", "blunder", "", "", ""]
        assert [one["proven"] for one in told] == [None] * 5 and told[1]["lost"] == pytest.approx(0.5, abs=0.05)
        ask(socket, "think", 3, player="mcts", seconds=0, evaluations=500)
        assert answer(socket, "moved")["win_chance"] > 0.9


BAD = [
    ("", "a JSON object"),
    ("[" * 10_000, "a JSON object"),
    ('{"type": "nonsense"}', "the type of a message"),
    ('{"type": ["open"]}', "the type of a message"),
    ('{"type": "roll", "request": 1, "more": 2}', "has the fields type, request"),
    ('{"type": "play", "request": 1, "action": "b2"}', "the field action"),
    ('{"type": "play", "request": 1, "action": true}', "the field action"),
    ('{"type": "play", "request": 1, "action": 99}', "is not legal"),
    ('{"type": "open", "request": 1, "game": "/etc/passwd", "moves": "", "fen": ""}', "there is no game"),
    ('{"type": "open", "request": 1, "game": "./nim.py", "moves": "", "fen": ""}', "there is no game"),
    ('{"type": "open", "request": 1, "game": "os.path", "moves": "", "fen": ""}', "there is no game"),
    ('{"type": "open", "request": 1, "game": "hex:99", "moves": "", "fen": ""}', "size must be from 2 to 19"),
    ('{"type": "open", "request": 1, "game": "tictactoe", "moves": ""}', "has the fields type, request, game"),
    ('{"type": "open", "request": 1, "game": "tictactoe", "moves": "", "fen": null}', "the field fen"),
    ('{"type": "open", "request": 1, "game": "draughts", "moves": "", "fen": "W:W51:B1"}', "has no square '51'"),
    ('{"type": "think", "request": 1, "player": "uci:cat", "seconds": 1, "evaluations": 0}', "there is no player"),
    ('{"type": "position", "request": 1, "moves": "b2 b2"}', "move 2"),
    ('{"type": "roll", "request": 1}', "chance is not to move"),
    ('{"type": "analyse", "request": 1, "search": "run:../x", "on": true, "chances": true}', "cannot be analysed"),
    ('{"type": "think", "request": 1, "player": "human", "seconds": 1, "evaluations": 0}', "there is no player"),
    ('{"type": "think", "request": 1, "player": "../x", "seconds": 1, "evaluations": 0}', "there is no player"),
    ('{"type": "think", "request": 1, "player": "mcts", "seconds": 1e9, "evaluations": 0}', "the field seconds"),
    ('{"type": "think", "request": 1, "player": "mcts", "seconds": NaN, "evaluations": 0}', "NaN is not a JSON number"),
    ('{"type": "choose", "request": 1, "places": ["a"]}', "a list of at most 64"),
]


def test_bad_messages_are_answered_and_nothing_is_lost(client):
    with client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game="tictactoe", moves="b2", fen="")
        answer(socket, "position")
        for text, said in BAD:
            socket.send_text(text)
            found = socket.receive_json()
            assert found["type"] == "error" and said in found["text"], (text, found)
        ask(socket, "position", moves="b2 a1")
        assert len(answer(socket, "position")["moves"]) == 2


def test_too_many_messages_end_the_connection(client):
    with client.websocket_connect(SOCKET) as socket:
        for _ in range(400):
            socket.send_text("{}")
        answers = iter(socket.receive_json, None)
        with pytest.raises(WebSocketDisconnect) as ended:
            list(answers)
        assert ended.value.reason == "too many messages"


def test_messages_are_bounded():
    with pytest.raises(messages.MessageError, match="characters"):
        messages.read("x" * (messages.MOST_CHARACTERS + 1))
    with pytest.raises(ValueError, match="at most 10000 moves"):
        Position(Choices("tictactoe").make_game("tictactoe")).go("a1 " * 10_001)


def test_only_this_machine_and_this_page(client):
    assert client.get("/").status_code == 200
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(SOCKET, headers={"origin": "http://evil.example"}),
    ):
        pass
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"):
        assert client.get(path).status_code == 404
    assert "default-src 'self'" in client.get("/").headers["content-security-policy"]


def test_pages_are_bounded(client):
    with ExitStack() as pages:
        for _ in range(MOST_PAGES):
            pages.enter_context(client.websocket_connect(SOCKET))
        more = pages.enter_context(client.websocket_connect(SOCKET))
        with pytest.raises(WebSocketDisconnect) as refused:
            more.receive_json()
        assert "at most" in refused.value.reason
    with client.websocket_connect(SOCKET) as again:
        ask(again, "open", game="tictactoe", moves="", fen="")
        answer(again, "position")


def test_links_to_a_position_open_on_other_machines():
    shared = "http://192.0.2.7:8420/play?token=secret&more"
    with TestClient(application(Choices("tictactoe"), "secret", shared), base_url="http://any.example") as made:
        page = made.get("/play?token=secret").text
        assert f'<meta name="shared" content="{shared.replace("&", "&amp;")}">' in page
    with TestClient(application(Choices("tictactoe")), **LOCAL) as made:
        assert '<meta name="shared" content="">' in made.get("/play").text


def test_the_address_of_a_server_that_listens_everywhere_is_not_that_of_all_addresses():
    for host, version in (("0.0.0.0", 4), ("::", 6)):
        found = ip_address(seen_from_outside(host))
        assert found.version == version and not found.is_unspecified
    assert seen_from_outside("192.0.2.7") == "192.0.2.7"


def test_a_token_is_asked_for():
    with TestClient(application(Choices("tictactoe"), token="secret"), base_url="http://any.example") as made:
        assert made.get("/").status_code == 401 and made.get("/about").status_code == 401
        with pytest.raises(WebSocketDisconnect), made.websocket_connect("ws://any.example/socket"):
            pass
        assert made.get("/?token=wrong").status_code == 401
        assert made.get("/?token=secret").status_code == 200
        assert made.get("/about").status_code == 200  # the cookie


@pytest.mark.parametrize("name", ["gtp", "gtp:touch {}", "uci:touch {}", "aei", "mcts:1000"])
def test_no_page_starts_a_program(name, tmp_path):
    """Nor gives a player settings."""
    choices, started = Choices("tictactoe"), tmp_path / "started"
    with pytest.raises(ValueError, match="there is no player"):
        choices.make_player(name.format(started), choices.make_game("tictactoe"))
    assert not started.exists()


def engine(game, protocol="gtp"):
    """The command of an engine that is athenan itself."""
    return f"{protocol}:{sys.executable} -m athenan engine {game} --protocol {protocol} --player mcts:20"


def test_a_player_that_the_command_has_named(tmp_path):
    """A program: it plays, is ended when nobody waits for its answer, and begins again."""
    silent = tmp_path / "silent.py"
    silent.write_text(SILENT)
    players = {"fish": engine("tictactoe"), "silent": f"gtp:{sys.executable} {silent},timeout=600"}
    with (
        TestClient(application(Choices("tictactoe", players=players)), **LOCAL) as made,
        made.websocket_connect(SOCKET) as socket,
    ):
        ask(socket, "open", game="tictactoe", moves="a1 b1 a2 b2", fen="")
        assert {"fish", "silent"} <= set(answer(socket, "game")["players"])
        answer(socket, "position")
        ask(socket, "think", 2, player="silent", seconds=100, evaluations=0)
        ask(socket, "position", 3, moves="a1 b1 a2 b2")
        assert socket.receive_json()["type"] == "position"  # and no error
        ask(socket, "think", 4, player="fish", seconds=1, evaluations=0)
        answer(socket, "moved")
        assert len(answer(socket, "position")["moves"]) == 5
        ask(socket, "open", 5, game="connect_four:4x4", moves="", fen="")
        answer(socket, "position")
        ask(socket, "think", 6, player="fish", seconds=1, evaluations=0)
        assert socket.receive_json()["type"] == "error"


def test_a_program_plays_on_from_a_fen():
    """If its protocol has words for that."""
    players = {"told": engine("ataxx:4", "uai"), "not told": engine("ataxx:4")}
    with (
        TestClient(application(Choices("tictactoe", players=players)), **LOCAL) as made,
        made.websocket_connect(SOCKET) as socket,
    ):
        ask(socket, "open", game="ataxx:4", moves="c2", fen="x3/4/4/3o o 0 1")
        answer(socket, "position")
        ask(socket, "think", 2, player="told", seconds=1, evaluations=0)
        answer(socket, "moved")
        assert len(answer(socket, "position")["moves"]) == 2
        ask(socket, "think", 3, player="not told", seconds=1, evaluations=0)
        assert "cannot start from a FEN" in answer(socket, "error")["text"]


SILENT = """
import sys
for line in sys.stdin:
    print("=" if "genmove" not in line else "", flush=True)
    print(flush=True)
"""


def test_players_of_the_command_line():
    assert read_players(("fish=uci:sh --x=1,timeout=5", "deep=mcts:100000")) == {
        "fish": "uci:sh --x=1,timeout=5", "deep": "mcts:100000",
    }  # fmt: skip
    for texts, said in (
        (["fish"], "must be NAME=PLAYER"),
        (["=mcts"], "must be NAME=PLAYER"),
        (["mcts=random"], "is taken"),
        (["run:x=random"], "is taken"),
        (["a=random", "a=mcts"], "is taken"),
        (["a=stockfish"], "there is no player 'stockfish'"),
        (["a=human"], "there is no player 'human'"),
        (["a=uci:nosuch,timeout=5"], "--player a: uci:nosuch,timeout=5 cannot be started: there is no program"),
        (["a=gtp:./nosuch x"], "there is no program './nosuch'"),
        (["a=uci:"], "a command is missing"),
    ):
        with pytest.raises(ValueError, match=said):
            read_players(tuple(texts))


def test_runs_are_those_of_the_folder(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "checkpoint.safetensors").write_bytes(b"damaged")
    (tmp_path / "other").mkdir()
    found = runs_of(tmp_path)
    assert list(found) == ["one"] and runs_of(tmp_path / "missing") == {}
    choices = Choices("tictactoe", folder=tmp_path)
    assert choices.runs == found
    assert choices.networks_of(choices.make_game("tictactoe")) == {}  # damaged
