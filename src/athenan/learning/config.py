"""The configuration of a training: one frozen dataclass for each component."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from athenan.evaluation import architectures, heuristics
from athenan.learning import conditions as needed
from athenan.learning.examples import targets
from athenan.learning.learner.losses import LossWeights
from athenan.learning.replay import ReplayConfig, methods
from athenan.runs.run import RunSettings
from athenan.search.algorithms.best_first import Descent
from athenan.search.algorithms.visits import NoiseSettings
from athenan.search.budget import ActionLimits
from athenan.search.named import known_search, parse_search, search_name, search_text
from athenan.search.settings import SearchSettings
from athenan.settings import (
    Between,
    Checked,
    Kind,
    Mebibytes,
    Threads,
    Within,
    check,
    require_met,
    settled,
    shown,
    spread,
    take_texts,
    values_from_json,
)  # fmt: skip

Precision = Literal["auto", "float32", "bfloat16"]
PARTS: dict[tuple[str, str], Kind] = {
    ("run", "network"): architectures.KIND, ("run", "heuristic"): heuristics.KIND,
    ("learning", "target"): targets.KIND, ("replay", "method"): methods.KIND,
}  # fmt: skip
"""The settings that name a part, which may be a user's: component and name -> its kind. The search is another."""


@dataclass(frozen=True)
class PlayingSettings:
    """How matches are played."""

    selection: Annotated[Literal["ordinal", "epsilon_greedy", "softmax", "visits"], needed.SELECTING] = "ordinal"
    """How actions are chosen after a search: the ordinal distribution (Algorithm 14), ε-greedy (Algorithm 2), softmax
    (section 2.3), or in proportion to their visits (AlphaZero). Settings follow the name: softmax:temperature=0.2. The
    search gumbel chooses actions itself."""
    exploitation: Annotated[Literal["uniform", "annealed"] | Annotated[float, Between(0, 1)], needed.EXPLOITING] = (
        "uniform"
    )
    """ε' of the selection: uniform (drawn from [0, 1] for each action), annealed (from 0 to 1 over the training), or
    a number from 0 to 1."""
    temperature: Annotated[float, Between(1e-9, 10**9), needed.SELECTING, Within("selection", of=("softmax",))] = 0.1
    """T of softmax, in scales of the heuristic: the temperature at ε' = 1/2. At another ε' it is T (1 - ε') / ε', so
    that 0 is uniform and 1 takes the best action, as with the other distributions."""
    drawn_actions: Annotated[int, Between(0, 10**6), needed.SELECTING, Within("selection", of=("visits",))] = 30
    """Actions at the start of a match that `visits` draws in proportion. Later actions are the most visited ones."""
    completed_selection: Annotated[bool, needed.BY_SEARCH] = True
    """Play proven wins and avoid proven losses (section 5.2, point 3)."""
    parallel_matches: Annotated[int, Between(1, 100_000)] = 1
    """Matches side by side. 1 is exactly the papers' algorithm."""
    actors: Annotated[int, Between(1, 256)] = 1
    """Threads that play at the same time. Each plays `parallel_matches` matches, with a share of the memory. With a
    pattern network or a shallow one, without `overlap`, each also learns its matches, with a share of replay's memory.
    """
    renewal: Annotated[float, Between(1e-3, 10**6)] = 1.0
    """Seconds after which actors in other processes (`--workers`, `--ray`) send their matches and get the newest
    network."""
    borrowing: Annotated[bool, needed.TIMED] = False
    """If searches take longer than their seconds, as iterations of Descent do in long games, repay the time: choose the
    next actions from what the tree knows, and only expand their states if they are new."""
    resolved_period: Annotated[int, Between(0, 10**12), needed.PROOFS] = 0
    """Matches for which resolved states are kept in memory, so that later matches know them (section 9.3.1), before
    all are forgotten; 0 forgets them with each match. One-player games keep none."""
    memory: Annotated[Mebibytes, needed.TREES] = 2048
    """MiB that the search trees may take in all. A training whose searches may need more says so at its start."""
    precision: Precision = "auto"
    """Precision of the network in searches: auto (measured), float32 or bfloat16."""
    matches_by: Literal["search", "policy", "turns"] = "search"
    """What plays the matches. search: the search. policy, in expert iteration (section 8.1): the network's policy
    alone; the search then labels one state of each match. turns, for the target root: the values of the states in which
    a whole turn can end, without a tree."""
    determinization: bool = False
    """In games of chance: play and search deterministic games, each with dice known before its match, and learn the
    stochastic game from them (001, section 3.1.1)."""

    def __post_init__(self) -> None:
        take_texts(self)


@dataclass(frozen=True)
class LearningSettings:
    """What is learnt from a match, and how."""

    target: str = "tree"
    """tree, tree_with_leaves, root, terminal, or a file of your own, such as ./mine.py:0.5. States and values to learn:
    of the search trees (Algorithm 3), without or with their unexpanded leaves (Remark 3), of the roots (4), or the
    match's end (5)."""
    trace: Annotated[float, Between(0, 1), needed.TRACE, Within("target")] = 0.0
    """λ of the target root: what a state learns is λ times what the next state of the match learns plus 1 - λ times the
    value of its own search, as in TD(λ) (Sutton 1988)."""
    policy_target: Annotated[
        Literal["none", "visits", "improved"], needed.POLICY_TARGET, Within("target", "policy")
    ] = "none"
    """What the policy learns, with the targets root and terminal: none, the shares of the actions in the visits of
    their search (AlphaZero), or the policy improved by its values (Gumbel AlphaZero). The network has a policy if it is
    learnt."""
    phase_matches: Annotated[int, Between(1, 10**6)] = 1
    """Matches that are played before they are learnt. The memory of replay counts them as one match."""
    random_ends: Annotated[int, Between(0, 10**10)] = 0
    """Random terminal states that are learnt before the first match (section 9.3.1), in minibatches as large as
    replay's. Learning them takes time before the run's minutes begin, and starts again after an interruption."""
    learning_rate: Annotated[float, Between(1e-12, 10), Within("learner", "rate")] = 0.001
    """Learning rate."""
    cooldown: Annotated[float, Between(0, 1), Within("learner")] = 0.0
    """The share of the training, at its end, in which the learning rate falls evenly to 0 (Hägele et al. 2024)."""
    averaging: Annotated[float, Between(0, 0.999999), Within("learner")] = 0.0
    """Decay per learning step of the averaged weights, which play. With 0 the weights of the last step play."""
    l2: Annotated[float, Between(0, 10**6), needed.PYTORCH, Within("learner")] = 0.001
    """Weight of the L2 penalty, in networks of PyTorch."""
    overlap: bool = False
    """Learn from a match while the next is played with the previous network, which uses several cores better where
    PyTorch learns. Without it each match is learnt before the next is played, as in the papers. Actors in other
    processes play on in any case."""
    device: str = "auto"
    """Device of the network, also in searches: auto (measured), cpu, cuda, or one of several, such as cuda:1."""
    learning_precision: Annotated[Precision, Within("learner", "precision")] = "auto"
    """Precision of the network in learning steps: auto (measured), float32 or bfloat16."""
    learning_threads: Annotated[Threads, needed.PATTERNS, Within("learner", "threads")] = 1
    """Threads that learn the states of a minibatch of a pattern network side by side. With more than one, their order
    depends on chance, and so does what is learnt. Other networks use `threads`."""
    learner: Literal["adam"] = "adam"
    """How weights are learnt: by Adam (Kingma and Ba 2015), with any settings of it, such as adam:rate=0.01."""

    def __post_init__(self) -> None:
        take_texts(self)

    def rate_left(self, done: float | None) -> float:
        """The share of the learning rate after this share of the training; 1 if the training is open-ended."""
        return min(1.0, (1 - done) / self.cooldown) if self.cooldown and done is not None else 1.0


@dataclass(frozen=True)
class ExitSettings(Checked):
    """The stages of expert iteration (003, section 8.4), for matches_by policy."""

    warm_start: Annotated[float, Between(0, 1)] = 1 / 30
    """The share of the training in which a search without a network plays the matches and labels them."""
    warm_start_search: Literal["rave", "mcts"] = "rave"
    """The search of the warm start: UCT with RAVE (000, sections 8.1 and 8.2), or without it, base MCTS (003, section
    8.2.1)."""
    rollouts: Annotated[int, Between(1, 10**9)] = 2500
    """Rollouts that label a state of the warm start; a tenth of them chooses an action."""
    value_start: Annotated[float, Between(0, 1)] = 2 / 15
    """The share of the training after which values are learnt and used; before that the policy alone."""


@dataclass(frozen=True)
class StrengthSettings:
    """Measurements of strength during the training."""

    opponent: Annotated[str, needed.MEASURED] = "mcts:200"
    """The opponent of the network. The network searches one iteration, or 50 if the training's search evaluates only
    the state itself (uct, puct, gumbel, exit). One-player games have no opponent."""
    games: Annotated[int, Between(2, 10**6), needed.MEASURED] = 20
    """Games of each measurement, an even number. There are fewer if they would take more than a tenth of the seconds
    between measurements."""
    seconds: Annotated[float, Between(0, 10**9)] = 60.0
    """Seconds of training between measurements, more if they take long. 0 switches measurements off."""

    def __post_init__(self) -> None:
        check(self)
        if self.games % 2:
            raise ValueError(f"games must be even, two for each opening, not {self.games}")


@dataclass(frozen=True)
class TrainingConfig:
    """All settings of a training. Raises ValueError, with the allowed values, for a bad value.

    A message about a setting begins with the setting's name.
    """

    run: RunSettings = field(default_factory=RunSettings)
    action: ActionLimits = field(default_factory=ActionLimits)
    playing: PlayingSettings = field(default_factory=PlayingSettings)
    search: SearchSettings = field(default_factory=Descent)
    learning: LearningSettings = field(default_factory=LearningSettings)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    losses: Annotated[LossWeights, needed.PYTORCH] = field(default_factory=LossWeights)
    exit: Annotated[ExitSettings, needed.LABELS] = field(default_factory=ExitSettings)
    strength: StrengthSettings = field(default_factory=StrengthSettings)

    def __post_init__(self) -> None:
        check(self)
        target = targets.KIND.known(self.learning.target).definition
        methods.KIND.known(self.replay.method)
        require_met(self)
        if self.playing.exploitation == "annealed" and self.run.is_open_ended:
            raise ValueError("exploitation can be annealed only if minutes or matches say how long the training is")
        if self.learning.cooldown and self.run.is_open_ended:
            raise ValueError("cooldown must be 0 unless minutes or matches say how long the training is")
        search = self.search
        if self.playing.resolved_period and self.playing.determinization:
            raise ValueError("resolved_period must be 0 with determinization: each match has dice of its own")
        learning = self.learning
        if "action_values" in search.heads() and not target.learns_action_values:
            raise ValueError(f"target must be tree or tree_with_leaves to learn action values, not {learning.target}")
        if "policies" in search.heads() and learning.policy_target == "none":
            raise ValueError(f"policy_target must not be none: {search_name(search)} follows the policy that is learnt")
        search.require_limits(self.action)
        if not self.losses.values and learning.policy_target == "none":
            raise ValueError("losses.values must be above 0 unless a policy is learnt")
        self._check_expert_iteration()
        self._check_turns()

    def _check_expert_iteration(self) -> None:
        by_policy = self.playing.matches_by == "policy"
        if by_policy != (self.replay.method == "all"):
            raise ValueError("matches_by policy and the replay method all need each other: give both, or neither")
        if not by_policy:
            return
        if "policies" not in self.search.heads():
            raise ValueError(f"matches_by must be search: {search_name(self.search)} follows no policy")
        if self.run.initial is not None or self.learning.random_ends:
            given = "initial" if self.run.initial is not None else "random_ends"
            raise ValueError(f"{given} is not for matches_by policy, which learns from new weights again and again")
        if (self.learning.target, self.learning.policy_target) != ("terminal", "visits"):
            raise ValueError("matches_by policy needs the target terminal and the policy_target visits")
        if isinstance(self.search, NoiseSettings) and self.search.noise:
            raise ValueError(f"matches_by policy needs {search_name(self.search)} without noise")
        if (self.exit.warm_start or self.exit.value_start) and self.run.is_open_ended:
            raise ValueError("the stages of expert iteration are shares of the training: give minutes or matches")

    def _check_turns(self) -> None:
        playing, learning = self.playing, self.learning
        if playing.determinization and (playing.matches_by == "turns" or self.search.turns):
            raise ValueError(
                "determinization needs --matches-by search and a search without turns, or --algorithm descent"
            )
        if playing.matches_by != "turns":
            return
        if learning.target != "root" or learning.policy_target != "none":
            raise ValueError("matches_by turns needs the target root and no policy_target")
        if isinstance(playing.exploitation, str):
            raise ValueError("matches_by turns needs a number as exploitation")
        for name, limit in vars(self.action).items():
            if limit is not None and (name, limit) != ("iterations", 1):
                raise ValueError(f"{name} needs --matches-by search or policy: turns are played without a search")

    @property
    def code(self) -> tuple[str, ...]:
        """The user's files and modules of its parts, except the game and the search."""
        return code_of({name: vars(getattr(self, name)) for name, _ in PARTS})

    @property
    def components(self) -> dict[str, Any]:
        """The components by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads of the network: those that the search asks for, and those that are learnt."""
        learnt = ("values", "policies")[: 1 + (self.learning.policy_target != "none")]
        return tuple(dict.fromkeys((*learnt, *self.search.heads())))

    def as_json(self) -> dict[str, Any]:
        """The configuration as JSON data: an object for each component, and the text of the search."""
        return {**asdict(self), "search": search_text(self.search)}

    @classmethod
    def from_json(cls, data: Any) -> "TrainingConfig":
        """Makes the configuration from what `as_json` gave. Raises ValueError if it is not valid.

        Earlier versions kept settings that did nothing, such as the L2 penalty of a pattern network. These get their
        defaults, which changes nothing.
        """
        if isinstance(data, Mapping) and "search" in data:
            data = {**data, "search": known_search(data["search"])}
        return cls(**settled(cls, TrainingConfig().components | values_from_json(cls, data)))

    def changed(
        self,
        search: SearchSettings | str | Mapping[str, Any] | None = None,
        *,
        strict: bool = False,
        **components: Mapping[str, Any],
    ) -> "TrainingConfig":
        """A copy with other values of some settings, by component; `search` is another search or its text, or settings.

        Nothing else changes, except that settings which no longer do anything go back to their defaults. What follows
        from a game, an algorithm or a network, such as the learning rate, is set by `recommended`, if they are named to
        it. A setting that would do nothing is refused unless it has its default; if `strict`, even then.

        >>> config = TrainingConfig().changed(run={"game": "othello:6", "seed": 3}, search={"completion": False})
        >>> config.run.game, config.search == Descent(completion=False)
        ('othello:6', True)
        >>> config.changed(search="uct:exploration=1.4").search.exploration
        1.4
        >>> config.changed(replay={"method": "games:memory=50"}).replay.memory_matches
        50

        Raises ValueError for unknown components and settings, and for bad values.
        """
        changed = self.components | ({} if search is None else {"search": self._other_search(search)})
        given = set[tuple[str, str]]()
        for name, settings in components.items():
            _known(name, self, "component")
            for setting in settings:
                _known(setting, changed[name], f"setting of {name}")
            found = named(name, settings)
            changed[name] = replace(changed[name], **found)
            given |= {(name, setting) for setting in found}
        return TrainingConfig(**settled(TrainingConfig, changed, given, strict))

    def _other_search(self, search: SearchSettings | str | Mapping[str, Any]) -> SearchSettings:
        if isinstance(search, SearchSettings):
            return search
        if isinstance(search, str):
            return parse_search(search)
        if not isinstance(search, Mapping):
            raise ValueError(f"search must be a text, such as uct:exploration=1.4, or settings, not {shown(search)}")
        for setting in search:
            _known(setting, self.search, f"setting of {search_name(self.search)}")
        return replace(self.search, **search)


def code_of(configuration: Mapping[str, Any]) -> tuple[str, ...]:
    """The user's files and modules of the parts of a configuration, given as JSON, but for the game and the search."""
    texts = [(kind, configuration.get(of, {}).get(name)) for (of, name), kind in PARTS.items()]
    found = [kind.own_code(text) for kind, text in texts if isinstance(text, str)]
    return tuple(dict.fromkeys(one for one in found if one))


def named(component: str, settings: Mapping[str, Any], user: bool = True) -> dict[str, Any]:
    """The settings of a component, with those within the texts of parts, and the canonical texts of the user's parts.

    The user has named these here or, if the settings are not from the `user` but from a file, before. Raises ValueError
    for a part that does not exist, or whose code may not be loaded, and for a setting that is given twice.
    """
    found = dict(settings)
    for part, text in settings.items():
        within = spread(_KINDS[component], part, text)
        if twice := sorted((within.keys() - {part}) & settings.keys()):
            raise ValueError(f"{twice[0]} is given twice: by itself and within {part} {shown(text)}")
        found |= within
        kind = PARTS.get((component, part))
        if kind and isinstance(text, str) and kind.own_code(text):
            found[part] = (kind.named(found[part]) if user else kind.known(found[part])).text
    return found


def _known(name: str, of: Any, what: str) -> None:
    names = [item.name for item in fields(of)]
    if name not in names:
        raise ValueError(f"there is no {what} {name!r}; there are {', '.join(names)}")


_KINDS: dict[str, Any] = {one.name: one.default_factory for one in fields(TrainingConfig)}
"""The class of each component, by its name."""
