"""What an exact solver knows about a root, and the root's node with that knowledge."""

from dataclasses import dataclass, replace

import numpy as np

from athenan.search.trees.node import Node


@dataclass(frozen=True)
class Knowledge:
    """Bounds of a root's value under perfect play, first player's point of view."""

    lower: int
    upper: int
    action: int | None = None
    """The action that secures the bound of the side to move; None: nothing is secured."""

    @property
    def solved(self) -> bool:
        """Whether the value is known, and an action that has it."""
        return self.lower == self.upper and self.action is not None

    def narrowed(self, threshold: int, found: int, action: int, side: int) -> "Knowledge":
        """The knowledge after a search that compared the value with a threshold and found a bound of it.

        The action is the best one that was found; it secures the bound if that is the one of the side to move.
        """
        above = found > threshold
        lower, upper = (max(self.lower, found), self.upper) if above else (self.lower, min(self.upper, found))
        return Knowledge(lower, upper, action if above == (side > 0) else self.action)

    def shown(self, node: Node, values: bool) -> Node:
        """The node of the root with all that is known.

        Without `values` the bounds are gains and the tree's values are something else: only who wins is taken over,
        except for a draw, which is worth 0 under every heuristic.
        """
        side = node.sign
        worst, best = (self.lower, self.upper) if side > 0 else (-self.upper, -self.lower)  # for the side to move
        secured = node.actions == (-1 if self.action is None else self.action)
        drawn = self.solved and worst == 0
        own, gains = side * node.values.astype(np.float64), side * node.completions.astype(np.int64)
        if values or drawn:
            own[secured] = np.clip(own[secured], worst, best)
            own[~secured] = np.minimum(own[~secured], np.nextafter(np.float32(best), np.float32(-np.inf)))
        gains[secured & (np.sign(worst) > gains)] = 1 if worst > 0 else 0
        if best < 0:
            gains[:] = -1
        resolutions = node.resolutions.copy()
        if self.solved:  # of the others only bounds are known, though it may be proven who wins
            resolutions[gains != 0] = 0
            resolutions[secured] = 1
        value = side * own.max() if values or drawn else node.value
        return replace(
            node, value=float(np.float32(value)), completion=int(side * gains.max()),
            resolution=int(node.resolution or self.solved), values=(side * own).astype(np.float32),
            completions=(side * gains).astype(np.int8), resolutions=resolutions,
        )  # fmt: skip
