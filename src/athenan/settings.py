"""Settings: what may be chosen of a component, checked in one place, and read from text or JSON in one way.

The settings of a component are the fields of a frozen dataclass, or the parameters of the function that makes it. Their
annotations say what they may be: `int`, `Literal["add", "none"]`, `Annotated[float, Between(0, 1)]`, `... | None`.

As text a component is written NAME, NAME:VALUE, or NAME:VALUE,SETTING=VALUE,... where VALUE is that of the first
setting: games (hex:11,swap=false), networks (c:filters=32) and players (mcts:1000) all are.

    >>> def make(size: int = 11, *, swap: bool = True) -> None: ...
    >>> name, values = split("hex:5,swap=false")
    >>> read(make, values)
    {'size': 5, 'swap': False}
    >>> write("hex", make, {"size": 5}), write("hex", make, {"swap": False})
    ('hex:5', 'hex:11,swap=false')
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Values = Sequence[tuple[str | None, str]]
"""Settings as they are written: the name, None if none is given, and the value."""


@dataclass(frozen=True)
class Between:
    """The least and the greatest value of a setting that is a number."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"from {_number(self.least)} to {_number(self.most)}"


Count = Annotated[int, Between(1, 10**12)]
"""Of matches, iterations, evaluations."""
Threads = Annotated[int, Between(1, 1024)]
Seed = Annotated[int, Between(0, 2**63 - 1)]
Mebibytes = Annotated[int, Between(1, 2**24)]


@dataclass(frozen=True)
class _Allowed:
    """What a setting may be: of some types, with bounds of numbers, or one of some values."""

    types: tuple[Any, ...]
    choices: tuple[Any, ...] = ()
    between: Between | None = None

    def __str__(self) -> str:
        words = [*map(str, self.choices), *(self._word(kind) for kind in self.types if kind is not NoneType)]
        if words in ([f"a whole number {self.between}"], [f"a number {self.between}"]):
            return str(self.between)
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def _word(self, kind: Any) -> str:
        bounded = self.between and kind in (int, float, tuple)
        return _WORDS.get(kind, "a text") + (f" {self.between}" if bounded else "")

    def holds(self, value: Any) -> bool:
        """Whether the setting may have this value; a whole number is a number."""
        if any(type(value) is type(choice) and value == choice for choice in self.choices):
            return True
        if type(value) is int and float in self.types and int not in self.types:
            value = float(value)
        if not any(_is_a(value, kind) for kind in self.types):
            return False
        numbers = value if type(value) is tuple else [value] if type(value) in (int, float) else []
        return self.between is None or all(self.between.least <= number <= self.between.most for number in numbers)


_WORDS = {
    bool: "true or false", int: "a whole number", float: "a number", tuple: "a number or WIDTHxHEIGHT",
    frozenset: "names with + between",
}  # fmt: skip


def _is_a(value: Any, kind: Any) -> bool:
    if kind is float:
        return type(value) is float and value == value  # noqa: PLR0124 - no NaN
    return type(value) is kind if kind in (bool, int, NoneType) else isinstance(value, kind)


def allowed(annotation: Any) -> _Allowed:
    """What a setting may be, by its annotation. Raises TypeError for an annotation that none can have."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *notes = get_args(annotation)
        found, bounds = allowed(inner), [note for note in notes if isinstance(note, Between)]
        return _Allowed(found.types, found.choices, bounds[0]) if bounds else found
    if origin in (Union, UnionType):
        parts = [allowed(part) for part in get_args(annotation)]
        return _Allowed(
            tuple(kind for part in parts for kind in part.types),
            tuple(choice for part in parts for choice in part.choices),
            next((part.between for part in parts if part.between), None),
        )
    if origin is Literal:
        return _Allowed((), get_args(annotation))
    kind = origin or annotation
    if isinstance(kind, type):
        return _Allowed((kind,))
    raise TypeError(f"a setting cannot be of the type {annotation!r}")


def check(settings: Any) -> None:
    """Raises ValueError, beginning with the setting's name, unless all settings of a dataclass are what they may be."""
    for name, annotation in get_type_hints(type(settings), include_extras=True).items():
        check_value(name, annotation, getattr(settings, name))


def check_value(name: str, annotation: Any, value: Any) -> None:
    """Raises ValueError, beginning with the setting's name, unless a setting of this annotation may have the value."""
    may_be = allowed(annotation)
    if not may_be.holds(value):
        raise ValueError(f"{name} must be {may_be}, not {shown(value)}")


def shown(value: Any) -> str:
    """A value in an error message, shortened."""
    return repr(value)[:60] if isinstance(value, str) else str(value)[:60]


def from_json(kind: Any, data: Any) -> Any:
    """The settings that `dataclasses.asdict` made the data of; what is not in the data has its default.

    Every value is checked, whether the dataclass does so itself or not. Raises ValueError if it is no such data.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{kind.__name__} must be an object, not {shown(data)}")
    hints, known = get_type_hints(kind, include_extras=True), {field.name for field in fields(kind)}
    if unknown := sorted(set(data) - known, key=str):
        raise ValueError(f"there is no setting {shown(unknown[0])}; settings are {', '.join(sorted(known))}")
    values = {}
    for name, value in data.items():
        values[name] = from_json(hints[name], value) if is_dataclass(hints[name]) else value
        check_value(name, hints[name], values[name])
    return kind(**values)


def split(text: str) -> tuple[str, Values]:
    """The name and the settings in NAME:VALUE,SETTING=VALUE,...; a name that is a path ends with its last colon."""
    name, _, rest = text.strip().partition(":")
    return name.strip(), split_settings(rest)


def split_settings(text: str) -> Values:
    """The settings in VALUE,SETTING=VALUE,..."""
    values: list[tuple[str | None, str]] = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        key, equals, value = part.partition("=")
        values.append((key.strip().lower(), value.strip()) if equals else (None, part))
    return values


def annotations(of: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of the parameters of a function, or of the fields of a dataclass, by name."""
    hints = get_type_hints(of, include_extras=True)
    return {name: hints.get(name, str) for name in inspect.signature(of).parameters}


def read(of: Callable[..., Any], values: Values) -> dict[str, Any]:
    """Written settings of a function or dataclass as values by name; its own checks come when it is called.

    Raises ValueError, saying what would be right, for a setting that there is not, or one that cannot be read.
    """
    known, found = annotations(of), dict[str, Any]()
    main = next(iter(known), None)
    for position, (key, text) in enumerate(values):
        name = main if key is None and position == 0 else key
        if name not in known:
            raise ValueError(f"no option {key or text!r}; its options are {', '.join(known) or 'none'}")
        if name in found:
            raise ValueError(f"option {name} is given twice")
        found[name] = value_of(name, known[name], text)
    return found


def value_of(name: str, annotation: Any, text: str) -> Any:
    """The value of a setting that is written so. Raises ValueError if it may not have such a value."""
    may_be = allowed(annotation)
    for choice in may_be.choices:
        if text.lower() == str(choice).lower():
            return choice
    for kind in may_be.types:
        value = _read_as(kind, text)
        if value is not None and may_be.holds(value):
            return value
    raise ValueError(f"{name} must be {may_be}, not {text if _is_number(text) else shown(text)}")


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[\d.x]{1,20}", text) is not None


def _read_as(kind: Any, text: str) -> Any:
    """Text as a value of a type; None if it is not written so."""
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower())
    if kind is int:
        return int(text) if re.fullmatch(r"-?\d{1,18}", text) else None
    if kind is float:
        return float(text) if re.fullmatch(r"-?(\d{1,18}(\.\d{0,18})?|\.\d{1,18})(e-?\d{1,2})?", text.lower()) else None
    if kind is tuple:
        match = re.fullmatch(r"(\d{1,4})(?:x(\d{1,4}))?", text.lower())
        return match and (int(match[1]), int(match[2] or match[1]))
    if kind is frozenset:
        return frozenset(filter(None, text.lower().split("+")))
    return text if kind is str else None


def write(name: str, of: Callable[..., Any], values: Mapping[str, Any]) -> str:
    """The canonical text of a component: the same settings are always written the same.

    Settings at their defaults are left out, but for those that can be given to `of` by position.
    """
    parts = []
    for number, (key, parameter) in enumerate(inspect.signature(of).parameters.items()):
        value = values.get(key, parameter.default)
        if value != parameter.default or parameter.kind is not parameter.KEYWORD_ONLY:
            parts.append(_written(value) if number == 0 else f"{key}={_written(value)}")
    return name + (":" if parts else "") + ",".join(parts)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value or 0:.15g}"
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return "+".join(sorted(value)) if isinstance(value, frozenset) else str(value)


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
