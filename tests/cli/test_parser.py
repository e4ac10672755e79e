"""What the command relies on of tyro, beside its public interface. A failure here means that a new version differs.

The command would then end bad command lines in tyro's words instead of its own: adapt `athenan.cli.parser`.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
import tyro

from athenan.cli.parser import BadChoice, BadNumber, Lacking, NotMade, RefusedArguments, Valueless, call, option_name


@dataclass(frozen=True)
class Inner:
    """A component that checks its settings."""

    odd: int = 1
    """A number."""

    def __post_init__(self) -> None:
        if not self.odd % 2:
            raise ValueError("odd must be odd")


@dataclass(frozen=True)
class Outer:
    """A command."""

    game: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="GAME")]]
    """The game."""
    kind: Annotated[Literal["one", "two"], tyro.conf.arg(name="called")] = "one"
    """One of some words."""
    either: Literal["one", "two"] | float = "one"
    """A word or a number."""
    count: Annotated[int | None, tyro.conf.arg(aliases=["-c"])] = None
    """A whole number."""
    share: float = 0.5
    """A number,
    such as 0.25."""
    inner: Inner = Inner()


def parsed(*arguments):
    return call(Outer, "program", arguments, None, (tyro.conf.DisallowNone,))


REFUSED = {
    "game --count x": (BadNumber, {"option": "--count", "whole": True, "value": "'x'"}),
    "game --share x": (BadNumber, {"option": "--share", "whole": False, "value": "'x'"}),
    "game --called three": (BadChoice, {"option": "--called", "value": "'three'"}),
    "game --either three": (BadChoice, {"option": "--either", "value": "'three'"}),
    "game --inner.odd 2": (NotMade, {"component": "inner", "message": "odd must be odd"}),
    "game --share": (Valueless, {"option": "--share"}),
    "": (Lacking, {"name": "GAME", "beside_unknown": False}),
    "--nonsense": (Lacking, {"name": "GAME", "beside_unknown": True}),
}


@pytest.mark.parametrize("line", REFUSED)
def test_reports_of_the_parser_are_understood(line):
    kind, expected = REFUSED[line]
    with pytest.raises(RefusedArguments) as refused:
        parsed(*line.split())
    found = refused.value
    assert type(found) is kind, found.text
    assert {name: getattr(found, name) for name in expected} == expected


def test_arguments_without_an_option_are_given_back():
    made, unknown = parsed("hex", "--nonsense", "--share=0.25")
    assert (made.game, made.share, unknown) == ("hex", 0.25, ["--nonsense"])
    assert parsed("hex", "go")[1] == ["go"]


def test_a_field_has_one_paragraph_in_the_help(capsys):
    """Tyro keeps the line breaks of an indented docstring."""
    with pytest.raises(SystemExit):
        parsed("--help")
    assert "A number, such as 0.25." in capsys.readouterr().out


def test_there_is_a_help_without_sources(capsys, monkeypatch):
    def no_source(kind):
        raise OSError("could not get source code")

    monkeypatch.setattr("inspect.getsource", no_source)
    with pytest.raises(SystemExit):
        parsed("--help")
    assert "--share" in capsys.readouterr().out


def test_the_name_of_an_option_is_read_from_its_annotation():
    assert option_name("kind", Outer.__annotations__["kind"].__metadata__) == "called"
    assert option_name("batch_size", ()) == "batch-size"
