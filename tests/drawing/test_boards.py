"""The boards of all games: every action can be clicked, and the pictures show what the texts show."""

import re
import runpy
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from boards import board_of, place_names

from athenan import GAMES, GameError, draw, make
from athenan.drawing.figures import FIGURES
from athenan.drawing.overlay import Value, _corners, line_layer, short, values_layer
from athenan.drawing.svg import Drawing
from athenan.games.draughts import read_fen
from athenan.rules.board import NOBODY
from athenan.rules.facts import altered
from athenan.rules.state import CHANCE

ROOT = Path(__file__).parents[2]
SMALL = {
    "amazons": "amazons:6", "breakthrough": "breakthrough:5x4", "clobber": "clobber:4x5", "connect6": "connect6:6",
    "connect_four": "connect_four:5x4", "gomoku": "gomoku:6", "outer_open_gomoku": "gomoku:6", "go": "go:5",
    "havannah": "havannah:4", "hex": "hex:4", "othello": "othello:6", "ataxx": "ataxx:5,blocked=c3",
    "morpion": "morpion:4T",
}  # fmt: skip
"""A size of a game that has several; all sizes and variants share the kernels of the default."""
SIZES = [
    *(SMALL.get(name, name) for name in GAMES), "hex:19", "connect_four:9x8", "othello:10", "go:13,superko=simple",
    "gomoku:19,opening=free", "shobu:repetition=draw", "draughts:brazilian", "draughts:canadian", "morpion:5D",
    "einstein:8,pieces=1", "einstein:5,placement=random", "einstein:5,placement=alternate", "backgammon:hyper",
    "pig:20,sides=12", "lines_of_action:simultaneous=draw", "breakthrough:16x5", "clobber:1x7", "havannah:7",
]  # fmt: skip
NOT_PIECES = {"pig"}
SVG = "{http://www.w3.org/2000/svg}"


def states(game, seed, most=6):
    """Some states of a random match, the first and the last among them, with the actions that led to them."""
    random, state, before, action, found = np.random.default_rng(seed), game.initial(), None, None, []
    while True:
        found.append((state, before, action))
        if game.outcome(state) is not None or len(found) > 400:
            break
        before, action = state, game.draw(state, random)
        state = game.play(state, action)
    places = {0, len(found) - 1, *random.integers(0, len(found), most).tolist()}
    return [found[place] for place in sorted(places)]


def numbers_in_text(game, state):
    """How many pieces of each player the game's own text shows, or its own count of pieces."""
    kernels = game.table.kernels
    if "pieces" in kernels:
        return [int(kernels["pieces"](game.params, state, player)) for player in range(2)]
    name, body = game.name.split(":")[0], "".join(game.text(state).split("\n")[1:])
    if name == "morpion":
        return [body.count("o"), 0]
    if name == "xiangqi":
        return [sum(map(str.isupper, body)), sum(map(str.islower, body))]
    return [body.count(letter) + body.count(letter.upper()) for letter in "xo"]


@pytest.mark.parametrize("name", dict.fromkeys(SIZES))
def test_every_action_can_be_clicked(name):
    """By its places, by a choice between notations where several actions have the same, or by a button."""
    game = make(name)
    for state, _, _ in states(game, seed=1):
        found = defaultdict(list)
        for action in map(int, game.actions(state)):
            path = game.places(state, action)
            assert all(0 <= place < len(board_of(game).places) for place in path)
            found[path].append(game.action_name(state, action))
            if path and game.player(state) != CHANCE:
                named = [board_of(game).places[place].name for place in path]
                in_slots = {place for slot in board_of(game).slots for place in slot}
                assert any(one in found[path][-1] for one in named) or set(path) <= in_slots or "backgammon" in name
        for names in found.values():
            assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", dict.fromkeys(SIZES))
def test_pieces_are_those_of_the_text(name):
    game = make(name)
    for state, _, _ in states(game, seed=2):
        shown = [0, 0]
        for piece in board_of(game).scene(state).pieces:
            off = "off" in board_of(game).places[piece.place].name
            if piece.owner != NOBODY and not off:
                shown[piece.owner] += 1
        assert shown == ([0, 0] if game.name.split(":")[0] in NOT_PIECES else numbers_in_text(game, state))


@pytest.mark.parametrize("name", dict.fromkeys(SIZES))
def test_pictures_are_well_formed(name):
    game = make(name)
    for state, before, last in states(game, seed=3, most=2):
        legal = list(map(int, game.actions(state)))
        values = [Value(action, 0.25, 1 if action == legal[0] else None) for action in legal[:20]]
        picture = draw(game, state, before=before, last=last, values=values, line=legal[:1], clickable=True)
        root = ElementTree.fromstring(picture.svg)
        assert root.tag == f"{SVG}svg"
        clickable = root.findall(f".//{SVG}polygon[@class='place']")
        assert [int(one.attrib["data-place"]) for one in clickable] == list(range(len(board_of(game).places)))
        left, top, width, height = map(float, root.attrib["viewBox"].split())
        for one in clickable:
            for x, y in (map(float, point.split(",")) for point in one.attrib["points"].split()):
                assert left <= x <= left + width and top <= y <= top + height


def test_clicks_of_tictactoe():
    game = make("tictactoe")
    where = game.after("b2")
    assert place_names(game, where, game.parse_action(where, "c1")) == ["c1"]


@pytest.mark.parametrize(
    ("name", "moves", "action", "places"),
    [
        ("breakthrough:6x6", "", "a2-b3", ["a2", "b3"]),
        ("xiangqi", "", "h2e2", ["h2", "e2"]),
        ("ataxx", "", "a7c5", ["a7", "c5"]),
        ("draughts", "", "32-28", ["32", "28"]),
        ("connect_four", "4 4", "4", ["d3"]),
        ("go:9", "", "j9", ["j9"]),
        ("hex:11", "", "k11", ["k11"]),
        ("hex:11", "a1", "swap", []),
        ("santorini", "c3 c4 a1 a2", "c3-d4", ["c3", "d4"]),
        ("morpion:5D", "", "h10-l10", None),
        ("backgammon", "3-1", "8/5", ["8", "5"]),
    ],
)
def test_places_of_actions(name, moves, action, places):
    game = make(name)
    state = game.after(moves)
    if places is None:
        chosen = int(game.actions(state)[0])
        assert len(set(game.places(state, chosen))) == 2
        return
    chosen = game.parse_action(state, action)
    assert place_names(game, state, chosen) == places


def test_neighbours_are_one_apart():
    """On boards of hexagons the cells that touch, as the rules have them, are at a distance of one."""
    hexes = board_of(make("hex:5")).places
    for one, other in product(range(25), repeat=2):
        down, right = other // 5 - one // 5, other % 5 - one % 5
        touching = (down, right) in {(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)}
        distance = np.hypot(hexes[one].x - hexes[other].x, hexes[one].y - hexes[other].y)
        assert touching == (0.99 < distance < 1.01)


def test_captures_in_draughts_that_differ_in_what_they_take_are_clicked_along_their_ways():
    game = make("draughts")
    state = read_fen(game, "W:WK25:B8,33,34,38")
    asked = game.play(state, game.parse_action(state, "25x3"))
    ways = [place_names(game, asked, int(one)) for one in game.actions(asked)]
    assert ways == [["25", "39", "17", "3"], ["25", "43", "21", "3"]]


@pytest.mark.parametrize(
    ("name", "moves", "pips"),
    [
        ("pig", "roll 4", 4),
        ("pig", "roll 1", 1),  # the turn has passed, and its number is seen all the same
        ("pig", "roll", 0),
        ("pig", "roll 5 hold", 0),
        ("einstein", "1a5 2b5 3c5 4a4 5b4 6a3 3", 3),
        ("einstein", "1a5 2b5 3c5 4a4 5b4 6a3 3 3-d4", 0),
        ("einstein:3,pieces=1,placement=random", "1a3c1", 0),
    ],
)
def test_a_die_shows_what_was_rolled(name, moves, pips):
    assert draw(make(name), moves).svg.count('class="pip"') == pips


def test_dice_are_shown():
    game = make("backgammon")
    assert board_of(game).scene(game.after("3-1")).dice == (3, 1)
    assert board_of(game).scene(game.after("3-1 8/5 6/5 6-6")).dice == (6, 6, 6, 6)


def bears(game, look, clickable=False, moves="Ra1 Hb1"):
    """How many figures the pieces of a picture bear, and their texts."""
    root = ElementTree.fromstring(draw(game, moves, look=look, clickable=clickable).svg)
    figures = [one for one in root.iter(f"{SVG}g") if one.get("class") == "figure"]
    return len(figures), Counter(one.text for one in root.iter(f"{SVG}text") if one.get("class") == "on")


def test_pieces_of_several_kinds_have_a_choice_of_looks():
    xiangqi, arimaa = make("xiangqi"), make("arimaa")
    letters = Counter({"K": 2, "A": 4, "B": 4, "N": 4, "R": 4, "C": 4, "P": 10})
    signs = bears(xiangqi, "signs", moves="")[1]
    assert signs.total() == 32 and signs["帥"] == signs["將"] == 1 and signs["兵"] == signs["卒"] == 5
    assert bears(xiangqi, "drawn", moves="") == (32, Counter()) and bears(xiangqi, "letters", moves="") == (0, letters)
    assert bears(xiangqi, "letters", clickable=True, moves="") == (32, letters + signs)
    assert bears(arimaa, "letters") == (0, Counter("RH")) and bears(arimaa, "drawn") == (2, Counter())
    assert bears(arimaa, "signs") == (2, Counter())  # it has none


def test_a_picture_to_click_shows_figures_and_names_them():
    root = ElementTree.fromstring(draw(make("xiangqi"), clickable=True).svg)
    groups = [one for one in root.iter(f"{SVG}g") if one.get("class", "").startswith("look ")]
    assert Counter((one.get("class"), one.get("display")) for one in groups) == {
        ("look drawn", None): 32, ("look letters", "none"): 32, ("look signs", "none"): 32,
    }  # fmt: skip
    labels = [one.get("aria-label") for one in root.iter(f"{SVG}polygon")]
    assert "e0: Red general" in labels and "h9: Black horse" in labels


def test_figures_are_within_their_pieces():
    """All coordinates that a path writes as absolute; the arcs of wheels are checked by their circles."""
    for shape, (body, _) in FIGURES.items():
        x = y = 0.0
        for letter, numbers in re.findall(r"([MLHVCaZ])([^A-Za-z]*)", body):
            found = [float(number) for number in re.findall(r"-?\d+", numbers)]
            if letter == "a":  # half of a wheel, from its left or its right end
                assert np.hypot(x, y) <= 95 and np.hypot(x + found[5] / 2, y) + found[0] <= 95, shape
                x += found[5]
                continue
            points = list(zip(found[::2], found[1::2], strict=False))
            if letter in "HV":
                points = [(found[0], y) if letter == "H" else (x, found[0])]
            assert all(np.hypot(*point) <= 95 for point in points), (shape, points)
            x, y = points[-1] if points else (x, y)


def test_the_last_move_is_marked():
    game = make("breakthrough:5x5")
    assert draw(game, "a2-a3").svg.count('class="last"') == 2
    assert draw(game).svg.count('class="last"') == 0


def luminance(colour):
    """The relative luminance of a colour such as #b98b62 (WCAG 2.1)."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in shares]
    return np.dot(linear, (0.2126, 0.7152, 0.0722))


def test_numbers_on_squares_can_be_read():
    """Small text needs a contrast of 4.5 (WCAG 2.1, 1.4.3), in light mode and in dark mode."""
    svg = draw(make("draughts")).svg
    assert svg.count('class="label ink"') == 50
    modes = re.findall(r"--dark:(#\w{6});.*?--ink:(#\w{6});", svg)
    assert len(modes) == 2
    for colours in modes:
        low, high = sorted(map(luminance, colours))
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_a_game_without_a_board_is_shown_by_its_text():
    game = altered(make("tictactoe"), board=None)
    picture = draw(game, "b2")
    assert ElementTree.fromstring(picture.svg) is not None
    assert ". x ." in picture.svg
    assert game.places(game.initial(), 4) == ()
    assert values_layer(game, game.initial(), [Value(4, 1.0)]) == "" and line_layer(game, game.initial(), [4]) == ""


def test_a_fault_of_a_board_is_a_sentence():
    """It names the game and the function, and does not depend on a check before."""
    board: Any = make("tictactoe").layout.board
    for wrong, message in (({}.popitem, "raised TypeError: "), (lambda state: 3, "must return a Scene, not 3")):
        game = altered(make("tictactoe"), board=replace(board, scene=wrong))
        with pytest.raises(GameError, match=f"^tictactoe: its board.scene {message}"):
            draw(game, "b2")
    ring = altered(make("tictactoe"), board=replace(board, deciding=lambda state, winner: [9]))
    with pytest.raises(GameError, match=r"^tictactoe: its board.deciding\(\)\[0\] must be the number of one of the 9 "):
        draw(ring, "a1 a2 b1 b2 c1")
    path = altered(make("tictactoe"), board=replace(board, path=lambda state, action: {}[action]))
    with pytest.raises(GameError, match=r"^tictactoe: its board.path raised KeyError: 4$"):
        draw(path, "b2")


def test_texts_are_escaped():
    game = altered(make("tictactoe"), board=None, text=lambda state: "<script>&", name="<&>")
    assert "<script>" not in draw(game).svg and ElementTree.fromstring(draw(game).svg) is not None


def test_notebooks_and_files(tmp_path):
    picture = draw(make("hex:3"), "b2")
    assert isinstance(picture, Drawing) and picture._repr_svg_() == picture.svg
    picture.save(tmp_path / "board.svg")
    assert ElementTree.parse(tmp_path / "board.svg").getroot().tag == f"{SVG}svg"
    with pytest.raises(GameError, match="move 1"):
        draw(make("hex:3"), "z9")


def test_values_are_coloured_for_the_side_to_move():
    """The best is green and the worst red, whoever is to move; a proven loss is red whatever its number."""
    game = make("tictactoe")
    low, high = Value(0, -0.5), Value(1, 0.5)
    for moves, best in (("", high), ("c3", low)):
        layer = values_layer(game, game.after(moves), [low, high])
        green = next(part for part in layer.split("<g ") if short(best.value) in part)
        assert "#188042" in green
    lost = values_layer(game, game.initial(), [Value(0, 0.9, -1), Value(1, 0.1)])
    assert "#be2d26" in lost and "0–1" in lost


def test_values_of_chosen_places_only():
    game = make("breakthrough:5x4")
    state = game.initial()
    values = [Value(int(action), 0.0) for action in game.actions(state)]
    place = game.places(state, values[0].action)[0]
    alone = [one for one in values if game.places(state, one.action)[0] == place]
    assert 0 < len(alone) < len(values)
    assert values_layer(game, state, values, (place,)).count('class="value"') == len(alone)


@pytest.mark.parametrize("action", [0, -1, 99])
def test_values_and_lines_of_illegal_actions_are_refused(action):
    for given in ({"values": [Value(action, 0.5)]}, {"line": [action]}):
        with pytest.raises(GameError, match=rf"^tictactoe: action {action} is not legal here$"):
            draw(make("tictactoe"), "a1", **given)


def test_short_values():
    assert list(map(short, (0.25, -0.5, 1.0, 14.2, -3.5, -0.001))) == ["+.25", "-.50", "+1", "+14", "-3.5", "0"]


def test_the_pictures_of_the_pages_are_up_to_date():
    """If this fails, run scripts/board_pictures.py: it draws the position of each page in docs/games."""
    made = runpy.run_path(str(ROOT / "scripts" / "board_pictures.py"))["pictures"]()
    of_games = [file for file in made if file.parent == ROOT / "docs" / "images" / "boards"]
    in_gallery = [file for file in made if file.parent.parent.name == "static"]
    assert {file.stem for file in of_games} == {file.stem for file in in_gallery} == set(GAMES)
    for file, text in made.items():
        assert file.read_text() == text, f"{file.name}: run scripts/board_pictures.py"
    for file in of_games:
        assert f"../images/boards/{file.name}" in (ROOT / "docs" / "games" / f"{file.stem}.md").read_text()
    (other,) = made.keys() - {*of_games, *in_gallery}
    assert str(other.relative_to(ROOT)) in (ROOT / "README.md").read_text()


def inside(x, y, outline):
    """The distance of a point from the sides of a convex polygon: less than 0 outside of it."""
    sides = zip(outline, (*outline[1:], outline[0]), strict=True)
    signed = [
        ((qx - px) * (y - py) - (qy - py) * (x - px)) / np.hypot(qx - px, qy - py) for (px, py), (qx, qy) in sides
    ]
    return min(signed) if sum(signed) > 0 else -max(signed)


@pytest.mark.parametrize("name", SIZES)
def test_the_numbers_of_a_variation_are_within_their_places(name):
    """And not over the value in the middle, nor over each other."""
    board = board_of(make(name))
    for place in board.places:
        corners = _corners(place)
        assert len(corners) == len(place.outline)
        for x, y in corners:
            assert inside(x, y, place.outline) >= 0.16 - 1e-6, place
        x, y = corners[0]
        assert y + 0.16 <= place.y - 0.1 and y == pytest.approx(min(other for _, other in corners))
        for (x, y), (other_x, other_y) in product(corners[:2], corners[:2]):
            assert (x, y) == (other_x, other_y) or np.hypot(x - other_x, y - other_y) >= 0.2


def test_a_second_number_of_a_place_is_in_another_corner():
    game = make("breakthrough:5x5")
    named = {place.name: number for number, place in enumerate(board_of(game).places)}
    state, line = game.initial(), []
    for move in (("a2", "a3"), ("b4", "a3"), ("b2", "a3")):
        path = tuple(named[name] for name in move)
        line.append(next(int(one) for one in game.actions(state) if game.places(state, int(one)) == path))
        state = game.play(state, line[-1])
    layer = ElementTree.fromstring(f"<g>{line_layer(game, game.initial(), line)}</g>")
    assert [text.text for text in layer.iter("text")] == ["1", "2", "3"]
    assert len({(one.get("cx"), one.get("cy")) for one in layer.iter("circle")}) == 3


@pytest.mark.parametrize("name", ["go:9", "hex:5", "connect_four", "othello"])
def test_one_placement_is_shown_by_a_ring_around_its_place_alone(name):
    game = make(name)
    action = int(game.actions(game.initial())[0])
    (place,) = game.places(game.initial(), action)
    layer = ElementTree.fromstring(f"<g>{line_layer(game, game.initial(), [action])}</g>")
    middles = {(float(one.attrib["cx"]) / 40, float(one.attrib["cy"]) / 40) for one in layer.iter("circle")}
    shown = board_of(game).places[place]
    assert [*middles] == [pytest.approx((shown.x, shown.y), abs=0.01)]
    assert not [*layer.iter("text")] and not [*layer.iter("polyline")]


@pytest.mark.parametrize("name", ["breakthrough", "draughts", "lines_of_action"])
def test_one_move_is_shown_by_an_arrow_alone_that_ends_on_its_last_place(name):
    game = make(name)
    action = int(game.actions(game.initial())[0])
    start, end = (board_of(game).places[place] for place in game.places(game.initial(), action))
    (arrow,) = ElementTree.fromstring(f"<g>{line_layer(game, game.initial(), [action])}</g>")
    first, last = ([float(one) / 40 for one in point.split(",")] for point in arrow.attrib["points"].split())
    assert first == pytest.approx([start.x, start.y], abs=0.01)
    assert inside(last[0], last[1], end.outline) > 0
