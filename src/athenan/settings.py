"""The settings of components: one place checks them and reads them from text or JSON.

The settings of a component are the fields of a frozen dataclass, or the parameters of the function that makes it. Their
annotations define the allowed values: `int`, `Literal["add", "none"]`, `Annotated[float, Between(0, 1)]`, `... | None`.

The text of a component is NAME, NAME:VALUE, or NAME:VALUE,SETTING=VALUE,... where VALUE sets the first setting. Games
(hex:11,swap=false), networks (c:filters=32) and players (mcts:1000) are written this way.

    >>> def make(size: int = 11, *, swap: bool = True) -> None: ...
    >>> name, values = split("hex:5,swap=false")
    >>> read(make, values)
    {'size': 5, 'swap': False}
    >>> write("hex", make, {"size": 5}), write("hex", make, {"swap": False})
    ('hex:5', 'hex:11,swap=false')
"""

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cache, partial
from reprlib import Repr
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Values = Sequence[tuple[str | None, str]]
"""Written settings: the name, None if none is given, and the text of the value."""


@dataclass(frozen=True)
class Between:
    """The least and the greatest value of a setting that is a number, or of both numbers of WIDTHxHEIGHT."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"from {_number(self.least)} to {_number(self.most)}"


Seconds = Annotated[float, Between(1e-5, 10**9)]
"""The seconds of a search or a measurement."""
Count = Annotated[int, Between(1, 10**12)]
"""A number of matches, iterations or evaluations."""
Threads = Annotated[int, Between(1, 1024)]
Seed = Annotated[int, Between(0, 2**63 - 1)]
Mebibytes = Annotated[int, Between(1, 2**24)]

_SIZE, _NAMES = tuple[int, int], frozenset[str]
_WORDS = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a text", NoneType: "none",
    _SIZE: "a number or WIDTHxHEIGHT", _NAMES: "names with + between",
}  # fmt: skip
"""The types of settings that can be written as text, in words."""
_UNREAD = object()


def _read_number(text: str) -> Any:
    number = re.fullmatch(r"-?([0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})(e[+-]?[0-9]{1,3})?", text.lower())
    return float(text) if number and math.isfinite(float(text)) else _UNREAD


def _read_size(text: str) -> Any:
    match = re.fullmatch(r"([0-9]{1,4})(?:x([0-9]{1,4}))?", text.lower())
    return (int(match[1]), int(match[2] or match[1])) if match else _UNREAD


_READERS: dict[Any, Callable[[str], Any]] = {
    bool: lambda text: {"true": True, "false": False}.get(text.lower(), _UNREAD),
    int: lambda text: int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else _UNREAD,
    float: _read_number,
    str: str,
    NoneType: lambda text: None if text.lower() == "none" else _UNREAD,
    _SIZE: _read_size,
    _NAMES: lambda text: frozenset(filter(None, text.lower().split("+"))),
}
"""Read text as a value of a type, without checking bounds; _UNREAD if the text is no such value."""


@dataclass(frozen=True)
class _Kind:
    """One type that a setting may have, with the bounds of its numbers."""

    type: Any
    between: Between | None = None

    def __str__(self) -> str:
        words = "numbers" if self.type is tuple else _WORDS.get(self.type, getattr(self.type, "__name__", ""))
        return f"{words} {self.between}" if self.between else words

    def fits(self, value: Any) -> bool:
        """Whether a value is of the type, without checking bounds. A whole number is a number; NaN is not."""
        if self.type == _SIZE:
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

    def read(self, name: str, text: str) -> Any:
        """Reads the text as a value. Raises ValueError if the setting may not have it."""
        values = [value for way in self.ways if (value := way.read(text)) is not _UNREAD]
        for value in values:
            if self.holds(value):
                return value
        number = re.fullmatch(r"-?[0-9.x]{1,20}", text)
        raise ValueError(self.refusal(name, values[0] if values else text, text if number else shown(text)))


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
    if origin is tuple:  # of any length; not written as text
        return Allowed((_Kind(tuple),))
    raise TypeError(f"a setting cannot be of the type {annotation!r}")


def _bounded(way: _Choice | _Kind, bounds: Between) -> _Choice | _Kind:
    numbers = isinstance(way, _Kind) and way.type in (int, float, _SIZE)
    return _Kind(way.type, bounds) if numbers and isinstance(way, _Kind) else way


def check(settings: Any) -> None:
    """Raises ValueError, beginning with the setting's name, unless all settings of a dataclass have allowed values."""
    for name, may_be in _allowed_of(settings.__class__).items():
        if not may_be.holds(value := getattr(settings, name)):
            raise ValueError(may_be.refusal(name, value, shown(value)))


@cache  # for reading annotations takes longer than checking values
def _allowed_of(kind: type) -> dict[str, Allowed]:
    return {one.name: allowed(get_type_hints(kind, include_extras=True)[one.name]) for one in fields(kind)}


def check_value(name: str, annotation: Any, value: Any) -> None:
    """Raises ValueError, beginning with the setting's name, unless the annotation allows the value."""
    may_be = allowed(annotation)
    if not may_be.holds(value):
        raise ValueError(may_be.refusal(name, value, shown(value)))


_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_LONGEST_SHOWN = 180


def shown(value: Any) -> str:
    """A value for an error message, shortened."""
    text = _SHORT.repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def one_line(error: Exception) -> str:
    """The text of an error on one line; its kind if it has none."""
    return " ".join(str(error).split()) or type(error).__name__


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The end of a message about an unknown name: the most similar known name, or `otherwise` if none is similar.

    >>> did_you_mean("conect4", ["connect_four", "connect6"]), did_you_mean("chess", ["hex"])
    (': did you mean connect_four?', '')
    """
    spoken = str.maketrans({"_": "", "4": "four", "6": "six"})  # Connect Four and Connect6 in any spelling
    names = {name.lower().translate(spoken): name for name in known}
    similar = get_close_matches(word.lower().translate(spoken), names, 1)
    if similar:
        return f": did you mean {names[similar[0]]}?"
    return f"; {otherwise}" if otherwise else ""


def from_json(kind: Any, data: Any) -> Any:
    """Makes the dataclass from the data that `dataclasses.asdict` made. Raises ValueError if the data is not valid.

    JSON has no tuples: a list becomes a tuple if the setting may be one. Every value is checked, even if the dataclass
    does not check its values itself.
    """
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
    return kind(**values)


def _from_json(may_be: Allowed, value: Any) -> Any:
    types = [way.type for way in may_be.ways if isinstance(way, _Kind)]
    inner = next((kind for kind in types if is_dataclass(kind)), None)
    if inner and isinstance(value, Mapping):
        return from_json(inner, value)
    return tuple(value) if isinstance(value, list) and _SIZE in types else value


def split(text: str) -> tuple[str, Values]:
    """The name and the settings in NAME:VALUE,SETTING=VALUE,.... The name may be a path, and has no colon."""
    name, _, rest = text.partition(":")
    return name.strip(), split_settings(rest)


def split_settings(text: str) -> Values:
    """The settings in VALUE,SETTING=VALUE,.... Commas and equals signs inside parentheses are part of a value."""
    return [_setting(part.strip()) for part in parts(text) if part.strip()]


def _setting(part: str) -> tuple[str | None, str]:
    """The name of one written setting, or None, and the text of its value."""
    key, equals, value = part.partition("=")
    return (key.strip().lower(), value.strip()) if equals and "(" not in key else (None, part)


def parts(text: str) -> list[str]:
    """The parts of a text between commas outside parentheses."""
    found, depth = [""], 0
    for character in text:
        depth = max(0, depth + (character == "(") - (character == ")"))
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return found


def annotations(of: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of the parameters of a function or class, or of the fields of a dataclass, by name.

    Arguments that `functools.partial` has given by position are left out. Raises TypeError if an annotation is missing
    or cannot be read.
    """
    source: Any = of.func if isinstance(of, partial) else of
    if isinstance(source, type) and not is_dataclass(source):
        source = source.__init__  # type: ignore[misc]  # its parameters are those of the class
    try:
        names, hints = list(inspect.signature(of).parameters), get_type_hints(source, include_extras=True)
    except NameError as error:
        raise TypeError(f"an annotation of {_name_of(of)} cannot be read: {error}") from None
    for name in names:
        if name not in hints:
            raise TypeError(f"{name} of {_name_of(of)} has no annotation, such as {name}: int")
    return {name: hints[name] for name in names}


def _name_of(of: Callable[..., Any]) -> str:
    return getattr(of, "__name__", "it")


def require_text(of: Callable[..., Any]) -> None:
    """Raises TypeError unless each setting of a function or dataclass can be written as text."""
    for name, annotation in annotations(of).items():
        if not _has_text(annotation):
            raise TypeError(
                f"{name} of {_name_of(of)} must be annotated with bool, int, float, str, tuple[int, int], "
                f"frozenset[str] or Literal[...], not {shown(annotation)}"
            )


def _has_text(annotation: Any) -> bool:
    try:
        return all(isinstance(way, _Choice) or way.type in _WORDS for way in allowed(annotation).ways)
    except TypeError:
        return False


def read(of: Callable[..., Any], values: Values) -> dict[str, Any]:
    """Reads written settings of a function or dataclass as values by name; calling it runs its own checks.

    Raises ValueError, listing the options or allowed values, for an unknown setting or one that cannot be read.
    """
    known, found = annotations(of), dict[str, Any]()
    main = next(iter(known), None)
    for position, (key, text) in enumerate(values):
        name = main if key is None and position == 0 else key
        if name not in known:
            options = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"there is no option {shown(key or text)}{did_you_mean(key or '', known, options)}")
        if name in found:
            raise ValueError(f"option {name} is given twice")
        found[name] = value_of(name, known[name], text)
    return found


def value_of(name: str, annotation: Any, text: str) -> Any:
    """Reads the text of a setting as a value. Raises ValueError if the setting may not have it."""
    if not _has_text(annotation):
        raise TypeError(f"{name} cannot be written as text: it is of the type {shown(annotation)}")
    return allowed(annotation).read(name, text)


def write(name: str, of: Callable[..., Any], values: Mapping[str, Any]) -> str:
    """The canonical text of a component: equal settings give equal text, and `read` restores the same settings.

    Settings at their defaults are left out, except those that can be given to `of` by position. Raises ValueError for
    a value that cannot be written, such as a text with a comma.
    """
    parts, kept = [], {}
    for number, (key, parameter) in enumerate(inspect.signature(of).parameters.items()):
        value = values.get(key, parameter.default)
        if value is not parameter.empty and (
            value != parameter.default or parameter.kind is not parameter.KEYWORD_ONLY
        ):
            kept[key], text = value, written(value)
            plain = number == 0 and text and _setting(text)[0] is None
            parts.append(text if plain else f"{key}={text}")
    joined = ",".join(parts)
    try:
        same = read(of, split_settings(joined)) == kept
    except ValueError:
        same = False
    if not same:
        raise ValueError(f"the settings {shown(joined)} cannot be written: they would not be read as they are meant")
    return f"{name}:{joined}" if parts else name


def written(value: Any) -> str:
    """A value as text, from which a setting that may have it reads the same value."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    if isinstance(value, frozenset):
        return "+".join(sorted(value, key=lambda name: (name[1:], name)))  # cells such as c3 row by row
    return str(value)


def _number(value: float) -> str:
    return f"{int(value):,}" if float(value).is_integer() else f"{value:g}"
