"""One-player games, through all parts of the system."""

import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from evaluators import hash_levels
from exhaustive_search import exhaustive, late
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from small_trainings import Interrupting, assert_same_checkpoint, quiet, small

from athenan import (
    Budget,
    Game,
    GameError,
    Search,
    analyze,
    check_game,
    learnt_network,
    make,
    make_player,
    play_series,
)  # fmt: skip
from athenan.arena.results import Solo
from athenan.cli import main
from athenan.evaluation.heuristics import make_heuristic
from athenan.learning.config import StrengthSettings
from athenan.learning.observers.display import plain_report
from athenan.learning.observers.metrics import scalars
from athenan.learning.observers.strength import Strength
from athenan.learning.progress import Measurement, Progress, Record, restored_progress
from athenan.learning.self_play.by_search import best_end
from athenan.learning.training import resume, train
from athenan.play.player import RandomPlayer
from athenan.rules.facts import altered
from athenan.rules.game import State
from athenan.rules.leaves import Leaves
from athenan.rules.playouts import random_match
from athenan.runs.checkpoint import load
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.monte_carlo.mcts import MOST_ROLLOUTS, Mcts
from athenan.search.searcher import run
from athenan.search.trees.node import Node
from athenan.search.trees.selection import safest_or_exact
from athenan.statistics import mean_interval

GAME = make("morpion:4D,size=9")


def noise(planes: NDArray[np.int8]) -> Leaves:
    """An evaluation function without any sense, whose values are possible scores."""
    return Leaves(hash_levels(planes, 40).astype(np.float32))


def best_score(game: Game) -> Callable[[State], int]:
    """The best score that can be reached from a state, which is the number of actions."""
    return exhaustive(game, game.length)


def test_what_games_of_one_player_cannot_be_is_refused() -> None:
    with pytest.raises(GameError, match="a game has 1 or 2 players, not 3"):
        altered(make("tictactoe"), players=3)
    with pytest.raises(GameError, match="a one-player game needs a score"):
        altered(make("tictactoe"), players=1)
    with pytest.raises(GameError, match="a second player is to move in a one-player game"):
        check_game(altered(make("othello:4"), players=1))


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from([Ubfm(), Descent()]), st.booleans())
def test_resolved_states_have_the_best_score(seed: int, settings: Ubfm | Descent, blank: bool) -> None:
    """003, Remark 30: a state is resolved only if all its children are."""
    best, state = best_score(GAME), late(GAME, seed, left=6)
    search = Search(GAME, None if blank else noise, make_heuristic("score", GAME), settings, memory=1 << 26)
    search.reset(state)
    search.run(Budget(iterations=1_000_000))  # it ends as soon as the root is resolved
    root = search.root()
    assert (root.resolution, root.value) == (1, best(state))
    for number in range(int(search.forest.slots[0]["nodes"])):
        node, at = search.node(number), search.forest.states[0, number]
        if node.resolution:
            assert node.value == best(at)
            assert node.resolutions.all()
        for action, value, resolved in zip(node.actions, node.values, node.resolutions, strict=True):
            assert not resolved or value == best(GAME.play(at, int(action)))


def test_a_found_end_is_no_proof() -> None:
    """A win at so many lines neither resolves a state nor stops the search for more."""
    game = make("morpion:4D,size=9,win=1")
    state = late(game, 5, left=6)
    search = Search(game, None, make_heuristic("score", game))
    search.reset(state)
    search.run(Budget(iterations=20_000))
    assert (search.root().resolution, search.root().value) == (1, best_score(game)(state))


def test_best_end() -> None:
    search = Search(GAME, noise, make_heuristic("score", GAME), Descent())
    search.reset(GAME.initial())
    assert best_end(search) is None
    search.run(Budget(iterations=300))
    for _ in range(3):
        search.play(int(search.root().actions[0]))
        search.run(Budget(iterations=30))
    values = search.forest.nodes[0]["value"][search.forest.nodes[0]["terminal"] == 1]
    found = best_end(search)
    assert found
    state, actions = found
    assert np.array_equal(state, GAME.initial())
    end = GAME.replay(actions)
    assert GAME.outcome(end) == 0
    assert GAME.score(end) == values.max()


def node(values: list[float], counts: list[int], resolutions: list[int]) -> Node:
    none = np.zeros(len(values), np.int8)
    return Node(
        player=0, value=max(values), completion=0, resolution=0, visits=1, actions=none.astype(np.int32),
        children=none.astype(np.int32), values=np.array(values, np.float32),
        priors=none.astype(np.float32), completions=none,
        resolutions=np.array(resolutions, np.int8), counts=np.array(counts, np.int32),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("values", "counts", "resolutions", "chosen"),
    [
        ([9, 8, 7], [1, 5, 2], [0, 0, 0], 1),
        ([9, 8, 7], [1, 5, 2], [1, 0, 0], 0),
        ([9, 8, 7], [1, 5, 2], [0, 0, 1], 1),
        ([7, 8, 8], [9, 5, 6], [1, 1, 0], 1),
        ([7, 8, 6], [9, 5, 6], [1, 1, 1], 1),
    ],
)
def test_safest_or_exact(values: list[float], counts: list[int], resolutions: list[int], chosen: int) -> None:
    assert safest_or_exact(node(values, counts, resolutions), np.random.default_rng(0)) == chosen


def rollouts(state: State, count: int, search: Mcts | None = None) -> Mcts:
    """UCT after so many rollouts from a state."""
    search = search or Mcts(GAME)
    search.seed(7)
    search.reset(state)
    run(search, Budget(iterations=count))
    return search


def test_mcts_keeps_the_best_match() -> None:
    search, state = Mcts(GAME), late(GAME, 3, left=9)
    line = rollouts(state, 300, search).line()
    assert line == rollouts(state, 300).line()
    root = search.root()
    assert root.actions[search.choose(root, np.random.default_rng(0))] == line[0]
    end = state
    for action in line:
        end = GAME.play(end, action)
    assert GAME.outcome(end) == 0
    assert GAME.score(end) == search.results[1] == search.end_value(end)
    assert root.counts.sum() == 300
    assert search.results[0] <= root.values.min() <= root.value <= root.values.max() <= search.results[1]
    search.play(line[0])
    assert search.line() == line[1:]
    other = next(int(action) for action in GAME.actions(search.state()) if action != line[1])
    search.play(other)
    assert search.line() == []


def test_mcts_finds_the_best_score() -> None:
    state = late(GAME, 11, left=6)
    assert rollouts(state, 3000).results[1] == best_score(GAME)(state)


def test_mcts_counts_scores_in_int32() -> None:
    search = Mcts(GAME)
    search.start(Budget(iterations=2**31 - 1))
    assert search._limit * (GAME.max_score or 0) <= MOST_ROLLOUTS


def alone(player: str, games: int, seed: int = 0, game: Game = GAME) -> Solo:
    result = play_series(game, [make_player(player, game)], games, seed=seed)
    assert isinstance(result, Solo)
    return result


def test_mcts_is_stronger_than_chance_and_more_rollouts_are_stronger() -> None:
    scores = [alone(player, 20).score for player in ("random", "mcts:5", "mcts:100")]
    assert scores[0] + 2 < scores[1] + 1 < scores[2]


def test_results_alone() -> None:
    result = alone("random", 30, seed=2)
    data = json.loads(json.dumps(result.report()))
    assert data["mean"] == fmean(data["scores"]) == result.score
    assert data["best"] == max(data["scores"]) == GAME.score(GAME.after(data["best_moves"]))
    assert data["interval"][0] < data["mean"] < data["interval"][1]
    assert alone("random", 1).report()["interval"] == [None, None]
    assert "mean score" in result.summary()


def test_who_plays_alone() -> None:
    with pytest.raises(GameError, match="has one player and no opponent"):
        play_series(GAME, [RandomPlayer(), RandomPlayer()])
    with pytest.raises(GameError, match="tictactoe has two players"):
        play_series(make("tictactoe"), [RandomPlayer()])
    with pytest.raises(GameError, match="must be at least 1, not 0"):
        play_series(GAME, [RandomPlayer()], games=0)


@given(st.lists(st.integers(0, 90), min_size=2, max_size=30), st.floats(0.5, 0.999))
def test_mean_interval_is_students(values: list[int], confidence: float) -> None:
    expected = fmean(values), stats.sem(values)
    low, high = mean_interval(values, confidence)
    if expected[1] == 0:
        assert (low, high) == (expected[0], expected[0])
    else:
        wanted = stats.t.interval(confidence, len(values) - 1, *expected)
        assert (low, high) == pytest.approx(wanted)


def test_analysis() -> None:
    state = late(GAME, 8, left=7)
    found = analyze(GAME, state, Budget(iterations=20_000), terminal=make_heuristic("score", GAME))
    assert found.exact
    assert found.value == best_score(GAME)(state)
    for move in found.line:
        state = GAME.play(state, GAME.parse_action(state, move))
    assert GAME.outcome(state) == 0
    assert GAME.score(state) == found.value
    assert {one["proven"] for one in found.as_json()["actions"]} == {"value"}


# Learning


def test_a_resumed_training_is_the_same(tmp_path: Path) -> None:
    config = small("morpion:4D,size=9", matches=4)
    train(config, tmp_path / "whole", quiet())
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "part", Interrupting(2))
    resume(tmp_path / "part", display=quiet())
    assert_same_checkpoint(tmp_path / "whole", tmp_path / "part")
    assert (tmp_path / "whole" / "record.json").read_text() == (tmp_path / "part" / "record.json").read_text()


def test_the_record_is_kept_while_trees_are_full(tmp_path: Path) -> None:
    """So little memory that what cannot be reached is forgotten in every match."""
    train(small("morpion:4D,size=9", matches=2, evaluations=400, memory=1), tmp_path / "run", quiet())
    record = json.loads((tmp_path / "run" / "record.json").read_text())
    progress = load(tmp_path / "run").document["progress"]
    assert GAME.score(GAME.after(record["moves"])) == record["score"] >= max(progress["scores"])
    assert GAME.outcome(GAME.after(record["moves"])) == 0
    assert record["game"] == GAME.name
    assert 1 <= record["match"] <= 2
    assert len(progress["scores"]) == 2


@pytest.mark.slow
def test_learning_beats_chance(tmp_path: Path) -> None:
    """On a grid where random matches have a mean score of 37."""
    game = make("morpion:4T,size=11")
    train(small(game.name, matches=25), tmp_path / "run", quiet())
    run = f"{tmp_path / 'run'},iterations=1"
    chance, learnt = alone("random", 60, game=game), alone(run, 10, game=game)
    assert learnt.interval(0.999)[0] > chance.interval(0.999)[1]
    strength = Strength(StrengthSettings(games=10, seconds=10_000), game)
    measured = strength.measure(learnt_network(tmp_path / "run").evaluate, make_heuristic("score", game), 50)
    assert (measured.opponent, measured.games) == ("alone", 10)
    assert measured.best is not None
    assert chance.score < measured.score <= measured.best


def test_what_is_shown_of_a_training() -> None:
    progress = Progress("morpion:5D", "runs/m", 60.0, matches=3, lengths=[50, 60], outcomes=[0, 0], scores=[50, 60])
    progress.record = Record(61, 2, "a1-e1")
    progress.measurement = Measurement("alone", 3, 55.5, 20, 62)
    report = plain_report(progress)
    assert "score 55.0 | record 61" in report
    assert "alone at match 3: mean score 55.5, best 62 of 20 games" in report
    assert "won" not in report
    assert scalars(progress) == {"match/length": 55.0, "match/score": 55.0, "match/record": 61,
                                 "learning/learnt": 0, "learning/memory": 0, "speed/cut_short": 0,
                                 "time/seconds": 60.0}  # fmt: skip


def test_negative_scores_are_restored() -> None:
    progress = Progress("mine.py", "runs/m", 60.0, matches=3, scores=[-50, -60], losses=[-0.5])
    progress.record, progress.measurement = Record(-40, 2, "a1"), Measurement("alone", 3, -55.5, 20, -42)
    restored = restored_progress(asdict(progress), Progress("mine.py", "runs/m", 60.0))
    for name in ("scores", "losses", "record", "measurement"):
        assert getattr(restored, name) == getattr(progress, name)


# The command


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        assert main(arguments) == 0
        return capsys.readouterr().out

    return run


def test_match_alone(command: Callable[..., str]) -> None:
    data = json.loads(command("match", GAME.name, "mcts:20", "--games", "3", "--json"))
    assert (data["games"], data["player"], len(data["scores"])) == (3, "mcts:20", 3)
    shown = command("match", GAME.name, "mcts:20", "--games", "3", "--workers", "2")
    assert f"mean score {data['mean']:.2f}" in shown
    assert data["best_moves"] in shown


def test_analyze_alone(command: Callable[..., str]) -> None:
    moves = GAME.moves(random_match(GAME, 8)[:-4])
    data = json.loads(command("analyze", GAME.name, "--moves", moves, "--json"))
    assert (data["exact"], data["proven"], data["value"]) == (True, "value", best_score(GAME)(GAME.after(moves)))
    shown = command("analyze", GAME.name, "--moves", moves)
    assert f"proven: no match ends with more than {data['value']:g}" in shown
    assert "first player" not in shown
    over = command("analyze", GAME.name, "--moves", f"{moves} {' '.join(data['pv'])}")
    assert f"The match is over: score {data['value']:g}." in over


def test_play_alone(command: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = GAME.moves(random_match(GAME, 8)).split()
    typed = "\n".join(["?", first, "undo", first, *others])
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
    shown = command("play", GAME.name)
    assert f"The match is over: score {len(others) + 1}." in shown
    assert "your action (? lists, help explains): " in shown
    monkeypatch.setattr("sys.stdin", io.StringIO("resign\n"))
    assert "You gave up." in command("play", GAME.name)
    assert "mcts:10 (player) plays" in command("play", GAME.name, "--first", "mcts:10")


def test_train_and_play_a_run(command: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--network", "c:filters=4,dense=8", "--action.evaluations", "20", "--memory", "16", "--threads", "1"]
    assert "athenan match morpion:4D,size=9 run" in command(
        "train", GAME.name, "--matches", "3", "--run", "run", *options, "--strength.seconds", "0.01",
        "--strength.games", "2",
    )  # fmt: skip
    assert "alone" in load(tmp_path / "run").document["progress"]["measurement"]["opponent"]
    assert "The match is over: score" in command("play", "run", "--iterations", "2", "--show-values")
    assert json.loads(command("match", GAME.name, "run", "--games", "2", "--iterations", "1", "--json"))["games"] == 2
    assert json.loads(command("analyze", "run", "--iterations", "5", "--json"))["pv"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("match morpion:4D random random", "morpion:4D has one player: name no opponent"),
        (
            "match morpion:4D random --resign 3",
            "morpion:4D has one player, whose matches do not end early: leave --resign out",
        ),
        (
            "tournament morpion:4D random --adjudicate",
            "morpion:4D has one player, whose matches do not end early: leave --adjudicate out",
        ),
        ("match tictactoe random", "tictactoe needs an opponent, such as mcts:1000"),
        ("play morpion:4D --second random", "morpion:4D has one player: leave out the second"),
        ("match morpion:4D random --games 0", "--games must be from 1 to 1,000,000,000, not 0"),
    ],
)
def test_bad_input_gets_one_line(capsys: pytest.CaptureFixture[str], line: str, message: str) -> None:
    assert main(line.split()) == 2
    assert capsys.readouterr().err == f"athenan: error: {message}\n"
