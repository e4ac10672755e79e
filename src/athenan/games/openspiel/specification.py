"""Reads names of OpenSpiel's games with parameters, and finds out which can be played here."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from athenan.rules.game import GameError
from athenan.settings import parts

_PATIENCE = 60.0
"""Seconds until a trial is given up."""
_LONGEST = 500
_TEXT = re.compile(r"[\w.;+\-=,()]*", re.ASCII)
_NAMED = re.compile(r"(\w+)(?:\((.*)\))?", re.ASCII)
_PARAMETER = re.compile(r"(\w+)=[^=,()]*(?:\(.*\))?", re.ASCII)


@dataclass(frozen=True)
class Trial:
    """Measurements of random matches of a game."""

    length: float
    """The mean number of actions, including events of chance."""
    most_actions: int
    """The largest number of legal actions of a state."""
    largest: float
    """The largest absolute value in the observations."""
    whole: bool
    """Whether all numbers in the observations were whole."""


def load(text: str) -> tuple[Any, Trial]:
    """The game that a text such as "hex(board_size=5)" names in OpenSpiel, and a trial of it.

    Raises GameError if OpenSpiel is not installed, if it has no such game or parameter, if the game is not a game of
    perfect information for two players in turn, or if it fails in the trial.
    """
    try:
        import pyspiel
    except ImportError:
        raise GameError("OpenSpiel is not installed: pip install 'athenan[openspiel]'") from None
    _check_text(text, pyspiel)
    trial = _tried(text)
    game = pyspiel.load_game(text)
    _check_kind(game.get_type(), game.num_players(), pyspiel.GameType)
    return game, trial


def _check_text(text: str, pyspiel: Any) -> None:
    """Raises GameError unless a text names a game of OpenSpiel and parameters of this game."""
    named = _NAMED.fullmatch(text)
    if len(text) > _LONGEST or not _TEXT.fullmatch(text) or named is None:
        raise GameError(f"{text[:60]!r} is not a game of OpenSpiel: write NAME or NAME(PARAMETER=VALUE,...)")
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if named[1] not in kinds:
        raise GameError(f"OpenSpiel has no game {named[1]!r}; pyspiel.registered_names() lists its games")
    known = sorted(kinds[named[1]].parameter_specification)
    for part in filter(None, parts(named[2] or "")):
        parameter = _PARAMETER.fullmatch(part)
        if parameter is None or parameter[1] not in known:
            there = f"its parameters are {', '.join(known)}" if known else "it has none"
            raise GameError(f"OpenSpiel's {named[1]} has no parameter {part[:60]!r}; {there}")


def _check_kind(kind: Any, players: int, of: Any) -> None:
    """Raises GameError unless a game has perfect information and two players in turn."""
    wanted = {
        "two players": players == 2,
        "perfect information": kind.information == of.Information.PERFECT_INFORMATION,
        "players who move in turn": kind.dynamics == of.Dynamics.SEQUENTIAL,
        "opposite interests": kind.utility == of.Utility.ZERO_SUM,
        "explicit chance": kind.chance_mode != of.ChanceMode.SAMPLED_STOCHASTIC,
        "observations as a tensor": kind.provides_observation_tensor,
    }
    if missing := [what for what, there in wanted.items() if not there]:
        raise GameError(f"OpenSpiel's {kind.short_name} cannot be played here: it lacks {', '.join(missing)}")


@cache
def _tried(text: str) -> Trial:
    """Tries random matches in a separate process. Raises GameError if they fail."""
    try:
        ran = subprocess.run(
            [sys.executable, Path(__file__).with_name("trial.py"), text],
            capture_output=True, text=True, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise GameError(f"OpenSpiel did not finish a match of {text} within {_PATIENCE:g} s") from None
    try:
        found = json.loads(ran.stdout.splitlines()[-1])
        if "error" in found:
            raise GameError(f"OpenSpiel refuses {text}: {found['error']}")
        return Trial(**found)
    except (IndexError, ValueError) as error:
        if isinstance(error, GameError):
            raise
        raise GameError(f"OpenSpiel's process ended with status {ran.returncode} in a match of {text}") from None
