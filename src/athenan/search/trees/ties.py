"""The best of the edges of a node, where ties are broken at random (003, Remarks 11 and 14)."""

from athenan.rules.compiler import Helper, inlined
from athenan.rules.randomness import random_below
from athenan.rules.state import sign


def best_by(score: Helper) -> Helper:
    """Makes the helper `best(node, edges, width, constants, random)` of `score(node, edge, side, width, constants)`.

    It gives the position of the edge with the greatest score, a number or a tuple of numbers. Ties are broken with one
    random number. `side` is the sign of the side to move. `width` is the same for all edges and computed once.
    """

    @inlined
    def best(node, edges, width, constants, random):
        side = sign(node.player)
        best, ties, greatest = 0, 1, score(node, edges[0], side, width, constants)
        for position in range(1, len(edges)):
            found = score(node, edges[position], side, width, constants)
            if found > greatest:
                best, ties, greatest = position, 1, found
            elif found == greatest:
                ties += 1
        others = random_below(random, 0, ties) if ties > 1 else 0
        for position in range(best + 1, len(edges)):
            if others == 0:
                break
            if score(node, edges[position], side, width, constants) == greatest:
                best = position
                others -= 1
        return best

    return best
