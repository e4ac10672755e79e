"""What settings need: a setting that would do nothing is refused, never ignored.

A setting declares its need in its annotation, a component of a configuration at its field:

>>> @dataclass(frozen=True)
... class Choice:
...     selection: str = "best"
...     temperature: Annotated[float, Needs("--selection softmax", lambda of: of.choice.selection == "softmax")] = 0.1
>>> @dataclass(frozen=True)
... class Configuration:
...     choice: Choice = Choice()
>>> require_met(Configuration(Choice(temperature=5.0)))
Traceback (most recent call last):
    ...
athenan.settings.needs.UnmetError: temperature needs --selection softmax
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from types import SimpleNamespace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from athenan.settings.within import within


@dataclass(frozen=True)
class Needs:
    """What a setting needs in order to do anything."""

    what: str
    """The need in words, with the options that meet it."""
    met: Callable[[Any], bool]
    """Whether a configuration meets it; the argument has the configuration's components as attributes."""


class UnmetError(ValueError):
    """A setting that would do nothing."""

    def __init__(self, component: str, name: str, what: str) -> None:
        super().__init__(f"{name} needs {what}")
        self.component, self.name, self.what = component, name, what


def unmet(kind: type, components: Mapping[str, Any]) -> Iterator[UnmetError]:
    """The settings that do nothing in a configuration of this kind with these components."""
    configuration = SimpleNamespace(**components)
    for component, of_component in needs_of(kind).items():
        if of_component and not of_component.met(configuration):
            yield from (UnmetError(component, one.name, of_component.what) for one in fields(components[component]))
    for component, settings in components.items():
        owner: Any = type(settings)
        for name, need in needs_of(owner).items() if is_dataclass(settings) else ():
            if need and not need.met(configuration):
                yield UnmetError(component, name, need.what)
        for name, note in within(owner).items() if is_dataclass(settings) else ():
            if not note.taken_by(getattr(settings, note.part)):
                yield UnmetError(component, name, f"{note.part} {' or '.join(note.of)}")


def settled(
    kind: type, components: Mapping[str, Any], given: Collection[tuple[str, str]] = (), strict: bool = False
) -> dict[str, Any]:
    """The components with the defaults of all settings that do nothing.

    Raises UnmetError for such a setting among the `given` ones, which are pairs of a component and a name, unless it
    has its default; if `strict`, even then.
    """
    found = dict(components)
    for error in unmet(kind, components):
        owner: Any = type(found[error.component])
        default = _default(owner, error.name)
        differs = getattr(found[error.component], error.name) != default
        if (error.component, error.name) in given and (differs or strict):
            raise error
        if differs:
            found[error.component] = replace(found[error.component], **{error.name: default})
    return found


def require_met(configuration: Any) -> None:
    """Raises UnmetError if a setting does nothing, unless it has its default."""
    components = {one.name: getattr(configuration, one.name) for one in fields(configuration)}
    every = [(name, one.name) for name, of in components.items() if is_dataclass(of) for one in fields(of)]
    settled(type(configuration), components, every)


@cache  # reading annotations takes long
def needs_of(kind: Any) -> dict[str, Needs | None]:
    """The need of each setting of a dataclass, or of each component of a configuration; None without one."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: _need(hints[one.name]) for one in fields(kind)}


def _need(annotation: Any) -> Needs | None:
    notes = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return next((note for note in notes if isinstance(note, Needs)), None)


@cache
def _default(kind: Any, name: str) -> Any:
    field = next(one for one in fields(kind) if one.name == name)
    return field.default if field.default_factory is MISSING else field.default_factory()
