"""GTP: several turns of one colour in Go, handicap stones, and play after the end of a match."""

import pytest
from protocol_servers import Told

from athenan import make
from athenan.engines.gtp.server import GtpServer
from athenan.games.go.handicap import with_turn
from athenan.rules.game import GameError

RULES = ["positional", "situational", "simple"]


class Controller:
    """A server that is asked line by line."""

    def __init__(self, game: str, player: str = "mcts:20") -> None:
        self.told = Told(GtpServer, game, player)

    def __call__(self, line: str) -> str:
        self.told.text = ""
        self.told.server.handle(line)
        return self.told.text.removesuffix("\n\n")

    def stones(self) -> list[int]:
        """The numbers of stones of both colours."""
        board = "\n".join(self("showboard").splitlines()[2:-1])
        return [board.count(mark) for mark in "xo"]


@pytest.mark.parametrize("superko", RULES)
@pytest.mark.parametrize("colour", ["b", "w"])
def test_several_moves_of_a_colour_are_stones(superko: str, colour: str) -> None:
    go = Controller(f"go:9,superko={superko}")
    moves = [go(f"genmove {colour}") for _ in range(5)]
    assert len(set(moves)) == 5
    assert "= pass" not in moves
    assert go.stones() == ([5, 0] if colour == "b" else [0, 5])
    assert go(f"genmove {'wb'['bw'.index(colour)]}").startswith("= ")
    assert [go("undo") for _ in range(7)] == ["="] * 6 + ["? cannot undo"]
    assert go.stones() == [0, 0]


def test_a_stone_is_set_even_where_a_pass_wins() -> None:
    go = Controller("go:2,komi=-4", "mcts:200")  # black is ahead by more than the board
    assert go("play b a1") == "="
    assert go("play w pass") == "="
    go("undo")
    assert go("genmove b") in ("= B1", "= A2", "= B2")


def test_no_pass_is_counted_when_a_colour_plays_again() -> None:
    go = Controller("go:5")
    for line in ("play b c3", "play b pass", "play b c2", "play b pass"):
        assert go(line) == "="
    assert go("final_score") == "? cannot score: the match is not over"
    assert go("play w pass") == "="
    assert go("final_score") == "= B+18"


def test_after_two_passes_the_answer_is_a_pass_and_a_stone_resumes() -> None:
    go = Controller("go:5")
    for line in ("play b c3", "play w pass", "play b pass"):
        assert go(line) == "="
    score = go("final_score")
    assert score == "= B+18"
    assert go("genmove w") == go("genmove b") == "= pass"
    assert go("lz-genmove_analyze w").split() == ["=", "play", "pass"]
    assert go("play b pass") == "="
    assert go("final_score") == score
    assert go("play w c2") == "="
    assert go("final_score").startswith("?")
    assert go.stones() == [1, 1]
    assert go("genmove b").startswith("= ")
    for _ in range(6):
        assert go("undo") == "="
    assert go("final_score") == score


@pytest.mark.parametrize("superko", RULES)
def test_handicap_of_the_longest_match_ends_in_an_error(superko: str) -> None:
    """The actions between still count, so that no match is longer than the rules promise."""
    game = make(f"go:2,superko={superko}")
    state = game.initial()
    while game.length(state) < game.max_length - 1:
        state = with_turn(game, state, 1 - game.player(state))
    with pytest.raises(GameError, match="no match has more than 8 actions"):
        with_turn(game, state, 1 - game.player(state))


@pytest.mark.parametrize("superko", RULES)
def test_ko_holds_after_handicap_stones(superko: str) -> None:
    go = Controller(f"go:4,superko={superko}")
    for line in ("b b1", "b a2", "b b3", "w c1", "w d2", "w c3", "w b2", "b c2"):
        assert go(f"play {line}") == "="
    assert go("play w b2").startswith("? illegal move")
    if superko == "simple":
        assert go("play b d4") == "="
        assert go("play w b2") == "="


@pytest.mark.parametrize(
    ("size", "count", "points"),
    [
        (19, 2, "D4 Q16"), (19, 3, "D4 Q16 D16"), (9, 4, "C3 G7 C7 G3"), (9, 5, "C3 G7 C7 G3 E5"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"), (13, 6, "D4 K10 D10 K4 D7 K7"), (8, 4, "C3 F6 C6 F3"),
    ],
)  # fmt: skip
def test_fixed_handicap(size: int, count: int, points: str) -> None:
    go = Controller(f"go:{size}")
    assert go(f"fixed_handicap {count}") == f"= {points}"
    assert go.stones() == [count, 0]
    assert "white to move" in go("showboard")
    assert go("undo") == "="
    assert go(f"place_free_handicap {count}") == f"= {points}"
    assert go(f"fixed_handicap {count}") == "? board not empty"


def test_free_handicap_is_set_or_refused() -> None:
    go = Controller("go:9")
    assert go("set_free_handicap C3 G7 E5") == "="
    assert go.stones() == [3, 0]
    assert go("genmove w").startswith("= ")
    assert go("clear_board") == "="
    for wrong in ("C3", "C3 C3", "C3 Z9", "C3 pass", ""):
        assert go(f"set_free_handicap {wrong}").startswith("? bad vertex list")
        assert go.stones() == [0, 0]
    for wrong in ("1", "10", "x", ""):
        assert go(f"fixed_handicap {wrong}").startswith("? ")
    assert Controller("go:5")("fixed_handicap 2").startswith("? invalid number of stones")
    assert Controller("hex:4")("fixed_handicap 2") == "? hex:4 has no handicap stones: only Go has"


def test_a_komi_keeps_handicap_stones() -> None:
    go = Controller("go:9")
    go("fixed_handicap 3")
    assert go("komi 0.5") == "="
    assert go.stones() == [3, 0]
    assert "white to move" in go("showboard")


@pytest.mark.parametrize("game", ["hex:3", "othello:6", "gomoku:7", "havannah:4"])
def test_games_without_passes_refuse_a_second_move_of_a_colour(game: str) -> None:
    told = Controller(game)
    assert told("genmove b").startswith("= ")
    assert told("genmove b") == "? white is to move: only in Go may a side play out of turn"


def test_xiangqi_goes_on_after_a_third_repetition() -> None:
    told, cycle = Controller("xiangqi"), ("b h0g2", "w h9g7", "b g2h0", "w g7h9")
    for _ in range(3):
        for move in cycle:
            assert told(f"play {move}") == "="
    assert told("genmove b").startswith("= ")


def test_a_match_that_was_won_is_over() -> None:
    told = Controller("tictactoe")
    for move in ("b a1", "w b1", "b a2", "w b2", "b a3"):
        assert told(f"play {move}") == "="
    assert told("genmove w") == "? the match is over"
    assert told("play w c1") == "? illegal move: the match is over"
