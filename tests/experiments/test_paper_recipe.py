"""The recipe of the papers: what the page says of it, and what 003 says of the settings."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from athenan.experiments.catalogue.stated_long import HEX_11
from athenan.experiments.paper import paper_recipe
from athenan.learning import training
from athenan.learning.config import TrainingConfig
from athenan.learning.learner.losses import LossWeights
from athenan.learning.recipe import recommended
from athenan.runs.description import differences, flat
from athenan.settings import unmet

PAGE = Path(__file__).parents[2] / "docs" / "algorithms" / "recipes.md"
LEFT_OUT = {
    "run.saving", "playing.precision", "learning.learning_precision", "learning.device", "learning.learning_threads",
    *(f"losses.{one.name}" for one in fields(LossWeights)),
}  # fmt: skip
"""Settings of the machine, and the weights of losses, which are all 1."""


def recipes_side_by_side(game, minutes):
    """The settings in which the recipes of a game differ: the setting, in the default recipe, in the papers' one.

    Both are for two threads. A setting that does nothing in a recipe is a dash there.
    """
    both = [one(game, minutes, threads=2) for one in (recommended, paper_recipe)]
    silent = [{f"{one.component}.{one.name}": "–" for one in unmet(TrainingConfig, of.components)} for of in both]
    flats = [flat(config.as_json()) | dashes for config, dashes in zip(both, silent, strict=True)]
    return [(name, one, two) for name, (one, two) in differences(flats).items() if name not in LEFT_OUT]


def test_the_page_shows_both_recipes_as_they_are():
    rows = re.findall(r"^\| `([a-z0-9_.]+)` \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)
    assert rows == recipes_side_by_side("hex:11", 60)


def test_hex_11_is_trained_as_in_the_paper():
    config, stated = paper_recipe("hex:11", minutes=60), HEX_11.told
    for component in ("action", "playing", "learning", "replay"):
        for name, value in stated[component].items():
            expected = 0 if name == "random_ends" else value
            assert getattr(getattr(config, component), name) == expected, name
    assert (config.run.network, config.run.heuristic) == ("hex_11", "additive_depth")


@pytest.mark.parametrize("game", ["hex:13", "othello", "tictactoe", "einstein"])
def test_every_game_has_the_recipe_with_and_without_an_end(game):
    assert paper_recipe(game).playing.exploitation == "uniform"
    assert not paper_recipe(game, 5).learning.overlap
    assert paper_recipe(game, 5, timed=False).action.seconds is None


def test_the_command_searches_for_its_time_in_games_of_chance(monkeypatch, command):
    found = []
    monkeypatch.setattr(training, "train", lambda config, *rest, **more: found.append(config))
    command("train", "einstein", "--recipe", "paper", "--matches", "1", "--threads", "1")
    assert found == [paper_recipe("einstein", matches=1, threads=1)]


def test_the_command_refuses_another_algorithm_beside_it(command):
    status, _, errors = command("train", "hex:3", "--recipe", "paper", "--algorithm", "uct", "--matches", "1")
    assert (status, errors.count("\n")) == (2, 1)
    assert errors.startswith("athenan: error: --recipe paper has the algorithm of 003, descent")
