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

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from athenan.rules import calls
from athenan.rules.advice import Advice
from athenan.rules.board import Board
from athenan.rules.colours import ColourSymmetry
from athenan.rules.compiler import Kernel
from athenan.rules.declared import (
    Features,
    OwnHeuristic,
    TextFunction,
    check_evaluations,
    check_heuristics,
    check_table,
)  # fmt: skip
from athenan.rules.errors import GameError, IllegalAction
from athenan.rules.forms import Fen, Forms
from athenan.rules.kernels import KernelTable, Rules
from athenan.rules.numba_messages import fault
from athenan.rules.numba_parts import NumbaError, UnsupportedBytecodeError
from athenan.rules.state import CHANCE, HEADER, ONGOING
from athenan.settings import require_type, shown

__all__ = ["Game", "GameError", "IllegalAction", "State", "family_of", "require_game"]

State = NDArray[np.int8]


_NO_FEATURES, _USUAL_FORMS, _USUAL_ADVICE = Features(), Forms(), Advice()


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """The rules of one game at one size: a table of kernels and the data to read and write its states.

    Two games are equal if their names are. A game is pickled by its name. Lengths are numbers of actions.
    """

    table: KernelTable
    """The rules, as kernels."""
    params: NDArray[np.int64]
    """The size and the options, for the kernels."""
    state_size: int
    """Bytes of a state; a multiple of 8."""
    action_count: int
    """Actions are the integers in [0, action_count)."""
    max_actions: int
    """Most legal actions of any state."""
    planes: tuple[int, int, int]
    """Shape of an encoded state: planes, rows, columns."""
    max_length: int
    """Length of the longest match."""
    typical_length: int
    """The approximate length of a match, including the outcomes of chance. The multiplicative depth heuristic, clocks
    and the default recipe use it."""
    action_name: Callable[[State, int], str]
    """Gives an action of a state in the notation of the game's players."""
    text: Callable[[State], str]
    """Gives a picture of the board."""
    plane_symmetries: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    """int32[symmetries, planes * rows * columns]: planes of the image = planes[symmetry]; row 0 is the identity.
    Without rows, the default, the identity is the only symmetry."""
    action_symmetries: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    """int32[symmetries, action_count]: the image of an action; it has as many rows as `plane_symmetries`."""
    marks: tuple[str, str] = ("x", "o")
    """The characters of the first and the second player's pieces in the picture; "" without pieces."""
    max_score: int | None = None
    """Largest absolute value of a final score; None if the game has no score."""
    players: int = 2
    """1 if a single player, always to move, plays for the largest score. The gain is then 0 unless the rules define a
    winning score."""
    unit: float = 1.0
    """The points that a score of 1 stands for: 0.5 if scores count half points."""
    cube: bool = False
    """Whether matches may be played with a doubling cube, which multiplies the score: chance then rolls before each
    turn."""
    action_planes: int = 0
    """Planes of a convolutional head that has a number for every action; 0 if not declared. See `geometry.places`."""
    action_places: NDArray[np.int32] | None = None
    """int32[action_count]: the flat index of each action in [action_planes, rows, columns], with the rows and columns
    of the encoded states; -1 for an action without a place, such as a pass."""
    heuristics: Mapping[str, OwnHeuristic] = field(default_factory=dict)
    """The game's own reinforcement heuristics, by name; without a score, the first is its default."""
    evaluations: Mapping[str, Kernel] = field(default_factory=dict)
    """Hand-written evaluations by name, the default first, with the signature `STATE_VALUE`, which says their unit. The
    first line of an evaluation's docstring says what it counts. If the exchange of the players is declared, an
    evaluation gives the image of a state the negative value."""
    colour_symmetry: ColourSymmetry | None = None
    """The exchange of the players; None if the rules differ for the two players or no symmetry is declared."""
    beneath: NDArray[np.int64] | None = None
    """The cell that must be filled before each cell of the planes, -1 for none: pattern networks then tell empty cells
    that can be filled from others. Only for games where pieces stand on each other, such as Connect Four."""
    boards: int = 1
    """How many boards with the same kinds of pieces the planes show: plane p belongs to board p % boards, except planes
    that are the same on all cells. Pattern networks then see the cells of each board separately."""
    features: Features = _NO_FEATURES
    """The planes that the kernel `FEATURES` adds for pattern networks; without it they see the planes alone."""
    board: Board | None = None
    """The look of the board and the places of its actions; without a board, the text is shown."""
    forms: Forms = _USUAL_FORMS
    """How people and programs write the game."""
    advice: Advice = _USUAL_ADVICE
    """How the game is best learnt, played and solved."""
    carries_over: tuple[str, ...] = ()
    """The settings of `make` that a network carries over, such as swap in Hex. They change neither the encoding of
    states nor the meaning of the actions' numbers. They may add actions after the others."""
    title: str = ""
    """The name as people write it, such as Lines of Action."""
    name: str = ""
    """The canonical specification: `maker(name)` makes the same game. The catalogue sets it from the settings."""
    maker: "Callable[[str], Game] | None" = None
    """Makes games from their names; the catalogue sets it."""
    picture: "Callable[[Game, State], str] | None" = None
    """Draws a state as SVG, for notebooks; the catalogue sets it."""

    def __post_init__(self) -> None:
        for what in ("action_name", "text"):
            object.__setattr__(self, what, TextFunction.of(self.name, what, getattr(self, what)))
        if self.players not in (1, 2):
            raise GameError(f"a game has 1 or 2 players, not {self.players}")
        if self.players == 1 and self.max_score is None:
            raise GameError("a one-player game needs a score")
        if self.state_size % 8 or self.state_size <= HEADER:
            raise GameError(f"state_size must be a multiple of 8 above {HEADER}, not {self.state_size}")
        for name, size in (("plane_symmetries", math.prod(self.planes)), ("action_symmetries", self.action_count)):
            if not len(getattr(self, name)):
                object.__setattr__(self, name, np.arange(size, dtype=np.int32)[None, :])
        check_table(self.table, scored=self.max_score is not None, features=self.features.planes > 0)
        check_heuristics(self.heuristics)
        check_evaluations(self.evaluations)

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

    @cached_property
    def rules(self) -> Rules:
        """The game for compiled code; the first access compiles its kernels.

        Raises GameError, with numba's own error as the cause, if a kernel cannot be compiled.
        """
        try:
            return Rules(**self.table.addresses, params=self.params)
        except (NumbaError, UnsupportedBytecodeError) as error:
            raise GameError(f"{self.name}: its rules cannot be compiled: {fault(error)}") from error

    @property
    def family(self) -> str:
        """The name without settings: hex for hex:7, nim for ./games/nim.py:size=3."""
        return family_of(self.name)

    def initial(self) -> State:
        """The state at the start of a match; int8[state_size]."""
        state = np.zeros(self.state_size, np.int8)
        calls.initial(self.rules, state)
        return state

    def _writable(self, state: State) -> State:
        """The state in the form that kernels take. Raises GameError if it cannot be a state of this game."""
        if state.shape != (self.state_size,) or state.dtype != np.int8:
            raise GameError(
                f"a state of {self.name} is an int8 vector of {self.state_size}, not {state.dtype}{list(state.shape)}"
            )
        return state if state.flags.carray else np.require(state, requirements=["C", "W"])

    @cached_property
    def _bound(self) -> dict[str, Callable[..., Any]]:
        """Calls of the rules by name, for which numba does not check the rules each time (see `Kernel.bound`)."""
        return {name: getattr(calls, name).bound(self.rules) for name in ("actions", "play", "outcome")}

    def actions(self, state: State) -> NDArray[np.int32]:
        """The legal actions, ascending; empty when the match is over."""
        actions = np.empty(self.max_actions, np.int32)
        return actions[: self._bound["actions"](self._writable(state), actions)]

    def play(self, state: State, action: int) -> State:
        """The state after a legal action. Raises GameError if the action is not legal."""
        if action not in self.actions(state):
            raise GameError(f"{self.name}: action {action} is not legal here")
        following = np.empty_like(state)
        self._bound["play"](self._writable(state), action, following)
        return following

    def outcome(self, state: State) -> int | None:
        """The first player's gain (1 win, 0 draw, -1 loss), or None while the match goes on."""
        outcome = self._bound["outcome"](self._writable(state))
        return None if outcome == ONGOING else int(outcome)

    def score(self, state: State) -> int:
        """The score of a finished match, first player's point of view. Raises GameError in a game without a score."""
        if self.max_score is None:
            raise GameError(f"{self.name} has no score")
        return int(calls.score(self.rules, self._writable(state)))

    def encode(self, state: State) -> NDArray[np.int8]:
        """The network's input for the state; int8[planes, rows, columns]."""
        planes = np.empty(self.planes, np.int8)
        calls.encode(self.rules, self._writable(state), planes.reshape(-1))
        return planes

    @property
    def stochastic(self) -> bool:
        """Whether there are states where chance is to move."""
        return "probabilities" in self.table

    def probabilities(self, state: State) -> NDArray[np.float64]:
        """The probabilities of the `actions` of a state where chance is to move, in the same order.

        Raises GameError if chance is not to move.
        """
        if state[0] != CHANCE or not self.stochastic:
            raise GameError(f"{self.name}: chance is not to move here")
        count = len(self.actions(state))
        probabilities = np.empty(self.max_actions)
        calls.probabilities(self.rules, self._writable(state), probabilities)
        return probabilities[:count]

    def draw(self, state: State, random: np.random.Generator) -> int:
        """A random legal action, each equally likely, or an outcome by its probability if chance is to move."""
        actions = self.actions(state)
        return int(random.choice(actions, p=self.probabilities(state) if state[0] == CHANCE else None))

    def player(self, state: State) -> int:
        """The side to move: 0 first player, 1 second player, 2 chance (`rules.state`)."""
        return int(state[0])

    def length(self, state: State) -> int:
        """The number of actions played since the initial state."""
        return int(state[2:4].view(np.uint16)[0])

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

    def parse_action(self, state: State, text: str) -> int:
        """The legal action with this notation. Raises IllegalAction with examples if no legal action has it."""
        names = {self.action_name(state, int(action)).lower(): int(action) for action in self.actions(state)}
        if (action := names.get(text.strip().lower())) is not None:
            return action
        if not names:
            raise IllegalAction(f"{shown(text)} cannot be played: the match is over", text)
        examples = [*list(names)[:4], *["..."] * (len(names) > 4)]
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
        return self._fen.read(self, text)

    def write_fen(self, state: State) -> str:
        """The FEN of a state. Raises GameError if the game has no FEN."""
        return self._fen.write(self, state)

    @property
    def _fen(self) -> Fen:
        if self.forms.fen is None:
            raise GameError(f"{self.name} has no FEN: write a position as the moves that lead to it")
        return self.forms.fen

    def position(self, where: State | str | None) -> State:
        """The state itself, the state after the given moves (see `after`), or the initial state for None."""
        if where is None or isinstance(where, str):
            return self.after(where or "")
        require_type("a position that is no text", where, np.ndarray, "game.initial()")
        return where


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
