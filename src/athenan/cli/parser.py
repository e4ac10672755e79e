"""Reads the arguments of a command as its dataclass, and writes its help, with the parser of the standard library.

The parser sorts the arguments into options and their texts, and `Item.read` reads these. So one place knows which
values are allowed, and every message begins with the option's name.
"""

from argparse import (
    SUPPRESS,
    ArgumentError,
    ArgumentParser,
    BooleanOptionalAction,
    RawDescriptionHelpFormatter,
)  # fmt: skip
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, replace
from functools import partial
from textwrap import fill
from types import MappingProxyType
from typing import Any, TypeVar

from athenan.cli.arguments import Item, default_of, descriptions, items
from athenan.cli.streams import width
from athenan.settings import check, did_you_mean

Options = TypeVar("Options")

_WIDTH = 80
"""The most characters of a line of the help."""
_QUESTIONS = {"GAME": "which game", "GAME|RUN": "which game or run"}
"""Name of an argument -> the question that is asked if it is missing."""


Given = dict[str, dict[str, Any]]
"""The values that arguments give: component, empty for the command's own fields -> field -> value."""


def read(
    kind: type[Options], command: str, arguments: Sequence[str], default: Options | None = None
) -> tuple[Options, Given]:
    """The options of a command, from its dataclass, and the values among them that the arguments give.

    Raises ValueError, which names the option, for bad values.
    """
    known, given = items(kind, default), Given()
    texts = _given(_parser(known, command, switchable=default is not None), known, arguments)
    for item in known:
        if (found := texts.get(item.place)) is not None:
            given.setdefault(item.component, {})[item.field] = found if item.is_flag else item.read(found)
        elif item.default is MISSING:
            raise ValueError(_of_missing(item, command))
    return filled(kind, given, default), given


def filled(kind: type[Options], given: Given, default: Options | None = None) -> Options:
    """The options with the values that arguments give, and defaults elsewhere. Raises ValueError like `read`."""
    known = items(kind, default)
    components = {name: settings for name, settings in given.items() if name}
    own = given.get("", {}) | {
        name: _made(partial(_changed, default_of(kind, name, default)), settings, known, name)
        for name, settings in components.items()
    }
    made: Options = _made(kind if default is None else partial(_changed, default), own, known, "")
    return made


def _changed(default: Any, **values: Any) -> Any:
    return replace(default, **values)


def _made(make: Callable[..., Any], values: dict[str, Any], known: Sequence[Item], component: str) -> Any:
    """Makes the command's dataclass or a component, whose own checks may refuse the values."""
    try:
        made = make(**values)
        check(made)
    except ValueError as error:
        raise ValueError(naming_option(str(error), known, component)) from None
    return made


def naming_option(message: str, known: Sequence[Item], component: str | None = None) -> str:
    """Replaces a setting's name at the beginning of a message by its option, and leaves other messages alone.

    `component`: the field of the command that holds the setting; "" for its own fields, None for any.
    """
    setting, _, rest = message.partition(" ")
    for item in known:
        if item.field == setting and component in (None, item.component):
            return f"{item.option} {rest.replace(' or none, not', ', not')}"  # leaving the option out says none
    return message


def _parser(
    known: Sequence[Item], command: str, switchable: bool, texts: Mapping[str, str] = MappingProxyType({})
) -> ArgumentParser:
    """A parser that leaves texts as they are, and leaves out what is not given.

    If flags are `switchable`, the flags of components can also be switched off: their defaults depend on other options.
    `texts` describe the command and its components in the help.
    """
    parser = ArgumentParser(
        f"athenan {command}", usage=_usage(known, command), add_help=False, allow_abbrev=False, exit_on_error=False,
        argument_default=SUPPRESS, description=_filled(texts.get("", "")),
        formatter_class=partial(RawDescriptionHelpFormatter, width=width(_WIDTH)),
    )  # fmt: skip
    groups = {"arguments": parser.add_argument_group("arguments"), "": parser.add_argument_group("options")}
    for item in known:
        if item.within and not texts:
            continue  # the help alone shows it
        name = "arguments" if item.note.positional else item.component
        if name not in groups:
            groups[name] = parser.add_argument_group(f"{name} options", _filled(texts.get(name, ""), indent=2))
        _add(groups[name], item, switchable)
    groups[""].add_argument("-h", "--help", action="store_true", help="Show this help.")
    return parser


def _add(group: Any, item: Item, switchable: bool) -> None:
    text = item.help.replace("%", "%%")
    if item.note.positional or item.within:
        group.add_argument(item.place, nargs="?" if item.count is None else "*", metavar=item.metavar, help=text)
        return
    names = (*filter(None, [item.note.short]), item.option)
    if item.is_flag:
        both = switchable and bool(item.component)
        action: dict[str, Any] = {"action": BooleanOptionalAction} if both else {"action": "store_true"}
        group.add_argument(*names, dest=item.place, help=text, **action)
        return
    several = bool(item.count) and " " in item.metavar
    group.add_argument(
        *names, dest=item.place, action="append" if item.note.repeated else "store",
        nargs=None if item.note.repeated or item.count is None else item.count or "*",
        metavar=tuple(item.metavar.split()) if several else item.metavar, help=text,
    )  # fmt: skip


def _given(parser: ArgumentParser, known: Sequence[Item], arguments: Sequence[str]) -> dict[str, Any]:
    """The texts of the options that are given, by their place; of flags, whether they are switched on."""
    try:
        found, unknown = parser.parse_known_intermixed_args([_with_dashes(argument) for argument in arguments])
    except ArgumentError as error:
        names = (error.argument_name or "").split("/")
        (item,) = (item for item in known if item.option in names)
        if item.is_flag:
            wrong = "takes no value"
        else:
            wrong = f"needs {item.count} values" if item.count else "needs a value"
        raise ValueError(f"{item.option} {wrong}; see {parser.prog} --help") from None
    if unknown:
        strange = next((argument for argument in unknown if argument.startswith("-")), unknown[0])
        raise ValueError(_of_unknown(strange, known))
    return {place: [given] if isinstance(given, str) else given for place, given in vars(found).items() if given != []}


def _with_dashes(argument: str) -> str:
    """Options may be written with underscores."""
    name, equals, value = argument.partition("=")
    return f"{name.replace('_', '-')}{equals}{value}" if argument.startswith("--") else argument


def _of_missing(item: Item, command: str) -> str:
    if question := _QUESTIONS.get(item.option):
        return f"{question}? For example: athenan {command} hex:7; `athenan games` lists the games"
    return f"{item.option} is missing; see athenan {command} --help"


def _of_unknown(argument: str, known: Sequence[Item]) -> str:
    """What is wrong with an argument that is not an option."""
    if not argument.startswith("-"):
        return f"unexpected argument {argument!r}"
    option = argument.partition("=")[0]
    options = [item.option for item in known if not item.note.positional and not item.within]
    place = option.removeprefix("--").replace("-", "_")
    for item in known:
        if item.within and place in (item.field, item.place):
            return f"there is no option {option}: write {item.option.replace(': ', ' NAME:')}=VALUE"
    if any(item.note.positional and f"--{item.field}" == option for item in known):
        return f"there is no option {option}: give its value alone, without {option}"
    same = [one for one in options if one.rpartition(".")[2] == option.removeprefix("--")]  # an option of a component
    return f"there is no option {option}" + (f": did you mean {same[0]}?" if same else did_you_mean(option, options))


def help_of(kind: type[Any], command: str, default: Any = None, shown: Collection[str] | None = None) -> str:
    """The help of a command, with these defaults. If `shown` is given, it has only these fields of the dataclass."""
    known = [item for item in items(kind, default) if shown is None or (item.component or item.field) in shown]
    return _parser(known, command, default is not None, descriptions(kind)).format_help()


def _usage(known: Sequence[Item], command: str) -> str:
    arguments = [item.usage for item in known if item.note.positional]
    return " ".join(["athenan", command, "[OPTIONS]", *arguments])


def _filled(text: str, indent: int = 0) -> str:
    """Paragraphs in lines that fit the terminal."""
    return "\n\n".join(fill(" ".join(part.split()), width(_WIDTH) - indent) for part in text.split("\n\n"))
