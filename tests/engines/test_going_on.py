"""UCI, UCCI and Hub: positions beyond our end of a match, and positions that are final in all rules."""

import pytest
from protocol_servers import NAMED_DIALECTS, Told

from athenan import make
from athenan.engines.hub.moves import write_position
from athenan.engines.hub.server import HubServer
from athenan.engines.resuming import resumed
from athenan.engines.uci.server import UciServer

CYCLE = "h0g2 h9g7 g2h0 g7h9 "


def told_uci(game: str, protocol: str = "uci") -> Told[UciServer]:
    return Told(lambda engine, write: UciServer(engine, write, NAMED_DIALECTS[protocol]), game)


@pytest.mark.parametrize("protocol", ["uci", "ucci", "ugi"])
@pytest.mark.parametrize("moves", [2 * CYCLE, 2 * CYCLE + "b0c2", 5 * CYCLE, 5 * CYCLE + "b0c2 b9c7"])
def test_xiangqi_goes_on_after_a_third_repetition(protocol: str, moves: str) -> None:
    told = told_uci("xiangqi", protocol)
    lines = told(f"position startpos moves {moves}", "go nodes 20")
    assert not [line for line in lines if "error" in line]
    state = told.engine.session.state
    answer = lines[-1].split()
    assert answer[0] == "bestmove"
    assert told.engine.game.parse_action(state, answer[1]) in told.engine.game.actions(state)
    after = make("xiangqi").after(moves.replace(CYCLE, ""))  # the cycles change nothing
    assert told.engine.game.text(state) == told.engine.game.text(after)


def test_xiangqi_goes_on_after_its_limit_of_moves_without_a_capture() -> None:
    told, fen = told_uci("xiangqi"), make("xiangqi").write_fen(make("xiangqi").initial()).split()
    start = f"position fen {fen[0]} w - - 119 60 moves"
    for moves in ("h0g2", "h0g2 h9g7"):
        assert told(f"{start} {moves}", "go nodes 20")[-1].split()[1] != "(none)"
        state = told.engine.session.state
        assert told.engine.game.text(state) == told.engine.game.text(make("xiangqi").after(moves))


def test_the_result_is_known_until_the_other_program_goes_on() -> None:
    told = told_uci("xiangqi", "ugi")
    assert told(f"position startpos moves {2 * CYCLE}", "query gameover", "query result")[-2:] == [
        "response true", "response draw",
    ]  # fmt: skip
    assert told(f"position startpos moves {2 * CYCLE} b0c2", "query gameover")[-1] == "response false"


def test_a_position_that_is_final_itself_has_no_move() -> None:
    game = make("breakthrough:5x5")
    moves = "b2b3 e4e3 b3a4 e3d2 a4b5"
    state = game.after("b2-b3 e4-e3 b3xa4 e3xd2 a4xb5")
    assert game.outcome(state) == 1
    assert resumed(game, state) is None
    lines = told_uci("breakthrough:5x5")(f"position startpos moves {moves}", "go nodes 5")
    assert lines[-2:] == ["info string the match is over", "bestmove (none)"]
    assert "error" in told_uci("breakthrough:5x5")(f"position startpos moves {moves} e5e4")[0]


def test_hub_goes_on_after_a_third_repetition() -> None:
    told, game = Told(HubServer, "draughts", "mcts:20"), make("draughts")
    start = "W:WK46:BK45"
    position = write_position(game, game.read_fen(start))
    cycle = "46-41 45-40 41-46 40-45 "
    state = game.after(2 * cycle, game.read_fen(start))
    assert game.outcome(state) == 0
    lines = told(f'pos pos={position} moves="{4 * cycle}"', "level move-time=0.01", "go think")
    assert lines[-1].startswith("done move=")
