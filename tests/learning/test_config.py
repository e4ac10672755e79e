"""The configuration of a training: recipes, reading and writing, and what is refused."""

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pig_variants
import pytest

from athenan.games.catalogue import GAMES, make
from athenan.learning.algorithms import default_algorithm
from athenan.learning.config import (
    ExitSettings,
    LearningSettings,
    PlayingSettings,
    StrengthSettings,
    TrainingConfig,
)
from athenan.learning.learner.losses import LossWeights
from athenan.learning.recipe import recommended, seconds_per_action
from athenan.learning.replay import ReplayConfig
from athenan.runs.run import RunSettings
from athenan.search.algorithms.bandits import Puct, Uct
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.algorithms.exit import Exit
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.search.budget import ActionLimits


def written_and_read(config: TrainingConfig) -> TrainingConfig:
    return TrainingConfig.from_json(json.loads(json.dumps(config.as_json())))


@pytest.mark.one_of(3)
@pytest.mark.parametrize("minutes", [None, 0.1, 5.0, 100_000.0])  # one after the other: what is known of a game is kept
@pytest.mark.parametrize("name", [*GAMES, "hex:11", "othello:10", "breakthrough:4x5", "connect_four:9x9"])
def test_every_game_has_a_recipe(name: str, minutes: float | None) -> None:
    config = recommended(name, minutes)
    assert config.run.game == make(name).name
    if default_algorithm(make(name)) == "td":
        assert config.run.heuristic == ("classic" if make(name).max_score is None else "score")
        assert config.action.iterations == 1
    else:
        usual = "additive_depth" if make(name).max_score is None else "score"
        usual = "classic" if name.startswith(("arimaa", "connect_four")) else usual
        assert config.run.heuristic == usual
        assert config.action.seconds is not None
        assert 0.0003 <= config.action.seconds <= 2.0
    assert written_and_read(config) == config


def test_longer_runs_think_longer() -> None:
    game = make("hex:7")
    times = [seconds_per_action(game, minutes) for minutes in (1, 5, 60, 600, 6000)]
    assert times == sorted(times)
    assert times[0] < times[-1]
    assert seconds_per_action(game, None) == seconds_per_action(game, 24 * 60)


def test_a_recipe_without_a_search_time() -> None:
    config = recommended("hex:3", matches=5, timed=False)
    with pytest.raises(ValueError, match="a budget needs seconds, iterations or evaluations"):
        config.action.budget  # noqa: B018
    assert config.changed(action={"evaluations": 10}).action.budget.evaluations == 10


FULL = TrainingConfig(
    RunSettings(
        "othello:6", minutes=2.5, matches=7, clock="processor", keep=0.5, saving=0.5, network="r1", initial="x",
        heuristic="score", threads=99, seed=11,
    ),
    ActionLimits(seconds=0.5, iterations=3, evaluations=9),
    PlayingSettings(
        selection="softmax", exploitation="annealed", temperature=0.5, completed_selection=False, parallel_matches=3,
        actors=2, renewal=0.5, borrowing=True, memory=5, precision="float32", determinization=True,
    ),
    Puct(
        1.5, completion=False, transpositions=False, resolution_stop=False, play="best", noise=0.2,
        noise_concentration=3.0,
    ),
    LearningSettings("root", 0.5, "visits", 3, 99, 0.01, 0.25, 0.5, 0.0, True, "cpu", "bfloat16"),
    ReplayConfig("pairs", 100, 3.0, 16, "random", 99, 0.3, 77, 7, True),
    LossWeights(2.0, 3.0, 0.5, "divergence"),
    strength=StrengthSettings("random", 4, 1.0),
)  # fmt: skip
"""Most settings of a training with a search; `OTHERS` have the rest."""
OTHERS = [
    TrainingConfig(
        RunSettings(matches=9),
        playing=PlayingSettings(matches_by="policy"),
        search=Exit(completion=False),
        learning=LearningSettings("terminal", policy_target="visits"),
        replay=ReplayConfig("all", growth=0.7, patience=9),
        exit=ExitSettings(0.1, "mcts", 7, 0.2),
    ),
    TrainingConfig(playing=PlayingSettings(selection="visits", drawn_actions=9, resolved_period=9)),
    TrainingConfig(RunSettings(network="patterns"), learning=LearningSettings(learning_threads=2)),
    TrainingConfig(replay=ReplayConfig("stratified", memory_matches=5, duplication=0.5, share=0.5)),
]


def test_every_setting_is_written_and_read() -> None:
    default, left = TrainingConfig().as_json(), set[tuple[str, str]]()
    for config in (FULL, *OTHERS):
        assert written_and_read(config) == config
        changed = {name: of for name, of in config.as_json().items() if name != "search"}
        left.update((of, one) for of, every in changed.items() for one in every if every[one] != default[of][one])
    assert TrainingConfig.from_json({}) == TrainingConfig()
    assert FULL.as_json()["search"] == (
        "puct:completion=false,transpositions=false,resolution_stop=false,play=best,noise=0.2,noise_concentration=3,"
        "exploration=1.5"
    )
    one_value = {("learning", "learner")}
    assert left == {(of, one) for of, every in default.items() if of != "search" for one in every} - one_value
    config = FULL
    by_values = Descent(evaluate="action_values", refining=2, refining_root=9, refining_random=3)
    config = config.changed(
        playing={"resolved_period": 9, "determinization": False}, search=by_values,
        learning={"target": "tree", "trace": 0.0, "policy_target": "none"},
    )  # fmt: skip
    assert written_and_read(config) == config
    for search in (
        AlphaBeta(depth=3), Uct(exploration=0.5, turns=True),
        Ubfm(exact=True),
    ):  # fmt: skip
        config = config.changed(playing={"resolved_period": 0}, search=search)
        assert written_and_read(config) == config


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tempo": 3}, "there is no setting 'tempo'; settings are action, exit, learning, losses, playing, replay, "),
        ({"game": "hex:7"}, "there is no setting 'game'"),
        ({"run": {"tempo": 3}}, "there is no setting 'tempo'; settings are clock, game, heuristic, initial, keep"),
        ({"replay": {"size": 3}}, "there is no setting 'size'; settings are augmentation, batch_size"),
        ({"search": []}, r"search must be a text such as descent, not \[\]"),
        ({"run": {"game": 7}}, "game must be a text, not 7"),
        ({"run": {"game": None}}, "game must be a text, not None"),
        ({"run": {"seed": True}}, "seed must be .*from 0 to 9,223,372,036,854,775,807, not True"),
        ({"run": {"seed": 1.0}}, "seed must be .*from 0 to .*, not 1.0"),
        ({"run": {"seed": -1}}, "seed must be from 0"),
        ({"run": {"minutes": "5"}}, "minutes must be .*from 1e-06 to 10,000,000.*, not '5'"),
        ({"run": {"minutes": [5]}}, r"minutes must be .*from 1e-06 to 10,000,000.*, not \[5\]"),
        ({"run": {"minutes": 0}}, "minutes must be .*from 1e-06 to 10,000,000.*, not 0"),
        ({"run": {"minutes": float("nan")}}, "minutes must be .*from"),
        ({"run": {"matches": 0}}, "matches must be .*from 1 to 1,000,000,000,000.*, not 0"),
        ({"run": {"threads": 0}}, "threads must be from 1 to 1,024, not 0"),
        ({"action": {"seconds": -1}}, "seconds must be .*from"),
        ({"action": {"seconds": float("inf")}}, "seconds must be .*from"),
        ({"action": {"iterations": 0}}, "iterations must be .*from 1"),
        ({"action": {"evaluations": 2**80}}, "evaluations must be .*from 1"),
        ({"playing": {"completed_selection": 1}}, "completed_selection must be true or false, not 1"),
        ({"playing": {"selection": "best"}}, "selection must be ordinal, epsilon_greedy, softmax or visits"),
        ({"playing": {"selection": ["ordinal"]}}, "selection must be"),
        ({"playing": {"exploitation": "warm"}}, "must be uniform, annealed or a number from 0 to 1, not 'warm'"),
        ({"playing": {"exploitation": "0.5"}}, "exploitation must be uniform, annealed or a number from 0 to 1"),
        ({"playing": {"exploitation": 1.5}}, "a number from 0 to 1"),
        ({"playing": {"exploitation": float("nan")}}, "a number from 0 to 1"),
        ({"playing": {"exploitation": "annealed"}}, "exploitation can be annealed only if minutes or matches say"),
        ({"playing": {"temperature": 0}}, "temperature must be from 1e-09 to 1,000,000,000, not 0"),
        ({"playing": {"resolved_period": -1}}, "resolved_period must be from 0"),
        ({"playing": {"parallel_matches": 0}}, "parallel_matches must be from 1"),
        ({"playing": {"actors": 0}}, "actors must be from 1"),
        ({"playing": {"memory": 0}}, "memory must be from 1"),
        ({"playing": {"precision": "float8"}}, "precision must be auto, float32 or bfloat16, not 'float8'"),
        ({"search": "ubfm:completion=0"}, "search 'ubfm:completion=0': completion must be true or false, not 0"),
        ({"search": {"algorithm": "ubfm"}}, "search must be a text such as descent, not {'algorithm'"),
        ({"learning": {"target": "leaves"}}, "target 'leaves' does not exist: choose one of tree, "),
        ({"learning": {"learning_rate": 0}}, "learning_rate must be from"),
        ({"learning": {"random_ends": -1}}, "random_ends must be from 0 to 10,000,000,000, not -1"),
        ({"learning": {"l2": -0.1}}, "l2 must be .*from 0"),
        ({"learning": {"l2": float("nan")}}, "l2 must be .*from 0"),
        ({"learning": {"cooldown": 1.5}}, "cooldown must be from 0 to 1, not 1.5"),
        ({"learning": {"cooldown": 0.2}}, "cooldown must be 0 unless minutes or matches say"),
        ({"learning": {"averaging": 1}}, "averaging must be from 0 to 0.999999, not 1"),
        ({"losses": {"values": 0}}, "losses.values must be above 0 unless a policy is learnt"),
        ({"replay": {"augmentation": "all"}}, "augmentation must be add, random or none, not 'all'"),
        ({"replay": {"memory": 0}}, "memory must be from 1 to 16,777,216, not 0"),
        ({"replay": {"memory_matches": "5"}}, "memory_matches must be"),
        ({"replay": {"memory_matches": 0}}, "memory_matches must be "),
        ({"strength": {"games": 0}}, "games must be from 2"),
        ({"strength": {"games": 7}}, "games must be even"),
        ({"strength": {"seconds": float("inf")}}, "seconds must be from 0"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        TrainingConfig.from_json(settings)
    assert "\n" not in str(raised.value)


def test_bad_values_are_refused_in_python_too() -> None:
    with pytest.raises(ValueError, match="selection must be ordinal, epsilon_greedy, softmax or visits"):
        PlayingSettings(selection="greedy")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^search 'Descent' does not exist: choose one of descent, ubfm"):
        TrainingConfig().changed(search="Descent")
    with pytest.raises(ValueError, match="run must be"):
        TrainingConfig(run="hex:7")  # type: ignore[arg-type]


def test_changes_by_component() -> None:
    config = recommended("hex:5", minutes=5).changed(run={"seed": 3}, playing={"exploitation": 0.5})
    assert (config.run.seed, config.run.minutes, config.playing.exploitation) == (3, 5, 0.5)
    assert config == replace(config, playing=replace(config.playing, exploitation=0.5))
    with pytest.raises(ValueError, match="there is no component 'game'; there are run, action, playing"):
        config.changed(game={"seed": 3})
    with pytest.raises(ValueError, match="there is no setting of run 'sede'; there are game, minutes"):
        config.changed(run={"sede": 3})
    with pytest.raises(ValueError, match="seed must be from 0"):
        config.changed(run={"seed": -1})


def test_what_follows_from_a_network_is_recommended_and_not_changed() -> None:
    patterns, named = recommended("hex:7", minutes=5), recommended("hex:7", minutes=5, network="c")
    changed = patterns.changed(run={"network": "c"})
    assert (changed.run.network, named.run.network) == ("c", "c")
    rates = [config.learning.learning_rate for config in (patterns, changed, named)]
    assert rates == [1, 1, 0.001]  # docs/python.md


def test_checking_builds_nothing() -> None:
    """Names are checked when what they stand for is made: a configuration needs neither rules nor torch."""
    code = """
import sys
from athenan.learning.config import TrainingConfig
TrainingConfig().changed(run={"game": "chess:9", "network": "z", "heuristic": "luck"}, strength={"opponent": "nobody"})
assert not [name for name in sys.modules if name == "torch" or name.startswith("athenan.games.hex")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_actions_borrow_time_where_an_iteration_outlasts_it() -> None:
    assert not recommended("hex:7", minutes=5).playing.borrowing
    assert recommended("shobu", minutes=5, network="c").playing.borrowing
    assert not recommended("shobu", minutes=5, timed=False, network="c").playing.borrowing


def test_replay_of_large_states_is_bounded_in_bytes() -> None:
    assert recommended("arimaa").replay.memory == 8192
    assert recommended("hex:7").replay.pairs_limit == 20_000_000


def test_the_recipe_for_games_of_chance() -> None:
    """TD(λ) where two players roll dice: shallow networks for boards of one row, and what is learnt is what counts."""
    backgammon, einstein, pig = (recommended(name, minutes=5) for name in ("backgammon", "einstein", "pig:10"))
    for config in (backgammon, einstein, pig):
        assert config.search == Ubfm(turns=True)
        assert config.action == ActionLimits(iterations=1)
        assert config.playing.matches_by == "turns"
        assert (config.playing.exploitation, config.playing.precision) == (1.0, "float32")
        assert (config.learning.target, config.replay.colours) == ("root", config.run.network == "c")
        assert config.learning.trace > 0
    assert (backgammon.run.heuristic, einstein.run.heuristic) == ("score", "classic")
    assert (backgammon.run.network, einstein.run.network) == ("shallow", "patterns:entries=4096,vector=16")
    assert einstein.learning.averaging == 0.999
    on_torch = recommended("backgammon", minutes=5, torch=True)
    assert (on_torch.run.network, on_torch.replay.method) == ("mlp:dense=160,dense_layers=1", "none")
    assert recommended("backgammon", minutes=5, algorithm="descent").search == Descent()
    assert recommended("hex:7", minutes=5) == recommended("hex:7", minutes=5, algorithm="descent")
    assert default_algorithm(pig_variants.alone()) == "descent"


def test_a_trace_is_a_setting_of_root_learning() -> None:
    assert TrainingConfig(learning=LearningSettings(target="root", trace=0.5)).learning.trace == 0.5
    with pytest.raises(ValueError, match="trace needs a target that takes a trace, such as --target root"):
        TrainingConfig(learning=LearningSettings(trace=0.5))
