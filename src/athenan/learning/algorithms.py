"""The algorithms of `train --algorithm`: what each changes in the default configuration for a game (`recipe`)."""

from collections.abc import Callable
from typing import Any

from athenan.games.catalogue import known
from athenan.learning.config import TrainingConfig
from athenan.rules.game import Game
from athenan.search.algorithms.bandits import Puct
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.algorithms.exit import Exit
from athenan.search.algorithms.gumbel import Gumbel

TREE_LEARNING = ("descent", "ubfm", "alphabeta", "expectiminimax")
POLICY_LEARNING = ("alphazero", "gumbel")
ITERATIONS = {"td": 1, "alphazero": 50, "gumbel": 32, "exit": 400}
"""Algorithms that search a fixed number of iterations for each action -> that number."""


def default_algorithm(game: Game) -> str:
    """`td` for two-player games of chance, where the dice explore; else `descent`."""
    return "td" if game.stochastic and game.players == 2 else "descent"


def is_image(game: Game) -> bool:
    """Whether the board has places in several rows and columns; the boards of backgammon and Pig have not."""
    return min(game.planes[1:]) > 1 and (game.board is None or len(game.board.places) > 0)


def _searching(algorithm: str) -> Callable[[TrainingConfig], TrainingConfig]:
    """The components of Descent around another search."""
    return lambda config: config.changed(search=algorithm)


def temporal_differences(config: TrainingConfig) -> TrainingConfig:
    """TD(λ) as in TD-Gammon (Tesauro 1992, 1995): the best end of a turn by its value, and very many matches.

    Dice lead to ever new positions, so only actions before the first roll are random. The differences between actions
    are small compared with the values: float32 tells them apart, and a very small penalty on the weights preserves
    them. A state that is no image has a dense network of one layer, which is fast with sparse planes: a new match costs
    little more than learning an old one again. The network learns the score, or the gain: play that
    maximises the expectation of a refined gain need not be best for the gain. Without dice, searches play, and chance
    breaks ties.
    """
    game = known(config.run.game)
    changed = {} if game.max_score is not None else {"heuristic": "classic"}
    replay: dict[str, Any] = {"memory_matches": 4, "duplication": 3.0}
    if not is_image(game):
        changed["network"], replay = "mlp:dense=160,dense_layers=1", {"method": "none"}
    by_turns = game.stochastic and game.players == 2
    return config.changed(
        run={} if config.run.initial else changed,
        action={"seconds": None, "iterations": ITERATIONS["td"]},
        playing={
            "matches_by": "turns" if by_turns else "search", "exploitation": 1.0, "parallel_matches": 64,
            "borrowing": False, "precision": "float32",
        },
        search=Ubfm(turns=by_turns),
        learning={"target": "root", "trace": 0.7, "phase_matches": 64, "l2": 1e-7, "learning_precision": "float32"},
        replay={
            **replay, "batch_size": 256, "augmentation": "random", "colours": game.colour_symmetry is not None,
        },
    )  # fmt: skip


def uct(config: TrainingConfig) -> TrainingConfig:
    """Monte Carlo tree search with a network, which learns better from its roots than from its trees (003, Table 2)."""
    return config.changed(search="uct", learning={"target": "root"})


def alphazero(config: TrainingConfig) -> TrainingConfig:
    """AlphaZero (Silver et al. 2018; 004, section 2.2): PUCT without proofs, noise, the end of the match as the value.

    Many matches are played side by side, and their states evaluated together. There are far fewer states to learn than
    with tree learning, so each is learnt more often, and the average that plays covers fewer steps. The actions of the
    first third of a typical match are drawn; AlphaZero's 30 actions are about that share of its games.
    """
    drawn = known(config.run.game).typical_length // 3
    return config.changed(
        run={"heuristic": "classic"},
        action={"seconds": None, "iterations": ITERATIONS["alphazero"]},
        playing={
            "selection": "visits", "drawn_actions": drawn, "completed_selection": False, "parallel_matches": 32,
            "borrowing": False,
        },
        search=Puct(completion=False, noise=0.25),
        learning={
            "target": "terminal", "policy_target": "visits", "phase_matches": 8, "l2": 0.0001, "averaging": 0.99,
        },
        replay={"memory_matches": 100, "duplication": 16.0, "augmentation": "random"},
    )  # fmt: skip


def gumbel(config: TrainingConfig) -> TrainingConfig:
    """Gumbel AlphaZero (Danihelka et al. 2022), made for few iterations."""
    return alphazero(config).changed(
        action={"iterations": ITERATIONS["gumbel"]},
        playing={"selection": "ordinal", "memory": 512},
        search=Gumbel(completion=False),
        learning={"policy_target": "improved"},
    )


def exit_(config: TrainingConfig) -> TrainingConfig:
    """Expert iteration (003, Algorithm 15 and sections 8.1 to 8.4): matches of the policy, labelled by a search.

    w_a is in proportion to the iterations of a label: the paper has 100 for 2,500. The minibatch of 250 is the paper's.
    The paper's stages take shares of two weeks; here they take the same shares of the run, with Adam's usual learning
    rate.
    """
    iterations = ITERATIONS["exit"]
    return config.changed(
        run={"heuristic": "classic"},
        action={"seconds": None, "iterations": iterations},
        playing={"matches_by": "policy", "parallel_matches": 32, "actors": 1, "borrowing": False},
        search=Exit(completion=False, policy_weight=iterations / 25),
        learning={
            "target": "terminal", "policy_target": "visits", "phase_matches": 32, "averaging": 0.0, "overlap": False,
        },
        replay={"method": "all", "batch_size": 250, "augmentation": "add"},
        losses={"values_by": "divergence"},
    )  # fmt: skip


TRAININGS: dict[str, Callable[[TrainingConfig], TrainingConfig]] = {
    "descent": _searching("descent"), "ubfm": _searching("ubfm"), "alphabeta": _searching("alphabeta"),
    "expectiminimax": _searching("alphabeta"), "td": temporal_differences, "uct": uct, "alphazero": alphazero,
    "gumbel": gumbel, "exit": exit_,
}  # fmt: skip
"""Name of an algorithm -> what it changes in the configuration for the game. Add your own."""
