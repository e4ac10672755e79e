"""The options of UCI for weaker play: Skill Level, and a rating if the levels of the player have been measured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from athenan.engines.engine import Engine
from athenan.engines.numbers import whole
from athenan.play.levels import LEVELS, LevelName

NAMES = "skill level", "uci_limitstrength", "uci_elo"
"""The options, in lower case."""
_NAMES: tuple[LevelName, ...] = tuple(LEVELS)
_MOST = len(LEVELS) - 1
_MOST_ELO = 10_000


@dataclass(frozen=True)
class AskedStrength:
    """What a program has asked for."""

    skill: int
    """Skill Level: the number of a level, 0 for the weakest."""
    limited: bool = False
    """UCI_LimitStrength: whether `elo` chooses the level, not `skill`."""
    elo: int | None = None
    """UCI_Elo; None: not set."""


def present(engine: Engine) -> AskedStrength:
    """The strength of the engine before a program asks for another."""
    return AskedStrength(_MOST if engine.level is None else _NAMES.index(engine.level))


def options(engine: Engine) -> list[str]:
    """The lines that declare the options which the engine's player has."""
    if engine.player.levels is None:
        return []
    lines = [f"option name Skill Level type spin default {present(engine).skill} min 0 max {_MOST}"]
    if ratings := _ratings(engine):
        least, most = min(ratings.values()), max(ratings.values())
        lines.append("option name UCI_LimitStrength type check default false")
        lines.append(f"option name UCI_Elo type spin default {most} min {least} max {most}")
    return lines


def changed(engine: Engine, asked: AskedStrength, name: str, value: str) -> AskedStrength:
    """The requests after an option is set, which the engine then follows. Raises ValueError for an impossible value."""
    if name == "uci_limitstrength":
        if value.lower() not in ("true", "false"):
            raise ValueError(f"UCI_LimitStrength must be true or false, not {value[:40]!r}")
        asked = replace(asked, limited=value.lower() == "true")
    elif name == "uci_elo":
        asked = replace(asked, elo=whole(name, value, _MOST_ELO, least=-_MOST_ELO))
    else:
        asked = replace(asked, skill=whole(name, value, _MOST))
    engine.play_at(_level(engine, asked))
    return asked


def _ratings(engine: Engine) -> Mapping[LevelName, int]:
    """The measured ratings of the levels; empty if there are fewer than two to choose between."""
    levels = engine.player.levels
    return levels.ratings if levels and len(levels.ratings) > 1 else {}


def _level(engine: Engine, asked: AskedStrength) -> LevelName:
    """The level whose rating is nearest, or the one of the skill."""
    if not asked.limited:
        return _NAMES[asked.skill]
    if not (ratings := _ratings(engine)):
        raise ValueError(f"the levels of {engine.player.name} have not been measured: set Skill Level")
    wanted = max(ratings.values()) if asked.elo is None else asked.elo
    return min(ratings, key=lambda one: abs(ratings[one] - wanted))
