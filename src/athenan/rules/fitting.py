"""Whether a value that a user's code gives fits the annotation that asks for it.

>>> find_fault(tuple[int, ...], (1, "2"))
Fault(where='[1]', wanted="a whole number, not '2'")
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import inf
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from athenan.rules.errors import GameError
from athenan.settings import Between, printable, shown

PLACE = "a place"
"""Marks the annotation of a whole number as the number of a place: `Annotated[int, PLACE]`."""


class Fault(NamedTuple):
    """What does not fit."""

    where: str
    """The part of the value, such as `.pieces[2].owner`; "" for the value itself."""
    wanted: str
    """What it must be and what it is, such as "a text, not 3"."""

    def inside(self, part: str) -> "Fault":
        """The same fault, of a value that has this part."""
        return self._replace(where=part + self.where)


Judge = Callable[[Any, int], Fault | None]
"""Gives the first fault of a value, or None if it fits; the other argument is the number of places of the board."""


def find_fault(annotation: Any, value: Any, places: int = 0) -> Fault | None:
    """The first fault of a value, or None if it fits. Lists fit as tuples do, and numbers of NumPy as numbers do."""
    return judge(annotation)(value, places)


def require_fields(one: Any, name: str, places: int = 0) -> None:
    """Raises GameError unless the fields of a dataclass fit their annotations."""
    for field, annotation in annotations(one.__class__).items():
        if fault := find_fault(annotation, getattr(one, field), places):
            raise GameError(f"{name}.{field}{fault.where} must be {fault.wanted}")


def require_whole(name: str, value: object) -> None:
    """Raises TypeError for what is not a whole number, such as a text."""
    if fault := find_fault(int, value):
        raise TypeError(f"{name} must be {fault.wanted}")


@cache
def annotations(kind: type) -> dict[str, Any]:
    """The annotations of the fields of a class."""
    return get_type_hints(kind, include_extras=True)


def result_of(annotation: Any) -> Any:
    """The annotation of what a function returns, also of one that may be None; None if it is not a function's."""
    ways = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return next((get_args(way)[-1] for way in ways if get_origin(way) is Callable), None)


@cache
def judge(annotation: Any) -> Judge:
    """The judge of values of an annotation."""
    if of_parts := _OF_PARTS.get(get_origin(annotation)):
        return of_parts(*get_args(annotation))
    if hasattr(annotation, "_fields"):
        return _fields(annotation)
    return _plain(*(_PLAIN.get(annotation) or (lambda value: isinstance(value, annotation), _a(annotation))))


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(-inf < value < inf)


def _is_bool(value: Any) -> bool:
    return isinstance(value, (int, np.integer, np.bool_)) and value in (0, 1)


_PLAIN: dict[Any, tuple[Callable[[Any], bool], str]] = {
    int: (_is_whole, "a whole number"),
    float: (_is_number, "a finite number"),
    bool: (_is_bool, "True or False"),
    str: (lambda value: isinstance(value, str), "a text"),
    Any: (lambda value: True, "anything"),
}
"""Type -> whether a value is of the type, and the type in words."""


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"


def _unfit(wanted: str, value: Any) -> Fault:
    return Fault("", f"{wanted}, not {printable(shown(value))}")


def _plain(fits: Callable[[Any], bool], wanted: str) -> Judge:
    return lambda value, places: None if fits(value) else _unfit(wanted, value)


def _either(*words: str) -> Judge:
    *others, last = map(repr, words)
    return _plain(lambda value: isinstance(value, str) and value in words, f"{', '.join(others)} or {last}")


def _optional(*kinds: Any) -> Judge:
    (inner,) = (judge(kind) for kind in kinds if kind is not NoneType)
    return lambda value, places: None if value is None else inner(value, places)


def _whole(_: type, bounds: Between | str) -> Judge:
    def of_place(value: Any, places: int) -> Fault | None:
        fits = _is_whole(value) and 0 <= value < places
        return None if fits else _unfit(f"the number of one of the {places} places, from 0 on", value)

    if not isinstance(bounds, Between):
        return of_place
    least, most = bounds.least, bounds.most
    return _plain(lambda value: _is_whole(value) and least <= value <= most, f"a whole number {bounds}")


def _tuple(*kinds: Any) -> Judge:
    if Ellipsis in kinds:
        return _many(kinds[0], (tuple, list))
    judges = list(map(judge, kinds))

    def each(value: Any, places: int) -> Fault | None:
        if not isinstance(value, (tuple, list)) or len(value) != len(judges):
            return _unfit(f"a tuple of {len(judges)}", value)
        for at, judge_part in enumerate(judges):
            if fault := judge_part(value[at], places):
                return fault.inside(f"[{at}]")
        return None

    return each


def _many(kind: Any, kinds: Any = (tuple, list, range, np.ndarray)) -> Judge:
    judge_part = judge(kind)

    def every(value: Any, places: int) -> Fault | None:
        if not isinstance(value, kinds):
            return _unfit("a tuple", value)
        for at, part in enumerate(value):
            if fault := judge_part(part, places):
                return fault.inside(f"[{at}]")
        return None

    return every


def _mapping(key: Any, kind: Any) -> Judge:
    judge_key, judge_part = judge(key), judge(kind)

    def every(value: Any, places: int) -> Fault | None:
        if not isinstance(value, Mapping):
            return _unfit("a dict", value)
        for name, part in value.items():
            if fault := judge_key(name, places):
                return fault.inside(": a key")
            if fault := judge_part(part, places):
                return fault.inside(f"[{shown(name)}]")
        return None

    return every


def _fields(kind: type) -> Judge:
    """The judge of named tuples."""
    judges = {name: judge(annotation) for name, annotation in annotations(kind).items()}

    def every(value: Any, places: int) -> Fault | None:
        if not isinstance(value, kind):
            return _unfit(_a(kind), value)
        for name, judge_part in judges.items():
            if fault := judge_part(getattr(value, name), places):
                return fault.inside(f".{name}")
        return None

    return every


_OF_PARTS: dict[Any, Callable[..., Judge]] = {
    Annotated: _whole, Literal: _either, Union: _optional, UnionType: _optional, tuple: _tuple, Sequence: _many,
    list: _many, Mapping: _mapping, np.ndarray: lambda *parts: judge(np.ndarray),
    Callable: lambda *parts: _plain(callable, "a function"),
}  # fmt: skip
"""Origin of an annotation -> makes the judge from its parts."""
