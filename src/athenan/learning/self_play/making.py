"""The self-play that a configuration describes."""

from collections.abc import Callable

from athenan.learning.config import TrainingConfig
from athenan.learning.examples.targets import make_target
from athenan.learning.self_play.by_policy import WARM_STARTS, ExpertIteration
from athenan.learning.self_play.by_search import Begin, SelfPlay
from athenan.learning.self_play.by_turns import TurnPlay
from athenan.learning.self_play.choice import Choice
from athenan.learning.self_play.determinized import DeterminizedPlay
from athenan.rules.determinization import Determinization
from athenan.search.clock import CLOCKS
from athenan.search.forest_search import ForestSearch


def make_self_play(
    config: TrainingConfig,
    search: ForestSearch,
    choice: Choice,
    stage: Callable[[], int],
    determinization: Determinization | None = None,
) -> SelfPlay | ExpertIteration | TurnPlay | DeterminizedPlay:
    """Matches played by the search, or by the policy or the values of its network, in the slots of the search.

    `stage` gives the stage of expert iteration. With a `determinization` the search is of its game.
    """
    if config.playing.matches_by == "turns":
        return TurnPlay(search.game, search, config.learning.trace)
    if determinization is None:
        return _self_play(config, search, choice, stage)
    return DeterminizedPlay(_self_play(config, search, choice, stage, determinization.begin), determinization)


def _self_play(
    config: TrainingConfig, search: ForestSearch, choice: Choice, stage: Callable[[], int], begin: Begin | None = None
) -> SelfPlay | ExpertIteration:
    game, playing, learning, clock = search.game, config.playing, config.learning, CLOCKS[config.run.clock]
    if playing.matches_by == "policy":
        return ExpertIteration(
            game, search, config.action.budget, lambda: int(choice.random.integers(2**63)), stage, config.exit.rollouts,
            begin, WARM_STARTS[config.exit.warm_start_search], clock,
        )  # fmt: skip
    return SelfPlay(
        game, search, config.action.budget, choice.choose, playing.borrowing,
        make_target(learning.target, learning.policy_target, learning.trace),
        playing.resolved_period if game.players == 2 else 0,
        choice.preparation(config.action.budget),
        begin,
        clock,
    )  # fmt: skip
