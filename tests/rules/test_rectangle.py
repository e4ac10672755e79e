"""A board stated once: what follows from it, against the numbers of actions as the games' docstrings give them."""

from typing import Any

import numpy as np
import pytest
from boards import place_names

from athenan import GameError, make
from athenan.rules.geometry import grid
from athenan.rules.geometry.cell_bits import CellBits
from athenan.rules.geometry.rectangle import Rectangle, moves, puts, steps
from athenan.rules.playouts import random_states
from athenan.rules.state import HEADER

AHEAD = [(1, -1), (1, 0), (1, 1)]


def board(width: int, height: int, actions: list[np.ndarray], **more: Any) -> Rectangle:
    tictactoe = make("tictactoe")
    return Rectangle(width, height, 3, tictactoe.table.kernels["encode"], tictactoe.params, actions, **more)


def test_a_mirror_image_moves_the_start_and_the_direction_of_a_step():
    images = board(4, 3, [steps(3, 4, AHEAD)], others=("pass",)).images(grid.MIRROR)
    for action, image in enumerate(images[:-1]):
        cell, direction = divmod(action, 3)
        assert image == 3 * (cell // 4 * 4 + 3 - cell % 4) + 2 - direction
    assert images[-1] == 36


def test_moves_between_any_cells_are_turned_at_both_ends():
    images = board(3, 3, [moves(3, 3)]).images(grid.ROTATE_90)
    turned = grid.cell_symmetries(3, 3, (grid.ROTATE_90,))[0]
    assert images.tolist() == [9 * turned[start] + turned[to] for start in range(9) for to in range(9)]


def test_each_way_to_go_has_a_plane_of_places():
    planes, places = board(4, 3, [puts(3, 4), steps(3, 4, AHEAD)], others=("pass",)).places
    assert planes == 4 and places[:12].tolist() == list(range(12)) and places[-1] == -1
    assert places[12:-1].tolist() == [12 * (1 + step) + cell for cell in range(12) for step in range(3)]


def test_the_second_player_sees_the_exchange_from_the_other_side():
    """An action of the first player becomes the action of the second that goes the same way, seen upside down."""
    ahead, back = steps(3, 4, AHEAD), steps(3, 4, [(-1, right) for right in (-1, 0, 1)])
    cells = board(4, 3, [ahead], of_second=[back])
    flipped = grid.cell_symmetries(3, 4, (grid.FLIP,))[0]
    assert cells.images(grid.FLIP, [back]).tolist() == [3 * cell + step for cell in flipped for step in range(3)]
    assert cells.touched(4, 0) == ("b1", "b2") and cells.touched(3 * 9 + 1, 1) == ("b3", "b2")


@pytest.mark.parametrize("name", ["tictactoe", "othello:4", "clobber:3x4", "ataxx:4", "go:3", "gomoku:5"])
def test_actions_are_named_by_the_cells_that_they_touch(name):
    game = make(name)
    for state in random_states(game, 40):
        for action in map(int, game.actions(state)):
            touched = place_names(game, state, action)
            written = game.action_name(state, action)
            assert written in ("-".join(touched), "".join(touched)) or (written == "pass" and not touched)
            assert game.parse_action(state, written) == action


def test_the_exchange_of_the_players_needs_the_images_of_states():
    with pytest.raises(GameError, match="the exchange of the players needs bits or image, the images of states"):
        board(3, 3, [puts(3, 3)]).exchange()


@pytest.mark.parametrize("stride", [4, 8, 16])
def test_images_of_bits_are_the_images_of_their_cells(stride):
    """Each set is turned like a board of cells; the players' sets change places, and a third one does not."""
    bits, rng = CellBits(4, 3, stride, size=8, sets=3), np.random.default_rng(stride)
    cells = rng.integers(0, 2, (3, 3, 4), np.uint8)
    wide = np.zeros((3, 64), np.uint8)
    wide[:, : 3 * stride].reshape(3, 3, stride)[..., :4] = cells
    state = np.append(np.zeros(HEADER, np.int8), np.packbits(wide, bitorder="little").view(np.int8))
    image = bits.image(state, grid.ROTATE_180)
    wide = np.unpackbits(image[HEADER:].view(np.uint8), bitorder="little").reshape(3, 64)[:, : 3 * stride]
    found = wide.reshape(3, 3, stride)
    assert np.array_equal(found[..., :4], cells[[1, 0, 2], ::-1, ::-1]) and not found[..., 4:].any()
    assert image[0] == 1 and np.array_equal(bits.image(image, grid.ROTATE_180), state)
