"""Matches of backgammon in .mat files: as they are written here, and as other programs write them."""

import pytest
from file_matches import only

from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in
from athenan.files.mat.matches import MatGameError, replayed
from athenan.files.mat.text import MatError, MatGame, split
from athenan.games.catalogue import make
from athenan.play.cube import CubeRecord, CubeRules, Offer
from athenan.play.doubling import Holding
from athenan.play.match import play_match
from athenan.play.player import RandomPlayer
from athenan.play.records import plies_of

GAME = make("backgammon")
HEADER = " 5 point match\n\n Game 1\n Ann : 0                               Ben : 0\n"


def read(text, game=None):
    (match,) = matches_in(text.encode(), ".mat", game)
    return match


def names(match):
    return GAME.moves(match.actions)


class Doubling(Holding):
    """A random player who doubles at every roll, until the opponent drops the third double."""

    def __init__(self, drops):
        self.name, self._random, self._drops = "doubling", RandomPlayer(), drops

    def __getattr__(self, name):
        return getattr(self._random, name)

    def doubles(self, state, cube, limit):
        return True

    def takes(self, state, cube, limit):
        return not self._drops or cube.value < 4


@pytest.mark.parametrize("drops", [True, False])
def test_matches_with_the_cube_come_back(drops):
    """Of two players, each of whom begins one game, in one file with the score after each game."""
    ann, ben = Doubling(drops), Doubling(drops)
    records = [play_match(GAME, (ann, ben), seed=seed, cube=CubeRules()) for seed in range(2)]
    told = [FileMatch.of_record(record) for record in records]
    told = [
        FileMatch(one.game, ("Ann", "Ben")[:: 1 - 2 * turned], one.plies, one.outcome, cube=one.cube)
        for turned, one in enumerate(told)
    ]
    again = list(matches_in(as_text(told, ".mat").encode(), ".mat"))
    assert [(one.actions, one.players, one.outcome, one.ending, one.cube) for one in again] == [
        (one.actions, one.players, one.outcome, "", one.cube) for one in told
    ]
    assert [one.about["game"] for one in again] == ["1", "2"] and again[0].about["score"] == "0-0"
    cubes = [record.cube for record in records if record.cube]
    points = records[0].score or records[0].outcome * cubes[0].cube.value
    assert again[1].about["score"] == (f"0-{points}" if points > 0 else f"{-points}-0")
    assert all(one.cube and len(one.cube.offers) >= 3 and one.cube.dropped == drops for one in again)
    assert as_text(again, ".mat") == as_text(list(matches_in(as_text(again, ".mat").encode(), ".mat")), ".mat")


def test_a_match_without_a_cube_comes_back():
    record = play_match(GAME, (RandomPlayer(), RandomPlayer()), seed=4)
    [again] = matches_in(as_text([FileMatch.of_record(record)], ".mat").encode(), ".mat")
    assert (again.actions, again.cube, again.outcome) == (record.actions, None, record.outcome)
    assert again.as_record(GAME).score == record.score


def test_a_line_is_written_as_other_programs_expect_it():
    plies = plies_of(GAME, GAME.parse_moves("3-1 8/5 6/5 5-2 24/22 13/8"))
    cube = CubeRecord(offers=(Offer(6, 0, taken=False),))
    about = {"length": "5", "place": "here"}
    assert as_text([FileMatch(GAME.name, ("Ann", "Ben"), plies, 1, cube=cube, about=about)], ".mat").split("\n") == [
        '; [Site "here"]', '; [Variation "Backgammon"]', " 5 point match", "", " Game 1",
        " Ann : 0                                Ben : 0",
        "  1) 31: 8/5 6/5                        52: 24/22 13/8",
        "  2)  Doubles => 2                       Drops",
        "      Wins 1 point", "",
    ]  # fmt: skip


STRANGERS = {
    "spaces": HEADER + "  1) 31: 8/5 6/5                52: 13/8 24/22\n  2)  Doubles => 2   Takes\n  3) 64: 24/14\n",
    "tabs": "5 point match\r\n\r\nGame 1\r\nAnn : 0\tBen : 0\r\n1)\t31: 8/5 6/5\t52: 13/8 24/22\r\n"
            "\r\n2)\tDoubles => 2\tTakes\r\n\r\n3)\t64: 24/14\r\n",
    "words": '; [Site "a club"]\n;[Player 1 "Ann"]\n; only a remark\n'
             + HEADER + " 1) 13: 8/5, 6/5  25: 24/22 13/8\n 2) Doubles to 2  Accepts\n 3) 46: 24/18/14\n",
}  # fmt: skip


@pytest.mark.parametrize("text", STRANGERS.values(), ids=STRANGERS)
def test_files_of_strangers_are_read(text):
    match = read(text)
    assert names(match).startswith("3-1 8/5 6/5 5-2") and len(match.actions) == 9
    assert (match.players, match.outcome, match.about["length"]) == (("Ann", "Ben"), None, "5")
    assert match.cube == CubeRecord(offers=(Offer(6, 0, taken=True),))


def test_the_one_on_the_right_may_begin():
    for row in ("  1)                               31: 8/5 6/5", "1)\t\t31: 8/5 6/5"):
        match = read(f"{HEADER}{row}\n  2) 52: 13/8 24/22\n      Wins 1 point")
        assert (match.players, match.outcome, match.ending) == (("Ben", "Ann"), -1, "resigned")
        assert match.plies[0].side == 2 and match.plies[1].side == 0
        assert list(matches_in(as_text([match], ".mat").encode(), ".mat")) == [match]


def test_hits_the_bar_and_turns_without_a_move():
    """The bar is 25 or a word, and who cannot enter says so, or nothing."""
    start = "  1) 21: 13/11 6/5   41: 24/20* 6/5"
    match = read(f"{HEADER}{start}\n  2) 62: 25/23 24/18   51: 13/8 6/5\n")
    assert names(match).split()[:6] == ["2-1", "13/11", "6/5", "4-1", "24/20*", "6/5"]
    assert "bar/23" in names(match)
    assert read(f"{HEADER}{start}\n  2) 62: Bar/23, 24/18   51: 13/8 6/5\n").actions == match.actions
    for nothing in ("", " Cannot Move", " no move", " Dances"):
        blocked = f"{HEADER}{start}\n  2) 66:{nothing}   51: 13/8 6/5\n"
        assert names(read(blocked)).split()[6:8] == ["6-6", "pass"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("  1) 31: 8/5 6/4", "game 1, '31: 8/5 6/4', act 1: '8/5 6/4' cannot be played here"),
        ("  1) 11: 8/7(2) 6/5(2)", "'1-1' is not a legal action"),
        ("  1) 31: 8/5 6/5    Takes", "act 2: nobody has doubled"),
        ("  1) Doubles => 2   Takes", "double 1 is not possible after 0 plies"),
        ("  1) 31: 8/5 6/5    Doubles => 2\n  2) 31: 8/5 6/5", "a double is answered by Takes or Drops"),
        ("  1) 31: 8/5 6/5    Doubles => 2\n  2) Beavers", "line 6: 'Beavers' is neither a roll"),
        ("  1) 31: 8/5 6/5    52: ????", "'????' is not the move of a checker"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused(row, message):
    [game] = split(HEADER + row)
    if not isinstance(game, MatError):
        with pytest.raises(MatError) as refused:
            replayed(game)
        game = refused.value
    assert message in str(game)


def test_a_bad_game_does_not_lose_the_others():
    good = "  1) 31: 8/5 6/5\n      Wins 2 points\n"
    text = HEADER + "  1) what\n\n Game 2\n Ann : 1   Ben : 0\n" + good + " Game 3\n Ann : 3  Ben : 0\n" + good
    refused = list[str]()
    found = list(matches_in(text.encode(), ".mat", refused=refused.append))
    assert [one.about["score"] for one in found] == ["1-0", "3-0"]
    assert refused == ["match 1: line 5: 'what' is neither a roll with moves, nor Doubles, Takes, Drops or Wins"]
    assert as_text(found, ".mat").count("point match") == 1
    assert "Wins 1 point\n" in as_text(found, ".mat")


def test_other_games_are_refused():
    with pytest.raises(MatGameError, match="it is a match of backgammon:standard, not of hex:3"):
        replayed(only(MatGame, split(HEADER)), make("hex:3"))
    with pytest.raises(ValueError, match="its variation, Nackgammon, is not played here"):
        read('; [Variation "Nackgammon"]\n' + HEADER)
    with pytest.raises(ValueError, match=r"files that end with \.mat are for backgammon, not for hex:3"):
        as_text([FileMatch("hex:3", ("", ""), ())], ".mat")
    with pytest.raises(MatError, match="there is no game"):
        split("1. e4 e5")


def test_a_game_given_up_after_the_roll_comes_back():
    match = read(HEADER + "  1) 31: 8/5 6/5    52:\n      Wins 1 point\n")
    assert (names(match), match.outcome, match.ending) == ("3-1 8/5 6/5 5-2", 1, "resigned")
    assert read(as_text([match], ".mat")).actions == match.actions
