"""Measurements of strength during a training."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from small_trainings import quiet, small

from athenan.games.catalogue import make
from athenan.learning.config import StrengthSettings
from athenan.learning.observers.display import Display
from athenan.learning.observers.strength import Strength, opponent
from athenan.learning.progress import Measurement, Progress
from athenan.learning.training import train
from athenan.play.player import PlayerError
from athenan.runs.learnt import LearntNetwork, learnt_network
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.named import SEARCHES, search_name


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> LearntNetwork:
    run = train(small("connect_four:4x4", matches=2), tmp_path_factory.mktemp("trained") / "run", quiet())
    return learnt_network(run, "cpu", "float32")


def test_a_measurement_repeats(learnt: LearntNetwork) -> None:
    strength = Strength(StrengthSettings("mcts:20", games=6, seconds=10_000), learnt.game)
    one, again, later = (strength.measure(learnt.evaluate, learnt.heuristic, matches) for matches in (3, 3, 4))
    assert one == again
    assert (one.opponent, one.matches, one.games) == ("mcts:20", 3, 6)
    assert later.matches == 4
    assert 0 <= one.score <= 1


def test_a_measurement_takes_a_tenth_of_the_time_or_two_games(learnt: LearntNetwork) -> None:
    hurried = Strength(StrengthSettings("mcts:20", games=6, seconds=1e-6), learnt.game)
    assert hurried.measure(learnt.evaluate, learnt.heuristic, 3).games == 2


def test_measurements_come_when_they_are_due(learnt: LearntNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("athenan.learning.observers.strength.perf_counter", lambda: now[0])
    strength = Strength(StrengthSettings("random", games=2, seconds=60.0), learnt.game)

    def slow(*given: Any) -> Measurement:
        now[0] += 10.0
        return Measurement("random", 0, 0.5, 2)

    monkeypatch.setattr(strength, "measure", slow)
    now[0] = 5.0
    strength.begin()
    found = []
    for second in range(400):
        now[0] = max(now[0], float(second))
        if strength.when_due(learnt.evaluate, learnt.heuristic, second):
            found.append(second)
    assert found == [65, 165, 265, 365]  # each takes 10 s, and the pause is nine times as long


def test_who_may_be_the_opponent() -> None:
    assert opponent(StrengthSettings("nobody"), make("morpion:4D")) is None
    refused = {"nobody": "there is no player 'nobody'", "human": "a person plays with", "gtp:gnugo": "is a command"}
    for name, message in refused.items():
        with pytest.raises(PlayerError, match=message):
            opponent(StrengthSettings(name), make("hex:3"))


def test_the_search_of_a_measurement() -> None:
    """One iteration of UBFM, unless the training's search evaluates states alone: that tells nothing of the actions."""
    found = {}
    for name in SEARCHES:
        strength = Strength(StrengthSettings("nobody"), make("morpion:4D"), SEARCHES[name]())
        found[name] = search_name(strength.search), strength.iterations
    alone = ("uct", "puct", "gumbel", "exit")
    assert found == {name: (name, 50) if name in alone else ("ubfm", 1) for name in SEARCHES}
    refined = Descent(evaluate="action_values", refining=3)
    strength = Strength(StrengthSettings("nobody"), make("morpion:4D"), refined)
    assert strength.search == Ubfm(evaluate="action_values", refining=3)


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        (
            "connect_four:4x4",
            {"search": "puct", "learning": {"policy_target": "visits", "target": "terminal"}},
        ),
        ("pig:10", {"search": {"evaluate": "action_values"}, "playing": {"determinization": True}}),
    ],
)
def test_a_network_is_measured_with_its_search(game: str, changes: dict[str, Any], tmp_path: Path) -> None:
    """A policy, and in a game of chance also action values that were learnt without chance."""
    config = small(game, matches=2, strength={"seconds": 1e-6, "opponent": "random", "games": 2})
    measured = []

    class Watching(Display):
        def update(self, progress: Progress) -> None:
            measured.append(progress.measurement)

    train(config.changed(**changes), tmp_path / "run", Watching(Console(file=StringIO())))
    assert any(measured)
