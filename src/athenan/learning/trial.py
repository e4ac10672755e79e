"""Tries the parts of a user's file before a training begins: one that is not what it claims leaves nothing behind."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from athenan.evaluation import architectures
from athenan.learning.components import Components
from athenan.learning.config import TrainingConfig
from athenan.learning.examples import targets
from athenan.learning.examples.examples import Examples
from athenan.learning.replay import make_replay, methods
from athenan.learning.self_play.by_search import SearchPlay
from athenan.loading import what
from athenan.rules.game import Game
from athenan.search.budget import Budget
from athenan.search.named import make_search, own_code, try_own
from athenan.search.trees.node import Node
from athenan.settings import Kind

_MEMORY = 1 << 25
_BUDGET = Budget(iterations=2)


def try_parts(config: TrainingConfig, game: Game) -> None:
    """Makes the user's heuristic, network and search, plays a match for a target, and has a replay method learn it.

    Raises ValueError, in one sentence, for a part that does not do this.
    """
    if own_code(config.search) is None and not config.code:
        return
    components = Components(config, game, None, new=True)
    try_own(config.search, components.searched, components.terminal)
    own = [kind for kind, text in _parts(config).items() if kind.own_code(text)]
    if architectures.KIND in own or targets.KIND in own:
        examples = _examples(config, components)
        if methods.KIND in own:
            _try_replay(config, components.game, examples)
    elif methods.KIND in own:
        states = components.game.initial()[None]
        _try_replay(config, components.game, Examples(states, np.zeros(1, np.float32)))


def _parts(config: TrainingConfig) -> dict[Kind, str]:
    texts = config.run.network, config.learning.target, config.replay.method
    return dict(zip((architectures.KIND, targets.KIND, methods.KIND), texts, strict=True))


def _examples(config: TrainingConfig, components: Components) -> Examples:
    """The examples of a match, by searches of two iterations and actions at random."""
    evaluator = components.evaluator(components.learner(), threads=1)
    terminal, random = components.terminal, np.random.default_rng(0)

    def choose(root: Node, played: int) -> int:
        return int(random.integers(len(root.actions)))

    learning, begin = config.learning, components.determinization.begin if components.determinization else None
    search = make_search(components.searched, evaluator, terminal, config.search, memory=_MEMORY)
    with _guarded(targets.KIND, learning.target):
        made = targets.make_target(learning.target, learning.policy_target, learning.trace)
        match = SearchPlay(search.game, search, _BUDGET, choose, target=made, begin=begin).next_match(lambda: False)
        assert match is not None  # nothing interrupts it
    return match.examples


def _try_replay(config: TrainingConfig, game: Game, examples: Examples) -> None:
    """Adds two matches, learns from each, saves the memory and restores it."""
    with _guarded(methods.KIND, config.replay.method):
        replay = make_replay(game, config.replay, 0)
        for _ in range(2):  # a memory asks whether it is full when it has more than one match
            replay.add(examples)
            list(replay.checked_batches())
        document = json.loads(json.dumps(replay.state_document(), allow_nan=False))
        make_replay(game, config.replay, 1).restore(replay.state_arrays(), document, replay.match_arrays())


@contextmanager
def _guarded(kind: Kind, text: str) -> Iterator[None]:
    """Turns whatever a user's part raises into a ValueError that names it."""
    try:
        yield
    except (Exception, SystemExit) as error:
        if (own := kind.own_code(text)) is None:
            raise
        said = str(error) if isinstance(error, ValueError) else f"raised {what(error)}"
        raise ValueError(said if own in said else f"{kind.what} {text}: {said}") from error
