"""The fingerprint of the searches: what trees they grow under a seed, with an evaluation that is no network.

A change that is not meant to change the search leaves `data/fingerprint.json` as it is; one that is writes it anew,
with `PYTHONPATH=tests/support python tests/search/test_fingerprint.py`, and says so.
"""

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluators import hash_values, of_values

from athenan import Budget, Search, make
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.settings import WalkSettings

FINGERPRINTS = Path(__file__).parents[1] / "data" / "fingerprint.json"
GAMES = ["amazons:6", "breakthrough:5x5", "connect_four", "go:5", "hex:5", "othello:6", "tictactoe"]
SETTINGS = {
    "descent": Descent(),
    "descent without completion": Descent(completion=False),
    "ubfm": Ubfm(),
    "ubfm with four leaves": Ubfm(leaves=4),
    "ubfm without transpositions": Ubfm(transpositions=False),
}
evaluate = of_values(partial(hash_values, levels=2001, power=1))


def fingerprint(game: str, settings: WalkSettings) -> dict[str, Any]:
    """Two searches of a match: the numbers of nodes and edges, and a digest of all values."""
    search = Search(make(game), evaluate, settings=settings, seed=5)
    search.reset(search.game.initial())
    for _ in range(2):
        search.run(Budget(iterations=150))
        search.play(int(search.root().actions[0]))
    nodes = search.forest.nodes[0, : search.forest.slots[0]["nodes"]]
    edges = search.forest.edges[0, : search.forest.slots[0]["edges"]]
    digest = hashlib.sha256()
    for name in ("player", "visits", "value", "completion", "resolution"):
        digest.update(np.ascontiguousarray(nodes[name]).tobytes())
    for name in ("action", "visits", "value", "completion", "resolution"):
        digest.update(np.ascontiguousarray(edges[name]).tobytes())
    return {"nodes": len(nodes), "edges": len(edges), "digest": digest.hexdigest()[:16]}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("game", GAMES)
def test_searches_make_the_recorded_trees(game: str, settings: str) -> None:
    assert fingerprint(game, SETTINGS[settings]) == json.loads(FINGERPRINTS.read_text())[f"{game} {settings}"]


if __name__ == "__main__":
    found = {f"{game} {name}": fingerprint(game, settings) for game in GAMES for name, settings in SETTINGS.items()}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    FINGERPRINTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
