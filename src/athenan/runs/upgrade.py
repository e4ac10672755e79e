"""Converts checkpoints of older format versions to the present one.

Version 1: only the settings of search and replay were nested, exploitation was a text, and a measurement of strength
was called evaluation.

In older runs of Arimaa its heuristic was called score.
"""

from collections.abc import Mapping
from typing import Any

_COMPONENTS = {
    "run": ("game", "minutes", "matches", "network", "heuristic", "threads", "seed"),
    "action": ("seconds", "iterations", "evaluations"),
    "playing": (
        "selection", "exploitation", "completed_selection", "parallel_matches", "actors", "borrowing", "memory",
        "precision",
    ),
    "learning": ("learning_rate", "averaging", "l2", "overlap", "device", "learning_precision"),
    "strength": ("evaluation_opponent", "evaluation_games", "evaluation_seconds"),
}  # fmt: skip
"""The settings of version 1, by their present components; `search` and `replay` were components."""


def upgraded(document: dict[str, Any], version: int) -> dict[str, Any]:
    """Converts the document of a checkpoint of a version to the present one; damaged parts stay as they are."""
    document = dict(document)
    if version == 1:
        for part, upgrade in (("configuration", _configuration), ("progress", _progress)):
            if isinstance(document.get(part), Mapping):
                document[part] = upgrade(document[part])
    configuration = document.get("configuration")
    if isinstance(configuration, Mapping) and isinstance(run := configuration.get("run"), Mapping):
        document["configuration"] = {**configuration, "run": {**run, **_heuristic(run)}}
    return document


def _heuristic(run: Mapping[str, Any]) -> dict[str, Any]:
    """What is called otherwise now in the settings of a run."""
    arimaa = isinstance(game := run.get("game"), str) and game.partition(":")[0] == "arimaa"
    return {"heuristic": "arimaa"} if arimaa and run.get("heuristic") == "score" else {}


def _configuration(flat: Mapping[str, Any]) -> dict[str, Any]:
    nested = dict(flat)
    for component, names in _COMPONENTS.items():
        given = {name.removeprefix("evaluation_"): nested.pop(name) for name in names if name in nested}
        if component == "playing" and isinstance(given.get("exploitation"), str):
            given["exploitation"] = _exploitation(given["exploitation"])
        nested[component] = given
    return nested


def _exploitation(text: str) -> str | float:
    """A number that was written as text; other text as it is."""
    try:
        return float(text)
    except ValueError:
        return text


def _progress(former: Mapping[str, Any]) -> dict[str, Any]:
    progress = dict(former)
    measured = progress["measurement"] = progress.pop("evaluation", None)
    if isinstance(measured, Mapping):
        progress["measurement"] = {"matches" if name == "match" else name: value for name, value in measured.items()}
    return progress
