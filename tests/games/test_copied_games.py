"""A game of the package, copied into a file of one's own, is learnt, played, solved and written like the original."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from athenan import Game, make, recommended
from athenan.engines.gtp import notation as gtp
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, matches_in, read_match, write_matches
from athenan.games.catalogue import module_of
from athenan.grading.solvers import PERFECT
from athenan.grading.solving import usual_recipe
from athenan.learning import algorithms, recipe
from athenan.play.records import plies_of
from athenan.rules.playouts import random_match
from athenan.runs import learnt
from athenan.runs.description import Description
from athenan.runs.run import RunSettings

GAMES = ["breakthrough:6x6", "breakthrough:8x8", "connect_four:7x6", "hex:7", "othello:8", "go:9", "shobu", "pig:100"]


def copied(name: str, folder: Path) -> Game:
    """The game of a copy of the file that defines another game."""
    family, _, settings = name.partition(":")
    file = shutil.copy(str(module_of(family).__file__), folder / f"my_{family}.py")
    return make(f"{file}:{settings}".rstrip(":"))


@pytest.fixture(params=GAMES)
def both(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Game, Game]:
    """A game and its copy."""
    ours = make(request.param)
    copy = copied(request.param, tmp_path)
    assert copy.name != ours.name and copy.family != ours.family
    return ours, copy


@pytest.mark.parametrize("minutes", [1, 30])
def test_a_copy_is_learnt_by_the_same_recipe(both, minutes, monkeypatch):
    """Only random play, which the copy would compile anew, is replaced by its usual results."""
    monkeypatch.setattr(recipe, "mean_actions", lambda game: 20.0)
    monkeypatch.setattr(recipe, "decision_share", lambda game: 1.0)
    monkeypatch.setattr(recipe, "has_codes", lambda game: True)
    monkeypatch.setattr(recipe, "is_image", lambda game: False)
    monkeypatch.setattr(algorithms, "is_image", lambda game: False)
    ours, copy = both
    expected = recommended(ours.name, minutes, threads=2)
    assert recommended(copy.name, minutes, threads=2) == expected.changed(run={"game": copy.name})


def test_a_copy_is_solved_by_the_same_solver(both):
    ours, copy = both
    solving = usual_recipe(ours)
    assert usual_recipe(copy) == replace(solving, game=copy.name)
    assert [name for name in PERFECT if PERFECT[name].solves(copy)] == [
        name for name in PERFECT if PERFECT[name].solves(ours)
    ]


@pytest.mark.parametrize("network", ["patterns", "shallow"])
def test_a_copy_is_played_by_the_same_search(both, network, monkeypatch):
    def search_of(game: Game) -> object:
        configuration = {"run": {"game": game.name, "network": network}, "search": "ubfm"}
        run = Description(Path("a run"), RunSettings(game.name, network=network), configuration, None, 0.0)
        monkeypatch.setattr(learnt, "describe", lambda path, whole: run)
        return learnt.playing_search("a run")

    ours, copy = both
    assert search_of(copy) == search_of(ours)


def test_a_copy_has_the_same_forms(both):
    ours, copy = both
    functions = ("fen", "sgf", "mat", "turn_given")
    without: dict[str, Any] = dict.fromkeys(functions)
    assert replace(copy.forms, **without) == replace(ours.forms, **without)
    for name in functions:
        assert (getattr(copy.forms, name) is None) == (getattr(ours.forms, name) is None)
    for name in ("a1", "swap", "pass"):
        assert gtp.written(copy, name) == gtp.written(ours, name)


def test_a_copy_is_written_and_read_in_sgf(tmp_path):
    ours, copy = make("hex:5"), copied("hex:5", tmp_path)
    texts = {}
    for game in (ours, copy):
        actions = game.parse_moves("c3 swap b2 d4")
        match = FileMatch(game.name, ("Ann", "Ben"), plies_of(game, actions, game.initial()))
        file = tmp_path / f"{game.family}.sgf"
        write_matches(file, [match])
        assert read_match(file, game).actions == tuple(actions)
        assert read_match(file).game == game.name
        texts[game.name] = file.read_text().replace(game.name, "")
    assert texts[ours.name] == texts[copy.name]


def test_a_game_that_sgf_does_not_know_here_has_its_own_number_and_words(tmp_path):
    source = Path(str(module_of("tictactoe").__file__)).read_text()
    source = source.replace(
        'title="Tic-tac-toe",', "title='Noughts', forms=Forms(sgf=Sgf('noughts', 99, points(3), size='')),"
    )
    file = tmp_path / "noughts.py"
    file.write_text("from athenan.rules import Forms\nfrom athenan.rules.sgf import Sgf, points\n" + source)
    game = make(str(file))
    read = list(matches_in(b"(;GM[99]RU[Noughts];B[bb];W[aa])", ".sgf", game))
    assert [game.moves(match.actions) for match in read] == ["b2 a3"]
    assert as_text(read, ".sgf").startswith(f"(;FF[4]CA[UTF-8]GM[99]RU[{file}]")
    with pytest.raises(ValueError, match=r"GM\[99\], is unknown: expected 1 go"):
        list(matches_in(b"(;GM[99];B[bb])", ".sgf"))


@pytest.mark.slow
def test_a_copy_is_written_and_read_in_pdn(tmp_path):
    ours, copy = make("draughts:brazilian"), copied("draughts:brazilian", tmp_path)
    assert copy.forms.pdn == ours.forms.pdn == 26
    match = FileMatch(copy.name, ("Ann", "Ben"), plies_of(copy, random_match(copy, 3)[:9], copy.initial()))
    write_matches(tmp_path / "match.pdn", [match])
    assert read_match(tmp_path / "match.pdn", copy).actions == match.actions
    assert read_match(tmp_path / "match.pdn", ours).actions == match.actions
