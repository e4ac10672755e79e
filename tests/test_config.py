"""The configuration of a training: recipes, reading and writing, and what is refused."""

import json
from dataclasses import replace

import pytest

from athenan.games.catalogue import GAMES, make
from athenan.learning.config import TrainingConfig, config_from_json, recommended, seconds_per_action
from athenan.learning.replay import ReplayConfig
from athenan.search.search import SearchSettings


@pytest.mark.parametrize("name", [*GAMES, "hex:11", "othello:10", "breakthrough:4x5", "connect_four:9x9"])
@pytest.mark.parametrize("minutes", [None, 0.1, 5.0, 100_000.0])
def test_every_game_has_a_recipe(name: str, minutes: float | None) -> None:
    config = recommended(name, minutes)
    assert config.game == make(name).name
    assert config.heuristic == ("additive_depth" if make(name).max_score is None else "score")
    assert config.seconds is not None
    assert 0.001 <= config.seconds <= 2.0
    assert config_from_json(json.loads(json.dumps(config.as_json()))) == config


def test_longer_runs_think_longer() -> None:
    game = make("hex:7")
    times = [seconds_per_action(game, minutes) for minutes in (1, 5, 60, 600, 6000)]
    assert times == sorted(times)
    assert times[0] < times[-1]
    assert seconds_per_action(game, None) == seconds_per_action(game, 24 * 60)


def test_a_recipe_without_a_search_time() -> None:
    config = recommended("hex:3", matches=5, timed=False)
    with pytest.raises(ValueError, match="a budget needs seconds, iterations or evaluations"):
        config.budget  # noqa: B018
    assert replace(config, evaluations=10).budget.evaluations == 10


def test_every_setting_is_written_and_read() -> None:
    config = TrainingConfig(
        game="othello:6", minutes=2.5, matches=7, network="r1", heuristic="score", seconds=0.5, iterations=3,
        evaluations=9, search=SearchSettings("ubfm", False, False, False, True), selection="epsilon_greedy",
        exploitation="annealed", completed_selection=False, learning_rate=0.01, l2=0.0, averaging=0.5,
        parallel_matches=3, actors=2, seed=11,
        replay=ReplayConfig("pairs", 5, 0.5, 16, "none", 99, 0.3, 77), memory=5, device="cpu", precision="float32",
        learning_precision="bfloat16", threads=1, overlap=True, evaluation_opponent="random", evaluation_games=4,
        evaluation_seconds=0.0,
    )  # fmt: skip
    assert config_from_json(json.loads(json.dumps(config.as_json()))) == config
    assert config_from_json({}) == TrainingConfig()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tempo": 3}, "there is no setting 'tempo'; settings are actors, averaging, borrowing, completed_selection"),
        ({"replay": {"size": 3}}, "there is no setting 'size'; settings are augmentation, batch_size"),
        ({"search": []}, r"a SearchSettings must be an object, not \[\]"),
        ({"game": 7}, "setting game cannot be 7"),
        ({"game": None}, "setting game cannot be None"),
        ({"seed": True}, "setting seed cannot be True"),
        ({"seed": 1.0}, "setting seed cannot be 1.0"),
        ({"minutes": "5"}, "setting minutes cannot be '5'"),
        ({"minutes": [5]}, "setting minutes cannot be"),
        ({"completed_selection": 1}, "setting completed_selection cannot be 1"),
        ({"selection": "best"}, "setting selection cannot be 'best'"),
        ({"selection": ["ordinal"]}, "setting selection cannot be"),
        ({"search": {"completion": 0}}, "setting completion cannot be 0"),
        ({"replay": {"augmentation": "all"}}, "setting augmentation cannot be 'all'"),
        ({"game": "hex:99"}, "99"),
        ({"network": "c:filters=0"}, "filters must be from 1 to 1,024"),
        ({"heuristic": "score"}, "hex:7 has no score"),
        ({"exploitation": "warm"}, "exploitation must be uniform, annealed or a number from 0 to 1, not 'warm'"),
        ({"exploitation": "1.5"}, "a number from 0 to 1"),
        ({"exploitation": "nan"}, "a number from 0 to 1"),
        ({"exploitation": "annealed"}, "exploitation can be annealed only if minutes or matches say"),
        ({"minutes": 0}, "minutes must be from 1e-06 to 10,000,000, not 0"),
        ({"minutes": float("nan")}, "minutes must be from"),
        ({"matches": 0}, "matches must be from 1 to 1,000"),
        ({"seconds": -1}, "seconds must be from"),
        ({"seconds": float("inf")}, "seconds must be from"),
        ({"iterations": 0}, "iterations must be from 1"),
        ({"evaluations": 2**80}, "evaluations must be from 1"),
        ({"learning_rate": 0}, "learning_rate must be from"),
        ({"l2": -0.1}, "l2 must be from 0"),
        ({"l2": float("nan")}, "l2 must be from 0"),
        ({"parallel_matches": 0}, "parallel_matches must be from 1"),
        ({"actors": 0}, "actors must be from 1"),
        ({"seed": -1}, "seed must be from 0"),
        ({"memory": 0}, "memory must be from 1"),
        ({"threads": 0}, "threads must be from 1"),
        ({"evaluation_games": 0}, "evaluation_games must be from 2"),
        ({"evaluation_games": 7}, "evaluation_games must be even"),
        ({"evaluation_seconds": float("inf")}, "evaluation_seconds must be from 0"),
        ({"replay": {"memory_matches": 0}}, "memory_matches must be from 1"),
    ],
)
def test_what_is_refused(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        config_from_json(settings)
    assert "\n" not in str(raised.value)


def test_misspelt_names_are_refused_in_python_too() -> None:
    with pytest.raises(ValueError, match="selection must be ordinal or epsilon_greedy, not 'softmax'"):
        TrainingConfig(selection="softmax")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="algorithm must be descent or ubfm, not 'Descent'"):
        TrainingConfig(search=SearchSettings("Descent"))  # type: ignore[arg-type]


def test_actions_borrow_time_where_an_iteration_outlasts_it() -> None:
    assert not recommended("hex:7", minutes=5).borrowing
    assert recommended("shobu", minutes=5).borrowing
    assert not recommended("shobu", minutes=5, timed=False).borrowing


def test_replay_of_large_states_is_bounded_in_bytes() -> None:
    game = make("arimaa")
    assert recommended("arimaa").replay.pairs_limit * game.state_size <= 8 << 30
    assert recommended("hex:7").replay.pairs_limit == 20_000_000
