"""The class of games.

>>> from athenan import make
>>> game = make("hex:3,swap=false")
>>> state = game.initial()
>>> state = game.play(state, game.parse_action(state, "b2"))
>>> print(game.text(state))
   a  b  c
1  .  .  .
 2  .  x  .
  3  .  .  .
>>> len(game.actions(state)), game.outcome(state)
(8, None)
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from athenan.rules.advice import Advice
from athenan.rules.errors import GameError, IllegalAction
from athenan.rules.facts import State
from athenan.rules.fitting import find_fault
from athenan.rules.forms import Fen, Forms
from athenan.rules.layout import Layout
from athenan.rules.own_functions import OwnFunction, guarded
from athenan.rules.playing import Playable
from athenan.rules.ruleset import Ruleset
from athenan.rules.state import CHANCE, PASS_NAME
from athenan.settings import printable, require_type, shown

__all__ = ["Game", "GameError", "IllegalAction", "State", "family_of", "require_game"]

_PARTS = {"ruleset": Ruleset, "layout": Layout, "forms": Forms, "advice": Advice}


@dataclass(frozen=True, eq=False, repr=False)
class Game(Playable):
    """One game at one size: its rules, its layout, its forms and advice (`Facts`), and what people call all of it.

    Two games are equal if their names are. A game is pickled by its name.
    """

    title: str = ""
    """The name as people write it, such as Lines of Action; by default it follows from `name`: Connect Four."""
    maker: "Callable[[str], Game] | None" = None
    """Makes games from their names; the catalogue sets it."""
    picture: "Callable[[Game, State], str] | None" = None
    """Draws a state as SVG, for notebooks; the catalogue sets it."""

    def __post_init__(self) -> None:
        for name, kind in _PARTS.items():
            if fault := find_fault(kind, getattr(self, name)):
                raise GameError(f"{name} must be {fault.wanted}")
        super().__post_init__()
        if not self.title:
            object.__setattr__(self, "title", self.family.replace("_", " ").title())
        for what in ("action_name", "text"):
            object.__setattr__(self, what, OwnFunction(self.name, what, getattr(self, what), str))
        object.__setattr__(self, "board", self.board and self.board.guarded(self.name))
        object.__setattr__(self, "forms", guarded(self.forms, self.name, "forms"))

    def __repr__(self) -> str:
        return f"Game({self.name!r})"

    def _repr_svg_(self) -> str | None:
        """The initial position, for notebooks."""
        return self.picture(self, self.initial()) if self.picture else None

    def __reduce__(self) -> "tuple[Callable[[str], Game], tuple[str]]":
        """Pickles the name. Raises GameError if the name does not make a game."""
        if self.maker is None:
            raise GameError("a game is sent to another process by its name: make it with athenan.make")
        self.maker(self.name)
        return self.maker, (self.name,)

    def __copy__(self) -> "Game":
        return self

    def __deepcopy__(self, memo: object) -> "Game":
        return self

    @property
    def family(self) -> str:
        """The name without settings: hex for hex:7, nim for ./games/nim.py:size=3."""
        return family_of(self.name)

    @property
    def sides(self) -> tuple[str, str]:
        """The names that people use for the first and the second player, by the colours of their pieces: Red, Blue."""
        first, second = self.board.colours if self.board else ("first player", "second player")
        return first.capitalize(), second.capitalize()

    def side(self, state: State) -> str:
        """The side to move in words: "first player", "second player", "chance", or "player" in a one-player game."""
        if self.players == 1 and self.player(state) != CHANCE:
            return "player"
        return ("first player", "second player", "chance")[self.player(state)]

    def named_actions(self, state: State) -> dict[str, int]:
        """The legal actions by their notation, in ascending order."""
        return {self.action_name(state, action): action for action in self.actions(state).tolist()}

    def must_pass(self, state: State) -> bool:
        """Whether a pass is the only legal action."""
        actions = self.actions(state).tolist()
        return len(actions) == 1 and self.action_name(state, actions[0]) == PASS_NAME

    def parse_action(self, state: State, text: str) -> int:
        """The legal action with this notation. Raises IllegalAction with examples if no legal action has it."""
        wanted, actions = text.strip().lower(), self.actions(state).tolist()
        for action in actions:
            if self.action_name(state, action).lower() == wanted:
                return int(action)
        if not actions:
            raise IllegalAction(f"{shown(text)} cannot be played: the match is over", text)
        some = [self.action_name(state, action).lower() for action in actions[:4]]
        examples = [*some, *["..."] * (len(actions) > 4)]
        message = f"{shown(text)} is not a legal action of {self.name} here; legal are {', '.join(examples)}"
        raise IllegalAction(message, text, examples)

    def places(self, state: State, action: int) -> tuple[int, ...]:
        """The places of the board that a legal action touches, in the order of clicks; empty without a board."""
        return self.board.touched(state, action, self.action_name(state, action)) if self.board else ()

    def moves(self, actions: Iterable[int], start: State | None = None) -> str:
        """Actions from `start` or the initial state in the game's notation, separated by spaces."""
        state, names = self.initial() if start is None else start, []
        for action in actions:
            names.append(self.action_name(state, action))
            state = self.play(state, action)
        return " ".join(names)

    def parse_moves(self, moves: str, start: State | None = None) -> list[int]:
        """The actions of a text of `moves`. Raises GameError, with the number of the move, for an illegal one."""
        return self._follow(moves, start)[0]

    def after(self, moves: str, start: State | None = None) -> State:
        """The state after a text of `moves`, from `start` or the initial state. Raises GameError as `parse_moves`."""
        return self._follow(moves, start)[1]

    def _follow(self, moves: str, start: State | None) -> tuple[list[int], State]:
        """The actions of a text of `moves`, and the state after them."""
        require_type("moves", moves, str, "'c2 b3'")
        state, actions = self.initial() if start is None else start, list[int]()
        for number, text in enumerate(moves.split(), 1):
            try:
                actions.append(self.parse_action(state, text))
                state = self.play(state, actions[-1])
            except GameError as error:
                raise GameError(f"move {number}: {error}") from None
        return actions, state

    def replay(self, actions: Iterable[int], start: State | None = None) -> State:
        """The state after actions, from `start` or the initial state. Raises GameError if one is not legal."""
        state = self.initial() if start is None else start
        for action in actions:
            state = self.play(state, action)
        return state

    def read_fen(self, text: str) -> State:
        """The state of a FEN, with no actions played before. Raises GameError for a wrong FEN or a game without FEN."""
        state = OwnFunction(self.name, f"forms.fen.read({shown(text)})", self._fen.read)(self, text)
        if not (isinstance(state, np.ndarray) and state.dtype == np.int8 and state.shape == (self.state_size,)):
            wanted = f"a state, an int8 vector of {self.state_size}"
            raise GameError(f"{self.name}: its forms.fen.read must return {wanted}, not {printable(shown(state))}")
        return self._writable(state)

    def write_fen(self, state: State) -> str:
        """The FEN of a state. Raises GameError if the game has no FEN."""
        return self._fen.write(self, state)

    @property
    def _fen(self) -> Fen:
        if self.forms.fen is None:
            raise GameError(f"{self.name} has no FEN: write a position as the moves that lead to it")
        return self.forms.fen

    def position(self, where: State | str | None) -> State:
        """The state itself, the state after the given moves (see `after`), or the initial state for None.

        Raises GameError if the state cannot be one of this game.
        """
        if where is None or isinstance(where, str):
            return self.after(where or "")
        require_type("a position that is no text", where, np.ndarray, "game.initial()")
        return self._writable(where)


def require_game(game: object) -> None:
    """Raises TypeError for what is not a `Game`, such as the name of one."""
    require_type("game", game, Game, "athenan.make('hex:7')")


def family_of(name: str) -> str:
    """The family of the game with this name, in lower case; a user's file is a family, named without .py.

    >>> family_of("hex:7,swap=false"), family_of("./games/nim.py:size=3"), family_of("openspiel:tic_tac_toe")
    ('hex', 'nim', 'openspiel')
    """
    own = name.partition(":")[0].strip()
    return (PurePath(own).stem if own.endswith(".py") else own).lower()
