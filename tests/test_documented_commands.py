"""Every command line in the documents is one that the command takes; none is run beyond reading its options."""

import shlex
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from documented_commands import command_lines

from athenan.cli.options import parse_given, read_search
from athenan.evaluation.architectures import KIND, parse_architecture
from athenan.games.catalogue import is_game_name, make

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
OWN_GAME = ROOT / "tests" / "support" / "dice_nim.py"
LEFT_OUT = {"...", "…", "[...]"}


class Read(Exception):
    """A command has read its options."""


def reads(words: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The options that a command reads; None if it shows its help. Raises ValueError if it refuses them."""
    command = import_module(f"athenan.cli.{words[0]}")

    def read(*arguments: Any, **named: Any) -> Any:
        raise Read(parse_given(*arguments, **named)[0])

    name = "parse_given" if hasattr(command, "parse_given") else "parse"
    monkeypatch.setattr(command, name, read)
    try:
        command.run(words[1:])
    except Read as found:
        return found.args[0]
    except SystemExit as end:
        assert not end.code
    return None


def completed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a command reads from words of a sentence, which may lack the first arguments and the last value."""
    command, *rest = (word for word in words if word not in LEFT_OUT)
    first = list[str]()
    while True:
        try:
            return reads([command, *first, *rest], monkeypatch)
        except ValueError as error:
            if "is missing; see" in str(error) or str(error).startswith("which "):
                first.append("x")
            elif rest and str(error).startswith(f"{rest[-1]} needs a value"):
                rest.pop()
            else:
                raise


def require_known(options: Any) -> None:
    """Raises ValueError for an unknown game, search or network of the package. Files and placeholders are left out."""
    search, network, game = (getattr(options, name, None) or "" for name in ("search", "network", "game"))
    if search and not search.startswith("./"):
        read_search(search)
    own = network.isupper() or KIND.own_code(network)
    if network and not own and type(options).__module__ in ("athenan.cli.train", "athenan.cli.bench"):
        parse_architecture(network)
    if is_game_name(game) and not game.startswith("./"):
        make(game)


LINES = sorted({(page.name, shlex.join(words)) for page in PAGES for words in command_lines(page)})


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_documented_command_line_is_read(
    page: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line)
    for own in (word.partition(":")[0] for word in words if word.startswith("./") and ".py" in word):
        shutil.copy(OWN_GAME, tmp_path / own)
    require_known(completed(words, monkeypatch))


def test_lines_are_found_and_a_wrong_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(LINES) > 200
    with pytest.raises(ValueError, match="there is no option --evaluate"):
        completed(["analyze", "runs/x", "--evaluate", "children"], monkeypatch)
    with pytest.raises(ValueError, match="there is no option --evaluate"):
        completed(["analyze", "...", "--evaluate", "children"], monkeypatch)
