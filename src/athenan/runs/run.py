"""The settings of a run that playing also needs: its game, network and heuristic."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from athenan.games.catalogue import USUAL
from athenan.search.clock import ClockName
from athenan.settings import Between, Checked, Count, Seed, Threads, from_json
from athenan.system.cores import available_cores

Saving = Annotated[float, Between(0, 86400)]
Keep = Annotated[float, Between(1e-6, 10**7)] | None
_MOST_USUAL_THREADS = 4


def usual_threads(spared: int = 0) -> int:
    """The threads of a search for a person who waits for it: one for each core but the spared ones, up to four."""
    return max(1, min(available_cores() - spared, _MOST_USUAL_THREADS))


@dataclass(frozen=True)
class RunSettings(Checked):
    """What is learnt, and for how long.

    Names of games, networks and heuristics are not checked here, but when the component is made.
    """

    game: str = USUAL
    """The game, such as hex:7 or othello:6."""
    minutes: Annotated[float, Between(1e-6, 10**7)] | None = None
    """Minutes of training; the match in play at the end is dropped."""
    matches: Count | None = None
    """Matches of training; without minutes and matches it lasts until interrupted."""
    clock: ClockName = "wall"
    """The clock for seconds: wall, or processor, which makes trainings on a busy machine comparable. With processor,
    the minutes are processor time of all threads, and the search time of an action is processor time of the thread that
    plays."""
    saving: Saving = 0.0
    """Seconds between checkpoints. 0 saves after each learning phase. The last phase is always saved, unless the
    process is killed. If a save takes more than a tenth of them, the next one is later."""
    keep: Keep = None
    """Minutes of training between the networks to keep. Each is a player, named RUN@MINUTES. By default only the last
    is kept."""
    network: str = "c"
    """An architecture, such as c:filters=32 or fcn, or a file of your own."""
    heuristic: str = "classic"
    """What finished matches are worth, such as additive_depth; see `athenan games GAME`."""
    threads: Threads = field(default_factory=available_cores)
    """Threads of the networks on a CPU."""
    seed: Seed = 0
    """Seed of all random numbers."""
    initial: str | None = None
    """The run whose network's weights the training began with, or athenan@DIGEST, a network of the package; none:
    random weights. It is read at the beginning only: a resumed training does not need it."""

    @property
    def is_open_ended(self) -> bool:
        """Whether nothing says how long the training is."""
        return self.minutes is None and self.matches is None

    def until_kept(self, seconds: float) -> float:
        """Seconds until the next network is kept, after `seconds` of training; infinite if networks are not kept."""
        if self.keep is None:
            return math.inf
        interval = 60 * self.keep
        return interval - seconds % interval


def settings_of(configuration: Mapping[str, Any]) -> RunSettings:
    """The run settings in the saved configuration of a training. Raises ValueError if they are not valid."""
    settings: RunSettings = from_json(RunSettings, configuration.get("run"))
    return settings
