"""Players: whatever selects actions in a match, and the names by which every command knows them.

    >>> from athenan import make
    >>> from athenan.play.player import parse_player
    >>> game = make("tictactoe")
    >>> player = parse_player("mcts:1000", game)
    >>> player.new_match(game, seed=7)
    >>> game.action_name(game.initial(), player.select(game.initial()))
    'b2'

Times and rollouts are per action.
"""

import re
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from athenan.rules.game import Game, State
from athenan.rules.randomness import streams
from athenan.search.budget import Budget
from athenan.search.mcts import MctsSettings, MctsTree, mcts

PLAYERS = "random, mcts:ROLLOUTS (such as mcts:1000), mcts:SECONDSs (such as mcts:0.5s), a run or a checkpoint (a path)"
"""The forms of a player's name, for messages; besides, a person is `human`."""


class PlayerError(ValueError):
    """A player that does not exist, or that cannot do what it is asked to."""


class Intervention(Exception):
    """What a player may do instead of selecting an action."""


class Undo(Intervention):
    """Takes back the player's last action, and what followed."""


class Resign(Intervention):
    """Gives the match up: it is lost."""


class Quit(Intervention):
    """Leaves: the match has no result."""


class Player(Protocol):
    """One side of matches, or both. A player is used by one thread at a time."""

    @property
    def name(self) -> str:
        """The name that `parse_player` makes the same player of."""

    def new_match(self, game: Game, seed: int) -> None:
        """A match begins, at the initial state. The same seed gives the same play, unless the budget is a time."""

    def select(self, state: State) -> int:
        """A legal action of a state of the match, whose side to move this player plays. May raise Intervention."""

    def observe(self, state: State, action: int) -> None:
        """An action of the match has been played, by whichever side; also those of the opening, from the start on."""

    def close(self) -> None:
        """Gives back what the player holds (processes, memory); it is not used again."""


class _Plain:
    """What players that only look at the present state have in common."""

    game: Game
    random: NDArray[np.uint64]

    def new_match(self, game: Game, seed: int) -> None:
        self.game, self.random = game, streams(seed, 1)

    def observe(self, state: State, action: int) -> None:
        pass

    def close(self) -> None:
        pass


class RandomPlayer(_Plain):
    """Plays uniformly random legal actions."""

    name = "random"

    def new_match(self, game: Game, seed: int) -> None:
        super().new_match(game, seed)
        self.generator = np.random.default_rng(seed)

    def select(self, state: State) -> int:
        return int(self.generator.choice(self.game.actions(state)))


class MctsPlayer(_Plain):
    """UCT with random rollouts. Every search begins with an empty tree; a single legal action is not searched.

    In a game of one player it follows the best match that it has found so far, in this or an earlier search.
    """

    def __init__(self, settings: MctsSettings = MctsSettings()) -> None:
        self.settings = settings
        self.tree: MctsTree | None = None
        budget = settings.rollouts if settings.seconds is None else f"{settings.seconds:g}s"
        self.name = f"mcts:{budget}"

    def new_match(self, game: Game, seed: int) -> None:
        if self.tree is None or game.name != self.game.name:
            self.tree = MctsTree(game, self.settings.memory)
        super().new_match(game, seed)
        self.plan: list[int] = []
        """The rest of the best match found, and its score."""
        self.plan_score = 0

    def select(self, state: State) -> int:
        actions = self.game.actions(state)
        if len(actions) == 1:
            return int(actions[0])
        found = mcts(self.game, state, self.settings, self.random, self.tree)
        if found.score is None:
            return found.best
        if not self.plan or found.score > self.plan_score:
            self.plan, self.plan_score = list(found.line), found.score
        return self.plan[0]

    def observe(self, state: State, action: int) -> None:
        self.plan = self.plan[1:] if self.plan[:1] == [action] else []

    def close(self) -> None:
        self.tree = None


def parse_player(text: str, game: Game, budget: Budget | None = None, threads: int = 1, people: bool = True) -> Player:
    """The player of `game` that a name (see `PLAYERS`) stands for.

    `budget`, per action, and `threads`, on a CPU, are those of players which search with a network; None is their
    default budget. The number in `mcts:1000` is rollouts per action. Raises PlayerError if there is no such player, or
    if it is a person and `people` is False.
    """
    name, _, option = text.strip().partition(":")
    if name == "random" and not option:
        return RandomPlayer()
    if name == "mcts":
        return MctsPlayer(_mcts_settings(text, option))
    if name == "human" and not option:
        if not people:
            raise PlayerError(f"a person plays with `athenan play` only; players are {PLAYERS}")
        from athenan.play.human import HumanPlayer

        return HumanPlayer()
    if is_path(text):
        from athenan.play import search_player

        return search_player.load_player(Path(text), game, budget, threads)
    raise PlayerError(f"there is no player {text!r}; players are {PLAYERS}{', or human' if people else ''}")


def known_game(text: str) -> str | None:
    """The name of the game that a player was made for, None for players of any game.

    With it `athenan play RUN` needs no game. Raises PlayerError if a path holds neither a run nor a checkpoint.
    """
    if not is_path(text):
        return None
    from athenan.runs.learnt import game_name

    return game_name(Path(text))


def is_path(text: str) -> bool:
    """Whether a player's name is that of a run directory or checkpoint; `random`, `mcts` and `human` never are."""
    return text.partition(":")[0] not in ("", "random", "mcts", "human") and Path(text).exists()


def _mcts_settings(text: str, option: str) -> MctsSettings:
    if not option:
        return MctsSettings()
    if re.fullmatch(r"0*[1-9]\d{0,8}", option):
        return MctsSettings(rollouts=int(option))
    if re.fullmatch(r"(\d{1,6}(\.\d{0,6})?|\.\d{1,6})s", option) and float(option[:-1]) > 0:
        return MctsSettings(seconds=float(option[:-1]))
    raise PlayerError(f"{text!r}: mcts takes a number of rollouts (mcts:1000) or seconds (mcts:0.5s)")
