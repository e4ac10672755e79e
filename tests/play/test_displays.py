"""What Python and notebooks show of games, positions, analyses and results: short texts, pictures and tables."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from athenan import GAMES, Budget, analyze, draw, make, make_player, play_match, play_series
from athenan.arena.results import Duel, Solo, of_players
from athenan.evaluation.heuristics import make_heuristic
from athenan.rules.terminal import Gain

SHORT = 200


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_short_as_text_and_a_picture_in_a_notebook(name: str) -> None:
    game = make(name)
    assert repr(game) == f"Game({game.name!r})"
    assert repr([game, {"game": game}]).count(game.name) == 2
    assert game._repr_svg_() == draw(game).svg
    ElementTree.fromstring(game._repr_svg_() or "")


def test_a_game_that_the_catalogue_has_not_made_has_no_picture() -> None:
    assert replace(make("tictactoe"), picture=None)._repr_svg_() is None


def test_a_position_is_a_drawing() -> None:
    drawing = draw(make("hex:5"), "c3 swap")
    assert repr(drawing) == "Drawing()"
    assert drawing._repr_svg_() == drawing.svg


@pytest.mark.parametrize(
    ("name", "moves", "words"),
    [
        ("tictactoe", "b2 b1", "<Analysis of tictactoe after 2 actions: proven win for the first player, value +1,"),
        ("tictactoe", "b2 a1 c1 a3 a2 c2 b3 b1 c3", "<Analysis of tictactoe after 9 actions: proven draw, value +0>"),
        ("pig:4,length=12", "roll", "<Analysis of pig:4,length=12 after 1 action: expectation exactly +0.637, value"),
        ("breakthrough:4x4", "", "<Analysis of breakthrough:4x4 after 0 actions: "),
        ("morpion:4D", "", "<Analysis of morpion:4D after 0 actions: nothing is proven, value"),
    ],
)  # fmt: skip
def test_an_analysis_is_a_line_and_in_a_notebook_a_picture_with_a_table(name: str, moves: str, words: str) -> None:
    game = make(name)
    terminal = make_heuristic("score", game) if game.players == 1 else Gain()
    found = analyze(game, moves, Budget(iterations=3000), terminal=terminal)
    assert repr(found).startswith(words) and len(repr(found)) < SHORT
    page = found._repr_html_()
    picture, table = page.split("</svg>", 1)
    ElementTree.fromstring(picture + "</svg>")
    ElementTree.fromstring(f"<div>{table}</div>")
    for one in found.actions[:10]:
        assert f"<tr><td>{one.action}</td><td>{one.value:+.4f}</td><td>{one.visits:,}</td>" in table
    if found.line and game.board and any(game.places(found.state, found._line()[0])):
        assert 'class="step"' in picture


def test_an_analysis_of_states_that_tell_mobility_is_drawn() -> None:
    heuristic = make_heuristic("cumulative_mobility", make("breakthrough:4x4"))
    game = heuristic.tracked(make("breakthrough:4x4"))
    found = analyze(game, None, Budget(iterations=50), terminal=heuristic)
    assert found._repr_html_().startswith("<svg")


def test_results_are_a_line_and_in_a_notebook_a_table() -> None:
    game = make("tictactoe")
    players = [make_player("mcts:20", game), make_player("random", game)]
    duel = play_series(game, players, games=6)
    assert isinstance(duel, Duel)
    assert repr(duel) == f"<Duel of {duel.summary()}>" and len(repr(duel)) < SHORT
    wins, draws, losses = duel.counts()
    page = duel._repr_html_()
    assert f"<tr><td>all</td><td>6</td><td>{wins}</td><td>{draws}</td><td>{losses}</td><td>{duel.score:.1%}" in page
    first = [sum(gain[0] == result for gain in duel.tally.gains) for result in (1, 0, -1)]
    assert "<td>as first player</td><td>3</td>" + "".join(f"<td>{count}</td>" for count in first) in page
    ElementTree.fromstring(f"<div>{page}</div>")
    assert repr(of_players(game, ("a", "b<"), 0)) == "<Duel of a against b< in tictactoe: no games>"
    assert "b&lt;" in of_players(game, ("a", "b<"), 0)._repr_html_()
    record = play_match(game, players, seed=1)
    assert repr(record).startswith("<MatchRecord of tictactoe: mcts:20 against random, ") and len(repr(record)) < SHORT


def test_results_of_one_player() -> None:
    game = make("morpion:4D")
    solo = play_series(game, [make_player("random", game)], games=3)
    assert isinstance(solo, Solo)
    assert repr(solo) == f"<Solo of {solo.summary()}>"
    assert f"<td>random</td><td>3</td><td>{solo.score:.1f}</td>" in solo._repr_html_()
    assert repr(solo.best).endswith(f"score {solo.best.score}>")
