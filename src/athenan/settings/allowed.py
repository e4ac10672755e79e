"""The values that a setting may have, by its annotation."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from athenan.settings.words import number, shown, written


@dataclass(frozen=True)
class Between:
    """The least and the greatest value of a setting that is a number, or of both numbers of WIDTHxHEIGHT."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"from {number(self.least)} to {number(self.most)}"


Seconds = Annotated[float, Between(1e-5, 10**9)]
"""The seconds of a search or a measurement."""
Count = Annotated[int, Between(1, 10**12)]
"""A number of matches, iterations or evaluations."""
MOST_THREADS = 1024
Threads = Annotated[int, Between(1, MOST_THREADS)]
Seed = Annotated[int, Between(0, 2**63 - 1)]
Mebibytes = Annotated[int, Between(1, 2**24)]

SIZE, _NAMES = tuple[int, int], frozenset[str]
_WORDS = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a text", NoneType: "none",
    SIZE: "a number or WIDTHxHEIGHT", _NAMES: "names with + between",
}  # fmt: skip
"""The types of settings that can be written as text, in words."""
_UNREAD = object()


def _read_number(text: str) -> Any:
    fits = re.fullmatch(r"-?([0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})(e[+-]?[0-9]{1,3})?", text.lower())
    return float(text) if fits and math.isfinite(float(text)) else _UNREAD


def _read_size(text: str) -> Any:
    match = re.fullmatch(r"([0-9]{1,4})(?:x([0-9]{1,4}))?", text.lower())
    return (int(match[1]), int(match[2] or match[1])) if match else _UNREAD


_READERS: dict[Any, Callable[[str], Any]] = {
    bool: lambda text: {"true": True, "false": False}.get(text.lower(), _UNREAD),
    int: lambda text: int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else _UNREAD,
    float: _read_number,
    str: str,
    Path: lambda text: Path(text) if text else _UNREAD,
    NoneType: lambda text: None if text.lower() == "none" else _UNREAD,
    SIZE: _read_size,
    _NAMES: lambda text: frozenset(filter(None, text.lower().split("+"))),
}
"""Read text as a value of a type, without checking bounds; _UNREAD if the text is no such value."""


@dataclass(frozen=True)
class _Kind:
    """One type that a setting may have, with the bounds of its numbers."""

    type: Any
    between: Between | None = None
    count: int = 0
    """How many numbers a tuple has; 0 for any number of values."""

    def __str__(self) -> str:
        numbers = f"{self.count} numbers" if self.count else "numbers"
        names = _WORDS | {tuple: numbers, Path: "a path"}
        words = names.get(self.type, getattr(self.type, "__name__", ""))
        return f"{words} {self.between}" if self.between else words

    def fits(self, value: Any) -> bool:
        """Whether a value is of the type, without checking bounds. A whole number is a number; NaN is not."""
        if self.type == SIZE:
            return type(value) is tuple and [type(number) for number in value] == [int, int]
        if self.type == _NAMES:
            return type(value) is frozenset and all(type(name) is str for name in value)
        if self.type is float:
            return type(value) is int or (type(value) is float and not math.isnan(value))
        return type(value) is self.type if self.type in _WORDS else isinstance(value, self.type)

    def holds(self, value: Any) -> bool:
        """Whether a value is of the type and within the bounds."""
        if not self.fits(value) or self.between is None:
            return self.fits(value)
        numbers = value if type(value) is tuple else (value,)
        return all(self.between.least <= number <= self.between.most for number in numbers)

    def read(self, text: str) -> Any:
        """Reads text as a value of the type, without checking bounds; _UNREAD if it is no such value."""
        return _READERS[self.type](text)


@dataclass(frozen=True)
class _Choice:
    """One value that a setting may have."""

    value: Any

    def __str__(self) -> str:
        return written(self.value)

    def fits(self, value: Any) -> bool:
        return type(value) is type(self.value) and bool(value == self.value)

    holds = fits

    def read(self, text: str) -> Any:
        return self.value if text.lower() == str(self).lower() else _UNREAD


@dataclass(frozen=True)
class Allowed:
    """The allowed values of a setting: one of some values, or any of some types."""

    ways: tuple[_Choice | _Kind, ...]

    def __str__(self) -> str:
        words = [str(way) for way in self.ways]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    @property
    def types(self) -> list[Any]:
        """The types among the ways."""
        return [way.type for way in self.ways if isinstance(way, _Kind)]

    def holds(self, value: Any) -> bool:
        """Whether the setting may have this value."""
        return any(way.holds(value) for way in self.ways)

    def without_none(self) -> "Allowed":
        """The allowed values except none, which an option expresses by being left out."""
        return Allowed(tuple(way for way in self.ways if not (isinstance(way, _Kind) and way.type is NoneType)))

    def refusal(self, name: str, value: Any, given: str) -> str:
        """The message for a value that the setting may not have; `given` is its text."""
        fitting = [way for way in self.ways if way.fits(value)]
        bounds = fitting[0].between if fitting and isinstance(fitting[0], _Kind) else None
        return f"{name} must be {bounds if bounds and len(self.ways) == 1 else self}, not {given}"

    def written_as(self, name: str) -> str:
        """How the setting is written, such as `swap=true or swap=false`; VALUE stands for any of many values."""
        few = ["true", "false"] if self.types == [bool] else [] if self.types else [str(way) for way in self.ways]
        return " or ".join(f"{name}={value}" for value in few or ["VALUE"])

    def read(self, name: str, text: str) -> Any:
        """Reads the text as a value. Raises ValueError if the setting may not have it."""
        values = [value for way in self.ways if (value := way.read(text)) is not _UNREAD]
        for value in values:
            if self.holds(value):
                return value
        numeric = re.fullmatch(r"-?[0-9.x]{1,20}", text)
        raise ValueError(self.refusal(name, values[0] if values else text, text if numeric else shown(text)))


def allowed(annotation: Any) -> Allowed:
    """The allowed values of a setting, by its annotation. Raises TypeError for an annotation that is not supported."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        bounds = next((note for note in parts[1:] if isinstance(note, Between)), None)
        inner = allowed(parts[0])
        return Allowed(tuple(_bounded(way, bounds) for way in inner.ways)) if bounds else inner
    if origin in (Union, UnionType):  # none before texts, which could be read as "none"
        ways = [way for part in parts for way in allowed(part).ways]
        return Allowed(tuple(sorted(ways, key=lambda way: isinstance(way, _Kind) and way.type is str)))
    if origin is Literal:
        return Allowed(tuple(map(_Choice, parts)))
    if annotation is None or isinstance(annotation, type) or annotation in _WORDS:
        return Allowed((_Kind(NoneType if annotation is None else annotation),))
    if origin is tuple:  # not written as text
        return Allowed((_Kind(tuple, count=0 if Ellipsis in parts else len(parts)),))
    raise TypeError(f"a setting cannot be of the type {annotation!r}")


def _bounded(way: _Choice | _Kind, bounds: Between) -> _Choice | _Kind:
    numbers = isinstance(way, _Kind) and way.type in (int, float, SIZE)
    return _Kind(way.type, bounds) if numbers and isinstance(way, _Kind) else way


def check(settings: Any) -> None:
    """Raises ValueError, beginning with the setting's name, unless all settings of a dataclass have allowed values."""
    for name, may_be in _allowed_of(settings.__class__).items():
        if not may_be.holds(value := getattr(settings, name)):
            raise ValueError(may_be.refusal(name, value, shown(value)))


class Checked:
    """A base class of dataclasses, which checks the settings of each new one (`check`)."""

    def __post_init__(self) -> None:
        check(self)


@cache  # reading annotations takes longer than checking values
def _allowed_of(kind: type) -> dict[str, Allowed]:
    return {one.name: allowed(get_type_hints(kind, include_extras=True)[one.name]) for one in fields(kind)}


def check_value(name: str, annotation: Any, value: Any) -> None:
    """Raises ValueError, beginning with the setting's name, unless the annotation allows the value."""
    may_be = allowed(annotation)
    if not may_be.holds(value):
        given = written(value) if _Kind(SIZE).fits(value) else shown(value)
        raise ValueError(may_be.refusal(name, value, given))


def has_text(annotation: Any) -> bool:
    """Whether values of this annotation can be written as text."""
    try:
        return all(isinstance(way, _Choice) or way.type in _WORDS for way in allowed(annotation).ways)
    except TypeError:
        return False
