"""Descriptions of experiments: the catalogue, files, and the trainings and matches that follow from them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_experiment import SMALL

from athenan.evaluation.architectures import parse_architecture
from athenan.experiments.catalogue import EXPERIMENTS
from athenan.experiments.contests import contests
from athenan.experiments.description import Combination, Experiment, ExperimentError, Procedure, Round
from athenan.experiments.files import from_data, read_file, read_settings
from athenan.experiments.matches import matches_key
from athenan.experiments.trainings import training_config, trainings, with_settings
from athenan.games.catalogue import make
from athenan.learning.recipe import recommended
from athenan.networks.catalogue import network_of
from athenan.search.algorithms.bandits import Uct
from athenan.search.algorithms.best_first import BestFirstSettings, Descent, Ubfm


@pytest.mark.parametrize("scale", ["laptop", "paper"])
@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if not name.startswith("sequel")])
def test_every_combination_is_a_training(name, scale):
    experiment = EXPERIMENTS[name](scale)
    game = "einstein" if name.startswith("001") else "tictactoe"
    experiment = replace(experiment, procedure=replace(experiment.procedure, games=(game,), cores=1))
    for one in experiment.combinations.values():  # those that need a score are for games that have one
        if one.train.get("run", {}).get("heuristic") in ("score", "presence", "arimaa"):
            experiment = replace(experiment, combinations={"it": Combination({**one.train, "run": {}})})
    for contestant in experiment.contestants(game):
        config = training_config(experiment, contestant.combination, game, 3)
        assert (config.run.seed, config.run.minutes) == (2, experiment.times(contestant.combination)[-1])
    for settings in experiment.by_game.values():
        parse_architecture(settings["run"]["network"])


@pytest.mark.parametrize("scale", ["laptop", "paper"])
@pytest.mark.parametrize("name", [*(name for name in EXPERIMENTS if EXPERIMENTS[name]("paper").rival), "003-figure-8",
                                  "000-table-10", "000-table-11", "000-table-12"])  # fmt: skip
def test_every_training_against_programs_is_one_of_its_own_game(name, scale, tmp_path):
    """Heuristics, networks and stages are checked for the games themselves."""
    experiment = EXPERIMENTS[name](scale)
    found = list(trainings(experiment, tmp_path))
    assert {one.game for one in found} == {make(game).name for game in experiment.procedure.games}
    assert all(one.config.run.minutes == experiment.times(one.combination)[-1] for one in found)


@pytest.mark.parametrize("scale", ["laptop", "paper"])
@pytest.mark.parametrize("name", ["sequel-unbounded", "sequel-searches"])
def test_the_sequels_train_nothing_and_play_with_the_networks_of_the_package(name, scale, tmp_path):
    experiment = EXPERIMENTS[name](scale)
    assert not list(trainings(experiment, tmp_path))
    for game in experiment.procedure.games:
        met = list(contests(experiment, game))
        assert len(met) == 4 * len(experiment.rounds)
        digest = network_of(make(game)).name
        assert all(one and one.player.startswith(digest) for contest in met for one in (contest.one, contest.other))
        assert {contest.other and contest.other.contestant.player for contest in met} == {"UBFM_s"}


def test_networks_of_the_package_have_one_repetition_and_one_point():
    shipped = {"it": Combination(shipped=True)}
    for procedure in (Procedure(("hex:7",), repetitions=2), Procedure(("hex:7",), repetitions=1, points=2)):
        with pytest.raises(ExperimentError, match="points and repetitions must be 1"):
            Experiment(name="made", combinations=shipped, procedure=procedure)
    with pytest.raises(ValueError, match="no settings of a training"):
        Combination({"algorithm": "ubfm"}, shipped=True)


def test_a_round_has_one_limit():
    assert Round(None, 3, 500).evaluations == 500
    for limits in ((None, 3), (1.0, 3, 500)):
        with pytest.raises(ValueError, match="either by seconds or by evaluations"):
            Round(*limits)


def matches_of(experiment, game, name):
    """How many matches the final result of a contestant has, and a point of its curve."""
    final = along = 0
    for contest in contests(experiment, game):
        sides = [one for one in (contest.one, contest.other) if one is not None]
        mine = sum(one.contestant.name == name for one in sides) if contest.final else 0
        final += 2 * experiment.procedure.pairs * mine
        early = contest.one.minutes == experiment.procedure.times[0] and not contest.final
        along += 2 * experiment.procedure.pairs * (early and contest.one.contestant.name == name)
    return final, along


def test_the_numbers_of_matches_are_those_of_the_papers():
    experiment = EXPERIMENTS["003-table-3"]("paper")
    final, along = matches_of(experiment, "hex:11", "Descent")
    assert final + 2 * 32 == 12_288  # the paper's networks play against themselves, too (Remark 9)
    assert along == 384
    shallow, deep = EXPERIMENTS["000-table-6"]("paper"), EXPERIMENTS["000-table-7"]("paper")
    assert sum(matches_of(shallow, "hex:11", f"{name}, UBFM_s")[0] for name in shallow.combinations) == 18_432
    assert matches_of(deep, "hex:11", "Descent, UBFM_s")[0] + 2 * 16 == 1536
    assert len(list(contests(EXPERIMENTS["001-table-2"]("paper"), "einstein"))) == 24 * 23 / 2  # four matches each


def test_the_published_means_are_those_of_the_rows():
    for name in ("003-table-2", "003-table-3", "003-table-4", "000-table-6"):
        table = dict(EXPERIMENTS[name]("paper").published["levels"])
        mean = table.pop("mean")
        for column, value in mean.items():
            row = [numbers[column] for numbers in table.values() if column in numbers]
            assert np.mean(row) == pytest.approx(value, abs=0.45), (name, column)


def test_a_file_describes_an_experiment(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    experiment = read_file(file)
    assert (experiment.name, experiment.title, experiment.procedure.games) == ("small", "A small one", ("tictactoe",))
    config = training_config(experiment, "UBFM", "tictactoe", 1)
    assert (config.search, config.run.network, config.run.keep) == (Ubfm(), "c:filters=4,dense=8", 0.004 / 3)


def test_experiments_evaluate_children_unless_they_say_otherwise(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    experiment = read_file(tmp_path / "small.toml")
    by_values = Combination({"evaluate": "action_values"})
    both = replace(experiment, combinations={"UBFM": Combination(), "values": by_values})
    for combination, evaluate in (("UBFM", "children"), ("values", "action_values")):
        config = training_config(both, combination, "gomoku:15", 1)
        assert isinstance(config.search, BestFirstSettings) and config.search.evaluate == evaluate


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "has no combinations"),
        ({"minuts": 3}, "there is no setting 'minuts'; there are"),
        ({"minutes": -1}, "minutes must be from"),
        ({"games": "hex:5"}, "games must be a list of names"),
        ({"combinations": 3}, "combinations must be a table"),
        ({"combinations": {"a": {"player": 3}}}, "combinations.a.player must be a text"),
        ({"baseline": "b"}, "the baseline must be one of a"),
        ({"groups": {"g": ["b"]}}, "the group g names b"),
        ({"combinations": {"a": {"longer": -1}}}, "longer must be from"),
        ({"combinations": {"a": {"longer": 2}}, "points": 2}, "points must be 1 in x"),
        ({"opponents": "gtp:gnugo --mode gtp"}, "is a command, which runs only if a command line names it"),
        ({"published": {"levels": {"hex": {"a": "much"}}}}, "must be a table of tables of numbers"),
    ],
)
def test_bad_descriptions_get_one_sentence(data, message):
    with pytest.raises(ValueError, match=message):
        from_data({"name": "x", **({"combinations": {"a": {}}} if data else {}), **data})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": "guess"}, "a in tictactoe: search 'guess' does not exist"),
        ({"search": {"depth": 3}}, "there is no setting of descent 'depth'"),
        ({"search": 3}, "search must be a table of settings, not 3"),
        ({"searching": {}}, "there is no component 'searching'"),
        ({"replay": {"size": 3}}, "there is no setting of replay 'size'"),
        ({"replay": 3}, "replay must be a table of settings, not 3"),
        ({"algorithm": "guess"}, "there is no algorithm 'guess'"),
        ({"run": {"heuristic": "score"}}, "has no score"),
        ({"run": {"network": "x"}}, "network 'x' does not exist"),
        ({"run": {"minutes": 3}}, "minutes of a training is set by the experiment"),
    ],
)
def test_bad_settings_get_one_sentence(settings, message):
    experiment = from_data({"name": "x", "games": ["tictactoe"], "combinations": {"a": settings}})
    with pytest.raises(ExperimentError, match=message):
        list(trainings(experiment, Path("x")))


@pytest.mark.parametrize(
    "described",
    [
        {"games": ["hex:5"], "combinations": {"lr=1": {}, "lr 1": {"algorithm": "ubfm"}}},
        {"games": ["hex:5", "HEX:5"], "combinations": {"a": {}}},
    ],
)
def test_no_two_trainings_have_one_folder(described):
    experiment = from_data({"name": "x", **described})
    with pytest.raises(ExperimentError, match=r"two trainings of .* in hex:5 have the folder .*: name each game once"):
        list(trainings(experiment, Path("x")))


@pytest.mark.parametrize("name", ["003-table-8", "003-table-9", "003-table-10", "003-table-11"])
def test_matches_against_programs_are_as_many_as_the_papers_print(name):
    experiment = EXPERIMENTS[name]("paper")
    (game,) = experiment.procedure.games
    with pytest.raises(ExperimentError, match=r"is played against .* that speaks (GTP|AEI), such as --opponents"):
        next(contests(experiment, game))
    named = replace(experiment, procedure=replace(experiment.procedure, opponents="random"))
    played = {contest.procedure.seconds: 2 * contest.procedure.pairs for contest in contests(named, game)}
    printed = {seconds: experiment.printed(matches_key(f"{seconds:g} s"), game, "matches") for seconds in played}
    assert played == printed and len(played) == 2


@pytest.mark.parametrize("name", ["000-table-10", "000-table-11", "000-table-12"])
def test_descent_plays_600_matches_against_each_expert_iteration(name):
    experiment = EXPERIMENTS[name]("paper")
    found = list(contests(experiment, "hex:13"))
    assert len(found) == 4
    for contest in found:
        assert contest.other and (contest.procedure.pairs, contest.other.contestant.name[:6]) == (300, "ExIt, ")
        key = matches_key(f"{contest.procedure.seconds:g} s", contest.other.contestant.name)
        printed = [experiment.printed(key, "hex:13", name) for name in ("first", "second", "points")]
        first, second, points = (number for number in printed if number is not None)
        assert abs(points - (first + second) / 2) <= 1
    days = {name: experiment.times(name)[-1] / 1440 for name in experiment.combinations}
    assert [round(one, 6) for one in days.values()] == [7, *[15 if name.endswith("11") else 8] * 2]


def test_the_long_trainings_of_004_are_evaluated_as_often_as_it_says():
    long = EXPERIMENTS["004-figure-4"]("paper")
    assert (long.procedure.minutes / 1440, 2 * long.procedure.pairs) == (113, 100)
    assert long.procedure.times[0] / 1440 == pytest.approx(4, abs=0.1)
    networks = EXPERIMENTS["004-figure-5"]("paper")
    assert 2 * networks.procedure.pairs == 400
    assert {5, 30} <= {minutes / 1440 for minutes in networks.procedure.times}


def test_a_learning_speed_above_that_of_the_paper_would_be_seen():
    experiment = EXPERIMENTS["004-figure-3"]("paper")
    highest = max(numbers["Athénan with heuristic"] for numbers in experiment.published["speeds"].values())
    assert experiment.procedure.minutes / experiment.procedure.times[0] > highest == 30


def test_the_player_of_the_common_procedure_evaluates_children_alone():
    """Without completion it prefers an estimate above the value of a won end, as 003's section 3.3 has it."""
    for name in ("003-table-2", "003-table-3", "003-table-4", "003-remark-25"):
        for contestant in EXPERIMENTS[name]("paper").contestants("hex:11"):
            assert contestant.settings == "search=(alphabeta:depth=1,completion=false)"


@pytest.mark.parametrize("scale", ["laptop", "paper"])
def test_the_rivals_of_expert_iteration_are_given_the_same_states(scale):
    experiment = EXPERIMENTS["003-table-6"](scale)
    for game in experiment.procedure.games:
        configs = [training_config(experiment, name, game, 1) for name in experiment.combinations]
        assert {config.replay.augmentation for config in configs} == {"none"}


def test_expert_iteration_begins_as_the_paper_has_it():
    config = training_config(EXPERIMENTS["003-table-6"]("paper"), "ExIt", "hex:11", 1)
    assert config.exit.warm_start_search == "mcts"


def test_the_network_of_surakarta_has_two_convolutions():
    """003, footnote 5."""
    experiment = EXPERIMENTS["003-table-3"]("paper")
    name = next(iter(experiment.combinations))
    for game, count in (("surakarta", 2), ("hex:11", 3)):
        config = training_config(experiment, name, game, 1)
        assert config.run.network == f"c:filters=64,convolutions={count},dense=100"


def test_the_search_of_an_experiment_is_changed_or_replaced():
    changed = from_data({"name": "x", "combinations": {"a": {"search": {"completion": False}}}})
    assert training_config(changed, "a", "hex:5", 1).search == Descent(completion=False)
    replaced = with_settings(changed, read_settings(["search=uct:exploration=1.4", "run.network=r1"]))
    config = training_config(replaced, "a", "hex:5", 1)
    assert (config.search, config.run.network) == (Uct(exploration=1.4), "r1")


@pytest.mark.parametrize("algorithm", ["descent", "alphazero", "gumbel"])
def test_the_recipe_follows_the_network_of_an_experiment(algorithm):
    """As `train --network` has it: pattern networks learn in other steps and after shorter searches."""
    alone = from_data({"name": "x", "combinations": {"a": {"algorithm": algorithm, "run": {"network": "patterns"}}}})
    common = from_data(
        {"name": "x", "common": {"run": {"network": "r1"}}, "combinations": {"a": {"algorithm": algorithm}}}
    )
    for described in (alone, with_settings(common, read_settings(["run.network=patterns"]))):
        config = training_config(described, "a", "othello:6", 1)
        minutes, threads = described.procedure.minutes, described.procedure.cores
        recipe = recommended("othello:6", minutes, threads=threads, algorithm=algorithm, network="patterns")
        assert (config.action, config.learning, config.replay) == (recipe.action, recipe.learning, recipe.replay)
        assert config.learning.learning_rate == 1


def test_an_experiment_may_leave_the_network_to_the_recipe():
    """Also by game; the papers' trainings have convolutions."""
    described = from_data({"name": "x", "common": {"torch": False}, "combinations": {"a": {}, "b": {"torch": True}}})
    for game in ("hex:5", "othello:6"):
        own = recommended(game, described.procedure.minutes, threads=1)
        assert training_config(described, "a", game, 1).run.network == own.run.network != "c"
        assert training_config(described, "b", game, 1).run.network == "c"
    wrong = from_data({"name": "x", "combinations": {"a": {"torch": "no"}}})
    with pytest.raises(ExperimentError, match="torch must be true or false, not 'no'"):
        training_config(wrong, "a", "hex:5", 1)
