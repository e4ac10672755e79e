"""PDN as other programs and servers write it: what is read, what is left out, and what the notices say of it."""

import pytest
from file_matches import moves_of, read_pdn

from athenan import make
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in
from athenan.files.pdn.matches import played_by
from athenan.games.draughts import read_fen
from athenan.games.draughts.notation import read_move, write_fen
from athenan.play.match import play_match
from athenan.play.player import RandomPlayer
from athenan.rules.game import GameError

PLAIN = "31-26 17-22 36-31 11-17 41-36 7-11 46-41 1-7"


@pytest.mark.parametrize(
    "text",
    [
        "  1. 31-26 17-22  2. 36-31 11-17  3. 41-36  7-11  4. 46-41  1- 7",
        "1. 31 - 26 17 - 22 2. 36 - 31 11 - 17 3. 41 - 36 7 - 11 4. 46 - 41 1 - 7",
        "1. 31–26 17–22 2. 36—31 11−17 3. 41‐36 7-11 4. 46-41 01-07",
        "1.31-26 17-22 2.36-31 11-\n17 3.41-36! 7-11(?) 4. 46-41* 1-7",
        "1. 3126 1722 2. 3631 1117 3. 4136 7-11 4. 4641 1-7 *",
        "1. 31-26+ 17-22 = 2. 36-31 $1 11-17 . 3. 41-36 {a {nested} remark} 7-11 4. 46-41 ; the rest\n1-7",
    ],
)
def test_moves_are_read_with_any_signs_between(text: str) -> None:
    assert moves_of(read_pdn(text)) == PLAIN
    assert moves_of(read_pdn(as_text([read_pdn(text)], ".pdn"))) == PLAIN


@pytest.mark.parametrize("capture", ["28x19", "28:19", "28×19", "28X19", "28х19", "28-19", "28 x 19", "28x 19", "2819"])
def test_captures_are_read_with_any_sign(capture: str) -> None:
    assert moves_of(read_pdn(f"1. 32-28 19-23 2. {capture} 14x23")) == "32-28 19-23 28x19 14x23"


@pytest.mark.parametrize("step", ["32-28", "32x28", "32:28"])
def test_a_step_with_the_cross_of_a_capture_is_read(step: str) -> None:
    assert moves_of(read_pdn(f"1. {step} 19-23")) == "32-28 19-23"


def test_whole_ways_are_read_with_dashes() -> None:
    """A king reaches 3 by two ways, which take different pieces."""
    game = make("draughts")
    start = read_fen(game, "W:WK25:B8,33,34,38")
    ways = ["25x39x17x3", "25x43x21x3"]
    found = [played_by(game, start, way) for way in ways]
    assert found[0] != found[1]
    assert [played_by(game, start, way.replace("x", "-")) for way in ways] == found
    assert found == [read_move(game, start, way) for way in ways]
    with pytest.raises(GameError, match="does not say which pieces are taken"):
        played_by(game, start, "25-3")


@pytest.mark.parametrize("text", ["c3d4", "C3-D4", "c3 - d4", "c3–d4"])
def test_squares_with_letters_need_no_sign(text: str) -> None:
    match = read_pdn(f'[GameType "26"] 1. {text} f6e5 2. d4f6 g7e5')
    assert moves_of(match) == "c3-d4 f6-e5 d4xf6 g7xe5"


def test_squares_with_letters_need_the_name_of_their_game() -> None:
    """Russian, Czech and Brazilian draughts have the same squares and first moves."""
    with pytest.raises(ValueError, match="its game is not named, and its squares have letters"):
        read_pdn("1. c3-d4 f6-e5")
    assert read_pdn("1. c3-d4 f6-e5", "draughts:brazilian").game == "draughts:brazilian"


FIVE = "32-28 18-23 33-29 23x32 37x28"


@pytest.mark.parametrize(
    ("result", "outcome"), [("4-6", -1), ("12-8", 1), ("10-10", 0), ("1-9", -1), ("0-20", -1), ("3-0", 1), ("5 - 5", 0)]
)
@pytest.mark.parametrize("end", ["the result", "another sign", "nothing", "*"])
def test_a_result_in_points_is_no_move(result: str, outcome: int, end: str) -> None:
    last = {"the result": result, "another sign": result.replace("-", "–"), "nothing": "", "*": "*"}[end]
    match = read_pdn(f'[Result "{result}"]\n1. 32-28 18-23 2. 33-29 23x32 3. 37x28 {last}')
    assert (moves_of(match), match.outcome) == (FIVE, outcome)
    assert [notice.endswith("is in points: only who has more is kept") for notice in match.notices] == [True]


@pytest.mark.parametrize(
    ("end", "outcome"),
    [("2-0", 1), ("1–0", 1), ("1/2-1/2", 0), ("½-½", 0), ("1-1", 0), ("0 - 2", -1), ("0-0", None), ("*", None)],
)
def test_results_end_a_match(end: str, outcome: int | None) -> None:
    matches = list(matches_in(f"1. 32-28 18-23 {end}\n\n1. 31-26 {end}".encode(), ".pdn"))
    assert [(len(match.actions), match.outcome) for match in matches] == [(2, outcome), (1, outcome)]


def test_a_result_that_is_not_known_is_said() -> None:
    assert read_pdn('[Result "won"] 1. 32-28').notices == ("its result, won, is not known",)


def test_what_follows_the_end_is_left_out_and_said() -> None:
    """As after the third repetition, which ends the match here, and on some servers does not."""
    record = play_match(make("draughts"), (RandomPlayer(), RandomPlayer()), seed=1)
    text = as_text([FileMatch.of_record(record)], ".pdn").rsplit(maxsplit=1)[0]
    match = read_pdn(f"{text} 32-28 {{and so on}} 19-23")
    assert match.actions == record.actions
    assert match.plies[-1].comment == "and so on"
    assert match.notices == (f"2 moves left out: the match is over after action {len(record.actions)}",)


def test_variations_that_are_cut_short_are_said() -> None:
    match = read_pdn("1. 32-28 (1. 31-27 19-23 2. 45-40 99-98) (1. 1-2) 19-23")
    assert len(match.plies[0].variations) == 1
    [notice] = match.notices
    assert notice.startswith("2 variations cut short or left out: move 3: '45-40' is not a legal action")


TAGS = '[White "Ada"]\n[Black "Bea"]\n[Result "1-0"]\n[GameType "20"]\n\n'
GOOD = f"{TAGS}1. 32-28 18-23 1-0\n\n"


@pytest.mark.parametrize(
    "bad",
    [
        f"{TAGS}1. 32-28 18-24 1-0\n\n",
        f"{TAGS}1. 32-28 - - 1-0\n\n",
        f"{TAGS}1. 32-28 (1. 31-27 18-23 1-0\n\n",
        f"{TAGS}1. 32-28 18-23 oops\n2. 31-27 1-0\n\n",
        f'[Event "a "quoted" cup"]\n{TAGS}1. 32-28 18-23 1-0\n\n',
        TAGS.replace("20", "21") + "1. 11-15 1-0\n\n",
        f'[FEN "W:WK6:B8"]\n{TAGS}1. 32-28 1-0\n\n',
    ],
)
def test_a_bad_match_does_not_lose_the_others(bad: str) -> None:
    refused = list[str]()
    matches = list(matches_in((GOOD + bad + GOOD).encode(), ".pdn", refused=refused.append))
    assert [(moves_of(match), match.players) for match in matches] == [("32-28 18-23", ("Ada", "Bea"))] * 2
    [sentence] = refused
    assert sentence.startswith("match 2: ")
    with pytest.raises(ValueError, match=r"^match 2: "):
        list(matches_in((GOOD + bad + GOOD).encode(), ".pdn"))


def test_counters_and_numbers_of_other_programs_are_read_in_positions() -> None:
    game, brazilian = make("draughts"), make("draughts:brazilian")
    plain = read_fen(game, "W:W31,32:B18,19")
    for text in ("W:W31,32:B18,19:H0:F1", "W:W31,32:B18,19:H12", "W:B18,19:W31,32:F40.", "W:W31, 32:B18, 19."):
        assert read_fen(game, text).tobytes() == plain.tobytes()
    start = read_fen(brazilian, "W:W21-32:B1-12:H0:F1")
    assert start.tobytes() == brazilian.initial().tobytes()
    assert write_fen(brazilian, read_fen(brazilian, "B:W29,K30:BK1,4")) == "B:Wa1,Kc1:BKb8,h8"
    for wrong in ("W:W31:B18:H0:F1:G2", "W:W31:B18:X0", "W:W31:B18:H"):
        with pytest.raises(ValueError, match="is not a FEN of draughts"):
            read_fen(game, wrong)
    for wrong in ("W:W33:B1", "W:W0:B1"):
        with pytest.raises(ValueError, match="has no square"):
            read_fen(brazilian, wrong)
    assert moves_of(read_pdn('[FEN "W:W31-50:B1-20:H0:F1"] 1. 32-28')) == "32-28"
    assert moves_of(read_pdn('[GameType "26"] [FEN "W:W21-32:B1-12:H0:F1"] 1. 22-17')) == "c3-b4"


def test_a_wrong_corner_of_the_gametype_is_said() -> None:
    """As one server has it: N1, with the usual numbers."""
    match = read_pdn('[GameType "20,W,10,10,N1,0"] 1. 32-28 18-23 2. 33-29 23x32')
    assert moves_of(match) == "32-28 18-23 33-29 23x32"
    assert match.notices == ("its squares are not numbered from the corner of its GameType, N1",)
    with pytest.raises(ValueError, match="move 3: "):
        read_pdn('[GameType "20,W,10,10,N2,0"] 1. 32-28 18-23 2. 99-98')
