"""The memory of search trees in trainings: what is needed, what is said, and searches that are cut short."""

import io
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from evaluators import hash_leaves
from rich.console import Console
from small_trainings import changed, quiet

from athenan.cli import main
from athenan.games.catalogue import make
from athenan.jobs import Machines
from athenan.learning.config import TrainingConfig
from athenan.learning.observers.display import Display, plain_report
from athenan.learning.observers.metrics import scalars
from athenan.learning.progress import Progress
from athenan.learning.recipe import recommended
from athenan.learning.self_play.memory import check_memory, memory_needed, shortage
from athenan.learning.training import resume, train
from athenan.rules.game import Game
from athenan.runs.checkpoint import load
from athenan.search.algorithms.exit import Exit
from athenan.search.budget import Budget
from athenan.search.trees.planting import memory_for
from athenan.search.walking.walk_search import Search

ITERATIONS = 1500


def expert(game, iterations=2500, slots=500, memory=2048):
    """The searches of ExIt in the paper: 500 labels side by side."""
    config = recommended(game, minutes=60, algorithm="exit")
    return config.changed(
        action={"iterations": iterations}, playing={"parallel_matches": slots, "memory": memory, "actors": 1}
    )


def late_states(game, seed):
    """States near the end of a random match, where many children are finished matches, and one in its middle."""
    random, states = np.random.default_rng(seed), [game.initial()]
    while game.outcome(states[-1]) is None:
        states.append(game.play(states[-1], int(random.choice(game.actions(states[-1])))))
    return [states[-1 - back] for back in (1, 3, 5, 8, 13, len(states) // 2) if back < len(states)]


def searched(game, state, memory):
    search = Search(game, partial(hash_leaves, game), settings=Exit(completion=False), memory=memory, seed=1)
    search.reset(state)
    search.run(Budget(iterations=ITERATIONS))
    return search


def mebibytes_needed(config: TrainingConfig, game: Game) -> int:
    """What `memory_needed` says about searches of limited iterations."""
    needed = memory_needed(config, game)
    assert needed is not None
    return needed


@pytest.mark.parametrize("name", ["hex:7", "go:7", "connect6:9", "havannah:4", "othello:6", "einstein", "tictactoe"])
def test_a_search_has_room_for_all_its_iterations_in_the_memory_that_is_said_to_be_needed(name):
    game = make(name)
    memory = memory_for(game, expansions=ITERATIONS * (1 + game.stochastic), ends=2)
    assert 0 <= (mebibytes_needed(expert(name, ITERATIONS, slots=1), game) << 20) - memory < 1 << 20
    for seed in range(2):
        for state in late_states(game, seed):
            search = searched(game, state, memory)
            assert search.effort().iterations == ITERATIONS
            assert not search.full() and search.cut_short == 0


def test_a_full_tree_is_counted_once_for_each_search_that_it_ends():
    game = make("gomoku:15")
    search = searched(game, game.initial(), memory=3 << 20)
    assert search.effort().iterations < ITERATIONS
    assert search.cut_short == 1
    search.start(Budget(iterations=10))
    assert search.cut_short == 1
    search.run(Budget(iterations=10))
    assert search.cut_short == 2
    search.reset(game.initial())
    search.run(Budget(iterations=10))
    assert search.cut_short == 2


def test_what_is_needed_is_known_for_iterations_of_one_state_each():
    game = make("hex:11")
    config = expert("hex:11")
    assert mebibytes_needed(config, game) > 500 * 2500 * 121 * 24 >> 20  # the edges alone
    assert memory_needed(changed(config, iterations=None, seconds=1.0), game) is None
    for algorithm in ("descent", "alphabeta"):
        assert memory_needed(recommended("hex:11", minutes=1, algorithm=algorithm), game) is None
    zero = recommended("hex:11", minutes=1, algorithm="alphazero").changed(action={"iterations": 1600})
    emptied = recommended("hex:11", minutes=1, algorithm="gumbel").changed(action={"iterations": 1600})
    assert mebibytes_needed(zero, game) > 1.5 * mebibytes_needed(emptied, game)  # a new tree for each search


def test_a_shortage_is_one_sentence_with_the_need_and_the_option():
    game = make("havannah:10")
    config = expert("havannah:10")
    needed = memory_needed(config, game)
    assert shortage(config, game) == (
        "search trees may fill up, which ends searches early: 500 side by side of 2,500 iterations need up to "
        f"{needed:,} MiB, and --memory is 2048"
    )
    enough = config.changed(playing={"memory": needed})
    assert shortage(enough, game) is None


def test_trees_that_cannot_begin_are_one_sentence_with_both_numbers():
    game, config = make("connect6:19"), expert("connect6:19")
    needed = memory_needed(config, game)
    with pytest.raises(ValueError, match=rf"^memory must be at least \d+ \(MiB\) .* --memory {needed} their trees"):
        check_memory(config, game)
    check_memory(config.changed(playing={"memory": needed}), game)


def cramped(**changes):
    settings = {
        "network": "c:filters=4,dense=8", "precision": "float32", "learning_precision": "float32", "device": "cpu",
        "threads": 1, "memory": 1, "strength": {"seconds": 0}, "iterations": 600, "parallel_matches": 4, "actors": 1,
        "phase_matches": 4, "exit": {"warm_start": 0.0, "value_start": 0.5, "rollouts": 10}, **changes,
    }  # fmt: skip
    return changed(recommended("hex:5", matches=8, algorithm="exit"), **settings)


def test_a_training_without_room_says_so_and_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, run = io.StringIO(), tmp_path / "run"
    train(cramped(), run, Display(Console(file=out, width=400)))
    assert out.getvalue().count("search trees may fill up, which ends searches early: 4 side by side of 600") == 1
    cut_short = load(run).document["progress"]["cut_short"]
    assert 0 < cut_short <= 8
    assert f"{cut_short} searches cut short by full trees: --memory gives more" in out.getvalue()
    main(["info", str(run)])
    assert f"{cut_short} searches cut short by full trees" in " ".join(capsys.readouterr().out.split())
    main(["info", str(run), "--json"])
    assert json.loads(capsys.readouterr().out)["runs"][0]["cut_short"] == cut_short
    resume(run, matches=16, display=quiet())
    assert cut_short < load(run).document["progress"]["cut_short"] <= 16


def test_a_training_with_room_says_nothing(tmp_path: Path) -> None:
    out = io.StringIO()
    train(cramped(memory=16), tmp_path / "run", Display(Console(file=out, width=400)))
    assert load(tmp_path / "run").document["progress"]["cut_short"] == 0
    assert "trees" not in out.getvalue()


@pytest.mark.slow
def test_actors_in_other_processes_count_too(tmp_path: Path) -> None:
    train(cramped(phase_matches=1), tmp_path / "run", quiet(), machines=Machines(workers=1))
    assert load(tmp_path / "run").document["progress"]["cut_short"] > 0


def test_curves_and_lines_have_the_number() -> None:
    progress = Progress("hex:5", "runs/x", cut_short=1)
    assert scalars(progress)["speed/cut_short"] == 1
    assert "1 search cut short by full trees" in plain_report(progress)
    assert "cut short" not in plain_report(replace(progress, cut_short=0))
