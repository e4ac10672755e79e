"""The options and arguments of a command: the fields of its dataclass, and of the dataclasses nested in it.

Annotations say which values are allowed (`athenan.settings`), docstrings what a field is. What else the command line
shows is an `Argument` among the notes of the annotation:

    depth: Annotated[int, Between(1, 1000), Argument(short="-d", metavar="N")] = 4
"""

from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from docstring_parser import parse_from_object

from athenan.settings import allowed, shown, within, written


@dataclass(frozen=True, kw_only=True)
class Argument:
    """How the command line shows a field. Of several notes, the outer one prevails in what it gives."""

    metavar: str = ""
    """What stands for the value; by default the type."""
    default: str | None = None
    """The default in words; empty shows none. None shows the value."""
    name: str = ""
    """The option's name without dashes, by default the field's. Of a component: the one of the text of its part."""
    short: str = ""
    """A short name, such as -d."""
    text: str = ""
    """The help; by default the field's docstring."""
    positional: bool = False
    """An argument without an option's name."""
    repeated: bool = False
    """Each use of the option adds a value to a tuple."""
    prefixed: bool = False
    """The names of a component's options begin with its own name and a point."""


@dataclass(frozen=True)
class Item:
    """One option or argument of a command."""

    component: str
    """The field of the command that holds the component; empty for the command's own fields."""
    field: str
    annotation: Any
    note: Argument
    option: str
    """Its long name with dashes; of an argument, its metavar; of a setting within a text, as in `--replay: memory`."""
    text: str
    default: Any
    """`MISSING` if it is required."""
    within: str = ""
    """Its name within the text of another option, such as memory within --replay; empty for an option."""

    @property
    def place(self) -> str:
        """Where the parser keeps what is given."""
        return f"{self.component}.{self.field}"

    @property
    def help(self) -> str:
        """What it is, and its default."""
        default, value = self.note.default, self.default
        if default is None and value is not MISSING and value is not None and value is not False:
            default = " ".join(map(written, value)) if type(value) is tuple else written(value)
        return f"{self.text} (default: {default})" if default else self.text

    @property
    def usage(self) -> str:
        """An argument in the line of usage."""
        several = f"{self.metavar} [{self.metavar} ...]" if self.count == 0 else self.metavar
        return several if self.default is MISSING else f"[{several}]"

    @property
    def is_flag(self) -> bool:
        """Whether the option takes no value."""
        return _plain(self.annotation) is bool

    @property
    def count(self) -> int | None:
        """How many values it takes, 0 for any number; None for one value that is no tuple."""
        inner = _plain(self.annotation)
        if get_origin(inner) is not tuple:
            return None
        return 0 if Ellipsis in get_args(inner) else len(get_args(inner))

    @property
    def metavar(self) -> str:
        """What stands for the value in the help."""
        value = self.note.metavar or _metavar(_plain(self.annotation))
        return f"{self.within}={value}" if self.within else value

    def read(self, texts: list[str]) -> Any:
        """The value that texts mean. Raises ValueError, beginning with the option, if they mean none."""
        if self.count is None:
            return allowed(self.annotation).without_none().read(self.option, texts[0])
        inner = get_args(_plain(self.annotation))
        kinds = [inner[0]] * len(texts) if self.count == 0 else inner
        try:
            return tuple(allowed(kind).read(self.option, text) for kind, text in zip(kinds, texts, strict=True))
        except ValueError as error:
            if self.count == 0 or (kinds != (float,) * self.count and kinds != (int,) * self.count):
                raise
            given = ", ".join(map(shown, texts))
            whole = "whole " if kinds[0] is int else ""
            raise ValueError(f"{self.option} must be {self.count} {whole}numbers, not {given}") from error


def items(kind: type, default: Any = None) -> list[Item]:
    """The options and arguments of a command's dataclass, with the defaults of `default` if it is given."""
    found = list[Item]()
    for name, inner, note in _fields(kind):
        value = default_of(kind, name, default)
        if isinstance(inner, type) and is_dataclass(inner):
            found += _component(name, inner, note, value)
        else:
            found.append(_item("", "", kind, name, inner, note, value))
    return found


def _component(name: str, kind: Any, note: Argument, value: Any) -> list[Item]:
    """The options of a component. A part is a text, followed by the settings within it, which are no options."""
    prefix, notes = f"{name}." if note.prefixed else "", within(kind)
    found = {one: _item(name, prefix, kind, one, inner, own, getattr(value, one)) for one, inner, own in _fields(kind)}
    for part in {of.part for of in notes.values()}:
        option = f"--{note.name}" if note.name else found[part].option
        found[part] = replace(found[part], option=option, annotation=str)
    for one, of in notes.items():
        found[one] = replace(found[one], option=f"{found[of.part].option}: {of.name}", within=of.name)
    inside = {part: [found[one] for one, note in notes.items() if note.part == part] for part in found}
    return [one for part, item in found.items() if not item.within for one in (item, *inside[part])]


@cache
def _fields(kind: type) -> list[tuple[str, Any, Argument]]:
    """The name, the type and the note of each field."""
    hints = get_type_hints(kind, include_extras=True)
    return [(one.name, *_parted(hints[one.name])) for one in fields(kind)]


def default_of(kind: type, name: str, default: Any = None) -> Any:
    """The default of a field, or its value in `default`; `MISSING` if the field is required."""
    if default is not None:
        return getattr(default, name)
    (one,) = (one for one in fields(kind) if one.name == name)
    return one.default if one.default_factory is MISSING else one.default_factory()


def _item(component: str, prefix: str, kind: Any, name: str, inner: Any, note: Argument, default: Any) -> Item:
    option = note.metavar or name if note.positional else f"--{prefix}{note.name or name.replace('_', '-')}"
    return Item(component, name, inner, note, option, note.text or _texts(kind).get(name, ""), default)


def descriptions(kind: type) -> dict[str, str]:
    """The docstrings of the components of a command, by name, and its own, by the empty name."""
    components = {name: inner for name, inner, _ in _fields(kind) if is_dataclass(inner)}
    return {name: getdoc(one) or "" for name, one in {"": kind, **components}.items()}


def _parted(hint: Any) -> tuple[Any, Argument]:
    """A type without the notes for the command line, and these as one."""
    if get_origin(hint) is not Annotated:
        return hint, Argument()
    inner, *notes = get_args(hint)
    given: dict[str, Any] = {}
    others = list[Any]()
    for note in notes:
        if isinstance(note, Argument):
            given |= {key: value for key, value in vars(note).items() if value != getattr(Argument, key)}
        else:
            others.append(note)
    return Annotated[(inner, *others)] if others else inner, Argument(**given)


def _plain(hint: Any) -> Any:
    """The type of a hint without bounds and without None."""
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(inner) in (Union, UnionType):
        kinds = [part for part in get_args(inner) if part is not NoneType]
        return _plain(kinds[0]) if len(kinds) == 1 else inner
    return inner


def _metavar(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return f"{{{','.join(map(str, get_args(kind)))}}}"
    if get_origin(kind) in (Union, UnionType):
        return "|".join(_metavar(_plain(part)) for part in get_args(kind) if part is not NoneType)
    if get_origin(kind) is tuple:
        return _metavar(_plain(get_args(kind)[0]))
    return {int: "N", float: "NUMBER", str: "TEXT"}.get(kind, getattr(kind, "__name__", "VALUE").upper())


@cache
def _texts(kind: type) -> dict[str, str]:
    """The docstrings of the fields of a class and its bases, each on one line; none without the source."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if is_dataclass(base):
            for one in parse_from_object(base).params:
                found[one.arg_name] = " ".join((one.description or "").split())
    return found
