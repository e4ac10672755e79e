"""The self-play that a configuration describes."""

from collections.abc import Callable

from athenan.learning.config import TrainingConfig
from athenan.learning.examples.targets import make_target
from athenan.learning.self_play.by_policy import WARM_STARTS, ExpertIteration
from athenan.learning.self_play.by_search import SearchPlay
from athenan.learning.self_play.by_turns import TurnPlay
from athenan.learning.self_play.choice import Choice
from athenan.learning.self_play.determinized import DeterminizedPlay
from athenan.learning.self_play.memory import check_memory
from athenan.learning.self_play.protocol import SelfPlay
from athenan.rules.determinization import Determinization
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import TerminalValue
from athenan.search.clock import CLOCKS
from athenan.search.named import make_search
from athenan.search.trees.forest_search import ForestSearch


def make_self_play(
    config: TrainingConfig,
    game: Game,
    evaluate: Evaluate,
    terminal: TerminalValue,
    choice: Choice,
    stage: Callable[[], int],
    determinization: Determinization | None = None,
) -> SelfPlay:
    """The self-play of one actor: by a search, or by the policy or the values of its network.

    `stage` gives the stage of expert iteration. A `determinization` brings its own game and terminal evaluation.
    Raises ValueError if the actor's share of the memory is too little for its trees.
    """
    playing = config.playing
    if playing.matches_by == "turns":
        exploitation = float(playing.exploitation)
        return TurnPlay(
            game, evaluate, terminal, config.learning.trace, playing.parallel_matches, exploitation=exploitation
        )
    check_memory(config, game)
    memory = (playing.memory << 20) // playing.actors
    search = make_search(game, evaluate, terminal, config.search, playing.parallel_matches, memory)
    if determinization is None:
        return _with_search(config, search, choice, stage)
    return DeterminizedPlay(_with_search(config, search, choice, stage, determinization), determinization)


def _with_search(
    config: TrainingConfig,
    search: ForestSearch,
    choice: Choice,
    stage: Callable[[], int],
    determinization: Determinization | None = None,
) -> SelfPlay:
    playing, learning, clock = config.playing, config.learning, CLOCKS[config.run.clock]
    budget, begin = config.action.budget, determinization.begin if determinization else None
    if playing.matches_by == "policy":
        return ExpertIteration(
            search.game, search, budget, lambda: int(choice.random.integers(2**63)), stage, config.exit.rollouts,
            begin, WARM_STARTS[config.exit.warm_start_search], clock,
        )  # fmt: skip
    return SearchPlay(
        search.game, search, budget, choice.choose, playing.borrowing,
        make_target(learning.target, learning.policy_target, learning.trace),
        playing.resolved_period if search.game.players == 2 else 0,
        config.search.preparation(budget, choice.random), begin, clock,
        choice.selection if choice.compiles else None,
    )  # fmt: skip
