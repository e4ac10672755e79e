"""What the tests of this room share."""

from pathlib import Path

import pytest
from shipped_network import shipped


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only network of the package, of `GAME`."""
    return shipped(tmp_path, monkeypatch)
