"""Components as text: NAME:VALUE,SETTING=VALUE."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import is_dataclass
from functools import partial
from typing import Any, get_type_hints

from athenan.settings.allowed import allowed, check_value, has_text
from athenan.settings.words import did_you_mean, shown, written

Values = Sequence[tuple[str | None, str]]
"""Written settings: the name, or None if it is not given, and the text of the value."""


def split(text: str) -> tuple[str, Values]:
    """The name and the settings in NAME:VALUE,SETTING=VALUE,.... The name may be a path without a colon."""
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


def annotations(of: Callable[..., Any], given: Collection[str] = ()) -> dict[str, Any]:
    """The annotations of the parameters of a function or class, or of the fields of a dataclass, by name.

    Arguments that `functools.partial` has given by position are left out, and the `given` names. Raises TypeError if an
    annotation is missing or cannot be read.
    """
    source: Any = of.func if isinstance(of, partial) else of
    plain_class = isinstance(source, type) and not is_dataclass(source)
    if plain_class:
        source = source.__init__  # its parameters are those of the class
    try:
        names = [name for name in inspect.signature(of).parameters if name not in given]
        hints = get_type_hints(source, include_extras=True) if names else {}
    except NameError as error:
        raise TypeError(f"an annotation of {_name_of(of)} cannot be read: {error}") from None
    for name in names:
        if name not in hints:
            raise TypeError(f"{name} of {_name_of(of)} has no annotation, such as {name}: int")
    return {name: hints[name] for name in names}


def _name_of(of: Callable[..., Any]) -> str:
    return getattr(of, "__name__", "it")


def require_text(of: Callable[..., Any], given: Collection[str] = ()) -> None:
    """Raises TypeError unless each setting of a function or dataclass can be written as text."""
    for name, annotation in annotations(of, given).items():
        if not has_text(annotation):
            raise TypeError(
                f"{name} of {_name_of(of)} must be annotated with bool, int, float, str, tuple[int, int], "
                f"frozenset[str] or Literal[...], not {shown(annotation)}"
            )


def read(of: Callable[..., Any], values: Values) -> dict[str, Any]:
    """Reads written settings of a function or dataclass as values by name; calling it runs its own checks.

    Raises ValueError, listing the options or allowed values, for an unknown setting or one that cannot be read.
    """
    return read_known(annotations(of), values)


def read_known(known: Mapping[str, Any], values: Values, others: Collection[str] = ()) -> dict[str, Any]:
    """Reads written settings as values by name; `known` has their annotations.

    `others` are options that are read elsewhere. Raises ValueError as `read`.
    """
    found = dict[str, Any]()
    main = next(iter(known), None)
    for position, (key, text) in enumerate(values):
        name = main if key is None and position == 0 else key
        if name is None or name not in known:
            every = (*known, *others)
            require_value(key, text, dict.fromkeys(others, str) | dict(known))
            options = f"its options are {', '.join(every)}" if every else "it has no options"
            raise ValueError(f"there is no option {shown(key or text)}{did_you_mean(key or '', every, options)}")
        if name in found:
            raise ValueError(f"option {name} is given twice")
        found[name] = value_of(name, known[name], text)
    return found


def require_value(key: str | None, text: str, known: Mapping[str, Any]) -> None:
    """Raises ValueError for a written setting that is only the name of one of the `known` ones, without a value."""
    if key is None and (name := text.lower()) in known:
        raise ValueError(f"{name} needs a value: {allowed(known[name]).written_as(name)}")


def value_of(name: str, annotation: Any, text: str) -> Any:
    """Reads the text of a setting as a value. Raises ValueError if the setting may not have it."""
    if not has_text(annotation):
        raise TypeError(f"{name} cannot be written as text: it is of the type {shown(annotation)}")
    return allowed(annotation).read(name, text)


def write(name: str, of: Callable[..., Any], values: Mapping[str, Any]) -> str:
    """The canonical text of a component: equal settings give equal text, and `read` restores the same settings.

    Settings at their defaults are left out, except those that can be given to `of` by position. Raises ValueError for
    a value that its setting may not have, and for one that cannot be written, such as a text with a comma.
    """
    parts, kept, known = [], {}, annotations(of)
    for number, (key, parameter) in enumerate(inspect.signature(of).parameters.items()):
        value = values.get(key, parameter.default)
        if value is not parameter.empty and (
            value != parameter.default or parameter.kind is not parameter.KEYWORD_ONLY
        ):
            check_value(key, known[key], value)
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
