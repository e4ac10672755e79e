"""Settings within the text of a part, such as stratified:memory=100,duplication=3.

One setting of a component names a part. The settings of the component that belong to the part are written in its text.
Their annotations say so:

>>> from typing import Annotated, Literal
>>> from athenan.settings import Between
>>> @dataclass(frozen=True)
... class Choice:
...     selection: Literal["best", "softmax"] = "best"
...     heat: Annotated[float, Between(0, 10), Within("selection", "temperature")] = 0.1
...
...     def __post_init__(self) -> None:
...         take_texts(self)
>>> Choice("softmax:temperature=5")
Choice(selection='softmax', heat=5.0)

What a text leaves out stays as it is: `replace(choice, selection="softmax")` keeps the temperature.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, get_args, get_type_hints

from athenan.settings.allowed import allowed, check
from athenan.settings.kinds import is_code
from athenan.settings.text import read_known, split
from athenan.settings.words import shown


@dataclass(frozen=True)
class Within:
    """A note on a setting that is written in the text of a part."""

    part: str
    """The setting that names the part."""
    name: str = ""
    """Its name in the text, by default the setting's own."""
    of: tuple[str, ...] = ()
    """The parts that take it, beside parts of the user's own; all if empty."""

    def taken_by(self, text: str) -> bool:
        """Whether the part of a text takes the setting."""
        name = split(text)[0]
        return not self.of or name in self.of or is_code(name)


def take_texts(settings: Any) -> None:
    """Replaces the texts of parts in a component by their names and settings, and checks all values.

    For `__post_init__` of a frozen dataclass. Raises ValueError, beginning with a setting's name, for a bad value.
    """
    kind = settings.__class__
    for part in {note.part for note in within(kind).values()}:
        for name, value in spread(kind, part, getattr(settings, part)).items():
            object.__setattr__(settings, name, value)
    check(settings)


def spread(kind: type, part: str, text: Any) -> dict[str, Any]:
    """The settings of a component that the text of a part sets, by their names in the component.

    Settings of the part's own stay in its text, if it may be of any name. Raises ValueError for a setting that does not
    exist, or a value that it may not have.
    """
    if not isinstance(text, str) or ":" not in text or part not in {note.part for note in within(kind).values()}:
        return {}
    (name, values), names = split(text), names_within(kind, part, text)
    hints = get_type_hints(kind, include_extras=True)
    own = [one for one in values if one[0] not in names and str in allowed(hints[part]).types]
    known = {key: hints[field] for key, field in names.items()}
    try:
        found = read_known(known, [one for one in values if one not in own])
    except ValueError as error:
        raise ValueError(f"{part} {shown(text)}: {error}") from None
    kept = ",".join(f"{key}={value}" if key else value for key, value in own)
    return {part: f"{name}:{kept}" if kept else name, **{names[key]: value for key, value in found.items()}}


@cache
def within(kind: type) -> Mapping[str, Within]:
    """The settings of a component that are written in the text of a part, with their notes."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        one.name: replace(note, name=note.name or one.name)
        for one in fields(kind) for note in get_args(hints[one.name])[1:] if isinstance(note, Within)
    }  # fmt: skip


def names_within(kind: type, part: str, text: str) -> dict[str, str]:
    """The names in the text of a part -> the settings of the component."""
    found = dict[str, str]()
    for field, note in within(kind).items():
        if note.part == part and note.taken_by(text):
            found.setdefault(note.name, field)
    return found
