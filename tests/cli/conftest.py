"""What tests of the command share."""

import pytest
from small_trainings import quiet, small

from athenan.learning.training import train


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """The directory of a little training."""
    return str(train(small("tictactoe", matches=3), tmp_path_factory.mktemp("runs") / "little", quiet()))
