"""What the server answers if the board of a user's own game cannot be drawn."""

from pathlib import Path
from typing import Any

import pytest
from page_messages import LOCAL, SOCKET, answer, ask
from starlette.testclient import TestClient

from athenan import make
from athenan.web.choices import Choices
from athenan.web.server import application

AFTER_THE_CHECK = """
import os
from dataclasses import replace
from athenan.games import tictactoe
from athenan.rules import Piece

PROCESS = os.getpid()  # the check runs in a fork

def make():
    game = tictactoe.make()
    board = game.layout.board

    def scene(state):
        if os.getpid() == PROCESS and state[2] == {moves}:
            {fault}
        return board.scene(state)

    return replace(game, layout=replace(game.layout, board=replace(board, scene=scene)))
"""
RAISED = "its board.scene raised KeyError: 'x'"


@pytest.fixture
def faulty(tmp_path: Path) -> Any:
    """Makes a server whose game has a fault in the scene of the states after some moves; its name and its client."""

    def made(moves: int, fault: str = '{}["x"]') -> tuple[str, TestClient]:
        file = tmp_path / "mine.py"
        file.write_text(AFTER_THE_CHECK.format(moves=moves, fault=fault))
        name = make(str(file)).name
        return name, TestClient(application(Choices(name)), **LOCAL)

    return made


@pytest.mark.parametrize(
    ("fault", "message"),
    [('{}["x"]', RAISED), ("return board.scene(state)._replace(pieces=(Piece(9, 0),))", "one of the 9 places, from 0")],
)
def test_pages_that_cannot_be_drawn_are_a_sentence(faulty: Any, fault: str, message: str) -> None:
    name, client = faulty(0, fault)
    with client:
        pages = client.get("/"), client.get("/picture", params={"game": name})
        assert [page.status_code for page in pages] == [500, 404]
        for page in pages:
            assert page.text.startswith(f"{name}: its board.scene") and message in page.text and "\n" not in page.text
        assert client.get("/play").status_code == 200


def test_a_position_that_cannot_be_drawn_is_an_error_and_the_page_goes_on(faulty: Any) -> None:
    name, client = faulty(2)
    with client, client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game=name, moves="", fen="")
        assert answer(socket, "position")["moves"] == []
        ask(socket, "position", moves="a1 b1")
        while (found := socket.receive_json())["type"] != "error":
            pass
        assert found["text"] == f"{name}: {RAISED}"
        ask(socket, "position", moves="a1")
        assert len(answer(socket, "position")["moves"]) == 1


def test_numbers_of_numpy_of_a_board_reach_the_page(tmp_path: Path) -> None:
    file = tmp_path / "numbers.py"
    file.write_text(
        "from dataclasses import replace\nimport numpy as np\nfrom athenan.games import tictactoe\n"
        "def make():\n    game = tictactoe.make()\n"
        "    board = replace(game.layout.board, counted='pieces', slots=((np.int64(0),),), facing=np.bool_(True),\n"
        "                    counts=lambda state: (state[0], state[2]))\n"
        "    return replace(game, layout=replace(game.layout, board=board))\n"
    )
    name = make(str(file)).name
    with TestClient(application(Choices(name)), **LOCAL) as client, client.websocket_connect(SOCKET) as socket:
        ask(socket, "open", game=name, moves="a1", fen="")
        found = answer(socket, "position")
    assert (found["counts"], found["slots"], found["facing"]) == ([1, 1], [[0]], True)
