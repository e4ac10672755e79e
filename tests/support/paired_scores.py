"""Scores of pairs of matches, of several kinds of dependence."""

import numpy as np


def pairs_of_kind(kind: str, probability: float, shape: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    """Pair scores, [repetitions, pairs], of two games each."""
    wins = (random.random((*shape, 2)) < probability).astype(float)
    if kind == "draws":
        wins = np.where(random.random((*shape, 2)) < 0.5, 0.5, wins)
    decided = random.random(shape) < 0.6
    if kind == "opening decides":
        return np.where(decided, 0.5, wins.mean(axis=2))
    if kind == "alike":
        return np.where(decided, wins[..., 0], wins.mean(axis=2))
    return wins.mean(axis=2)
