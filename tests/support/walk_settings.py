"""Settings of searches by the walk."""

from typing import Any

from athenan.search.named import SEARCHES
from athenan.search.settings import WalkSettings


def walk_settings(name: str, **values: Any) -> WalkSettings:
    """The settings of the search of this name, with these values."""
    settings = SEARCHES[name](**values)
    assert isinstance(settings, WalkSettings)
    return settings
