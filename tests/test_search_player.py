"""Players that search with what a run has learnt."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from training import quiet, small

from athenan.evaluation import heuristics
from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import make
from athenan.learning.trainer import resume, train
from athenan.play import search_player
from athenan.play.match import play_match, play_matches
from athenan.play.player import PlayerError, RandomPlayer, known_game, parse_player
from athenan.play.search_player import SearchPlayer, load_player
from athenan.rules.game import Game
from athenan.rules.playouts import random_match
from athenan.rules.terminal import Gain
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, RunDirectory, load
from athenan.runs.learnt import game_name, learnt_network
from athenan.search.budget import Budget


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(small("connect_four:4x4", matches=2), tmp_path_factory.mktemp("trained") / "run", quiet())


def player(game: Game, iterations: int = 30) -> SearchPlayer:
    return SearchPlayer("test", game, None, Gain(), Budget(iterations=iterations))


def test_the_tree_goes_on_with_the_match() -> None:
    game = make("connect_four:4x4")
    searcher, state = player(game), game.initial()
    searcher.new_match(game, seed=1)
    for _ in range(6):
        if game.player(state) == 0:
            action = searcher.select(state)
            assert searcher.root is not None
            assert searcher.root.visits >= 30
        else:
            action = int(game.actions(state)[0])
        root = searcher.search.root()
        child = root.children[root.actions.tolist().index(action)]
        known = searcher.search.node(int(child)).visits if child >= 0 else 0
        searcher.observe(state, action)
        state = game.play(state, action)
        assert np.array_equal(searcher.search.state(), state)
        assert searcher.search.root().visits == known
    searcher.new_match(game, seed=1)
    assert searcher.root is None
    assert searcher.search.root().visits == 0


@pytest.mark.parametrize("name", ["tictactoe", "hex:4", "othello:4", "breakthrough:4x4"])
def test_any_state_can_be_asked_about(name: str) -> None:
    game, random = make(name), np.random.default_rng(2)
    searcher = player(game)
    for seed in range(12):
        actions, state = random_match(game, seed), game.initial()
        for action in actions[: random.integers(len(actions))]:
            state = game.play(state, action)
        chosen = searcher.select(state)
        outcomes = {int(action): game.outcome(game.play(state, int(action))) for action in game.actions(state)}
        wins = [action for action, outcome in outcomes.items() if outcome == 1 - 2 * game.player(state)]
        assert chosen in (wins or outcomes)


def test_the_same_seed_plays_the_same(run: Path) -> None:
    game = make("connect_four:4x4")
    matches = [
        play_match(game, (load_player(run, game, Budget(evaluations=20)), RandomPlayer()), seed=seed).actions
        for seed in (1, 1, 2, 3, 4)
    ]
    assert matches[0] == matches[1]
    assert len(set(matches)) > 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make("connect_four:4x4")
    for memory in range(2000, 12_000, 700):
        monkeypatch.setattr(search_player, "MEMORY", memory)
        searcher = player(game, iterations=40)
        for seed in range(3):
            play_match(game, (searcher, RandomPlayer()), seed=seed)
            play_match(game, (RandomPlayer(), searcher), seed=seed)
            play_match(game, (searcher, searcher), seed=seed)
        assert searcher.search.fullness() <= 1


def test_a_player_is_of_one_game(run: Path) -> None:
    hexagons = make("hex:4")
    with pytest.raises(PlayerError, match="has learnt connect_four:4x4, not hex:4"):
        load_player(run, hexagons)
    with pytest.raises(PlayerError, match="plays connect_four:4x4, not hex:4"):
        load_player(run, make("connect_four:4x4")).new_match(hexagons, 0)


def test_a_checkpoint_copied_elsewhere_plays_the_same(run: Path, tmp_path: Path) -> None:
    alone = tmp_path / "other.safetensors"
    shutil.copyfile(run / CHECKPOINT, alone)
    game = make("connect_four:4x4")
    assert known_game(str(alone)) == game_name(run) == game.name
    matches = [
        play_match(game, (parse_player(str(path), game, Budget(evaluations=30)), RandomPlayer()), seed=5)
        for path in (run, alone)
    ]
    assert matches[0].actions == matches[1].actions


def test_damaged_checkpoints_are_refused(run: Path, tmp_path: Path) -> None:
    whole, damaged, game = (run / CHECKPOINT).read_bytes(), tmp_path / CHECKPOINT, make("connect_four:4x4")
    changed = whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]
    for content in (whole[: len(whole) // 2], whole[:-1], whole[:7], b"", changed):
        damaged.write_bytes(content)
        for use in (learnt_network, game_name, lambda path: load_player(path, game)):
            with pytest.raises(CheckpointError, match=CHECKPOINT) as raised:
                use(damaged)
            assert "\n" not in str(raised.value)
    for use in (learnt_network, game_name):
        with pytest.raises(CheckpointError, match="there is no file"):
            use(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "there is no game"),
        ({"game": "connect_four:5x4"}, "the weights are not of this network"),
        ({"network": "r1"}, "the weights are not of this network"),
        ({"network": 3}, "network must be a text, not 3"),
        ({"threads": 0}, "threads must be from"),
        ({"colour": "red"}, "there is no setting 'colour'"),
    ],
)
def test_hand_made_configurations(change: dict, message: str, run: Path, tmp_path: Path) -> None:
    whole = load(run)
    whole.document["configuration"]["run"] |= change
    with RunDirectory(tmp_path / "changed") as directory:
        directory.save(whole.tensors, whole.document, {})
    with pytest.raises(CheckpointError, match=message) as raised:
        learnt_network(tmp_path / "changed")
    assert "\n" not in str(raised.value)


def without_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("what a run has learnt by is not measured again")

    monkeypatch.setattr(heuristics, "random_ends", refuse)


def test_a_run_could_not_tell_the_numbers_of_its_heuristic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were computed anew where it was loaded, by whatever rule the program had then."""
    directory = train(small("draughts:brazilian", matches=1, evaluations=20), tmp_path / "run", quiet())
    saved = load(directory).document["heuristic"]
    made = make_heuristic("additive_depth", make("draughts:brazilian"))
    assert (saved["constants"], saved["scale"]) == (made.constants.tolist(), made.scale)
    assert saved["constants"][0] != 2 * make("draughts:brazilian").typical_length
    without_measuring(monkeypatch)
    learnt = learnt_network(directory, "cpu", "float32")
    assert learnt.heuristic.constants.tolist() == saved["constants"]
    resume(directory, matches=2, display=quiet())
    assert load(directory).document["heuristic"] == saved


def test_a_run_of_before_goes_on_with_its_own_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = load(train(small("draughts:brazilian", matches=1, evaluations=20), tmp_path / "run", quiet()))
    del whole.document["heuristic"]
    with RunDirectory(tmp_path / "former") as directory:
        directory.save(whole.tensors, whole.document, whole.matches)
    without_measuring(monkeypatch)
    assert learnt_network(tmp_path / "former").evaluate._network.scale == 50
    resume(tmp_path / "former", matches=2, display=quiet())
    assert load(tmp_path / "former").document["heuristic"] == {"constants": [100.0], "scale": 50.0}


def test_damaged_numbers_of_a_heuristic(run: Path, tmp_path: Path) -> None:
    whole = load(run)
    whole.document["heuristic"] = {"constants": [], "scale": 1.0}
    with RunDirectory(tmp_path / "changed") as directory:
        directory.save(whole.tensors, whole.document, whole.matches)
    for use in (learnt_network, resume):
        with pytest.raises(CheckpointError, match="the numbers of its heuristic are damaged"):
            use(tmp_path / "changed")


def test_weights_that_are_no_numbers(run: Path, tmp_path: Path) -> None:
    whole = load(run)
    whole.tensors["network.last.bias"] = np.array([np.nan], np.float32)
    with RunDirectory(tmp_path / "changed") as directory:
        directory.save(whole.tensors, whole.document, {})
    with pytest.raises(CheckpointError, match="the weights are not finite numbers"):
        learnt_network(tmp_path / "changed")


def test_a_search_beats_random_play_without_having_learnt() -> None:
    game = make("connect_four:5x4")
    searcher = SearchPlayer("test", game, None, make_heuristic("additive_depth", game), Budget(iterations=300))
    assert play_matches(game, searcher, RandomPlayer(), games=20).score >= 0.7
