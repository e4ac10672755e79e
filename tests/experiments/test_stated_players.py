"""How the papers' networks play, and on which boards: docs/experiments.md, beside the descriptions."""

import re
from pathlib import Path

import pytest
from paper_trainings import PAPERS, cells, config_of, weights

from athenan.evaluation.architectures import CNetwork, ResidualNetwork, parse_architecture
from athenan.experiments.catalogue import EXPERIMENTS
from athenan.experiments.catalogue.expert import _DENSE as TABLE_5
from athenan.experiments.catalogue.strikes_back import _DENSE as TABLE_3
from athenan.experiments.contests import contests
from athenan.experiments.trainings import merged
from athenan.games.catalogue import make
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.named import parse_search, search_text
from athenan.search.settings import SearchSettings
from athenan.settings import split_settings


def search_of(contestant):
    """The search of a contestant's player. Every player of the papers names its search, and nothing else."""
    ((name, text),) = split_settings(contestant.settings)
    assert name == "search"
    return parse_search(text)


def players(name):
    """Who plays in an experiment, by the name of the player if networks have several -> the search."""
    found = dict[str, SearchSettings]()
    for game in EXPERIMENTS[name]("paper").procedure.games:
        for one in EXPERIMENTS[name]("paper").contestants(game):
            found.setdefault(one.player or one.name, search_of(one))
            assert found[one.player or one.name] == search_of(one)
    return found


def trained_search(name, combination):
    experiment = EXPERIMENTS[name]("paper")
    of = experiment.combinations[combination]
    return parse_search(merged({} if of.apart else experiment.common, of.train)["search"])


# -- Searches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["laptop", "paper"])
@pytest.mark.parametrize("name", PAPERS)
def test_every_player_searches_one_leaf_at_a_time_and_without_exploration(name, scale):
    for game in EXPERIMENTS[name](scale).procedure.games:
        for one in EXPERIMENTS[name](scale).contestants(game):
            search = search_of(one)
            if isinstance(search, Ubfm):
                assert (search.leaves, search.exploration) == (1, 0.0)


@pytest.mark.parametrize(
    "name", ["003-table-6", "003-table-8", "003-table-9", "003-table-10", "003-table-11", "003-figure-8",
             "000-table-10", "000-table-11", "000-table-12", "004-figure-3", "004-figure-4", "004-figure-5",
             "001-table-2", "001-table-3"],
)  # fmt: skip
def test_players_prove_if_their_trainings_do(name):
    experiment = EXPERIMENTS[name]("paper")
    for game in experiment.procedure.games:
        for one in experiment.contestants(game):
            assert search_of(one).completion == trained_search(name, one.combination).completion


def test_searches_for_play_prove_although_the_trainings_do_not():
    """000, section 6.2: each of the three algorithms uses completion; the trainings are 003's, section 4.2."""
    for name in ("000-table-6", "000-table-7"):
        searches = players(name)
        assert searches.pop("minimax", None) in (None, parse_search("alphabeta:depth=1,completion=false"))
        assert len(searches) == 3 and all(one.completion for one in searches.values())
        assert not trained_search(name, "Descent").completion


def test_rivals_play_with_the_constants_of_their_trainings():
    for name, rival in (
        ("003-table-6", "ExIt"), ("000-table-10", "ExIt, 1,000"), ("000-table-12", "ExIt, 10,000"),
        ("004-figure-3", "AlphaZero"), ("001-table-3", "AlphaZero"),
    ):  # fmt: skip
        playing, trained = players(name)[rival], trained_search(name, rival)
        if rival == "AlphaZero":
            trained = type(trained)(completion=trained.completion, exploration=trained.exploration)  # without noise
        assert playing == trained


@pytest.mark.parametrize(("name", "numbers"), [
    ("004-figure-3", {"Athénan with heuristic": 4, "Athénan": 4, "AlphaZero": 5}),
    ("001-table-3", {"Descent Expectiminimax, classic": 4, "Descent Expectiminimax, depth": 4, "AlphaZero": 3}),
])  # fmt: skip
def test_fewer_trainings_of_one_side(name, numbers):
    """004, section 3.3: five of Polygames and four of Athénan with and without heuristic; 001, Table 3: three."""
    experiment = EXPERIMENTS[name]("paper")
    game = experiment.procedure.games[0]
    met = {who: set[int]() for who in numbers}
    for contest in contests(experiment, game):
        for one in (contest.one, contest.other):
            if one is not None:
                met[one.contestant.name].add(one.repetition)
    assert {who: sorted(found) for who, found in met.items()} == {
        who: [*range(1, number + 1)] for who, number in numbers.items()
    }


# -- Boards and planes -----------------------------------------------------------------------------------------------


def board(name, game, combination):
    """Planes, rows and columns that a training's network reads."""
    network = parse_architecture(config_of(name, game, combination).run.network)
    planes, rows, columns = make(game).planes
    cut = network.cut if isinstance(network, ResidualNetwork) else 0
    return planes, rows - 2 * cut, columns - 2 * cut


@pytest.mark.parametrize(("name", "own", "table"), [
    ("003-table-6", "Athénan", TABLE_5), ("003-table-6", "ExIt", TABLE_5), ("004-figure-3", "Athénan", TABLE_3),
])  # fmt: skip
def test_boards_without_border_explain_the_neurons_of_the_tables(name, own, table):
    """003, Table 5, and 004, Table 3: equal boards have equal neurons, larger boards fewer; about 5 million weights."""
    areas = {game: rows * columns for game in table for _, rows, columns in [board(name, game, own)]}
    for game, neurons in table.items():
        for other, others in table.items():
            assert (neurons > others) == (areas[game] < areas[other])
        assert 5.6e6 < weights(name, game, own) < 7.4e6
    assert board(name, "hex:13", own)[1:] == (13, 13) and board(name, "havannah:8", own)[1:] == (15, 15)


@pytest.mark.parametrize(("name", "game", "printed", "filters", "fewer"), [
    ("003-table-10", "othello:8", 41_695_147, 373, -1),
    ("003-table-11", "arimaa", 10_511_017, 263, 18),
    ("003-figure-8", "morpion:5D,size=16,win=84", 9_989_285, 186, 1),
])  # fmt: skip
def test_printed_numbers_of_weights_differ_by_whole_planes(name, game, printed, filters, fewer):
    """003, sections 10.3, 11.4 and 12.4: the papers' boards have 4, 10 and 5 planes, ours 3, 28 and 6."""
    assert weights(name, game, "Athénan") - printed == fewer * 9 * filters


def test_morpion_is_won_by_84_points_as_the_paper_says():
    (name,) = EXPERIMENTS["003-figure-8"]("paper").procedure.games
    assert make(name).name == make("morpion:5D,size=16,win=84").name


def test_exit_of_000_has_about_as_many_weights_as_descent():
    """000, 8.2.1, "the same number": 126 neurons beside 166 filters fit, 126 filters do not."""
    descent, exit_ = (weights("000-table-10", "hex:13", one) for one in ("Descent", "ExIt, 1,000"))
    assert 1 < exit_ / descent < 1.05


def test_action_values_have_networks_of_the_same_kind_in_every_game():
    experiment = EXPERIMENTS["action-values"]("paper")
    networks = {config_of("action-values", game, "action values").run.network for game in experiment.procedure.games}
    for network in networks:
        architecture = parse_architecture(network)
        assert isinstance(architecture, CNetwork) and architecture.padded


# -- The tables of the documentation ---------------------------------------------------------------------------------


def limits(experiment):
    return ", ".join(dict.fromkeys(one.limit.in_words for one in experiment.final_procedures))


def player_rows():
    yield ["experiment", "who", "search", "limit of an action"]
    for name in PAPERS:
        by_search = dict[str, list[str]]()
        for who, search in players(name).items():
            by_search.setdefault(search_text(search), []).append(who)
        for text, who in by_search.items():
            every = len(by_search) == 1
            yield [f"`{name}`", "all" if every else "; ".join(who), f"`{text}`", limits(EXPERIMENTS[name]("paper"))]


def board_rows():
    yield ["game", "planes x rows x columns", "experiments"]
    found = dict[tuple[str, str], list[str]]()
    for name in PAPERS:
        experiment = EXPERIMENTS[name]("paper")
        for game in experiment.procedure.games:
            combination = next(iter(experiment.contestants(game))).combination
            shape = " x ".join(map(str, board(name, game, combination)))
            found.setdefault((make(game).name, shape), []).append(f"`{name}`")
    for (game, shape), where in sorted(found.items()):
        yield [f"`{game}`", shape, ", ".join(where)]


@pytest.mark.parametrize(("first", "rows"), [("experiment | who", player_rows), ("game | planes", board_rows)])
def test_the_tables_of_players_and_boards_are_those_of_the_descriptions(first, rows):
    text = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text()
    (found,) = re.findall(rf"^\| {re.escape(first)}.*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    header, _, *body = map(cells, found.splitlines())
    assert [header, *body] == list(rows())
