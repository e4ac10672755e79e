"""Players that search with a network: what a run has learnt, put to use.

UBFM_s (003, Algorithms 12 and 13): Unbounded Best-First Minimax with completion, playing the safest action.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter

import numpy as np

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heuristics import Heuristic, restored_heuristic
from athenan.evaluation.networks import build_network, load_weights
from athenan.games.catalogue import make
from athenan.learning.checkpoint import CheckpointError, load_network
from athenan.learning.config import config_from_json
from athenan.learning.display import ALONE, Evaluation
from athenan.learning.trainer import Measure
from athenan.play.match import play_matches
from athenan.play.player import PlayerError, parse_player
from athenan.play.solo import play_alone
from athenan.rules.game import Game, State
from athenan.rules.leaves import Evaluate
from athenan.rules.randomness import streams
from athenan.rules.terminal import TerminalValue
from athenan.search.budget import Budget
from athenan.search.node import Node
from athenan.search.search import Search, SearchSettings
from athenan.search.selection import safest, safest_score

DEFAULT_BUDGET = Budget(seconds=1.0)
"""Of players that are given none."""
MEMORY = 1 << 30
"""Bytes that the tree of a player may take."""


@dataclass(frozen=True)
class LearntNetwork:
    """The network of a run, ready to evaluate states of its game."""

    game: Game
    evaluate: Evaluator
    heuristic: Heuristic


class SearchPlayer:
    """Plays the safest action after a best-first search; the tree lives as long as the match.

    In a game of one player resolved actions count by their value (`safest_score`).
    """

    def __init__(
        self,
        name: str,
        game: Game,
        evaluate: Evaluate | None,
        heuristic: TerminalValue,
        budget: Budget = DEFAULT_BUDGET,
        settings: SearchSettings = SearchSettings(),
    ) -> None:
        self.name = name
        self.game = game
        self.budget = budget
        self.search = Search(game, evaluate, heuristic, settings, memory=MEMORY)
        self.new_match(game, seed=0)
        self.root: Node | None
        """What the last search of the match knew of the state that it was asked about."""

    def new_match(self, game: Game, seed: int) -> None:
        self.root = None
        if game.name != self.game.name:
            raise PlayerError(f"{self.name} plays {self.game.name}, not {game.name}")
        self.search.forest.random[:] = streams(seed, 1)
        self.random = np.random.default_rng(seed)
        self.search.reset(game.initial())

    def observe(self, state: State, action: int) -> None:
        if self.game.outcome(self.game.play(state, action)) is None:
            self._look_at(state)
            self.search.play(action)
            self.search.make_room()

    def select(self, state: State) -> int:
        self._look_at(state)
        self.search.run(self.budget)
        self.root = self.search.root()
        choose = safest if self.game.players == 2 else safest_score
        return int(self.root.actions[choose(self.root, self.random)])

    def close(self) -> None:
        del self.search

    def _look_at(self, state: State) -> None:
        if not np.array_equal(self.search.state(), state):
            self.search.reset(state)


def learnt_network(path: str | Path, device: str = "auto", precision: str = "auto", threads: int = 1) -> LearntNetwork:
    """The network of a run directory or checkpoint. Raises CheckpointError if it is damaged or holds none."""
    saved = load_network(path)
    try:
        config = config_from_json(saved.configuration)
        game = make(config.game)
        heuristic = restored_heuristic(config.heuristic, game, saved.heuristic)
        network = build_network(parse_architecture(config.network), game.planes, heuristic.scale, heuristic.bounded)
        load_weights(network, saved.tensors)
    except ValueError as error:
        raise CheckpointError(f"{path} holds no network that can be used: {error}") from None
    return LearntNetwork(game, Evaluator(network, device, precision, threads), heuristic)


def load_player(path: str | Path, game: Game, budget: Budget | None = None, threads: int = 1) -> SearchPlayer:
    """The player that a run has made so far. Raises PlayerError if it is of another game."""
    learnt = learnt_network(path, threads=threads)
    if learnt.game.name != game.name:
        raise PlayerError(f"{path} has learnt {learnt.game.name}, not {game.name}")
    return SearchPlayer(str(path), game, learnt.evaluate, learnt.heuristic, budget or DEFAULT_BUDGET)


def game_name(path: str | Path) -> str:
    """The game of a run directory or checkpoint. Raises CheckpointError if there is none."""
    try:
        return make(config_from_json(load_network(path).configuration).game).name
    except CheckpointError:
        raise
    except ValueError as error:
        raise CheckpointError(f"{path} has no valid configuration: {error}") from None


def measure_against(opponent: str, games: int, game: Game, seconds: float = np.inf) -> Measure:
    """A measurement of strength during training: matches of a search of one iteration against a player of `game`.

    In a game of one player it plays alone, and there is no opponent. Plays fewer games, at least two, if they take
    longer than `seconds`. Raises PlayerError if there is no such player, or if it is a person.
    """
    if game.players == 1:
        return _measure_alone(games, seconds)
    other = parse_player(opponent, game, people=False)

    def measure(game: Game, evaluate: Evaluator, heuristic: TerminalValue, matches: int) -> Evaluation:
        player = SearchPlayer("the network", game, evaluate, heuristic, Budget(iterations=1))
        pairs = [
            play_matches(game, player, other, games=2, seed=matches * games + number).score
            for number in _numbers(1, games // 2, seconds)
        ]
        return Evaluation(opponent, matches, fmean(pairs), 2 * len(pairs))

    return measure


def _measure_alone(games: int, seconds: float) -> Measure:
    def measure(game: Game, evaluate: Evaluator, heuristic: TerminalValue, matches: int) -> Evaluation:
        player = SearchPlayer("the network", game, evaluate, heuristic, Budget(iterations=1))
        scores = [
            play_alone(game, player, 1, seed=matches * games + number).best for number in _numbers(2, games, seconds)
        ]
        return Evaluation(ALONE, matches, fmean(scores), len(scores), max(scores))

    return measure


def _numbers(least: int, most: int, seconds: float) -> Iterator[int]:
    """0, 1, ... below `most`; beyond `least` only until the seconds are over."""
    end = perf_counter() + seconds
    for number in range(most):
        if number >= least and perf_counter() >= end:
            return
        yield number
