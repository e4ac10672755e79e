"""Kinds of parts: what a table of the package names, or a user's file or module brings.

The text of a part is NAME, or NAME:SETTING=VALUE,..., where the value of the first setting needs no name. NAME is a
name of the table, a file, `./mine.py`, or a module, `package.module`. A file may have one part of each kind.

`named` is for names that the user gave: the code of a file or module runs. `known` is for names from a file, a run, a
page or another program, which must not choose the code that is run: it finds only what the user has named before.
Workers get the names that the user gave (`loading`), so a part is found wherever a training or a player goes.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from athenan import loading
from athenan.loading import LoadingError
from athenan.settings.text import annotations, read_known, require_text, split
from athenan.settings.words import require_type, shown


@dataclass(frozen=True, eq=False)
class Kind:
    """One kind of parts, such as searches."""

    what: str
    """Its name in messages, such as search."""
    option: str
    """The option that names a part of it, such as --search."""
    table: Mapping[str, Any]
    """The parts by name: classes or functions whose parameters are settings, or dataclasses with other defaults."""
    own: Callable[[ModuleType], list[Any]]
    """The parts of this kind in a user's module."""
    must: str
    """What a user's module must have, such as `one class that derives from WalkSettings`."""
    given: frozenset[str] = frozenset()
    """The parameters that are no settings: a part may take them, and gets them from the training."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names -> names of the table."""
    shared: Callable[[str], Collection[str]] = lambda text: ()
    """The names of the settings that the text of a part may have beside its own (`settings.within`)."""

    def named(self, text: str) -> "Part":
        """The part of a text that the user gave. Raises ValueError, listing valid choices, for any bad one."""
        require_type(f"a {self.what}", text, str, repr(self._example))
        return self._part(text, named=True)

    def known(self, text: Any) -> "Part":
        """The part of a text from elsewhere. Raises LoadingError for code that the user has not named."""
        if not isinstance(text, str):
            raise ValueError(f"{self.what} must be a text such as {self._example}, not {shown(text)}")
        return self._part(text, named=False)

    def own_code(self, text: str) -> str | None:
        """The file or module that a text names, as it is written there; None for names of the table."""
        name = split(text.strip().removeprefix("("))[0]
        return name if is_code(name) and name not in self.table else None

    def settings(self, definition: Any) -> dict[str, Any]:
        """The annotations of the settings of a part, by name."""
        return annotations(self._signature(definition), self.given)

    @property
    def _example(self) -> str:
        return next(iter(self.table), "./mine.py")

    @staticmethod
    def _signature(definition: Any) -> Callable[..., Any]:
        found: Callable[..., Any] = definition if callable(definition) else type(definition)
        return found

    def _part(self, text: str, named: bool) -> "Part":
        inner = text.strip()
        if inner.startswith("(") and inner.endswith(")"):
            inner = inner[1:-1]
        name, values = split(inner)
        canonical, definition = self._definition(name, named)
        try:
            return Part(
                self,
                canonical + inner[len(inner.partition(":")[0]) :],
                definition,
                read_known(self.settings(definition), values, self.shared(name)),
            )
        except ValueError as error:
            raise ValueError(f"{self.what} {text!r}: {error}") from None

    def _definition(self, name: str, named: bool) -> tuple[str, Any]:
        """The canonical name of a part, and what makes it. Raises LoadingError as `named` and `known`."""
        name = self.aliases.get(name, name)
        if name in self.table:
            return name, self.table[name]
        if not is_code(name):
            raise LoadingError(self.refusal(name))
        canonical = loading.absolute(name) if loading.is_file(name) else name
        allowed = canonical if named else loading.allowed(canonical)
        if allowed is None:  # not even looked for: looking for package.module imports the package
            raise LoadingError(
                f"{self.what} {name} is code that a file may not load by itself: allow it by naming it, as in "
                + (f"search={name} of a player, or " if self.what == "search" else "")
                + f"{self.option} {name} or --rules {name}"
            )
        if not loading.is_file(allowed) and not loading.can_be_imported(allowed):
            raise LoadingError(self.refusal(name))
        if named:
            loading.allow(canonical)
        return canonical, self._in_module(allowed)

    def refusal(self, name: str) -> str:
        """The sentence about a name that does not exist."""
        choices = ", ".join([*self.table, *self.aliases])
        return f"{self.what} {name!r} does not exist: choose one of {choices}, or name a file of your own"

    def _in_module(self, canonical: str) -> Any:
        found = self.own(loading.load_module(canonical))
        if len(found) != 1:
            many = ", ".join(getattr(one, "__name__", "it") for one in found) or "none"
            raise ValueError(f"{canonical} must have {self.must}, not {many}")
        try:
            require_text(self._signature(found[0]), self.given)
            if taken := sorted(self.settings(found[0]).keys() & self.shared(canonical)):
                raise ValueError(f"{taken[0]} is a setting of every {self.what}: choose another name")
        except (TypeError, ValueError) as error:
            raise ValueError(f"{canonical}: {error}") from None
        return found[0]


@dataclass(frozen=True)
class Part:
    """One part as a text names it."""

    kind: Kind
    text: str
    """Its text, where a file has its absolute path: equal settings may be written differently."""
    definition: Any
    """The class, function or dataclass that makes it."""
    values: dict[str, Any]
    """The settings that the text gives."""

    def takes(self, name: str) -> bool:
        """Whether the part takes a parameter that is no setting."""
        return callable(self.definition) and name in inspect.signature(self.definition).parameters

    def make(self, **given: Any) -> Any:
        """Makes it from its settings and from the `given` parameters that it takes.

        Raises ValueError for bad values, and if a user's code raises anything else.
        """
        try:
            if not callable(self.definition):
                return replace(self.definition, **self.values)
            return self.definition(**{name: one for name, one in given.items() if self.takes(name)}, **self.values)
        except Exception as error:
            if self.kind.own_code(self.text) and not isinstance(error, ValueError):
                raise ValueError(f"{self.kind.what} {self.text!r}: it raised {loading.what(error)}") from error
            raise ValueError(f"{self.kind.what} {self.text!r}: {error}") from None


def is_code(name: str) -> bool:
    """Whether a name is the name of a file or of a module with a dot."""
    return loading.is_file(name) or loading.is_dotted(name)


def classes(module: ModuleType, base: type) -> list[Any]:
    """The classes of a module that derive from another and can be made."""
    return [
        one for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, base) and one.__module__ == module.__name__
        and not inspect.isabstract(one)
    ]  # fmt: skip
