"""scripts/networks.py and scripts/ladder.py: what maintainers of the package's networks run."""

import subprocess
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from shipped_network import GAME, saved, shipped

from athenan import make
from athenan.networks.catalogue import network_of
from athenan.networks.shipping import ship

SCRIPTS = Path(__file__).parents[2] / "scripts"
PAGE = "# Strength\n\nWords.\n"


def script(name: str) -> ModuleType:
    spec = spec_from_file_location(f"script_{name}", SCRIPTS / f"{name}.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return shipped(tmp_path, monkeypatch)


def test_a_run_is_added_with_the_command_that_trained_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = script("networks")
    before, run = network_of(make(GAME)).digest, saved(file.parent / "better", seed=1)
    monkeypatch.setattr(networks, "ship", partial(ship, folder=file.parent))
    line = f"athenan train {GAME} --minutes 1"
    networks.main(["add", str(run), "--command", line, "--weaknesses", "It is random."])
    after = network_of(make(GAME))
    assert after.digest != before
    assert (after.card.command, after.card.weaknesses) == (line, "It is random.")
    assert after.card.commit.rstrip("+") == head()


def head() -> str:
    asked = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(asked, cwd=SCRIPTS, capture_output=True, text=True, check=True).stdout.strip()


def test_levels_are_rated_and_an_interrupted_rating_goes_on(file: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "levels.sqlite")
    rate = ["rate", GAME, "--games", "2", "--evaluations", "200", "--store", store]
    script("networks").main(rate)
    first = network_of(make(GAME)).card
    assert {one.level for one in first.ratings} == {"beginner", "casual", "club", "expert", "strongest"}
    assert "2 games of every two" in first.measured
    script("networks").main(rate)  # all matches are in the store
    assert network_of(make(GAME)).card == first


@pytest.mark.parametrize("arguments", [["add", "no/run", "--command", "x"], ["rate", "hex:4"]])
def test_what_is_missing_is_one_sentence(file: Path, tmp_path: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"^networks: error: [^\n]+$"):
        script("networks").main(arguments)


def test_a_ladder_is_a_section_of_the_page_and_replaces_its_former_one(tmp_path: Path) -> None:
    page, store = tmp_path / "strength.md", tmp_path / "ladder.sqlite"
    page.write_text(PAGE)
    measure = ["tictactoe", "--seconds", "0.001", "--games", "2", "--page", str(page), "--store", str(store)]
    ladder = script("ladder")
    ladder.main(measure)
    text = page.read_text()
    assert text.startswith(PAGE) and text.count("## tictactoe") == 1
    assert "| `mcts:1000` | 1000 |" in text and "the package has no network of tictactoe" in text
    ladder.main(measure)
    assert page.read_text() == text


def test_a_section_leaves_the_others_as_they_are() -> None:
    with_section = script("ladder").with_section
    page = with_section(with_section(PAGE, "hex:7", "seven"), "hex:9", "nine")
    assert with_section(page, "hex:7", "SEVEN") == page.replace("seven", "SEVEN")
