"""SGF as other programs and servers write it: what is read, what is left out, and what the notices say of it."""

import itertools
import random as python_random

import pytest
from file_matches import moves_of, only, read_sgf

from athenan import make
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in
from athenan.files.sgf.results import read_result
from athenan.files.sgf.rules import sgf_of
from athenan.files.sgf.swapping import mirrored
from athenan.files.sgf.tree import SgfError, SgfNode, split
from athenan.play.records import plies_of


def nodes(*moves: str, first: str = "W") -> str:
    """Nodes of these moves, of both colours in turn."""
    colours = itertools.cycle(first + {"W": "B", "B": "W"}[first])
    return "".join(f";{colour}[{move}]" for colour, move in zip(colours, moves, strict=False))


LITTLE_GOLEM = "(;FF[4]EV[havannah.in.size4]PB[Ada]PW[Bea]SZ[4]RU[LG]RE[B]SO[http://www.littlegolem.com]"


@pytest.mark.parametrize(
    "border",
    [
        ("A1", "A2", "A3", "A4"),
        ("A1", "B1", "C1", "D1"),
        ("D1", "E1", "F1", "G1"),
        ("G1", "G2", "G3", "G4"),
        ("G4", "F5", "E6", "D7"),
        ("D7", "C6", "B5", "A4"),
    ],
)
def test_the_cells_of_a_side_of_havannah_are_a_bridge(border: tuple[str, ...]) -> None:
    """Each side of the board joins two corners, so the match ends by the rules with its last cell, not before."""
    inner = ("D3", "C3", "D4")
    moves = [*itertools.chain.from_iterable(zip(border, inner, strict=False)), border[3]]
    match = read_sgf(f"{LITTLE_GOLEM}{nodes(*moves)})")
    game = make("havannah:4")
    assert game.outcome(game.replay(match.actions)) == match.outcome == 1
    assert game.outcome(game.replay(match.actions[:-1])) is None
    assert match.as_record(game).outcome == 1
    written = as_text([match], ".sgf")
    assert [one.moves[0][1] for one in main_line(written)] == moves
    assert read_sgf(written).actions == match.actions


def main_line(text: str) -> list[SgfNode]:
    node, line = only(SgfNode, split(text)), list[SgfNode]()
    while node.children:
        node = node.children[0]
        line.append(node)
    return line


@pytest.mark.parametrize("side", [4, 5])
def test_every_cell_of_havannah_has_the_name_of_little_golem(side: int) -> None:
    game = make(f"havannah:{side}")
    state, turns = game.initial(), sgf_of(game).turns
    cells = [int(action) for action in game.actions(state)]
    written = [turns.write(game, state, [cell]) for cell in cells]
    lengths = [*range(side, 2 * side), *range(2 * side - 2, side - 1, -1)]
    letters = "ABCDEFGHIJKLMNOPQRS"
    assert sorted(written) == sorted(
        f"{letter}{number}" for letter, length in zip(letters, lengths, strict=False) for number in range(1, length + 1)
    )
    assert [turns.read(game, state, text) for text in written] == [[cell] for cell in cells]
    for wrong in ("A0", f"A{side + 1}", f"{letters[side]}{2 * side - 1}", f"{letters[2 * side - 1]}1"):
        with pytest.raises(ValueError, match=f"'{wrong}' is not on a board with {side} cells a side: expected"):
            turns.read(game, state, wrong)


HEX = "(;AP[HexGui:0.9]FF[4]GM[11]SZ[5]PB[Ada]PW[Bea]"


@pytest.mark.parametrize("word", ["swap", "SWAP", "swap-sides", "swap-pieces"])
def test_two_moves_of_the_player_who_swaps_exchange_the_sides(word: str) -> None:
    """The stone stays black, as HexGui and the programs of the Olympiads write it whatever the word."""
    match = read_sgf(f"{HEX};B[b2];W[{word}];W[d3];B[c4](;W[a5])(;W[e1];B[a2]))")
    assert moves_of(match) == "b2 swap c4 d3 e1"
    [variation] = match.plies[4].variations
    assert make("hex:5").moves([*match.actions[:4], *(ply.action for ply in variation)]).endswith("a5 b1")
    assert match.players == ("Ada", "Bea")
    assert ["swap sides" in notice for notice in match.notices] == [True]
    assert moves_of(read_sgf(f"{HEX}B[b2]W[{word}]W[d3]B[c4])")) == "b2 swap c4 d3"


@pytest.mark.parametrize("word", ["swap", "swap-pieces"])
def test_a_swap_before_a_move_of_the_other_player_exchanges_the_pieces(word: str) -> None:
    match = read_sgf(f"{HEX};B[b2];W[{word}];B[d3];W[c4])")
    assert (moves_of(match), match.notices) == ("b2 swap d3 c4", ())
    assert moves_of(read_sgf(f"{HEX};B[b2];W[{word}])")) == "b2 swap"


def test_a_swap_that_is_not_clear_is_refused() -> None:
    with pytest.raises(ValueError, match="after its swap-sides the other colour moves"):
        read_sgf(f"{HEX};B[b2];W[swap-sides];B[d3])")


def test_a_swap_of_sides_keeps_who_wins() -> None:
    """Random matches, played to their end, and as the players see them who have swapped sides."""
    game, random = make("hex:5"), python_random.Random(1)
    winners = set()
    for _ in range(6):
        state, names = game.play(game.initial(), game.parse_action(game.initial(), "b2")), ["b2"]
        cells = [f"{column}{row}" for column in "abcde" for row in range(1, 6) if (column, row) not in {("b", 2)}]
        random.shuffle(cells)
        state = game.play(state, game.parse_action(state, "swap"))
        names += ["swap"]
        for cell in cells:
            if game.outcome(state) is not None:
                break
            state = game.play(state, game.parse_action(state, cell))
            names.append(cell)
        theirs = [names[0], "swap", *map(mirrored, names[2:])]
        winner = game.outcome(state)
        winners.add(winner)
        for result in ("", f"RE[{'W' if winner == 1 else 'B'}+]", f"RE[{'B' if winner == 1 else 'W'}+]"):
            text = f"{HEX}{result};B[b2];W[swap]{nodes(*theirs[2:])})"
            match = read_sgf(text)
            assert moves_of(match).split() == names
            assert match.outcome in (None, winner)
            assert match.as_record(game).outcome == winner
    assert winners == {1, -1}


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ("B[resign]", -1),
        ("W[Resign]", 1),
        ("B[RESIGNS]", -1),
        ("W[ resign ]", 1),
        ("B[forfeit]", -1),
        ("B[resign]C[bye];W[a1]", -1),
    ],
)
def test_who_resigns_has_lost(end: str, outcome: int) -> None:
    match = read_sgf(f"(;GM[11]FF[4]SZ[5]PB[Ada]PW[Bea];B[c3];W[b4];{end})")
    assert (moves_of(match), match.outcome) == ("c3 b4", outcome)
    record = match.as_record(make("hex:5"))
    assert (record.outcome, record.resigned or record.forfeit is not None) == (outcome, True)
    assert f"RE[{'BW'[outcome < 0]}+" in as_text([match], ".sgf")
    assert ("1 move left out: the match is over after action 2" in match.notices) == ("W[a1]" in end)


def test_who_resigns_has_lost_on_little_golem_and_after_a_swap_of_sides() -> None:
    """There W is the first player; after a swap of sides the colours have changed hands."""
    bare = LITTLE_GOLEM.replace("RE[B]", "")
    assert read_sgf(f"{bare};W[A1];B[D4];W[resign])").outcome == -1
    assert read_sgf(f"{bare};W[A1];B[resign])").outcome == 1
    assert read_sgf(f"{HEX};B[b2];W[swap];W[d3];B[c4];W[resign])").outcome == -1
    assert read_sgf(f"{HEX};B[b2];W[swap];W[d3];B[resign])").outcome == 1
    assert read_sgf(f"{HEX}RE[W+R];B[b2];W[swap];W[d3];B[resign])").outcome == 1


def late(text: str) -> tuple[str, tuple[str, ...]]:
    match = read_sgf(text)
    return moves_of(match), match.notices


def test_what_follows_the_end_is_left_out_and_said() -> None:
    go = "(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[bb];B[bc];W[];B[]"
    over = "left out: the match is over after action 5"
    assert late(f"{go};W[])") == ("c3 b4 b3 pass pass", (f"1 move {over}",))
    resumed = read_sgf(f"{go};W[aa]C[resumed];B[ee])")
    assert (moves_of(resumed), resumed.notices) == ("c3 b4 b3 pass pass", (f"2 moves {over}",))
    assert resumed.plies[-1].comment == "resumed"
    gomoku = nodes("aa", "ab", "ba", "bb", "ca", "cb", "da", "db", "ea", "eb", first="B")
    names, notices = late(f"(;GM[4]SZ[15]{gomoku})")
    assert (len(names.split()), notices) == (9, ("1 move left out: the match is over after action 9",))


def test_the_same_holds_for_moves_without_a_format() -> None:
    for text, kind in (
        (b"# tictactoe\na1 b1 a2 b2 a3 b3 c3 1-0", ".txt"),
        (b'{"game": "tictactoe", "moves": "a1 b1 a2 b2 a3 b3 c3"}', ".jsonl"),
    ):
        [match] = matches_in(text, kind)
        assert (moves_of(match), match.notices) == (
            "a1 b1 a2 b2 a3", ("2 words left out: the match is over after action 5",),
        )  # fmt: skip
    [match] = matches_in(b"# tictactoe\na1 b1 a2 b2 a3 1-0", ".txt")
    assert match.notices == ()


def test_variations_that_are_cut_short_are_said() -> None:
    match = read_sgf("(;GM[11]SZ[3];B[b2](;W[a1])(;W[c1];B[c1];W[a2])(;W[zz]))")
    [notice] = match.notices
    assert notice.startswith("2 variations cut short or left out: action ")
    ended = read_sgf("(;GM[11]SZ[3];B[b2](;W[resign])(;W[c1]))")
    assert (moves_of(ended), len(ended.notices)) == ("b2", 1)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;GM[4]SZ[15]RE[0]B[hh]W[ig]B[gj]W[hi])", "h8 i9 g6 h7"),
        ("(;GM[4]SZ[15];B[hh]W[ig]B[gj];W[hi])", "h8 i9 g6 h7"),
        ("(;GM[4]SZ[15];B[hh]C[a]W[ig]C[b]B[gj]BL[1]W[hi])", "h8 i9 g6 h7"),
        ("(;GM[1]SZ[9];B[ee][cc];W[gg])", "e5 pass c7 g3"),
    ],
)
def test_all_moves_of_a_node_are_played_in_their_order(text: str, moves: str) -> None:
    assert moves_of(read_sgf(text)) == moves


def test_two_moves_of_a_side_are_refused_where_it_cannot_pass() -> None:
    with pytest.raises(ValueError, match="action 2: the second player is to move"):
        read_sgf("(;GM[4]SZ[15];B[hh][gg])")
    assert read_sgf("(;GM[1]SZ[9];B[ee];B[cc])").notices == ("1 pass added where a side moves twice",)


@pytest.mark.parametrize("between", ["", "\r\n", "TE[a match]\r\nRD[2020-01-02]\r\n"])
def test_the_first_semicolon_may_be_missing(between: str) -> None:
    """As in files of the Nihon Ki-in; its variations are no matches."""
    text = f"({between}KO[6.5]\r\nPB[Ada]PW[Bea];B[qd];W[dc](;B[pq];W[dp])(;B[dd];W[cc]))"
    match = read_sgf(text)
    assert (moves_of(match), match.players) == ("r16 d17 q3 d4", ("Ada", "Bea"))
    assert len(match.plies[2].variations) == 1
    bare = read_sgf("(;GM[1]SZ[9];B[ee](W[dd];B[cc])(W[gg]))")
    assert (moves_of(bare), len(bare.plies[1].variations)) == ("e5 d6 c7", 1)


@pytest.mark.parametrize(
    "text",
    [
        "GM[1]SZ[9];B[ee](;W[dd])(;W[cc])",
        ";GM[1]SZ[9];B[ee](;W[dd])(;W[cc])",
        "(GAME[1];B[ee](;W[dd])(;W[cc]))",
        "(;GM[1]SZ[9];B[ee]);W[dd](;B[cc])(;B[gg])",
        "(;GM[1]SZ[9];B[ee]x(;W[dd])(;W[cc]))",
    ],
)
def test_a_variation_is_never_taken_for_a_match(text: str) -> None:
    parts = split(text)
    assert any(isinstance(part, SgfError) for part in parts)
    assert not any(not isinstance(part, SgfError) and set(part.properties) <= {"B", "W"} for part in parts)


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ("", "gomoku:15,opening=free"),
        ("Gomoku", "gomoku:15,opening=free"),
        ("Freestyle", "gomoku:15,opening=free"),
        ("standard", "gomoku:15,opening=free,exact=true"),
        ("Connect6", "connect6:15"),
        ("connect 6", "connect6:15"),
    ],
)
@pytest.mark.parametrize("number", [4, 1])
def test_rules_name_the_game_on_the_same_board(rules: str, name: str, number: int) -> None:
    if number == 1 and not rules:
        return
    assert make(read_sgf(f"(;GM[{number}]SZ[15]RU[{rules}];B[hh];W[ii])").game).name == make(name).name


@pytest.mark.parametrize("number", [4, 1])
@pytest.mark.parametrize("rules", ["Renju", "RIF Renju", "Swap2", "Caro", "Pente"])
def test_rules_of_a_game_that_is_not_here_are_refused(rules: str, number: int) -> None:
    with pytest.raises(ValueError, match=rf"its rules, RU\[{rules}\], are not known here for Go"):
        read_sgf(f"(;GM[{number}]SZ[15]RU[{rules}];B[hh];W[ii])")
    with pytest.raises(ValueError, match=r"its rules, RU\[Anti\], are not known here for Othello"):
        read_sgf("(;GM[2]RU[Anti];B[f5])")


def test_rules_of_go_that_are_not_known_are_said() -> None:
    assert read_sgf("(;GM[1]SZ[9]RU[Japanese];B[ee])").notices == ()
    [notice] = read_sgf("(;GM[1]SZ[9]RU[House];B[ee])").notices
    assert notice == "its rules, RU[House], are not known: it was read as Go"
    assert read_sgf("(;GM[4]SZ[15]RU[Japanese];B[hh])").notices == (
        "its rules, RU[Japanese], are rules of Go: they were left out",
    )


def test_connect6_has_a_node_for_each_stone() -> None:
    match = read_sgf("(;GM[4]FF[4]RU[Connect6]SZ[19];B[jj];W[kk];W[ll]C[second](;B[mm];B[nn])(;B[aa];B[bb]))")
    assert (match.game, moves_of(match)) == ("connect6:19", "j10 k9 l8 m7 n6")
    text = as_text([match], ".sgf")
    assert ";W[kk]\n;W[ll]C[second]" in text
    assert read_sgf(text) == match


def test_another_game_of_little_golem_is_refused() -> None:
    with pytest.raises(ValueError, match="its game on Little Golem, twixt, is unknown"):
        read_sgf("(;FF[4]EV[twixt.ch.1]PB[a]PW[b]SZ[24]SO[http://www.littlegolem.com];b[dc];r[bb])")


GOOD, BAD = "(;GM[11]SZ[3]PB[a];B[b2])", "(;GM[11]SZ[3]PB[b];B[d4])"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (BAD, "action 1: 'd4' is not a legal action"),
        ("(;GM[99];B[b2])", r"its game, GM\[99\], is unknown"),
        ("(;GM[11]SZ[3];B[b2]x;W[a1])", "'x;W.a1.*is out of place"),
        ("(;GM[11]SZ[3];B[b2];W[a1]", "it has no end"),
        ("(;GM[11]SZ[3];B[b2](;W[a1];x)(;W[c1]))", "is out of place"),
    ],
)
def test_a_bad_match_does_not_lose_the_others(bad: str, reason: str) -> None:
    refused = list[str]()
    text = "\n".join([GOOD, bad, GOOD]).encode()
    matches = list(matches_in(text, ".sgf", refused=refused.append))
    assert [moves_of(match) for match in matches] == ["b2", "b2"]
    [sentence] = refused
    assert sentence.startswith("match 2: ")
    with pytest.raises(ValueError, match=reason):
        list(matches_in(text, ".sgf"))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("257手完, 黒中押し勝ち", (1, "resigned")),
        ("白番1目半勝ち", (-1, "")),
        ("黑中盘胜", (1, "resigned")),
        ("흑 불계승", (1, "resigned")),
        ("白胜", (-1, "")),
        ("Black wins by resignation", (1, "resigned")),
        ("White won", (-1, "")),
        ("B+", (1, "")),
        ("W+3.5", (-1, "")),
        ("Draw", (0, "")),
        ("和棋", (0, "")),
        ("who knows", (None, "")),
    ],
)
def test_results_of_other_languages_are_read(text: str, result: tuple[int | None, str]) -> None:
    assert read_result(text) == result
    match = read_sgf(f"(;GM[1]SZ[9]RE[{text}];B[ee])")
    assert (match.outcome, bool(match.notices)) == (result[0], result[0] is None)


def test_a_score_that_the_players_counted_otherwise_is_said() -> None:
    """Dead stones are on the board here, and the file has their agreement."""
    match = read_sgf("(;GM[1]SZ[5]KM[0.5]RE[W+24.5];B[cc];W[bb];B[];W[])")
    assert match.outcome == -1
    assert any("its score, RE[W+24.5], is" in notice for notice in match.notices)


@pytest.mark.parametrize("name", ["hex:5", "hex:5,swap=false", "connect6:6", "gomoku:5,opening=free"])
def test_random_matches_keep_their_cells(name: str) -> None:
    game, random = make(name), python_random.Random(7)
    for _ in range(3):
        state, actions = game.initial(), list[int]()
        while game.outcome(state) is None:
            actions.append(int(random.choice(list(game.actions(state)))))
            state = game.play(state, actions[-1])
        match = FileMatch(game.name, ("a", "b"), plies_of(game, actions), game.outcome(state))
        again = read_sgf(as_text([match], ".sgf"))
        assert (again, again.notices) == (match, ())
