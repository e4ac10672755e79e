"""`athenan play`: what a person can type, and what is shown."""

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from athenan import GAMES, make
from athenan.arena.roster import make_player
from athenan.cli import main
from athenan.cli.screen import Screen, changed, picture
from athenan.files.file_match import FileMatch
from athenan.files.formats import read_match, write_matches
from athenan.play import words
from athenan.play.openings import read_openings
from athenan.play.player import RandomPlayer
from athenan.play.records import plies_of


@pytest.fixture
def play(capsys, monkeypatch):
    """Plays with what is typed; returns what is shown."""

    def call(typed, *arguments):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = main(["play", *arguments])
        output, errors = capsys.readouterr()
        assert (status, errors.replace("athenan: Preparing", "\n").split("\n")[0]) == (0, "")
        return output

    return call


def test_hints_and_values_are_those_of_a_search(play):
    shown = play("hint\nvalues\n", "tictactoe", "--moves", "a1 b1 a2 b2", "--second", "random")
    assert "a3: value for Blue +1" in shown
    rows = [line.split() for line in shown.splitlines() if line[:1] == "*" or line[:2] in ("c1", "c2", "b3", "c3")]
    assert rows[0][0] == "*a3"
    assert len(rows) == 6  # the best of five actions, and the note about it


def test_leaving_prints_the_moves(play):
    shown = play("b2\nb3\nb1\nquit\n", "tictactoe", "--first", "human", "--second", "human")
    assert "moves: b2 b3 b1\n" in shown
    assert "go on with: athenan play tictactoe --first human --second human --moves 'b2 b3 b1'" in shown
    shown = play("quit\n", "tictactoe", "--second", "mcts:20", "--moves", "b2 a1", "--seconds", "0.5", "--show-values")
    assert "play tictactoe --second mcts:20 --seconds 0.5 --show-values --moves 'b2 a1'\n" in shown
    assert "go on with" not in play("a3\n", "tictactoe", "--moves", "a1 b1 a2 b2")


@pytest.mark.parametrize(
    ("typed", "moves", "times"),
    [
        ("undo\nb2\nquit\n", "a1 c3", 1),  # moves of an opening stay
        ("b2\nundo\nundo\nquit\n", "", 2),  # by the second player, who has played nothing
        ("b2\na1\nundo\na1\nquit\n", "", 0),
    ],
)
def test_undo_says_if_there_is_nothing_to_take_back(play, typed, moves, times):
    shown = play(typed, "tictactoe", "--moves", moves, "--second", "human")
    assert shown.count("You have played nothing that could be taken back.") == times


def test_each_position_is_shown_once(play):
    shown = play("b2\n?\nundo\n", "tictactoe", "--second", "human")
    empty, middle = "3 . . .\n2 . . .\n", "2 .[x].\n"
    assert (shown.count(empty), shown.count(middle)) == (1, 2)  # once more after `undo`
    assert "Blue, x: human\nRed, o: human\n" in shown
    shown = play("", "tictactoe", "--first", "random", "--second", "random")
    assert shown.count("a b c") == 1 + shown.count(" plays ")


def test_rules_are_told_in_a_match_and_by_a_command(play, capsys):
    assert main(["rules", "tictactoe"]) == 0
    told = capsys.readouterr().out
    assert "Goal: have three of your marks" in told and "The sides: Blue, x; Red, o." in told
    assert told in play("rules\nquit\n", "tictactoe", "--second", "human")


def test_moves_are_saved_and_loaded(play, tmp_path):
    file = str(tmp_path / "match")
    shown = play(f"b2\nb3\nsave {file}\nsave {file}\nsave\n", "tictactoe", "--second", "human")
    assert f"The moves are in {file}." in shown
    assert f"{file} already exists: name another file." in shown
    assert "Name a file: save FILE" in shown
    assert Path(file).read_text() == "# tictactoe\nb2 b3\n"
    shown = play(f"load {file}\nmoves\nundo\nmoves\n", "tictactoe", "--second", "human")
    assert "lists, help explains): b2 b3\n" in shown
    assert "No action has been played." in shown
    assert read_openings(file, make("tictactoe")) is not None


def test_files_may_be_named_in_the_home_folder(play, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert f"The moves are in {tmp_path}/mine." in play("b2\nsave ~/mine\nquit\n", "tictactoe", "--second", "human")
    assert "lists, help explains): b2\n" in play("load ~/mine\nmoves\nquit\n", "tictactoe", "--second", "human")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# hex:3\na1\n", "its game is hex:3, not tictactoe"),
        (b"a1 a1", "move 2: 'a1' is not a legal action of tictactoe here"),
        (b"\xff\xfex\0", "'x' is not a legal action of tictactoe here"),
        (b"a1\0", "it is not a text file"),
        (b"x" * (1 << 21), "is not a legal action of tictactoe here"),
        (b"a1 b1 a2 b2 a3", "the match is over after these moves"),
        (None, "No such file or directory"),
    ],
)
def test_a_bad_file_changes_nothing(play, tmp_path, content, message):
    file = tmp_path / "match"
    if content is not None:
        file.write_bytes(content)
    shown = play(f"c3\nload {file}\nquit\n", "tictactoe", "--second", "human")
    assert message in shown
    assert "moves: c3\n" in shown


def test_what_is_written_is_read(tmp_path):
    for number, name in enumerate(["hex:3", "othello:4", "tictactoe"]):
        game, state, actions = make(name), make(name).initial(), []
        for _ in range(3):
            actions.append(int(game.actions(state)[number % len(game.actions(state))]))
            state = game.play(state, actions[-1])
        write_matches(tmp_path / str(number), [FileMatch(game.name, ("", ""), plies_of(game, actions))])
        assert list(read_match(tmp_path / str(number), game).actions) == actions


def test_pieces_are_named_as_the_picture_shows_them():
    for name in GAMES:
        game = make(name)
        if game.players == 2 and game.layout.marks == ("x", "o"):
            first, second = game.sides
            assert words.sides(game) == (f"{first}, x", f"{second}, o")
    assert words.sides(make("hex")) == ("Red, x", "Blue, o")
    assert words.sides(make("pig")) == ("Blue", "Red")
    assert words.sides(make("morpion:4D,size=9")) == ("player",)


def shown_after(name: str, moves: str) -> str:
    """What the screen shows after moves, without colours."""
    game = make(name)
    screen, state = Screen(game), game.initial()
    screen.console = Console(file=io.StringIO(), color_system=None, width=120)
    for move in moves.split():
        action = game.parse_action(state, move)
        state = game.play(state, action)
        screen.observe(action, state)
    screen.show()
    assert isinstance(screen.console.file, io.StringIO)
    return screen.console.file.getvalue()


@pytest.mark.parametrize(
    ("name", "moves", "line"),
    [
        ("othello:4", "b1", "1 .[x]. ."),  # not the disc that it flipped
        ("othello:4", "b1", "2 . x x ."),
        ("amazons:6", "b1-d3", "3 . . .[x]. ."),
        ("amazons:6", "b1-d3 e3", "3 . . .[x *]."),  # the whole turn
        ("connect_four", "4 4", " . . .[o]. . ."),
        ("draughts", "34-30 20-25", "21   .   .   .   .  [o]"),
        ("einstein:4,pieces=3", "1a4 2b4 3a3 3 3-b3 2", "3  .[x3] .  ."),  # not the draw of chance
        ("shobu", "a1-a2 e1-e2", "2[x]. . .  [x]. . ."),  # not the pieces that may move
        ("hex:3", "c1 swap", "  3 [o] .  ."),  # names no place
        ("pig:20,length=30", "roll 4", "first player 0, second player 0; first player's turn: 4"),
    ],
)
def test_the_cells_that_the_last_turn_names_are_marked(name, moves, line):
    shown = shown_after(name, moves)
    assert line in shown.split("\n")


def test_cells_are_marked_by_brackets_or_reversed():
    now = "2 . x o\n1 x . ."
    assert str(picture(now, changed("2 . . .\n1 x . .", now), colour=False)) == "2 .[x o]\n1 x . ."
    styles = {str(span.style) for span in picture(now, [(4, 5)], colour=True).spans}
    assert styles == {"bold red", "bold cyan", "reverse"}
    assert changed("1 o .", "1 . o") == [(4, 5)]
    assert changed("4 points", "5 points") == []


def test_ctrl_c_makes_a_search_play_at_once(play, monkeypatch, ctrl_c):
    """A search of an hour, which is stopped when it has searched for a moment."""
    from athenan.play.session import Session

    search = Session.search

    def interrupted(self, limit, watch=None):
        presses = iter([ctrl_c])

        def press(seconds: float) -> None:
            if seconds > 0.05 and (pressed := next(presses, None)):
                pressed()

        return search(self, limit, press)

    monkeypatch.setattr(Session, "search", interrupted)
    shown = play("a1\nquit\n", "hex:3,swap=false", "--second", "mcts:3600s")
    assert "mcts:3600s (Blue, o) plays" in shown


def test_what_is_typed_in_another_encoding_does_not_end_the_match(capsys, monkeypatch):
    typed = io.TextIOWrapper(io.BytesIO("ä1\nquit\n".encode("iso-8859-1")), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", typed)
    assert main(["play", "tictactoe", "--second", "random"]) == 0
    shown = capsys.readouterr().out
    assert "'\ufffd1' is not a legal action" in shown and "You left" in shown


def test_a_player_is_closed_if_the_other_one_does_not_exist(capsys, monkeypatch):
    """It may be a program, which has started."""
    closed = []

    class Program(RandomPlayer):
        def close(self):
            closed.append(self.name)

    def made(name, *given):
        return Program() if name == "gtp:engine" else make_player(name, *given)

    monkeypatch.setattr("athenan.cli.play.make_player", made)
    assert main(["play", "tictactoe", "--first", "gtp:engine", "--second", "nobody"]) == 2
    assert "there is no player 'nobody'" in capsys.readouterr().err
    assert closed == ["random"]


@pytest.mark.parametrize(
    ("arguments", "typed", "expected"),
    [
        (["tictactoe", "--second", "random"], "?\nb2\nhelp\nnonsense\nundo\nresign\n", "Blue resigns"),
        (["tictactoe", "--second", "random"], "b2\n", "You left: the match has no result"),
        (["tictactoe", "--first", "random"], "quit\n", "random (Blue, x) plays"),
        (["tictactoe", "--first", "random", "--second", "mcts:50"], "", " wins after"),
        (["tictactoe", "--moves", "a1 b1 a2 b2", "--seed", "1"], "a3\n", "Blue wins after 5 actions"),
        (["othello:4", "--first", "random", "--second", "random"], "", "score"),
    ],
)
def test_play(command, monkeypatch, arguments, typed, expected):
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    status, output, errors = command("play", *arguments)
    assert (status, errors) == (0, "")
    assert expected in output


def test_play_a_run(command, monkeypatch, run):
    monkeypatch.setattr(sys, "stdin", io.StringIO("b2\n"))
    status, output, _ = command("play", run, "--evaluations", "30", "--show-values")
    assert status == 0
    assert "(Red, o) plays" in output
    assert "value for Blue" in output
