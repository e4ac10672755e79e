"""UAI: the engine driven by python-ataxx, its rules and FEN beside ours, and programs that begin from a FEN."""

import sys
from typing import Any

import ataxx
import numpy as np
import pytest
from ataxx.uai import Engine as Client
from scripted_programs import Scripted

from athenan import Budget, GameError, make
from athenan.engines.program import ProgramPlayer
from athenan.engines.protocols import CONVERSATIONS
from athenan.engines.uci.dialect import DIALECTS
from athenan.play.player import PlayerError
from athenan.rules.game import Game, State

UAI = DIALECTS["uai"]
CORNERS = "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"


@pytest.mark.parametrize(
    "fen", [ataxx.FEN_STARTPOS, CORNERS, "7/7/7/3x3/7/7/o6 o 98 60", "xxxxx2/7/7/7/7/7/ooooo2 x 3 9"]
)
@pytest.mark.parametrize("seed", range(3))
def test_rules_and_fen_are_those_of_python_ataxx(fen: str, seed: int) -> None:
    game = make("ataxx:7,blocked=c3+c5+e3+e5" if "-" in fen else "ataxx")
    board, random = ataxx.Board(fen), np.random.default_rng(seed)
    state = game.read_fen(fen)
    while game.outcome(state) is None:
        assert not board.gameover()
        assert game.write_fen(state).split()[:3] == board.get_fen().split()[:3]
        assert np.array_equal(game.read_fen(board.get_fen())[4:], state[4:])
        names = {UAI.written(game, game.action_name(state, int(action))) for action in game.actions(state)}
        assert names == {str(move) for move in board.legal_moves()}
        move = str(random.choice(sorted(names)))
        board.makemove(ataxx.Move.from_san(move))
        state = game.play(state, UAI.read(game, state, move))
    assert board.gameover()
    assert game.score(state) in (board.score(), 0)


def test_numbers_of_moves_are_those_of_python_ataxx() -> None:
    game, board = make("ataxx"), ataxx.Board()
    state = game.initial()
    for move in ("b6", "f6", "g1f3", "a1c1", "a7a5"):
        assert game.write_fen(state) == board.get_fen()
        board.makemove(ataxx.Move.from_san(move))
        state = game.play(state, UAI.read(game, state, move))


@pytest.mark.parametrize(
    ("game", "fen", "message"),
    [
        ("ataxx", "", "is not a FEN: it needs a board and x or o for the side to move, and perhaps '0 1'"),
        ("ataxx", "x5o/7/7/7/7/o5x x", "needs 7 ranks of 7 places, with the letters xo-"),
        ("ataxx", "x5o/7/7/7/7/7/o5z x", "needs 7 ranks of 7 places, with the letters xo-"),
        ("ataxx", "x5o/7/7/7/7/7/o4.x x", "needs 7 ranks of 7 places, with the letters xo-"),
        ("ataxx", CORNERS, "its blocked cells differ"),
        ("ataxx", "x5o/7/7/7/7/7/o5x x 100 1", "since the last clone must be a number from 0 to 99, not '100'"),
        ("ataxx", "x5o/7/7/7/7/7/o5x x \N{SUPERSCRIPT TWO} 1", "must be a number from 0 to 99"),
        ("breakthrough:3x4", "3/3/3/PPP x", "w or b for the side to move"),
        ("breakthrough:3x4,piece_rows=1", "ppp/3/P2/PPP w", "it has 4 P"),
        ("breakthrough:16", "/".join(16 * [16 * "P"]) + " w", "it has 256 P"),
        ("breakthrough:3x4", "P1p/3/3/PPP w", "the side to move has won"),
        ("breakthrough:3x4", "3/3/3/PPP w", "the side to move has won"),
    ],
)
def test_what_is_no_fen_is_refused(game: str, fen: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        make(game).read_fen(fen)


@pytest.mark.parametrize(
    ("game", "fen", "outcome"),
    [
        ("breakthrough:3x4", "P1p/3/3/PPP b", 1), ("breakthrough:3x4", "3/3/3/PPP b", 1),
        ("breakthrough:3x4", "ppp/3/3/p1P w", -1), ("breakthrough:3x4", "ppp/P2/3/3 w", None),
        ("ataxx:3", "xxx/xxo/ooo o", 1), ("ataxx:3", "x2/3/3 o", 1), ("ataxx:3", "x2/3/2o o 99 70", None),
    ],
)  # fmt: skip
def test_outcomes_of_positions(game: str, fen: str, outcome: int | None) -> None:
    made = make(game)
    assert made.outcome(made.read_fen(fen)) == outcome


@pytest.mark.parametrize(
    "name", ["breakthrough:5x4", "breakthrough:12x5,piece_rows=1", "ataxx:4", "ataxx:8,blocked=c3"]
)
def test_positions_are_written_and_read(name: str) -> None:
    game, random = make(name), np.random.default_rng(4)
    state = game.initial()
    while True:
        again = game.read_fen(game.write_fen(state))
        assert np.array_equal(again[4:], state[4:])
        assert (again[0], again[1]) == (state[0], state[1])
        if game.outcome(state) is not None:
            break
        state = game.play(state, int(random.choice(game.actions(state))))


@pytest.mark.filterwarnings("ignore:line buffering")  # python-ataxx asks for it
def test_python_ataxx_plays_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its random moves lose, from a position with gaps on."""
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    game = "ataxx:7,blocked=c3+c5+e3+e5"
    engine = Client([sys.executable, "-m", "athenan", "engine", game, "--protocol", "uai", "--player", "mcts:300"])
    try:
        engine.uai()
        assert "athenan" in engine.name
        engine.isready()
        engine.uainewgame()
        board, random = ataxx.Board(CORNERS), np.random.default_rng(5)
        limits: list[dict[str, Any]] = [{"times": (9000, 9000, 10, 10)}, {"movetime": 20}, {"nodes": 30}]
        while not board.gameover():
            if board.turn == ataxx.BLACK:
                engine.position(board.start_fen(), " ".join(map(str, board.main_line())))
                move, _ = engine.go(**limits[len(board.main_line()) // 2 % 3], maxwait=300)
                assert board.is_legal(ataxx.Move.from_san(move))
            else:
                move = str(random.choice([str(one) for one in board.legal_moves()]))
            board.makemove(ataxx.Move.from_san(move))
        assert board.score() > 0
    finally:
        engine.quit()
        engine.client.listener.join(10)


# Programs that play on from a FEN.


def player(protocol: Any, game: Game, *script: Any) -> tuple[ProgramPlayer, Scripted]:
    transport = Scripted(*script)
    return ProgramPlayer(game, "it", lambda: CONVERSATIONS[protocol]("it", transport, 5.0)), transport


def follow(player: ProgramPlayer, game: Game, start: State, moves: tuple[str, ...]) -> None:
    """Plays moves, of which the player must choose every other one."""
    player.new_match(game, 1, start)
    state = start
    for number, move in enumerate(moves):
        action = game.parse_action(state, move)
        if number % 2 == 0:
            assert player.select(state, Budget(iterations=5)).action == action
        state = game.play(state, action)
        player.observe(action, state)


READY = ("isready", "readyok")


def test_a_program_is_told_a_fen_and_passes() -> None:
    game, fen = make("ataxx:5"), "5/5/ooo2/ooo2/xoo2 x 3 1"
    told, transport = player(
        "uai", game, ("uai", "uaiok"), ("uainewgame",), READY, ("uainewgame",), READY,
        (f"position fen {fen}",), ("go nodes 5", "bestmove 0000"),
        (f"position fen {fen} moves 0000 d4",), ("go nodes 5", "bestmove 0000"),
    )  # fmt: skip
    follow(told, game, game.read_fen(fen), ("pass", "d4", "pass"))
    assert not transport.script


def test_hub_is_told_a_position() -> None:
    game = make("draughts:international")
    start = game.read_fen("W:W28,45:B19,8")
    squares = "".join({28: "w", 45: "w", 19: "b", 8: "b"}.get(square, "e") for square in range(1, 51))
    told, transport = player(
        "hub", game, ("hub", "wait"), ("init", "ready"), ("new-game",), ("new-game",),
        (f"pos pos=W{squares}",), ("go think", "done move=28-23"),
        (f'pos pos=W{squares} moves="28-23 19x28x23"',), ("go think", "done move=45-40"),
    )  # fmt: skip
    follow(told, game, start, ("28-23", "19x28", "45-40"))
    assert not transport.script


def test_gtp_has_no_words_for_a_position() -> None:
    game = make("ataxx:3")
    told, _ = player("gtp", game, ("boardsize 3", "=", ""), ("clear_board", "=", ""))
    with pytest.raises(PlayerError, match="it is told only the moves of a match: it cannot start from a FEN"):
        told.new_match(game, 1, game.read_fen("x2/3/2o o"))
