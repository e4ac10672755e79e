"""Othello's Generic Game Format: matches of the Generic Game Server, and files that nobody should trust."""

import numpy as np
import pytest
from boards import board_of
from file_matches import only

from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in, read_match, read_matches
from athenan.files.ggf import GgfError, GgfGameError, replayed, split
from athenan.games.catalogue import make
from athenan.play.records import plies_of
from athenan.rules.state import PASS_NAME

START = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
TRIPLE = (
    "(;GM[Othello]PC[GGS/os]DT[2009.07.02_09:24:22.MDT]PB[triple0]PW[Saio3000]RB[2173.03]RW[2175.52]TI[10:00//02:00]"
    f"TY[8]RE[+0.000]{START}B[f5]W[f6]B[e6]W[f4]B[e3]W[c5]B[c4]W[d6]B[c6]W[b5]B[d7]W[e7]B[b6]W[c8]B[f7]W[f8]B[a6]W[b3]"
    "B[c3]W[f3]B[g3]W[e2]B[g4]W[g5]B[f2]W[f1]B[c7]W[h4]B[h6]W[h5]B[g2]W[a4]B[b4]W[a5]B[h2]W[a3]B[h3]W[a7]B[e8]W[d8]B[g6]"
    "W[c2]B[b2]W[d2]B[a2]W[a1]B[d3]W[h1]B[b7]W[g7]B[c1]W[e1]B[b1]W[d1]B[h8]W[h7]B[g8]W[a8]B[b8];)"
)
"""A match of 2 July 2009, with which Welty's programs test a pass; the file ends before it."""
OPENING = (
    "(;GM[Othello]PC[GGS/os]DT[2000-4-16 11:13 EST]PB[fangr]PW[patzer]RB[1457.12]RW[1631.74]TI[15:00//02:00]TY[8]"
    f"RE[-40.00]{START}B[E6//4.09]W[F4/-48.50/0.93]B[C3//5.52]W[C4/-42.50/0.43]B[D3//1.70]W[D6/-39.50/0.28]"
    "B[F6//4.31]W[C6/-28.55/0.13]B[F5//2.17]W[G5/0.55/0.10];)"
)
"""The beginning of the first match of the server's archive of April 2000."""
RANDOM_START = (
    "(;GM[Othello]PC[GGS/os]PB[edax]PW[Roxane]TY[s8r18]RE[-10.000]BO[8 --**O--- --**---- --*OO--- ****OO-- ---O*--- "
    "--O-*--- -------- -------- *]B[f1/-6.00/26.00]W[C5/8.00/25.36];)"
)
"""The beginning of a match of 1 July 2009 from a position drawn by lot."""


def read(text, game=None):
    (match,) = matches_in(text.encode(), ".ggf", game)
    return match


def test_a_match_of_the_server_is_read():
    match, game = read(TRIPLE), make("othello:8")
    assert (match.game, match.players, match.outcome, match.ending) == ("othello:8", ("triple0", "Saio3000"), 0, "")
    assert match.about == {"date": "2009.07.02_09:24:22.MDT", "place": "GGS/os"}
    names = game.moves(match.actions).split()
    assert names[:4] == ["f5", "f6", "e6", "f4"] and names[-1] == "b8"
    assert len([name for name in names if name != "pass"]) == 59
    end = game.replay(match.actions)
    assert [game.action_name(end, int(one)) for one in game.actions(end)] == ["pass"]  # as Welty's test says


def test_times_of_moves_are_kept():
    match = read(OPENING)
    assert [ply.seconds for ply in match.plies[:4]] == [4.09, 0.93, 5.52, 0.43]
    assert (match.outcome, match.plies[1].side) == (-1, 1)


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_random_matches_come_back(size):
    """With all passes, whose squares differ from the moves of a board of another size."""
    game, random = make(f"othello:{size}"), np.random.default_rng(size)
    state, actions = game.initial(), []
    while game.outcome(state) is None:
        actions.append(int(random.choice(game.actions(state))))
        state = game.play(state, actions[-1])
    match = FileMatch(game.name, ("Ann [1]", "Ben"), plies_of(game, actions), game.outcome(state))
    text = as_text([match, match], ".ggf")
    first, second = matches_in(text.encode(), ".ggf")
    assert first == second and first.actions == match.actions and first.outcome == match.outcome
    assert first.players == ("Ann (1)", "Ben") and make(first.game) is game
    black, white = board_of(game).count(state)
    assert f"RE[{black - white:+.2f}]" in text


@pytest.mark.parametrize(
    ("result", "outcome", "ending"),
    [("+64.00:r", 1, "resigned"), ("-12:t", -1, "time"), ("+2.00:s", 1, "adjudicated"), ("?", None, ""),
     ("-0.00", 0, ""), ("nan", None, ""), ("+1e99", None, "")],
)  # fmt: skip
def test_results(result, outcome, ending):
    match = read(f"(;GM[Othello]RE[{result}]{START}B[f5];)")
    assert (match.outcome, match.ending) == (outcome, ending)
    if outcome:
        again = read(as_text([match], ".ggf"))
        assert (again.outcome, again.ending) == (outcome, ending)


def test_a_pass_that_a_file_leaves_out_is_added():
    """As players write them: the side that moves twice says that the other one has passed."""
    game, random, full = make("othello:4"), np.random.default_rng(1), list[int]()
    while PASS_NAME not in game.moves(full).split()[:-2]:
        state, full = game.initial(), list[int]()
        while game.outcome(state) is None:
            full.append(int(random.choice(game.actions(state))))
            state = game.play(state, full[-1])
    text = as_text([FileMatch(game.name, ("", ""), plies_of(game, full))], ".ggf")
    without = text.replace("W[PA]", "").replace("B[PA]", "")
    assert without != text and read(without).actions == read(text).actions == tuple(full)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no match in the Generic Game Format"),
        ("(;GM[Othello", "the match is damaged"),
        ("(;GM[Othello]B[f5)", "the match is damaged"),
        (f"(;GM[Go]{START}B[f5];)", "GGF is read for Othello, not for 'Go'"),
        (f"(;{START}B[f5];)", "GGF is read for Othello"),
        ("(;GM[Othello]B[f5];)", "BO must be the first position"),
        ("(;GM[Othello]BO[8 -- *]B[f5];)", "BO must be the first position"),
        ("(;GM[Othello]BO[²  *];)", "BO must be the first position"),
        (f"(;GM[Othello]BO[98 {'-' * 98 * 98} *]B[f5];)", "the match is damaged"),
        (f"(;GM[Othello]BO[40 {'-' * 1600} *]B[f5];)", "no Othello on a board of size 40"),
        (RANDOM_START, "does not begin from the usual position"),
        (f"(;GM[Othello]{START.replace(' *]', ' O]')}W[f5];)", "does not begin from the usual position"),
        (f"(;GM[Othello]{START}B[a1];)", "move 1: 'a1' is not a legal action"),
        (f"(;GM[Othello]{START}B[f5]B[f6];)", "move 2: it is not the turn of Black"),
        (f"(;GM[Othello]{START}W[f5];)", "move 1: it is not the turn of White"),
        (f"(;GM[Othello]{START}B[f5]W[PA];)", "move 2: 'pass' is not a legal action"),
    ],
)
def test_bad_files_are_refused_with_a_reason(text, message):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as error:
        read(text)
    assert message in str(error.value)


def test_a_match_of_another_board_is_refused_where_one_is_expected():
    with pytest.raises(GgfGameError, match="it is a match of othello:8, not of othello:6"):
        replayed(only(str, split(TRIPLE)), make("othello:6"))
    with pytest.raises(GgfError, match="GGF is for Othello with its usual rules, not for hex:3"):
        as_text([FileMatch("hex:3", ("", ""), ())], ".ggf")


def test_one_bad_match_does_not_lose_the_others(tmp_path):
    file, bad = tmp_path / "some.ggf", list[str]()
    file.write_text(f"2 {TRIPLE}{RANDOM_START}\n{OPENING}")
    found = list(read_matches(file, None, bad.append))
    assert [one.players[0] for one in found] == ["triple0", "fangr"]
    assert len(bad) == 1 and "match 2" in bad[0]
    assert read_match(file, None, 3).players == ("fangr", "patzer")
