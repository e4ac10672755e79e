"""scripts/networks.py, scripts/levels.py and scripts/ladder.py: what maintainers of the package's networks run."""

import subprocess
from dataclasses import replace
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from shipped_network import GAME, saved

from athenan import Budget, make
from athenan.arena.pairs import Conditions
from athenan.arena.store import Store
from athenan.arena.tournaments import ladder
from athenan.networks.card import Rated
from athenan.networks.catalogue import network_of
from athenan.networks.shipping import change_card, ship
from athenan.play.levels import LEVELS, rungs
from athenan.play.openings import OpeningChoice

SCRIPTS = Path(__file__).parents[2] / "scripts"
PAGE = "# Strength\n\nWords.\n"


def script(name: str) -> ModuleType:
    spec = spec_from_file_location(f"script_{name}", SCRIPTS / f"{name}.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_run_is_added_with_the_command_that_trained_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = script("networks")
    before, run = network_of(make(GAME)).digest, saved(file.parent / "better", seed=1)
    monkeypatch.setattr(networks, "ship", partial(ship, folder=file.parent))
    line = f"athenan train {GAME} --minutes 1"
    networks.main(["add", str(run), "--command", line, "--weaknesses", "It is random."])
    after = network_of(make(GAME))
    assert after.digest != before
    assert (after.card.command, after.card.weaknesses) == (line, "It is random.")
    assert after.card.commit == "0123456789ab"
    networks.main(["add", str(run), "--command", line, "--commit", head()[:9]])
    assert network_of(make(GAME)).card.commit == head()


@pytest.mark.parametrize("version", ["0.1.0+fedcba987654", "0.1.0+fedcba987654.changed"])
def test_a_run_names_the_commit_that_trained_it(version: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = script("networks")
    monkeypatch.setattr(networks, "ship", partial(ship, folder=file.parent))
    networks.main(["add", str(saved(file.parent / "named", version=version)), "--command", "x"])
    assert network_of(make(GAME)).card.commit == "fedcba987654" + "+" * version.endswith("changed")


def test_a_run_without_a_commit_is_added_with_one(file: Path) -> None:
    with pytest.raises(SystemExit, match=r"does not say which commit trained it: name it with --commit$"):
        script("networks").main(["add", str(saved(file.parent / "no commit", version="0.1.0")), "--command", "x"])


def test_weaknesses_are_written_into_the_card_and_the_network_remains(file: Path) -> None:
    networks, before = script("networks"), network_of(make(GAME))
    networks.main(["weaknesses", GAME, "mcts:1s took 12 of 20 games from it."])
    after = network_of(make(GAME))
    assert after.card == replace(before.card, weaknesses="mcts:1s took 12 of 20 games from it.")
    assert after.digest == before.digest
    networks.main(["weaknesses", GAME, ""])
    assert network_of(make(GAME)).card == replace(before.card, weaknesses="")


def head() -> str:
    asked = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(asked, cwd=SCRIPTS, capture_output=True, text=True, check=True).stdout.strip()


MISSING = ("add", "no/run", "--command", "x"), ("add", "no/run", "--command", "x", "--commit", "no-such-commit")


@pytest.mark.parametrize("arguments", [*MISSING, ("weaknesses", "hex:8", "It has none.")])
def test_what_is_missing_is_one_sentence(arguments: tuple[str, ...], file: Path) -> None:
    with pytest.raises(SystemExit, match=r"^networks: error: [^\n]+$"):
        script("networks").main([*arguments])


def test_a_ladder_rates_the_levels_and_an_interrupted_one_goes_on(file: Path, tmp_path: Path) -> None:
    page, store = tmp_path / "strength.md", tmp_path / "ladder.sqlite"
    page.write_text(PAGE)
    measure = [GAME, "--seconds", "0.001", "--games-each", "4", "--page", str(page), "--store", str(store)]
    measure += ["--without", "mcts:10000", "--also", "mcts:20"]
    script("ladder").main(measure)
    card, text = network_of(make(GAME)).card, page.read_text()
    assert [one.level for one in card.ratings] == list(LEVELS)
    assert [one.plays for one in card.ratings] == list(LEVELS.values())
    assert "| `naive:2` |" in text
    assert text.count(" (beginner) |") == text.count(" (strongest) |") == 1
    assert all(one.games >= 4 and one.low < one.elo < one.high for one in card.ratings)
    assert "0.001 s" in card.measured and "`mcts:20`" in text and "mcts:10000" not in text
    script("ladder").main(measure)  # all matches are in the store
    assert network_of(make(GAME)).card == card and page.read_text() == text


def test_levels_are_chosen_by_what_they_score_and_an_interrupted_measurement_goes_on(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels, page = script("levels"), tmp_path / "strength.md"
    page.write_text(f"{PAGE}\n<!-- levels -->\n| hex:7 | club | x |\n<!-- end of levels -->\n")
    easy = [levels.Goal(one.level, "random", share, ("naive", "mcts:1000")) for one, share in
            zip(levels.GOALS, (0, 0.5, 1.1, 0), strict=True)]  # fmt: skip
    monkeypatch.setattr(levels, "GOALS", tuple(easy))
    monkeypatch.setattr(levels, "ABOVE", 0.0)
    monkeypatch.setattr(levels, "COLUMNS", ("random", "naive", "mcts:1000"))
    change_card(file, ratings=(Rated("strongest", None, 0.0, 1.0, 880.0, 830.0, 930.0, 40),), measured="in the ladder")
    measure = [GAME, "--games", "4", "--page", str(page), "--store", str(tmp_path / "levels.sqlite")]
    levels.main(measure)
    card, text = network_of(make(GAME)).card, page.read_text()
    found = card.levels.settings
    assert [found["beginner"], found["club"]] == [rungs("beginner")[0], rungs("club")[-1]]
    assert found["expert"] == rungs("expert")[0] and list(found) == list(LEVELS) == [one.level for one in card.ratings]
    assert card.ratings[-1].elo == 880 and card.measured.endswith("; the strongest in the ladder")
    assert "levels below the strongest" in card.measured
    rows = [line for line in text.splitlines() if line.startswith(f"| {GAME} |")]
    assert [row.split("|")[2].strip() for row in rows] == list(LEVELS)[:4] and "| hex:7 | club | x |" in text
    levels.main(measure)  # all matches are in the store
    assert network_of(make(GAME)).card == card and page.read_text() == text


def test_who_is_left_out_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(f"uci:true,options=(Skill Level={level})" for level in (1, 2))
    ends = ladder.Program("True", "true", names, lambda game: True)
    missing = ladder.Program("Nothing", "no-such-command", (), lambda game: True)
    monkeypatch.setattr(ladder, "PROGRAMS", (ends, missing))
    _, (network, *programs, nobody) = ladder.rungs(make("hex:3"), 0.1, ["nobody"])
    assert programs == ["Nothing is not installed (no command no-such-command)", "True has ended, with status 0"]
    assert network.startswith("the package has no network") and nobody.startswith("there is no player 'nobody'")


def test_informed_rollouts_are_a_rung_where_a_game_has_them() -> None:
    informed = "rave:0.1s,equivalence=4000,informed=true"
    assert informed in ladder.rungs(make("go:3"), 0.1)[0] and informed not in ladder.rungs(make("hex:3"), 0.1)[0]


def test_players_meet_whose_results_are_least_certain(tmp_path: Path) -> None:
    players = ["random", "mcts:1", "mcts:30", "mcts:1000"]
    conditions = Conditions(Budget(iterations=1), OpeningChoice("random", 1))
    with Store(tmp_path / "ladder.sqlite") as store:
        counted = [*ladder.play(store, make("tictactoe"), players, conditions, 6)]
        found = ladder.standings_of(store, make("tictactoe"), players, conditions)
    assert counted == [*range(1, found.games // 2 + 1)]
    assert min(sum(found.counts(one)) for one in range(4)) == 12 and found.games <= 28  # 24 are the least
    assert found.tally(0, 3).games < found.tally(0, 1).games


def test_a_ladder_is_a_section_of_the_page_and_replaces_its_former_one(tmp_path: Path) -> None:
    page, store = tmp_path / "strength.md", tmp_path / "ladder.sqlite"
    page.write_text(PAGE)
    measure = ["hex:3", "--seconds", "0.001", "--games-each", "2", "--page", str(page), "--store", str(store)]
    script("ladder").main(measure)
    text = page.read_text()
    assert text.startswith(PAGE) and text.count("## hex:3") == 1
    assert "| `mcts:1000` | 1000 |" in text and "the package has no network of hex:3" in text
    script("ladder").main(measure)
    assert page.read_text() == text


def test_a_section_leaves_the_others_as_they_are() -> None:
    with_section = script("ladder").with_section
    page = with_section(with_section(PAGE, "hex:7", "seven"), "hex:9", "nine")
    assert with_section(page, "hex:7", "SEVEN") == page.replace("seven", "SEVEN")


def test_the_page_is_in_order_and_begins_with_a_summary() -> None:
    ladder = script("ladder")
    room = f"{PAGE}\n<!-- summary -->\n<!-- end of summary -->\n"
    rows = [
        "| `uci:x,options=(Skill Level=3)` | 1500 | 1400 to 1600 | 4 | 75.0% |",
        "| `runs/x@5` | 1450 | 1400 to 1500 | 4 | 50.0% |",
        "| `athenan@01` | 1300 | 1200 to 1400 | 4 | 50.0% |",
        "| `athenan@02` (strongest) | 1200 | -10 to 1300 | 4 | 50.0% |",
        "| `athenan@02,evaluations=100,temperature=0.3` (club) | 900 | 800 to 1000 | 4 | 25.0% |",
    ]
    page = ladder.with_section(room, "hex:9", "nine")
    page = ladder.with_section(page, "connect_four:7x6", "\n".join(rows))
    made = ladder.with_summary(ladder.in_order(page))
    assert made.index("ladder of connect_four:7x6") < made.index("ladder of hex:9")
    assert [line for line in made.splitlines() if line.startswith("| [")] == [
        "| [connect_four:7x6](#connect_four7x6) | 1200, -10 to 1300 | `uci:x,options=(Skill Level=3)` | 1500 |"
    ]
    assert ladder.with_summary(ladder.in_order(made)) == made and made.startswith(PAGE)
