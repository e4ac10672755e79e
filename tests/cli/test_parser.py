"""How a command's dataclass is read from its arguments, and what its help shows of it."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest

from athenan.cli.arguments import Argument
from athenan.cli.parser import help_of, read
from athenan.settings import Between, Within, take_texts

Named = Annotated[str, Argument(positional=True, metavar="NAME")]


@dataclass(frozen=True)
class Inner:
    """A component that checks its settings."""

    odd: int = 1
    """A number."""
    overlap: bool = False

    def __post_init__(self) -> None:
        if not self.odd % 2:
            raise ValueError("odd must be odd")


@dataclass(frozen=True)
class Part:
    """A component whose settings are within a text."""

    name: Literal["fast", "slow"] = "fast"
    """A way."""
    most_steps: Annotated[int, Between(1, 9), Within("name", "steps")] = 5
    """Steps."""

    def __post_init__(self) -> None:
        take_texts(self)


@dataclass(frozen=True)
class Outer:
    """A command.

    It says more in a second paragraph, which is so long that it takes more than one line of the help in a terminal.
    """

    game: Annotated[str, Argument(positional=True, metavar="GAME")]
    """The game."""
    others: Annotated[tuple[str, ...], Argument(positional=True, metavar="OTHER")] = ()
    kind: Annotated[Literal["one", "two"], Argument(name="called")] = "one"
    """One of some words."""
    either: Literal["one", "two"] | float = "one"
    """A word or a number."""
    count: Annotated[Annotated[int, Between(1, 9)] | None, Argument(short="-c", metavar="N")] = None
    """A whole number."""
    share: Annotated[float, Argument(default="half")] = 0.5
    """A number,
    such as 50%."""
    pair: tuple[float, float] | None = None
    file: Annotated[tuple[Path, ...], Argument(repeated=True)] = ()
    names: tuple[str, ...] = ()
    json: bool = False
    part: Annotated[Part, Argument(name="way")] = field(default_factory=Part)
    inner: Annotated[Inner, Argument(prefixed=True)] = field(default_factory=Inner)
    plain: Inner = Inner()


def parsed(line: str, default: Outer | None = None) -> Outer:
    return read(Outer, "outer", line.split(), default)[0]


READ = {
    "hex": Outer("hex"),
    "hex --called two --either 0.25 -c 3": Outer("hex", kind="two", either=0.25, count=3),
    "--json hex --share=0.25 go --count=9 shobu": Outer("hex", ("go", "shobu"), share=0.25, count=9, json=True),
    "hex --pair 1 -2": Outer("hex", pair=(1.0, -2.0)),
    "hex --file a --file b --names x y": Outer("hex", file=(Path("a"), Path("b")), names=("x", "y")),
    "hex --inner.odd 3 --odd 5 --overlap": Outer("hex", inner=Inner(3), plain=Inner(5, True)),
    "hex --count 2 --count 3": Outer("hex", count=3),
    "hex --way slow:steps=7": Outer("hex", part=Part("slow", 7)),
    "hex --way slow": Outer("hex", part=Part("slow", 5)),
}


@pytest.mark.parametrize("line", READ)
def test_arguments_make_the_dataclass(line: str) -> None:
    assert parsed(line) == READ[line]


def test_names_may_have_underscores_and_values_keep_theirs() -> None:
    @dataclass(frozen=True)
    class Two:
        two_words: str = ""

    expected = Two("a_b"), {"": {"two_words": "a_b"}}
    assert read(Two, "two", ["--two_words", "a_b"]) == read(Two, "two", ["--two-words=a_b"]) == expected


def test_defaults_are_those_of_the_instance_and_flags_of_components_can_be_switched_off() -> None:
    default = Outer("hex", share=0.75, inner=Inner(3, overlap=True))
    assert parsed("", default) == default
    assert parsed("go --no-inner.overlap", default) == Outer("go", share=0.75, inner=Inner(3, overlap=False))


def test_what_is_given_is_known_by_component_also_where_it_is_the_default() -> None:
    line = "hex --json --count 1 --inner.odd 1 --way slow:steps=5"
    options, given = read(Outer, "outer", line.split())
    assert options == Outer("hex", json=True, count=1, inner=Inner(1), part=Part("slow", 5))
    way = "slow:steps=5"
    assert given == {"": {"game": "hex", "json": True, "count": 1}, "inner": {"odd": 1}, "part": {"name": way}}


REFUSED = {
    "": "which game? For example: athenan outer hex:7; `athenan games` lists the games",
    "hex --count x": "--count must be a whole number from 1 to 9, not x",
    "hex --count 10": "--count must be from 1 to 9, not 10",
    "hex --share x": "--share must be a number, not x",
    "hex --called three": "--called must be one or two, not 'three'",
    "hex --either three": "--either must be one, two or a number, not 'three'",
    "hex --pair 1 b": "--pair must be 2 numbers, not '1', 'b'",
    "hex --pair 1": "--pair needs 2 values; see athenan outer --help",
    "hex --inner.odd 2": "--inner.odd must be odd",
    "hex --odd 2": "--odd must be odd",
    "hex --share": "--share needs a value; see athenan outer --help",
    "hex --json=yes": "--json takes no value; see athenan outer --help",
    "--nonsense": "there is no option --nonsense",
    "hex --nonsense 3": "there is no option --nonsense",
    "hex --shar 3": "there is no option --shar: did you mean --share?",
    "hex -x": "there is no option -x",
    "hex --game go": "there is no option --game: give its value alone, without --game",
    "hex --way slow:steps=0": "--way 'slow:steps=0': steps must be from 1 to 9, not 0",
    "hex --way walk": "--way must be fast or slow, not 'walk'",
    "hex --most-steps 3": "there is no option --most-steps: write --way NAME:steps=VALUE",
    "hex --count none": "--count must be a whole number from 1 to 9, not 'none'",
}


@pytest.mark.parametrize("line", REFUSED)
def test_bad_arguments_are_refused_by_the_name_of_their_option(line: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(REFUSED[line])}"):
        parsed(line)


def test_an_argument_too_many_is_unexpected() -> None:
    @dataclass(frozen=True)
    class One:
        name: Named

    with pytest.raises(ValueError, match=r"^unexpected argument 'b'$"):
        read(One, "one", ["a", "b"])
    with pytest.raises(ValueError, match=r"^NAME is missing; see athenan one --help$"):
        read(One, "one", [])


def test_the_help_shows_texts_types_and_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = help_of(Outer, "outer")
    assert text.startswith("usage: athenan outer [OPTIONS] GAME [OTHER [OTHER ...]]\n\nA command.\n\nIt says more")
    words = " ".join(text.split())
    assert "--called {one,two} One of some words. (default: one)" in words
    assert "-c N, --count N A whole number. --share NUMBER A number, such as 50%. (default: half)" in words
    assert "inner options: A component that checks its settings. --inner.odd N A number. (default: 1)" in words
    assert "part options: A component whose settings are within a text. --way TEXT A way. (default: fast)" in words
    assert "steps=N Steps. (default: 5)" in words
    assert "None" not in words and "False" not in words
    shown = help_of(Outer, "outer", shown=("game", "inner"))
    assert "--inner.odd" in shown and "GAME" in shown and "--called" not in shown and "--way" not in shown
    assert "--no-inner.overlap" in help_of(Outer, "outer", Outer("hex"))


def test_there_is_a_help_without_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_source(kind: object) -> str:
        raise OSError("could not get source code")

    @dataclass(frozen=True)
    class Unread:
        share: float = 0.5
        """A number."""

    monkeypatch.setattr("inspect.getsource", no_source)
    assert "--share" in help_of(Unread, "unread")
