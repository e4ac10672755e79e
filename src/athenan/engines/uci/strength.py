"""The options of UCI for weaker play: Skill Level, and a rating where the levels of the player have been measured."""

from dataclasses import dataclass, replace

from athenan.engines.engine import Engine
from athenan.play.levels import LEVELS, LevelName

NAMES = "skill level", "uci_limitstrength", "uci_elo"
"""The options, in lower case."""
_NAMES: tuple[LevelName, ...] = tuple(LEVELS)
_MOST = len(LEVELS) - 1


@dataclass(frozen=True)
class Strength:
    """What a program has asked for."""

    skill: int = _MOST
    """Skill Level: the number of a level, 0 for the weakest."""
    limited: bool = False
    """UCI_LimitStrength: whether `elo` chooses the level, not `skill`."""
    elo: int = 0
    """UCI_Elo; 0: not set."""


def options(engine: Engine) -> list[str]:
    """The lines that declare the options which the engine's player has."""
    if not engine.has_levels:
        return []
    lines = [f"option name Skill Level type spin default {_MOST} min 0 max {_MOST}"]
    if ratings := engine.player.ratings:
        least, most = min(ratings.values()), max(ratings.values())
        lines.append("option name UCI_LimitStrength type check default false")
        lines.append(f"option name UCI_Elo type spin default {most} min {least} max {most}")
    return lines


def changed(engine: Engine, asked: Strength, name: str, value: str) -> Strength:
    """What is asked for after an option is set; the engine plays so. Raises ValueError for a value that cannot be."""
    if name == "uci_limitstrength":
        if value.lower() not in ("true", "false"):
            raise ValueError(f"UCI_LimitStrength must be true or false, not {value[:40]!r}")
        asked = replace(asked, limited=value.lower() == "true")
    else:
        number = value.removeprefix("-")
        if not (number.isascii() and number.isdecimal() and len(number) < 6):
            raise ValueError(f"{name} must be a whole number, not {value[:40]!r}")
        asked = replace(asked, elo=int(value)) if name == "uci_elo" else replace(asked, skill=int(value))
    engine.play_at(_level(engine, asked))
    return asked


def _level(engine: Engine, asked: Strength) -> LevelName:
    """The level whose rating is nearest, or the one of the skill."""
    if not asked.limited:
        return _NAMES[max(0, min(asked.skill, _MOST))]
    if not (ratings := engine.player.ratings):
        raise ValueError(f"the levels of {engine.player.name} have not been measured: set Skill Level")
    wanted = asked.elo or max(ratings.values())
    return min(ratings, key=lambda one: abs(ratings[one] - wanted))
