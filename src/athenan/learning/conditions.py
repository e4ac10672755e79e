"""The needs of a training's settings; a component's own needs stand beside it."""

from collections.abc import Callable
from typing import Any

from athenan.evaluation.architectures import NativeArchitecture, Patterns, parse_architecture
from athenan.learning.examples import targets
from athenan.settings import Needs


def _by_search(config: Any) -> bool:
    return bool(config.playing.matches_by == "search")


def _selects(*names: str) -> Callable[[Any], bool]:
    """Whether self-play chooses actions in one of some ways; in any way without names."""
    return lambda config: (
        _by_search(config) and not config.search.select and (not names or config.playing.selection in names)
    )


def _exploits(config: Any) -> bool:
    return config.playing.matches_by == "turns" or _selects("ordinal", "epsilon_greedy", "softmax")(config)


def _target_takes(parameter: str) -> Callable[[Any], bool]:
    return lambda config: targets.KIND.known(config.learning.target).takes(parameter)


def _architecture(config: Any) -> Any:
    """The network; None if the configuration names none yet, or one that is refused elsewhere."""
    try:
        return parse_architecture(config.run.network)
    except ValueError:
        return None


BY_SEARCH = Needs("--matches-by search", _by_search)
SELECTING = Needs("--matches-by search, and a search that leaves the choice of actions to it", _selects())
EXPLOITING = Needs("--selection ordinal, epsilon_greedy or softmax", _exploits)
TREES = Needs("--matches-by search or policy, which plant trees", lambda config: config.playing.matches_by != "turns")
TIMED = Needs(
    "--matches-by search, and --action.seconds",
    lambda config: _by_search(config) and config.action.seconds is not None,
)
PROOFS = Needs(
    "--matches-by search, and a search with completion, resolution_stop and transpositions",
    lambda config: _by_search(config) and config.search.passes_proofs_on,
)
POLICY_TARGET = Needs("a target that takes a policy, such as --target root or terminal", _target_takes("policy"))
TRACE = Needs("a target that takes a trace, such as --target root", _target_takes("trace"))
PYTORCH = Needs(
    "a network of PyTorch, such as --network c",
    lambda config: not isinstance(_architecture(config), NativeArchitecture),
)
PATTERNS = Needs(
    "a pattern network, --network patterns", lambda config: isinstance(_architecture(config), Patterns | None)
)
LABELS = Needs("--matches-by policy, as --algorithm exit has it", lambda config: config.playing.matches_by == "policy")
MEASURED = Needs("--strength.seconds above 0", lambda config: config.strength.seconds > 0)
