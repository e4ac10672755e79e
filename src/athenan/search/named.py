"""All searches by the settings that name them, as trainings, players, analyses and measurements take them.

>>> from athenan import SearchSettings, make
>>> search = make_search(make("hex:5"), settings=SearchSettings("alphabeta", depth=2))
>>> type(search).__name__, search.settings.depth
('AlphaBeta', 2)
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue
from athenan.search.algorithm import Asks
from athenan.search.alpha_beta import AlphaBeta
from athenan.search.forest import DEFAULT_MEMORY
from athenan.search.selection import safest
from athenan.search.turns import by_turns
from athenan.search.walk_search import ALGORITHMS, ALPHA_BETA, REFINING, Search, SearchSettings


def heads_asked(settings: SearchSettings, game: Game | None = None) -> tuple[str, ...]:
    """The heads of a network that a search of this game needs, such as values and policies.

    Without a game, those that it needs in every game.
    """
    if settings.algorithm == ALPHA_BETA:
        return ("values",)
    return ALGORITHMS[settings.algorithm](settings, safest).asked(game is not None and game.stochastic)


def for_play(trained: SearchSettings) -> SearchSettings:
    """The search with which a network that was trained with a search plays, if it is not told another.

    It is that of the training, with proofs, without what is drawn to be learnt; best-first search instead of Descent
    (003, section 4.2), which is made for learning.
    """
    algorithm = "ubfm" if trained.algorithm == "descent" else trained.algorithm
    names = ("exploration", "policy_weight", "value_weight", "evaluate", "refining", "refining_root", "turns")
    return SearchSettings(algorithm, **{name: getattr(trained, name) for name in names})


def instead(name: str, playing: SearchSettings) -> SearchSettings:
    """Another search, by its name, for the network that plays by these settings: by turns, too, if it is for values."""
    other = SearchSettings(name)
    return replace(other, turns=True) if playing.turns and heads_asked(other) == ("values",) else other


def changed(settings: SearchSettings, changes: Mapping[str, Any]) -> SearchSettings:
    """The settings with others instead; where all children are evaluated none are refined. Raises ValueError."""
    if changes.get("evaluate") == "children":
        changes = dict.fromkeys(REFINING, 0) | dict(changes)
    return replace(settings, **changes)


def sees_actions(settings: SearchSettings) -> bool:
    """Whether the first iteration of a search already tells its actions apart."""
    return settings.algorithm == ALPHA_BETA or not Asks.STATE & ALGORITHMS[settings.algorithm](settings, safest).asks


def make_search(
    game: Game,
    evaluate: Evaluate | None = None,
    terminal: TerminalValue = Gain(),
    settings: SearchSettings = SearchSettings(),
    slots: int = 1,
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
) -> Search | AlphaBeta:
    """The search that the settings name; the other parameters are those of `Search`."""
    if settings.turns and evaluate is not None:
        game, evaluate = by_turns(game, evaluate, terminal)
    made = AlphaBeta if settings.algorithm == ALPHA_BETA else Search
    return made(game, evaluate, terminal, settings, slots, memory, seed)
