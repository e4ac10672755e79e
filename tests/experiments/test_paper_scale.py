"""The experiments at the papers' scale: complete settings, networks, memory, and first matches on their own games."""

import io
import re
from dataclasses import fields
from pathlib import Path

import pytest
from paper_trainings import PAPERS, cells, config_of, weights
from rich.console import Console

from athenan.evaluation.heuristics import default_heuristic
from athenan.experiments import trainings as module
from athenan.experiments.catalogue import EXPERIMENTS
from athenan.experiments.catalogue import stated as short_trainings
from athenan.experiments.catalogue import stated_long as long_trainings
from athenan.experiments.trainings import merged, training_config
from athenan.games.catalogue import make
from athenan.learning.config import TrainingConfig
from athenan.learning.observers.display import Display
from athenan.learning.self_play.memory import memory_needed, shortage
from athenan.learning.training import train
from athenan.rules.playouts import mean_actions
from athenan.runs.checkpoint import load
from athenan.runs.run import RunSettings
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.trees.planting import memory_for
from athenan.search.trees.selection import safest
from athenan.search.walking.walk_search import room_for_ends

COMBINATIONS = [
    (name, game, one)
    for name in PAPERS
    for experiment in [EXPERIMENTS[name]("paper")]
    for game in experiment.procedure.games
    for one in dict.fromkeys(contestant.combination for contestant in experiment.contestants(game))
]
OF_THE_EXPERIMENT = {f"run.{name}" for name in ("game", "minutes", "matches", "clock", "keep", "threads", "seed")}
OF_THE_EXPERIMENT |= {"run.saving", "playing.memory", "strength.opponent", "strength.games", "strength.seconds"}


def names(settings):
    return {f"{component}.{name}" for component, of in settings.items() for name in of}


# -- Settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAPERS)
def test_every_setting_is_stated(name):
    every = {
        f"{one.name}.{setting.name}"
        for one in fields(TrainingConfig)
        for setting in fields(getattr(TrainingConfig(), one.name))
        if one.name != "search"
    }
    experiment = EXPERIMENTS[name]("paper")
    for game in experiment.procedure.games:
        for combination in experiment.combinations.values():
            shared = {} if combination.apart else merged(experiment.common, experiment.by_game.get(game, {}))
            stated = merged(shared, combination.train)
            assert isinstance(stated["search"], str)  # a text leaves nothing to the recipe
            no_components = ("algorithm", "evaluate", "search")
            of_components = {key: value for key, value in stated.items() if key not in no_components}
            assert every - names(of_components) - OF_THE_EXPERIMENT == set()


OTHER_RECIPE = {
    "run": {"network": "mlp", "heuristic": "additive_depth", "threads": 77},
    "action": {"seconds": 9.0, "iterations": 99, "evaluations": 999},
    "playing": {
        "selection": "softmax", "exploitation": 0.3, "temperature": 7.0,
        "completed_selection": False, "parallel_matches": 7, "actors": 7, "renewal": 7.0, "borrowing": True,
        "precision": "bfloat16",
    },
    "search": Ubfm(play="best"),
    "learning": {
        "target": "root", "trace": 0.7, "phase_matches": 7, "random_ends": 7, "learning_rate": 0.7, "averaging": 0.7,
        "l2": 0.7, "overlap": True, "device": "cpu", "learning_precision": "bfloat16",
    },
    "replay": {
        "method": "stratified", "memory_matches": 7, "duplication": 7.0, "batch_size": 7, "augmentation": "random",
        "pairs_limit": 7, "memory": 7,
    },
    "losses": {"values": 7.0, "policies": 7.0, "action_values": 7.0},
}  # fmt: skip


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", PAPERS)
def test_nothing_comes_from_the_recipe_of_short_runs(name, monkeypatch):
    """Two recipes that differ in nearly all settings give the same trainings."""
    found = []
    for changes in ({}, OTHER_RECIPE):

        def recipe(game, minutes, changes=changes, **rest):
            return TrainingConfig(RunSettings(game, minutes)).changed(**changes)

        monkeypatch.setattr(module, "recommended", recipe)
        found.append([config_of(*one) for one in COMBINATIONS if one[0] == name])
    assert found[0] == found[1]


def test_one_athenan_of_004_learns_a_heuristic_and_the_others_the_gain():
    for game in EXPERIMENTS["004-figure-3"]("paper").procedure.games:
        heuristics = {
            one: config_of("004-figure-3", game, one).run.heuristic
            for one in ("Athénan with heuristic", "Athénan", "AlphaZero")
        }
        assert heuristics == {
            "Athénan with heuristic": default_heuristic(make(game)), "Athénan": "classic", "AlphaZero": "classic",
        }  # fmt: skip


def test_both_rivals_of_a_paper_learn_under_the_same_conditions():
    for name, one, other in (
        ("003-table-6", "Athénan", "ExIt"),
        ("000-table-10", "Descent", "ExIt, 1,000"),
        ("004-figure-3", "Athénan", "AlphaZero"),
        ("001-table-3", "Descent Expectiminimax, classic", "AlphaZero"),
    ):
        game = EXPERIMENTS[name]("paper").procedure.games[0]
        first, second = config_of(name, game, one), config_of(name, game, other)
        if name != "000-table-10":  # it prints other neurons for ExIt
            assert first.run.network == second.run.network
        for component, setting in (("replay", "augmentation"), ("learning", "averaging"), ("learning", "overlap")):
            assert getattr(getattr(first, component), setting) == getattr(getattr(second, component), setting)
        assert not first.learning.overlap
        assert first.learning.learning_rate == second.learning.learning_rate


def names_of(component):
    return [setting.name for setting in fields(component)]


def written(stated, name):
    """The cell of a setting: a value that the paper does not tell has a star; a dash is not the training's own."""
    component, setting = name.split(".")
    for settings, mark in ((stated.told, ""), (stated.untold, "*")):
        if setting in settings.get(component, {}):
            value = settings[component][setting]
            shown = f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
            return f"{shown.lower() if isinstance(value, bool) else shown}{mark}"
    return "–"


def table(stated):
    """The lines of a table of docs/experiments.md, as the descriptions give them."""
    every = set().union(*(names(one.told) | names(one.untold) for one in stated.values()))
    searches = [
        "algorithm", "completion", "transpositions", "noise", "noise_concentration", "exploration", "policy_weight",
        "value_weight",
    ]  # fmt: skip
    order = [
        f"{one.name}.{name}"
        for one in fields(TrainingConfig)
        for name in (searches if one.name == "search" else names_of(getattr(TrainingConfig(), one.name)))
    ]
    yield ["setting", *stated]
    for name in sorted(every - {"run.network"}, key=order.index):
        yield [f"`{name}`", *(written(one, name) for one in stated.values())]


SHORT = {
    "003, 3.3": short_trainings.COMMON,
    "003, 8, Athénan": short_trainings.ATHENAN_BESIDE_EXIT,
    "003, 8, ExIt": short_trainings.EXIT,
    "004, Athénan": short_trainings.ATHENAN_BESIDE_POLYGAMES,
    "004, AlphaZero": short_trainings.POLYGAMES_004,
    "001, Athénan": short_trainings.ATHENAN_EINSTEIN,
    "001, AlphaZero": short_trainings.POLYGAMES_001,
}
LONG = {
    "003, 9.3": long_trainings.HEX_11,
    "003, 9.4": long_trainings.HEX_13,
    "003, 10": long_trainings.OTHELLO,
    "003, 11": long_trainings.ARIMAA,
    "003, 12": long_trainings.MORPION,
    "000, 8.2, Descent": long_trainings.DESCENT_000,
    "000, 8.2, ExIt": long_trainings.EXIT_000,
}
"""The stated settings, by their names in docs/experiments.md."""


def test_the_tables_of_the_documentation_are_those_of_the_descriptions():
    text = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text()
    found = re.findall(r"^\| setting \|.*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    for lines, stated in zip(found, (SHORT, LONG), strict=True):
        first, _, *rows = map(cells, lines.splitlines())
        assert [first, *rows] == list(table(stated))


# -- Networks --------------------------------------------------------------------------------------------------------


def test_the_network_of_einstein_is_that_of_the_appendix():
    """001: a convolution of 83 filters, four blocks of two, two hidden layers of 425; the board is 14 planes of 5x5."""
    convolutions = 9 * 14 * 83 + 83 + 8 * (9 * 83 * 83 + 83)
    dense = 25 * 83 * 425 + 425 + 425 * 425 + 425 + 425 + 1
    assert make("einstein").planes == (14, 5, 5)
    for combination in EXPERIMENTS["001-table-2"]("paper").combinations:
        assert weights("001-table-2", "einstein", combination) == convolutions + dense == 1_570_989


@pytest.mark.parametrize(
    ("name", "own", "rival"),
    [
        ("001-table-3", "Descent Expectiminimax, classic", "AlphaZero"), ("004-figure-3", "Athénan", "AlphaZero"),
        ("003-table-6", "Athénan", "ExIt"),
    ],
)  # fmt: skip
def test_rivals_have_an_analogous_number_of_weights(name, own, rival):
    for game in EXPERIMENTS[name]("paper").procedure.games:
        assert 1 < weights(name, game, rival) / weights(name, game, own) < 1.01


# -- Memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "game", "combination"), [one for one in COMBINATIONS if one[2].startswith(("ExIt", "AlphaZero"))]
)
def test_every_training_has_room_for_its_searches(name, game, combination):
    config = config_of(name, game, combination)
    needed = memory_needed(config, make(game))
    assert needed and config.playing.memory == max(2048, needed)
    assert shortage(config, make(game)) is None
    assert config.playing.memory <= 16_384  # half of the memory of the node of 003, section 8.4.1


@pytest.mark.parametrize(
    ("name", "game", "evaluated", "matches"),
    [
        ("003-table-8", "hex:11", 15e9, 34_321), ("003-table-9", "hex:13", 7e9, 5_288),
        ("003-table-10", "othello:8", 3.49e9, 52_470), ("003-table-11", "arimaa", 30e9, 6_317),
        ("003-figure-8", "morpion:5D,size=16,win=84", 1.8e9, 58_971),
    ],
)  # fmt: skip
def test_trees_have_room_for_as_many_states_as_the_paper_evaluated_in_a_match(name, game, evaluated, matches):
    """003, sections 9 to 12, tells evaluated states and matches; an expanded state evaluates its actions."""
    rules, config = make(game), config_of(name, game, "Athénan")
    expanded = evaluated / matches / mean_actions(rules)
    room = room_for_ends(config.search.algorithm(safest))
    assert memory_for(rules, 1, int(expanded), room) <= config.playing.memory << 20


def test_a_memory_that_is_given_is_taken():
    experiment = EXPERIMENTS["003-table-6"]("paper")
    cramped = module.with_settings(experiment, {"playing": {"memory": 5000}})
    assert training_config(cramped, "ExIt", "connect6:19", 1).playing.memory == 5000


# -- First matches ---------------------------------------------------------------------------------------------------


def small(name, game, combination, **playing):
    """A training of the papers that learns its first match in seconds.

    Cut down are the network, the minibatch, the random ends, the seconds of an action (to a millisecond, in which
    Descent still finishes an iteration), the 1,600 iterations of AlphaZero (to 50), its 32 matches (to 2) and the 500
    labels of ExIt (to 8). Games, the 2,500 iterations of ExIt, searches, targets, selections and heuristics are those
    of the paper.
    """
    config = config_of(name, game, combination)
    labels = config.playing.matches_by == "policy"
    slots = 1 if config.playing.parallel_matches == 1 else 8 if labels else 2
    iterations = config.action.iterations if labels else config.action.iterations and 50
    return config.changed(
        run={"minutes": None, "matches": 1, "keep": None, "threads": 1, "network": "fcn:filters=4,convolutions=1"},
        action={"seconds": config.action.seconds and 0.001, "iterations": iterations},
        playing={"precision": "float32", "parallel_matches": slots, **playing},
        learning={
            "learning_precision": "float32", "device": "cpu", "phase_matches": 1,
            "random_ends": min(config.learning.random_ends, 200),
        },
        replay={"batch_size": 64},
        exit={"warm_start": 0.0, "value_start": 0.0} if labels else {},
    )  # fmt: skip


def learns_a_match(config, directory):
    out = io.StringIO()
    train(config, directory / "run", Display(Console(file=out, width=300)), measure=False)
    progress = load(directory / "run").document["progress"]
    assert progress["matches"] == 1 and progress["examples"] >= 1
    assert progress["evaluations"] > 0
    assert progress["cut_short"] == 0
    assert "trees" not in out.getvalue()


def different(combinations):
    """Each training once: experiments of one family share theirs."""
    found = dict[tuple[str, str, str], tuple[str, str, str]]()
    for name, game, combination in combinations:
        found.setdefault((EXPERIMENTS[name]("paper").family or name, game, combination), (name, game, combination))
    return list(found.values())


EXIT = different(one for one in COMBINATIONS if one[2].startswith("ExIt"))
OTHERS = different(one for one in COMBINATIONS if not one[2].startswith("ExIt"))


@pytest.mark.parametrize(
    ("name", "game", "combination"),
    [pytest.param(*one, marks=pytest.mark.slow) for one in EXIT],
)
def test_exit_labels_on_its_own_games_with_all_its_iterations(name, game, combination, tmp_path):
    config = small(name, game, combination)
    assert config.action.iterations == {"ExIt": 2_500, "ExIt, 1,000": 1_000, "ExIt, 10,000": 10_000}[combination]
    learns_a_match(config, tmp_path)


@pytest.mark.slow
def test_exit_begins_at_connect6_with_all_its_searches(tmp_path):
    """500 labels side by side in the memory for 2,500 iterations each, of which two are done."""
    config = small("003-table-6", "connect6:19", "ExIt", parallel_matches=500).changed(action={"iterations": 2})
    assert config.playing.memory > 10_000
    learns_a_match(config, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "game", "combination"), OTHERS)
def test_every_combination_learns_a_match_of_its_own_game(name, game, combination, tmp_path):
    learns_a_match(small(name, game, combination), tmp_path)
