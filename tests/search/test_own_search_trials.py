"""A user's search is tried before its first use, so that no fault ends the process; a right one is tried once."""

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from athenan import Search, make
from athenan.rules.conformance import passed, watching
from athenan.search import first_use
from athenan.search.named import make_search, parse_search
from athenan.search.settings import WalkSettings
from athenan.search.trees.selection import safest

PAGE = Path(__file__).parents[2] / "docs" / "algorithms" / "own_search.md"
EXAMPLE = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
BEST, PLAIN = "    return best\n", "        plain = "
ALGORITHM = "return replace(plain, follow=follow_best_or_any, constants=(self.epsilon,))"
OWN_WALK = """
from dataclasses import dataclass
from athenan.search.settings import SearchSettings

@dataclass(frozen=True)
class Mine(SearchSettings):
    def heads(self, stochastic=False): return ("values",)
    def for_play(self): return self
    sees_actions = True
    def make(self, *given): return 5
"""


def changed(old: str, new: str) -> str:
    assert EXAMPLE.count(old) == 1
    return EXAMPLE.replace(old, new)


WRONG = {
    "out_of_range": (changed(BEST, "    return 1_000_000\n"), r"follow gave position 1000000 of \d edges"),
    "negative": (changed(BEST, "    return -1\n"), r"follow gave position -1 of \d edges"),
    "text": (changed(BEST, "    return 'q'\n"), "follow cannot be compiled: No conversion from Literal"),
    "far_away": (changed(BEST, "    return int(constants[(1 << 44) + best])\n"), "SIG(SEGV|BUS) in follow: "),
    "kernel_raises": (changed(BEST, "    raise IndexError('no edge')\n"), "follow raised IndexError: no edge"),
    "endless": (changed(BEST, "    while best >= 0:\n        best ^= 1\n" + BEST), "follow did not return within"),
    "constants": (changed("(self.epsilon,)", "self.epsilon"), r"constants must be numbers in a tuple.*, not 0.125"),
    "result": (changed(ALGORITHM, "return 5"), "algorithm must return an Algorithm, not 5"),
    "raises": (changed(PLAIN, "        [][3]\n        plain = "), "it raised IndexError: list index out of range"),
    "kernel": (changed("follow=follow_best_or_any", "follow=replace"), "follow must be a function decorated"),
    "exact_raises": (
        changed(PLAIN, "        self.exact and [][3]\n        plain = "),
        "it raised IndexError: list index out of range",
    ),
    "choose": (
        changed("follow=follow_best", "choose=lambda node, random: 99, follow=follow_best"),
        r"choose gave position 99 of \d actions",
    ),
    "own_walk": (OWN_WALK, "make must return a search, not 5"),
}  # fmt: skip
"""What is wrong -> the file, and what is said about it."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for what has passed, and a process that has named no file."""
    monkeypatch.setattr("athenan.loading._named", set())
    monkeypatch.setattr(passed, "_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(passed, "_passed", set())
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The example of the page as a user's file."""
    (tmp_path / "mine.py").write_text(EXAMPLE)
    return tmp_path / "mine.py"


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_search_is_told_in_one_sentence(
    fault: str,
    tmp_path: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: Callable[..., tuple[int, str, str]],
) -> None:
    if fault == "endless":
        monkeypatch.setattr(first_use, "_SECONDS", 0.5)
    code, said = WRONG[fault]
    wrong = tmp_path / f"{fault}.py"
    wrong.write_text(code)
    game = "morpion" if fault == "exact_raises" else "tictactoe"
    for _ in range(2):
        status, _, errors = command("analyze", game, "--search", str(wrong), "--iterations", "50")
        assert (status, errors.count("\n")) == (2, 1), errors
        assert re.search(said, errors) and f"{fault}.py" in errors
    assert not cache.exists()


def test_a_right_search_is_tried_once_for_each_game_and_its_settings(
    file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, trial = list[str](), first_use.tried

    def counted(name: str, *given: object) -> None:
        tried.append(name)
        trial(name, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(first_use, "tried", counted)
    for _ in range(2):
        for text in (f"{file}", f"{file}:0.5"):
            for game in map(make, ("tictactoe", "hex:3")):
                assert isinstance(make_search(game, settings=parse_search(text)), Search)
        passed._passed.clear()  # as in the next process
    assert tried == 4 * [f"search {file}"]
    assert len(list(cache.iterdir())) == 4
    make_search(make("tictactoe"), settings=parse_search("ubfm"))
    assert len(tried) == 4


@pytest.mark.parametrize("game", ["pig:10,length=20", "backgammon", "othello:4", "morpion"])
@pytest.mark.parametrize("settings", ["epsilon=1", "transpositions=false", "completion=false"])
def test_a_right_search_passes_in_games_of_every_kind(file: Path, game: str, settings: str) -> None:
    make_search(make(game), settings=parse_search(f"{file}:{settings}"))


def test_a_trial_follows_what_the_next_iteration_follows(file: Path) -> None:
    followed = list[int]()
    search = make_search(make("hex:3"), settings=parse_search(f"{file}:0.5"))
    assert isinstance(search, Search)
    search.reset(search.game.initial())
    for _ in range(200):
        before = search.forest.edges["visits"].copy()
        marks = list[str]()
        first_use._follow(search, "mine", marks.append)
        assert np.array_equal(search.forest.edges["visits"], before)
        search.expand()
        followed.append(int((search.forest.edges["visits"] - before).sum()))
        assert marks == ["goes_on", "follow"] * followed[-1]
    assert max(followed) > 2


def test_a_trial_that_cannot_fork_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watching, "can_fork", lambda: False)
    (tmp_path / "wrong.py").write_text(WRONG["out_of_range"][0])
    with caplog.at_level(logging.WARNING), pytest.raises(ValueError, match="follow gave position 1000000 of"):
        make_search(make("tictactoe"), settings=parse_search(str(tmp_path / "wrong.py")))
    assert "wrong.py is checked in this process, as this system cannot fork" in caplog.text


def test_constants_are_numbers_in_a_tuple() -> None:
    plain = parse_search("ubfm")
    assert isinstance(plain, WalkSettings)
    made = plain.algorithm(safest)
    bad: list[Any] = [0.5, "x", ("x",), None]
    for wrong in bad:
        with pytest.raises(ValueError, match="constants must be numbers in a tuple"):
            replace(made, constants=wrong)
    assert replace(made, constants=(1, np.float64(2))).steps(True).constants.tolist() == [1, 2, 1]
