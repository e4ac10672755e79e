"""Components from JSON."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

from athenan.settings.allowed import SIZE, Allowed, allowed, check_value
from athenan.settings.words import shown


def from_json(kind: Any, data: Any) -> Any:
    """Makes the dataclass from the data that `dataclasses.asdict` made. Raises ValueError if the data is not valid.

    JSON has no tuples: a list becomes a tuple if the setting may be one. Every value is checked, even if the dataclass
    does not check its values itself.
    """
    return kind(**values_from_json(kind, data))


def values_from_json(kind: Any, data: Any) -> dict[str, Any]:
    """The values of the fields that the data has, without making the dataclass. Raises ValueError as `from_json`."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{kind.__name__} must be an object, not {shown(data)}")
    hints, known = get_type_hints(kind, include_extras=True), {field.name: field for field in fields(kind)}
    if unknown := sorted(set(data) - set(known), key=str):
        raise ValueError(f"there is no setting {shown(unknown[0])}; settings are {', '.join(sorted(known))}")
    for name, field in known.items():
        if name not in data and field.default is MISSING and field.default_factory is MISSING:
            raise ValueError(f"{kind.__name__} lacks the setting {name}")
    values = {}
    for name in (name for name in known if name in data):
        values[name] = _from_json(allowed(hints[name]), data[name])
        check_value(name, hints[name], values[name])
    return values


def _from_json(may_be: Allowed, value: Any) -> Any:
    types = may_be.types
    inner = next((kind for kind in types if is_dataclass(kind)), None)
    if inner and isinstance(value, Mapping):
        return from_json(inner, value)
    return tuple(value) if isinstance(value, list) and SIZE in types else value
