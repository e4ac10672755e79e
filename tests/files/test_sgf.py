"""SGF: trees compared with sgfmill, matches with those of other programs and servers, and whatever else may come."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from file_matches import LITTLE_GOLEM_HEX, OTHERS, QUICK, moves_of, only, random_file_match, read_sgf
from hypothesis import given
from hypothesis import strategies as st

from athenan import make
from athenan.engines.process import find_program
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in, read_match, read_matches, write_matches
from athenan.files.pdn.text import PdnMove
from athenan.files.sgf.rules import known_games
from athenan.files.sgf.tree import SgfNode, split, write
from athenan.play.match import play_match
from athenan.play.player import RandomPlayer
from athenan.play.records import Ply

sgfmill = pytest.importorskip("sgfmill.sgf", reason="the package sgfmill is not installed")
sgf_grammar = pytest.importorskip("sgfmill.sgf_grammar")
sgf_moves = pytest.importorskip("sgfmill.sgf_moves")

LITTLE_GOLEM_HAVANNAH = (
    "(;FF[4]EV[havannah.in.size4.4]PB[mickgraham]PW[kiwibill]SZ[4]RU[LG]RE[B]GC[ game #1541446]"
    "SO[http://www.littlegolem.com];W[E1];B[swap];W[F2];B[D3];W[G1];B[E4];W[G4];B[F3];W[E5];B[D6];W[D5];B[C2];W[G3];"
    "B[G2];W[E6];B[E3];W[D7];B[resign])"
)


texts = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=8)
nodes = st.dictionaries(st.sampled_from(["C", "B", "W", "LB", "XY"]), st.lists(texts, min_size=1, max_size=2))
trees = st.recursive(
    nodes.map(SgfNode),
    lambda children: st.builds(SgfNode, nodes, st.lists(children, min_size=1, max_size=3)),
    max_leaves=6,
)


@given(st.lists(trees, min_size=1, max_size=2))
def test_trees_are_read_as_they_are_written(made: list[SgfNode]) -> None:
    assert split(write(made)) == made


@given(trees)
def test_another_program_reads_our_trees(made: SgfNode) -> None:
    [theirs] = sgf_grammar.parse_sgf_collection(write([made]).encode())

    def compare(one: SgfNode, main: list[dict[str, list[bytes]]], children: list[Any]) -> None:
        values = {name: [sgf_grammar.text_value(value).decode() for value in found] for name, found in main[0].items()}
        spaces = {9: " ", 11: " ", 12: " "}
        spaced = {name: [value.translate(spaces) for value in found] for name, found in one.properties.items()}
        assert values == spaced
        rest = main[1:]
        if rest:
            assert len(one.children) == 1
            compare(one.children[0], rest, children)
        else:
            for child, other in zip(one.children, children, strict=True):
                compare(child, other.sequence, other.children)

    compare(made, theirs.sequence, theirs.children)


def test_the_example_of_the_format() -> None:
    """Escapes, line breaks and nesting as the description of FF[4] has them."""
    text = "text around (;FF[4]C[root](;C[a];C[b](;C[c])(;C[d];C[e]))(;C[f](;C[g\\]\\\nh\\\\ \ni:j]))) trailing"
    root = only(SgfNode, split(text))
    assert root.properties == {"FF": ["4"], "C": ["root"]}
    first, second = root.children
    assert [child.first("C") for child in first.children[0].children] == ["c", "d"]
    assert second.children[0].first("C") == "g]h\\ \ni:j"
    assert len(split("(;GM[1])\n(;GM[1])")) == 2


def round_trip(name: str, seed: int) -> None:
    game = make(name)
    match = random_file_match(game, seed)
    text = as_text([match], ".sgf")
    again = read_sgf(text)
    assert again == match
    assert as_text([again], ".sgf") == text


@pytest.mark.parametrize("name", QUICK)
def test_matches_are_read_as_they_are_written(name: str) -> None:
    for seed in range(3):
        round_trip(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OTHERS, "go:19", "othello:8", "amazons:10", "gomoku:15", "havannah:8", "hex:19"])
def test_matches_of_all_games_are_read_as_they_are_written(name: str) -> None:
    for seed in range(5):
        round_trip(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*QUICK, *OTHERS])
def test_finished_matches_stay_records(name: str) -> None:
    game = make(name)
    for seed in range(3):
        record = play_match(game, (RandomPlayer(), RandomPlayer()), seed=seed)
        again = read_sgf(as_text([FileMatch.of_record(record)], ".sgf")).as_record(game)
        assert (again.actions, again.outcome, again.score) == (record.actions, record.outcome, record.score)


def test_a_move_in_the_first_node_is_played() -> None:
    match = read_sgf("(;GM[1]SZ[9]KM[6.5]B[ee]C[tengen];W[cc];B[gg])")
    assert (moves_of(match), match.plies[0].comment, match.comment) == ("e5 c7 g3", "tengen", "")


def test_comments_before_the_first_move_are_kept() -> None:
    """Those of nodes without a move: of the match, or of the first move of a variation."""
    match = read_sgf("(;GM[1]SZ[9]C[a final];C[nigiri](;B[ee](;W[cc])(;C[better];W[gg]C[far]))(;C[or];B[aa]))")
    assert (match.comment, moves_of(match), match.plies[0].comment) == ("a final\nnigiri", "e5 c7", "")
    assert [[ply.comment for ply in line] for line in match.plies[0].variations] == [["or"]]
    assert [[ply.comment for ply in line] for line in match.plies[1].variations] == [["better\nfar"]]
    assert read_sgf(as_text([match], ".sgf")) == match


def test_empty_facts_and_a_decimal_comma_are_read() -> None:
    """As programs write them that do not know the board or the komi."""
    assert read_sgf("(;GM[1]SZ[9]KM[];B[ee])").game == read_sgf("(;GM[1]SZ[9];B[ee])").game
    assert read_sgf("(;GM[]SZ[]KM[ ];B[ee])").game == "go:19,komi=0,superko=simple"
    assert read_sgf("(;GM[1]SZ[9]KM[6,5];B[ee])").game == "go:9,komi=6.5,superko=simple"


@pytest.mark.parametrize(
    ("written", "points"),
    [
        ("375", 7.5),
        ("650", 6.5),
        ("325", 6.5),
        ("275", 5.5),
        ("3.75", 7.5),
        ("2.75", 5.5),
        ("0", 0),
        ("7", 7),
        ("-375", None),
    ],
)
def test_a_komi_in_hundredths_or_in_chinese_stones_is_read(written: str, points: float | None) -> None:
    """As Fox and collections of professional matches write it."""
    text = f"(;GM[1]SZ[19]KM[{written}];B[pd])"
    if points is None:
        with pytest.raises(ValueError, match="komi"):
            read_sgf(text)
    else:
        assert read_sgf(text).game == make(f"go:19,komi={points:g},superko=simple").name
    assert read_sgf("(;GM[1]SZ[19]RU[go:19,komi=300])").game == "go:19,komi=300"


def test_a_node_with_moves_of_both_sides_plays_both() -> None:
    match = read_sgf("(;GM[1]SZ[9];B[ee]W[dd]C[contact];B[cc](;W[gg])(;W[aa]B[bb]))")
    assert (moves_of(match), match.plies[0].comment) == ("e5 d6 c7 g3", "contact")
    [variation] = match.plies[3].variations
    assert [ply.side for ply in variation] == [1, 0]
    assert moves_of(read_sgf("(;GM[1]SZ[9]B[ee]W[dd];B[cc])")) == "e5 d6 c7"


def test_stones_may_be_rectangles() -> None:
    match = read_sgf("(;GM[1]SZ[9]KM[0.5]HA[4]AB[cc:dd];W[ee])")
    assert set(moves_of(match).replace("pass ", "").split()[:-1]) == {"c7", "c6", "d7", "d6"}


def test_matches_of_little_golem() -> None:
    """The first player is W in its nodes and black in its names; coordinates of Havannah are its own."""
    match = read_sgf(LITTLE_GOLEM_HEX)
    assert (match.game, moves_of(match)) == ("hex:13", "l12 swap g7 f9 i8 g4 i4 h10 j9")
    assert (match.players, match.about, match.outcome) == (
        ("Tiziano", "sleepywind"), {"event": "hex.mc.2011.feb.1.10"}, None,
    )  # fmt: skip


@pytest.mark.slow
def test_havannah_of_little_golem() -> None:
    match = read_sgf(LITTLE_GOLEM_HAVANNAH)
    assert (match.game, match.outcome, match.ending, len(match.plies)) == ("havannah:4", 1, "resigned", 17)
    assert match.as_record(make(match.game)).resigned


def test_othello_as_edax_writes_it() -> None:
    """Letters and numbers, the start as stones, passes as PA, or without them."""
    start = "(;FF[4]GM[2]AP[edax:4.4]SZ[8]AB[e4][d5]AW[d4][e5]PL[B]RE[Void]"
    assert moves_of(read_sgf(f"{start};B[f5];W[d6];B[c3];)")) == "f5 d6 c3"
    game, moves = make("othello:4"), "c4 d2 a1 a2 c1 d4 a3 b4 d3 b1 d1 pass a4"
    nodes, state, sides = [], game.initial(), []
    for name in moves.split():
        sides.append((game.player(state), name))
        state = game.play(state, game.parse_action(state, name))
    for passes in (["PA"], [""], []):
        nodes = [f";{'BW'[side]}[{text}]" for side, name in sides for text in (passes if name == "pass" else [name])]
        assert moves_of(read_sgf(f"(;GM[2]SZ[4]{''.join(nodes)})")) == moves
    assert moves_of(read_sgf("(;GM[2];B[fe];W[df])")) == "f5 d6"  # points of two letters


@pytest.mark.slow
def test_amazons_as_its_page_has_it() -> None:
    """The example and the default start of the game's page in the format's description."""
    match = read_sgf("(;GM[18]SZ[10]AB[dj][gj][ag][jg]AW[da][ga][ad][jd];B[djddgd];W[addgad];B[gjehea])")
    assert moves_of(match) == "d1-d7 g7 a7-d4 a7 g1-e3 e10"


@pytest.mark.slow
def test_moves_of_lines_of_action_have_several_forms() -> None:
    for text in ("b1-b3", "B1-B3", "b1b3", "b1-b3+!"):
        assert moves_of(read_sgf(f"(;GM[9];B[{text}])")) == "b1-b3"
    assert moves_of(read_sgf("(;GM[9];B[b8-d6];W[A3:D6+])")) == "b8-d6 a3xd6"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no tree"),
        ("(;GM[1]", "it has no end"),
        ("(;GM[1]C[a)", "is out of place"),
        ("(;GM[1][2]9)", "is out of place"),
        ("GM[1];", "there is no tree"),
        ("(;GM[3])", "its game, GM[3], is unknown: expected 1 go, 2 othello"),
        ("(;GM[11]SZ[3:4])", "unknown board size SZ[3:4]: expected one number (a square board)"),
        ("(;GM[11]SZ[99])", "size"),
        ("(;GM[1]KM[x])", "its komi, KM[x], must be a number"),
        ("(;GM[1]KM[3.8])", "komi must be a multiple of a half, such as 7 or 7.5, not 3.8"),
        ("(;GM[1]KM[999])", "komi"),
        ("(;GM[11]SZ[3];B[d4])", "action 1: 'd4' is not a legal action of hex:3"),
        ("(;GM[11]SZ[3];B[b2];B[a1])", "action 2: the second player is to move, not the other"),
        ("(;GM[11]SZ[3];B[b2];W[swap-sides];B[a1])", "after its swap-sides the other colour moves"),
        ("(;GM[11]SZ[3];B[b2];AB[a1])", "action 2: moves of hex:3 cannot put the stones that the file sets up: "),
        ("(;GM[11]SZ[3]AB[b2];W[a1];AE[a1])", "action 3: the file takes stones off the board, which moves of hex:3"),
        (
            "(;GM[11]SZ[3];B[a1];AB[b2])",
            "hex:3 cannot put the stones that the file sets up: the second player is to move",
        ),
        ("(;GM[1]SZ[3]AB[ab][ba]AW[aa])", "simple cannot put the stones that the file sets up: "),
        ("(;GM[1]SZ[5]AB[zz])", "a board of 5 has no point 'zz'"),
        ("(;GM[2]AB[e4][d5]AW[d4])", "the file takes stones off the board, which moves of othello"),
        ("(;GM[2]AB[e4][d5][d3]AW[d4][e5])", "cannot put the stones that the file sets up: other stones would change"),
        ("(;GM[1]SZ[5];B[zz])", "a board of 5 has no point 'zz'"),
        ("(;GM[11]RU[hex:3,nonsense=1])", "nonsense"),
        ("(;GM[11]RU[hex:3];B[" + "a" * 100_000 + "])", "is not a legal action"),
        ("(;GM[11]SZ[3]" + "(;C[a])(;C[b]" * 60 + ")" * 61, "nested more than 50 deep"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_sgf(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_the_game_that_is_asked_for() -> None:
    """It says what the file does not, and the file must be of it."""
    text = "(;GM[11]SZ[3];B[b2];W[a1])"
    assert read_sgf(text).game == "hex:3"
    assert read_sgf(text, "hex:3,swap=false").game == "hex:3,swap=false"
    with pytest.raises(ValueError, match="it is a match of hex:3, not of hex:4"):
        read_sgf(text, "hex:4")
    with pytest.raises(ValueError, match=r"it is a match of hex:3.*, not of go:5"):
        read_sgf(text, "go:5")
    assert read_sgf("(;SZ[3];B[b2])", "hex:3").game == "hex:3"  # without GM


def test_a_variation_is_read_as_far_as_it_is_legal() -> None:
    match = read_sgf("(;GM[11]SZ[3];B[b2](;W[a1])(;W[c1];B[c1];W[a2])(;W[zz]))")
    assert [[ply.action for ply in line] for line in match.plies[1].variations] == [[2]]


def test_a_file_cannot_name_code() -> None:
    with pytest.raises(ValueError, match="is unknown: expected"):
        read_sgf("(;GM[99]RU[./evil.py:1])")
    assert read_sgf("(;GM[1]SZ[3]RU[./evil.py:1])").game.startswith("go:3")


def test_long_files_are_no_recursion() -> None:
    root = only(SgfNode, split("(;GM[1]SZ[9]" + ";C[x]" * 20_000 + ")"))
    assert write([root]).count("\n") == 20_001
    assert read_sgf("(;GM[1]SZ[9]" + "(;C[x]" * 5_000 + ")" * 5_001).plies == ()


@pytest.mark.parametrize(
    ("kind", "start", "node", "end", "holder", "writing"),
    [
        (".sgf", "(;GM[1]SZ[9];B[aa]", ";C[x]", ")", Ply, "__init__"),
        (".pdn", "1. 32-28 ", "{x} ", "", PdnMove, "__setattr__"),
    ],
)
def test_many_comments_of_a_move_are_joined_once(
    kind: str, start: str, node: str, end: str, holder: type, writing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joining them one by one copies all earlier ones: the time grows with the square of their number."""
    genuine, writes = getattr(holder, writing), list[int]()

    def counted(*given: Any, **named: Any) -> None:
        writes[-1] += 1
        genuine(*given, **named)

    monkeypatch.setattr(holder, writing, counted)
    for count in (2, 50):
        writes.append(0)
        [match] = matches_in((start + node * count + end).encode(), kind)
        assert match.plies[0].comment == "\n".join("x" * count)
    assert writes[0] == writes[1] > 0


def test_names_and_comments_cannot_control_a_terminal() -> None:
    match = read_sgf("(;GM[11]SZ[3]PB[a\x1b[2J\\] b\nc];B[b2]C[one\x07\x1b\\]0;x\ntwo])")
    assert match.players[0] == "a[2J] b c"
    assert match.plies[0].comment == "one]0;x\ntwo"


@pytest.mark.parametrize("wrong", ["GM[\x1b[2J\n]SZ[5]", "GM[11]SZ[\x1b[2J\n]", "GM[1]SZ[5]KM[\x1b[2J\n]"])
def test_refusals_cannot_control_a_terminal(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"\?\[2J\?") as refused:
        read_sgf(f"(;{wrong};B[b2])")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("charset", "encoding"), [("", "utf-8"), ("", "latin-1"), ("CA[gb18030]", "gb18030"), ("CA[x]", "utf-8")]
)
def test_charsets_are_read(tmp_path: Path, charset: str, encoding: str) -> None:
    name = "聂卫平" if encoding == "gb18030" else "Müller"
    file = tmp_path / "a.sgf"
    file.write_bytes(f"(;GM[11]{charset}SZ[3]PB[{name}];B[b2])".encode(encoding))
    assert read_match(file).players[0] == name


def test_other_games_are_refused() -> None:
    match = FileMatch("tictactoe", ("", ""), (Ply(4, 0),))
    with pytest.raises(ValueError, match=f"SGF does not know tictactoe; it knows {', '.join(known_games())}"):
        as_text([match], ".sgf")


@pytest.mark.slow
@pytest.mark.skipif(find_program("gnubg") is None, reason="GNU Backgammon is not installed")
def test_matches_of_gnu_backgammon(tmp_path: Path) -> None:
    """Its games with the cube are read to the points that it counts, and it reads ours."""
    program, file, ours = find_program("gnubg"), tmp_path / "theirs.sgf", tmp_path / "ours.sgf"

    def run(*commands: str) -> str:
        done = subprocess.run(
            [str(program), "-t", "-q", "-r"], input="".join(f"{one}\n" for one in commands), text=True,
            capture_output=True, timeout=200, env={"HOME": str(tmp_path)}, check=False,
        )  # fmt: skip
        return done.stdout

    for seed in (5, 6, 7):
        run(
            "set rng mersenne", f"set seed {seed}", "set automatic game off", "set player 0 gnubg",
            "set player 1 gnubg", "set jacoby on", "new session", f"save game {tmp_path / f'{seed}.sgf'}",
        )  # fmt: skip
    read_count = 0
    for seed in (5, 6, 7):
        for match in read_matches(tmp_path / f"{seed}.sgf"):
            if match.outcome is None:
                continue
            read_count += 1
            record = match.as_record(make(match.game))
            assert record.cube and record.score
    assert read_count
    game = make("backgammon")
    record = play_match(game, (RandomPlayer(), RandomPlayer()), seed=1)
    write_matches(ours, [FileMatch.of_record(record)])
    shown = run(f"load game {ours}", f"save game {file}")
    [again] = read_matches(file)
    assert again.actions == record.actions, shown
    assert again.outcome == record.outcome


def test_pa_is_a_point_of_large_boards() -> None:
    """It is no pass, as it is in Othello on the usual board."""
    assert moves_of(read_sgf("(;GM[1]SZ[19];B[pa];W[dd])")) == "q19 d16"
    assert moves_of(read_sgf("(;GM[2]SZ[16];B[hg])", "othello:16")) == "h7"
