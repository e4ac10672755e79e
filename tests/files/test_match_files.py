"""Files of matches: their formats by name, the commands that read and write them, and what is no such file."""

import json
import resource
from collections.abc import Callable
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from file_matches import random_file_match

from athenan import make
from athenan.cli import main
from athenan.files.file_match import FileMatch
from athenan.files.formats import FORMATS, format_of, matches_in, read_match, read_matches, write_matches
from athenan.files.typed import actions_of
from athenan.play.match import play_match
from athenan.play.player import RandomPlayer
from athenan.play.records import MatchRecord, RecordError, plies_of
from athenan.rules.game import GameError

SGF = "(;GM[11]SZ[3]PB[Ann]PW[Ben]RE[B+R];B[b2]C[the middle]V[0.5];W[a1];B[c1])"


Told = Callable[..., tuple[int, str, str]]
"""A command of these arguments: its status, its output and its errors."""


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    def call(*arguments: str) -> tuple[int, str, str]:
        status = main(list(map(str, arguments)))
        output, errors = capsys.readouterr()
        return status, output, errors

    return call


def test_the_name_tells_the_format() -> None:
    names = {"a.sgf": ".sgf", "A.SGF": ".sgf", "a.hsgf": ".sgf", "a.pdn": ".pdn", "a.jsonl": ".jsonl", "a": ".txt"}
    assert {name: format_of(name) for name in names} == names
    assert format_of("a", b'{"game"') == ".jsonl"
    assert format_of("a.sgf", b"{") == ".sgf"


@pytest.mark.parametrize("text", ["# hex:3\nb2 a1", "#hex:3\nb2 a1", "\r\n  # HEX:3,swap=true \r\nb2 a1\r\n"])
def test_the_first_line_of_moves_names_the_game(text: str) -> None:
    [match] = matches_in(text.encode(), ".txt")
    assert (match.game, match.actions) == ("hex:3", (4, 0))
    assert list(matches_in(text.encode(), ".txt", make("hex:3"))) == [match]
    with pytest.raises(ValueError, match=r"its game is .*, not hex:4"):
        list(matches_in(text.encode(), ".txt", make("hex:4")))


def test_moves_of_a_known_game_may_have_any_comment() -> None:
    for comment in ("my opening", "1. the middle: sharp", "os.path", "a=b,c:d", "go: the first of three"):
        [match] = matches_in(f"# {comment}\nb2 a1".encode(), ".txt", make("hex:3"))
        assert match.actions == (4, 0)
    for code in ("./nim.py", "nim.py:3"):
        with pytest.raises(ValueError, match=f"its game is {code}, not hex:3"):
            list(matches_in(f"# {code}\nb2 a1".encode(), ".txt", make("hex:3")))
    with pytest.raises(ValueError, match="there is no game 'my opening'"):
        list(matches_in(b"# my opening\nb2 a1", ".txt"))


def test_convert_there_and_back(tmp_path: Path, told: Told) -> None:
    game = make("hex:3")
    records = [play_match(game, (RandomPlayer(), RandomPlayer()), seed=seed) for seed in range(3)]
    paths = [tmp_path / f"{number}{suffix}" for number, suffix in enumerate([".jsonl", ".sgf", ".jsonl", ".txt"])]
    write_matches(paths[0], [FileMatch.of_record(record) for record in records])
    for one, other in pairwise(paths[:3]):
        assert told("convert", one, other) == (0, f"3 matches of {one} written to {other}\n", "")
    again = [json.loads(line) for line in paths[2].read_text().splitlines()]
    for record, data in zip(records, again, strict=True):
        assert (data["game"], data["moves"], data["outcome"]) == ("hex:3", game.moves(record.actions), record.outcome)
        assert [ply["side"] for ply in data["plies"]] == [ply.side for ply in record.plies]
    status, _, errors = told("convert", paths[2], paths[3])
    assert (status, paths[3].exists()) == (2, False)
    assert "a file of moves holds one match, not 3" in errors
    assert told("convert", paths[2], paths[3], "--number", "2")[0] == 0
    assert paths[3].read_text() == f"# hex:3\n{game.moves(records[1].actions)}\n"


def test_convert_loses_nothing(tmp_path: Path, told: Told) -> None:
    source, target = tmp_path / "a.sgf", tmp_path / "b.jsonl"
    source.write_text(SGF)
    target.write_text("mine")
    status, _, errors = told("convert", source, target)
    assert (status, target.read_text()) == (2, "mine")
    assert "the file already exists" in errors
    for arguments, message in (
        ((source, tmp_path / "c.pdn"), "PDN is for draughts, not for hex:3"),
        ((source, tmp_path / "c.sgf", "--game", "hex:4"), "it is a match of hex:3, not of hex:4"),
        ((source, tmp_path / "c.sgf", "--number", "2"), "there is no match 2: the file has 1 match"),
        ((tmp_path / "none.sgf", tmp_path / "c.sgf"), "No such file"),
        ((source, tmp_path / "no" / "c.sgf"), "there is no folder"),
    ):
        status, output, errors = told("convert", *arguments)
        assert (status, output, errors.count("\n")) == (2, "", 1)
        assert message in errors
    assert not (tmp_path / "c.sgf").exists()


def test_a_record_leaves_comments_and_variations_to_files() -> None:
    game = make("hex:3")
    [match] = matches_in(SGF.encode(), ".sgf")
    assert any(ply.comment or ply.variations for ply in match.plies)
    record = match.as_record(game)
    assert record.actions == match.actions and not any(ply.comment or ply.variations for ply in record.plies)
    assert set(record.as_json()["plies"][0]) == {"action", "side", "seconds", "value", "proven"}
    assert FileMatch.of_record(record).plies == record.plies


def test_plies_have_the_sides_that_played_them() -> None:
    game = make("pig:6,length=12")
    record = play_match(game, (RandomPlayer(), RandomPlayer()), seed=3)
    assert {ply.side for ply in record.plies} == {0, 1, 2}
    assert [ply.side for ply in plies_of(game, record.actions)] == [ply.side for ply in record.plies]
    with pytest.raises(GameError):
        plies_of(game, [99])


@pytest.mark.parametrize(("name", "moves"), [("hex:3", "b2"), ("hex:3", "b2 a1"), ("draughts", "31-26")])
@pytest.mark.parametrize("outcome", [1, -1])
def test_either_player_may_resign(name: str, moves: str, outcome: int) -> None:
    """Whoever is to move: all formats that can say so give the same match again."""
    game = make(name)
    match = FileMatch(game.name, ("Ann", "Ben"), plies_of(game, actions_of(game, moves)), outcome, "resigned")
    for kind in (".jsonl", ".pdn" if name == "draughts" else ".sgf"):
        [again] = matches_in(FORMATS[kind].text([(match, game)]).encode(), kind)
        assert (again.actions, again.outcome, again.ending) == (match.actions, outcome, "resigned")
        record = again.as_record(game)
        assert (record.outcome, record.resigned) == (outcome, True)
        assert MatchRecord.from_json(json.loads(json.dumps(record.as_json())), game) == record


def test_matches_that_no_record_can_hold_keep_their_moves_and_result() -> None:
    """An end that the rules do not tell: the moves and the result stay, without the fields of a record."""
    game = make("hex:3")
    [match] = matches_in(SGF.encode(), ".sgf")
    assert match.as_record(game).resigned
    agreed = FileMatch("hex:3", ("Ann", "Ben"), match.plies[:2], 1)
    with pytest.raises(RecordError, match="the match is not over by the rules"):
        agreed.as_record(game)
    text = FORMATS[".jsonl"].text([(agreed, game)])
    assert json.loads(text) == {"game": "hex:3", "players": ["Ann", "Ben"], "moves": "b2 a1", "outcome": 1}
    [again] = matches_in(text.encode(), ".jsonl")
    assert (again.players, again.actions, again.outcome) == (agreed.players, agreed.actions, 1)
    contradicted = FileMatch("hex:3", ("Ann", "Ben"), plies_of(game, (4, 0, 1, 2, 7)), -1)
    assert game.outcome(game.replay(contradicted.actions)) == 1
    with pytest.raises(RecordError, match="outcome of a match cannot be -1"):
        contradicted.as_record(game)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: this is not a match as written by `athenan match --records`"),
        ("[" * 100_000, "this is not a match"),
        ('{"game": "./evil.py:1", "moves": ""}', "code in the file"),
        ('{"game": "hex:3", "moves": "b2 b2"}', "move 2: 'b2' is not a legal action"),
        ('{"game": "hex:3", "moves": "", "players": [1, 2]}', "players of a match cannot be"),
        ('{"game": "hex:3", "moves": "", "outcome": true}', "outcome of a match cannot be True"),
        ('{"game": "hex:3", "moves": "", "plies": []}', "MatchRecord must be an object of"),
    ],
)
def test_bad_lines_are_refused(line: str, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        list(matches_in(line.encode(), ".jsonl"))
    assert message in str(error.value)
    assert len(str(error.value)) < 500


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.reading.LARGEST", 10)
    (tmp_path / "a.sgf").write_text(SGF)
    with pytest.raises(ValueError, match="has more than 0 MiB"):
        list(read_matches(tmp_path / "a.sgf"))
    with pytest.raises(ValueError, match="has more than 0 MiB"):
        read_match(tmp_path / "a.sgf")


def test_a_match_of_sgf_is_annotated(tmp_path: Path, told: Told) -> None:
    """The values go into the file, and where another action was better its line."""
    source, target = tmp_path / "a.sgf", tmp_path / "b.sgf"
    source.write_text("(;GM[11]SZ[3];B[b2]C[the middle];W[a1];B[a3];W[c1];B[c3])")
    arguments = ["analyze", "hex:3,swap=false", "--match", source, "--iterations", "100000", "--output", target]
    status, output, errors = told(*arguments)
    assert (status, errors) == (0, "")
    [found] = read_matches(target)
    assert [ply.proven for ply in found.plies] == [1, 1, 1, 1, 1]
    assert found.plies[0].comment == "first player 100%; the middle"
    assert output.count("\n") == 8  # with the accuracy of both sides
    better = [ply for ply in found.plies if ply.variations]
    assert all(one.variations[0][0].action != one.action for one in better)
    assert told(*arguments)[0] == 2  # the file is there already
    status, _, errors = told(*arguments[:-1], tmp_path / "c.pdn")
    assert (status, "PDN is for draughts" in errors, (tmp_path / "c.pdn").exists()) == (2, True, False)


def test_play_saves_and_loads_by_the_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sgf"
    monkeypatch.setattr("sys.stdin", StringIO(f"b2\na1\nsave {file}\nload {file}\nmoves\nquit\n"))
    assert main(["play", "hex:3", "--second", "human"]) == 0
    assert "moves: b2 a1\n" in capsys.readouterr().out
    [match] = read_matches(file)
    assert (match.game, make(match.game).moves(match.actions), match.outcome) == ("hex:3", "b2 a1", None)


def test_matches_of_json_lines_are_read_as_they_are_written() -> None:
    game = make("tictactoe")
    match = random_file_match(game, 1)
    [again] = matches_in(FORMATS[".jsonl"].text([(match, game)]).encode(), ".jsonl", game)
    assert (again.actions, again.outcome) == (match.actions, match.outcome)


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    """The next attempt was refused, because the file existed."""
    [match] = matches_in(b"(;GM[11]SZ[5];B[c3])", ".sgf")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, usual[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_matches(tmp_path / "full.sgf", [match])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert not (tmp_path / "full.sgf").exists()
    write_matches(tmp_path / "full.sgf", [match])
    with pytest.raises(FileExistsError):
        write_matches(tmp_path / "full.sgf", [match])
    assert (tmp_path / "full.sgf").exists()


def test_convert_writes_the_good_matches_and_names_the_bad(tmp_path: Path, told: Told) -> None:
    """A line on standard error for each bad match, and for what was left out of a good one."""
    good, late = "(;GM[11]SZ[3]PB[a];B[b2])", "(;GM[11]SZ[3];B[b2];W[resign];B[a1])"
    source, target = tmp_path / "a.sgf", tmp_path / "b.jsonl"
    source.write_text(f"{good}\n(;GM[11]SZ[3];B[d4])\n{late}\n(;GM[99])")
    status, output, errors = told("convert", source, target)
    assert (status, output) == (2, f"2 matches of {source} written to {target}\n")
    lines = errors.splitlines()
    assert lines[0] == f"athenan: {target}: match 2: 1 move left out: the match is over after action 1"
    assert lines[1].startswith(f"athenan: {source}: match 2: action 1: 'd4' is not a legal action of hex:3")
    assert lines[2].startswith(f"athenan: {source}: match 4: its game, GM[99], is unknown")
    assert lines[3:] == [f"athenan: error: 2 matches of {source} could not be read: the others are written"]
    assert [json.loads(line)["moves"] for line in target.read_text().splitlines()] == ["b2", "b2"]
    assert told("convert", source, tmp_path / "c.jsonl", "--number", "3")[0] == 0
    source.write_text("(;GM[11]SZ[3];B[d4])(;GM[99])")
    status, output, errors = told("convert", source, tmp_path / "d.jsonl")
    assert (status, output, errors.count("\n"), (tmp_path / "d.jsonl").exists()) == (2, "", 2, False)


def test_a_review_says_what_it_leaves_out(tmp_path: Path, told: Told) -> None:
    source = tmp_path / "a.sgf"
    source.write_text("(;GM[11]SZ[3];B[b2];W[a1];B[resign];W[c1])")
    status, _, errors = told("analyze", "hex:3,swap=false", "--match", source, "--iterations", "10")
    assert (status, errors) == (0, f"athenan: {source}: 1 move left out: the match is over after action 2\n")
