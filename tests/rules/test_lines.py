"""Features of line games, and the actions that are forced there, against plain Python."""

import numpy as np
import pytest
from support.line_threats import features_of

from athenan import make
from athenan.rules.features import with_features
from athenan.rules.playouts import encoded_states, random_states


@pytest.mark.parametrize("name", ["gomoku:9", "gomoku:15", "gomoku:7,exact=true", "connect6:9", "connect6:19"])
def test_features_are_those_of_plain_python(name):
    game = make(name)
    planes = encoded_states(game, random_states(game, 120, seed=1))
    whole = with_features(game, planes).reshape(len(planes), -1, *game.planes[1:])
    own = game.planes[0]
    for one in whole:
        assert (one[own:] == one[own:, :1, :1]).all()
        assert np.array_equal(one[own:, 0, 0], features_of(one[:own], game.ruleset.lines))
    assert whole[:, own:].any(axis=(0, 2, 3)).sum() >= 4
