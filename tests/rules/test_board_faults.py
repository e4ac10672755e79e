"""What an author may do wrong in the board, the forms and the advice of a game, and what is said about it."""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any, cast

import numpy as np
import pytest
from game_tables import TICTACTOE

from athenan import Game, GameError, check_game, rules
from athenan.rules import Piece, Scene, State
from athenan.rules.board import Awaited, Setup, WaitingPieces
from athenan.rules.facts import altered
from athenan.rules.forms import Mat, Words
from athenan.rules.sgf import Sgf, points

BOARD: Any = TICTACTOE.layout.board
SCENE = BOARD.scene
scene: Any = Scene
awaited: Any = Awaited
piece: Any = Piece
setup: Any = Setup
fen: Any = rules.Fen
words: Any = Words
advice: Any = rules.Advice
solving: Any = rules.Solving
"""Types whose wrong values are tried."""


def with_board(**values: Any) -> Game:
    return altered(TICTACTOE, board=replace(BOARD, **values))


def showing(**piece: Any) -> Game:
    """The game with one more piece on the board."""
    one = Piece(0, 0)._replace(**piece)
    return with_board(scene=lambda state: Scene(pieces=(one,)))


def raising(*given: Any) -> Any:
    raise KeyError("x")


def late(state: State) -> Any:
    return SCENE(state) if state[2] < 3 else raising()


def changing(state: State) -> Scene:
    state[-1] = 1
    return Scene()


def waiting(piece: Piece) -> Callable[[State], list[WaitingPieces]]:
    return lambda state: [WaitingPieces(piece, 1, (0,))]


FAULTS = [
    (with_board(scene=raising), "its board.scene raised KeyError: 'x'"),
    (with_board(scene=late), "its board.scene raised KeyError: 'x'"),
    (with_board(scene=lambda state: None), "its board.scene must return a Scene, not None"),
    (with_board(scene=changing), "its board.scene changes the state that it is given"),
    (with_board(scene=lambda state: scene(dice=6)), "its board.scene().dice must be a tuple, not 6"),
    (showing(place=999), "pieces[0].place must be the number of one of the 9 places, from 0 on, not 999"),
    (showing(place=-1), "pieces[0].place must be the number of one of the 9 places, from 0 on, not -1"),
    (showing(owner=7), "its board.scene().pieces[0].owner must be a whole number from 0 to 2, not 7"),
    (showing(shape="banana"), "or 'soldier', not 'banana'"),
    (showing(size=np.nan), "pieces[0].size must be a finite number, not nan"),
    (showing(text=3), "pieces[0].text must be a text, not 3"),
    (showing(marked="yes"), "pieces[0].marked must be True or False, not 'yes'"),
    (with_board(path=lambda state, action: (action, 9)), "its board.path()[1] must be the number of one of the 9"),
    (with_board(path=lambda state, action: 0), "its board.path must return a tuple, not 0"),
    (with_board(counts=lambda state: (1,)), "its board.counts must return a tuple of 2, not (1,)"),
    (with_board(awaited=lambda state: awaited("jump")), "its board.awaited().act must be 'worker', "),
    (with_board(tray=waiting(Piece(0, 2))), "its board.tray must return pieces of the players, not of NOBODY"),
    (with_board(tray=waiting(Piece(9, 0))), "its board.tray()[0].piece.place must be the number of one"),
    (with_board(setups=lambda state: [setup("usual", 3)]), "its board.setups()[0].moves must be a text, not 3"),
    (with_board(decided=lambda state, winner: "luck"), "its board.decided must return 'row', 'captures', "),
    (with_board(deciding=lambda state, winner: None), "its board.deciding must return a tuple, not None"),
]


@pytest.mark.parametrize(("game", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_check_game_finds_a_fault_of_a_board(game: Game, message: str) -> None:
    with pytest.raises(GameError) as raised:
        check_game(game, matches=4)
    assert str(raised.value).startswith("tictactoe: ") and message in str(raised.value)


DECLARED: list[tuple[dict[str, Any], str]] = [
    ({"colours": ("red",)}, "board.colours must be a tuple of 2, not ('red',)"),
    ({"colours": ("red", "pink")}, "board.colours[1] must be 'black', 'white', 'red', 'blue', "),
    ({"places": 9}, "board.places must be a tuple, not 9"),
    ({"places": ("a1",)}, "board.places[0] must be a Place, not 'a1'"),
    ({"slots": ((0, 9),)}, "board.slots[0][1] must be the number of one of the 9 places, from 0 on, not 9"),
    ({"ground": None}, "board.ground must be a Scene, not None"),
    ({"scene": Scene()}, "board.scene must be a function, not Scene("),
    ({"dice_at": (0, "1")}, "board.dice_at[1] must be a finite number, not '1'"),
]


@pytest.mark.parametrize(("values", "message"), DECLARED, ids=[message for _, message in DECLARED])
def test_a_board_that_is_declared_wrong_makes_no_game(values: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError) as raised:
        with_board(**values)
    assert str(raised.value).startswith(message)


def test_what_is_no_board_makes_no_game() -> None:
    with pytest.raises(GameError, match=r"^board must be a Board, not 3$"):
        altered(TICTACTOE, board=3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: advice(search="foo"), "advice.search must be 'ubfm' or 'alphabeta', not 'foo'"),
        (lambda: advice(exploration=None), "advice.exploration must be a finite number, not None"),
        (lambda: solving(plies=(1,)), "advice.solving.plies must be a tuple of 2, not (1,)"),
    ],
)
def test_wrong_advice_makes_no_game(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(GameError) as raised:
        make()
    assert str(raised.value) == message


def test_lists_and_numbers_of_numpy_are_no_fault() -> None:
    def drawn(state: State) -> Any:
        return scene(pieces=[piece(np.int64(0), state[0], marked=np.bool_(True))])

    check_game(with_board(scene=drawn, path=lambda state, action: np.array([action])), matches=2)
    game = with_board(places=list(BOARD.places), counts=lambda state: [state[0], 2])
    assert game.board is not None and list(game.board.count(game.initial())) == [0, 2]


def test_a_board_may_be_used_by_another_game() -> None:
    borrowed: Any = altered(with_board(scene=raising), board=TICTACTOE.board, name="mine").board
    assert borrowed.scene(TICTACTOE.initial()) == Scene()
    with pytest.raises(GameError, match=r"^mine: its board.scene raised "):
        borrowed.scene("no state")


def write(game: Game, state: State) -> str:
    """All bytes behind the header, and the side to move."""
    return " ".join(map(str, (*state[8:], state[0])))


def read(game: Game, text: str) -> State:
    state = game.initial()
    *state[8:], state[0] = map(int, text.split())
    return state


def growing(game: Game, text: str) -> State:
    state = read(game, text)
    state[-1] += 1
    return state


def with_fen(read: Any = read, write: Any = write) -> Game:
    return replace(TICTACTOE, forms=rules.Forms(rules.Fen(read, write)))


def test_a_right_fen_is_no_fault() -> None:
    check_game(with_fen(), matches=4)


FENS = [
    (with_fen(read=lambda game, text: text), "its forms.fen.read must return a state, an int8 vector of 16, not '0"),
    (with_fen(read=lambda game, text: game.initial()[:8]), "must return a state, an int8 vector of 16, not array("),
    (with_fen(read=raising), "0') raised KeyError: 'x'"),
    (with_fen(read=lambda game, text: game.initial()), "0 1') returns a state with another side to move"),
    (with_fen(read=growing), "returns a state that is another one when it is written and read again"),
    (with_fen(write=lambda game, state: 1 / 0), "its forms.fen.write raised ZeroDivisionError: division by zero"),
    (with_fen(write=lambda game, state: state), "its forms.fen.write must return a text, not array("),
    (with_fen(write=lambda game, state: "a\nb"), "must return one line of printable characters, not 'a\\nb'"),
]


@pytest.mark.parametrize(("game", "message"), FENS, ids=[message for _, message in FENS])
def test_check_game_finds_a_fault_of_a_fen(game: Game, message: str) -> None:
    with pytest.raises(GameError) as raised:
        check_game(game, matches=4)
    assert str(raised.value).startswith("tictactoe: its forms.fen.") and message in str(raised.value)


def test_what_a_reader_of_fens_raises_names_the_game_and_the_text() -> None:
    message = r"^tictactoe: its forms\.fen\.read\('zz'\) raised ValueError: invalid literal for int\(\) .*'zz'$"
    with pytest.raises(GameError, match=message):
        with_fen().read_fen("zz")


FORMS: list[tuple[dict[str, Any], str]] = [
    ({"fen": 3}, "forms.fen must be a Fen, not 3"),
    ({"fen": fen("read", write)}, "forms.fen.read must be a function, not 'read'"),
    ({"uci": "breakthrough"}, "forms.uci must be a UciVariant, not 'breakthrough'"),
    ({"sgf": 3}, "forms.sgf must be a Sgf, not 3"),
    ({"turn_given": 3}, "forms.turn_given must be a function, not 3"),
    ({"gtp": {"swap": 3}}, "forms.gtp['swap'] must be a text, not 3"),
    ({"words": {"de": "x"}}, "forms.words['de'] must be a Words, not 'x'"),
    ({"words": {"de": words("Drei", "Ziel.", 3)}}, "forms.words['de'].play must be a text, not 3"),
    ({"words": {3: words("Drei", "Ziel.", "Zug.")}}, "forms.words: a key must be a text, not 3"),
    ({"words": "de"}, "forms.words must be a dict, not 'de'"),
]


@pytest.mark.parametrize(("values", "message"), FORMS, ids=[message for _, message in FORMS])
def test_forms_that_are_declared_wrong_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError) as raised:
        rules.Forms(**values)
    assert str(raised.value) == message


def test_the_parts_of_an_sgf_are_checked() -> None:
    with pytest.raises(GameError, match=r"^forms\.sgf\.turns must be a SgfTurns, not None$"):
        Sgf("noughts", 99, cast(Any, None))


DECLARED_BY_FORMS: dict[str, Callable[[Any], rules.Forms]] = {
    "turn_given": lambda function: rules.Forms(turn_given=function),
    "sgf.turns.read": lambda function: rules.Forms(sgf=Sgf("noughts", 99, points(3)._replace(read=function))),
    "sgf.turns.write": lambda function: rules.Forms(sgf=Sgf("noughts", 99, points(3)._replace(write=function))),
    "sgf.rules": lambda function: rules.Forms(sgf=Sgf("noughts", 99, points(3), rules=function)),
    "sgf.set_up": lambda function: rules.Forms(sgf=Sgf("noughts", 99, points(3), set_up=function)),
    "mat.turns.read": lambda function: rules.Forms(mat=Mat("Noughts", points(3)._replace(read=function))),
}


@pytest.mark.parametrize("name", DECLARED_BY_FORMS)
def test_a_fault_of_a_function_of_forms_is_a_sentence(name: str) -> None:
    for function, message in ((raising, "raised KeyError: 'x'"), (lambda *given: 3.5, "must return .*, not 3.5")):
        forms = replace(TICTACTOE, forms=DECLARED_BY_FORMS[name](function)).forms
        with pytest.raises(GameError, match=rf"^tictactoe: its forms\.{name} {message}$"):
            attrgetter(name)(forms)("given")


@pytest.mark.parametrize("part", ["ruleset", "layout", "forms", "advice"])
def test_what_is_no_part_of_a_game_is_refused(part: str) -> None:
    parts: dict[str, Any] = {"ruleset": TICTACTOE.ruleset, "layout": TICTACTOE.layout, part: 3}
    with pytest.raises(GameError, match=rf"^{part} must be an? {part.title()}, not 3$"):
        rules.Game(**parts)
