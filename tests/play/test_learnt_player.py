"""Players that search with what a run has learnt."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sizes import size
from small_trainings import changed, quiet, small

from athenan.arena.learnt_players import load_player
from athenan.arena.roster import known_game, make_player
from athenan.evaluation import heuristics
from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import make
from athenan.learning.recipe import recommended
from athenan.learning.training import resume, train
from athenan.play.limit import DEFAULT_LIMIT
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, RunDirectory, load
from athenan.runs.description import game_name
from athenan.runs.learnt import learnt_network
from athenan.search.algorithms.bandits import Uct
from athenan.search.algorithms.best_first import Descent, Ubfm
from athenan.search.algorithms.korf_chickering import KorfChickering
from athenan.search.alpha_beta.search import AlphaBeta, AlphaBetaSearch
from athenan.search.budget import Budget
from athenan.search.named import SEARCHES
from athenan.search.settings import SearchSettings
from athenan.search.walking.walk_search import Search


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(small("connect_four:4x4", matches=2), tmp_path_factory.mktemp("trained") / "run", quiet())


def test_the_same_seed_plays_the_same(run: Path) -> None:
    game = make("connect_four:4x4")
    matches = [
        play_match(game, (load_player(run, game), RandomPlayer()), (), seed, Budget(evaluations=20)).actions
        for seed in (1, 1, 2, 3, 4)
    ]
    assert matches[0] == matches[1]
    assert len(set(matches)) > 1


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
        play_match(game, (make_player(f"{path},evaluations=30", game), RandomPlayer()), seed=5) for path in (run, alone)
    ]
    assert matches[0].actions == matches[1].actions


@pytest.mark.parametrize(
    ("settings", "search", "limit", "threads"),
    [
        ("", Ubfm(leaves=4), None, 1),
        (",search=ubfm", Ubfm(), None, 1),
        (",search=descent:play=best", Descent(play="best"), None, 1),
        (",search=uct:exploration=1.4", Uct(exploration=1.4), None, 1),
        (",search=korf_chickering", KorfChickering(), None, 1),
        (",seconds=0.5", Ubfm(leaves=4), Budget(seconds=0.5), 1),
        (",iterations=1,Evaluations=9, threads=2", Ubfm(leaves=4), Budget(iterations=1, evaluations=9), 2),
        (",search=(ubfm:completion=false,play=best)", Ubfm(completion=False, play="best"), None, 1),
        (
            ",search=(ubfm:transpositions=false,exact=true),seconds=1",
            Ubfm(transpositions=False, exact=True),
            Budget(1),
            1,
        ),
        (",search=alphabeta", AlphaBeta(), None, 1),
        (",search=alphabeta:depth=2,seconds=0.5", AlphaBeta(depth=2), Budget(seconds=0.5), 1),
    ],
)
def test_settings_of_a_run_as_a_player(
    settings: str, search: SearchSettings, limit: Budget | None, threads: int, run: Path
) -> None:
    made = make_player(f"{run}{settings}", make("connect_four:4x4"))
    assert isinstance(made, SearchPlayer)
    assert isinstance(made.searcher, Search | AlphaBetaSearch)
    assert (made.name, made.searcher.settings, made.limit) == (f"{run}{settings}", search, limit)
    assert made.searcher.evaluate._evaluate.threads == threads  # type: ignore[union-attr]
    assert known_game(f"{run}{settings}") == "connect_four:4x4"


def test_a_run_of_a_game_with_many_actions_expands_leaf_by_leaf(tmp_path: Path) -> None:
    run = train(small("hex:7", network="c:filters=4,dense=8", matches=1), tmp_path / "run", quiet())
    player = make_player(str(run), make("hex:7"))
    assert isinstance(player, SearchPlayer) and isinstance(player.searcher, Search)
    assert player.searcher.settings == Ubfm()


def test_the_checkpoint_of_a_player_is_read_once(run: Path, files_read: list[Path]) -> None:
    name = known_game(str(run))
    assert name
    make_player(f"{run},search=ubfm", make(name))
    assert files_read == [run / CHECKPOINT]


def test_a_search_that_needs_a_head_that_the_network_lacks_is_refused(run: Path) -> None:
    message = f"the network of {run} has no policies, which this search needs"
    with pytest.raises(CheckpointError, match=re.escape(message)):
        make_player(f"{run},search=puct", make("connect_four:4x4"))


def test_alpha_beta_of_depth_one_is_the_evaluation_player(run: Path) -> None:
    game, learnt = make("connect_four:4x4"), learnt_network(run, "cpu", "float32")
    made = make_player(f"{run},search=alphabeta:depth=1", game)
    made.new_match(game, 1)
    assert isinstance(made, SearchPlayer)
    state = game.after("1 2")
    move = made.select(state, DEFAULT_LIMIT)
    following = [game.play(state, int(action)) for action in game.actions(state)]
    values = learnt.evaluate(np.stack([game.encode(one).reshape(-1) for one in following])).values
    assert move.value == pytest.approx(values.max(), abs=0.02)
    assert made.searcher.effort().evaluations == len(following)


def test_paths_with_commas(run: Path, tmp_path: Path) -> None:
    shutil.copyfile(run / CHECKPOINT, tmp_path / "a,play=best.safetensors")
    made = make_player(f"{tmp_path}/a,play=best.safetensors,iterations=3", make("connect_four:4x4"))
    assert isinstance(made, SearchPlayer)
    assert made.limit == Budget(iterations=3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            ",search=minimax",
            "search 'minimax' does not exist: choose one of descent, ubfm, korf_chickering, uct, puct, ",
        ),
        (
            ",search=ubfm:play=worst",
            "search 'ubfm:play=worst': play must be default, best, safest or safest_securing_draw, not 'worst'",
        ),
        (",threads", "threads needs a value: threads=VALUE"),
        (",seconds=0", "seconds must be a number from 1e-05 to"),
        (",iterations=x", "iterations must be a whole number from 1 to"),
        (
            ",algorithm=uct",
            "there is no option 'algorithm'; its options are seconds, iterations, evaluations, search, threads, level, "
            "temperature, sight",
        ),
        (
            ",search=alphabeta,depth=3",
            "there is no option 'depth'; its options are seconds, iterations, evaluations, search, threads, level, "
            "temperature, sight, device, and depth is a setting of a search: search=NAME:depth=3",
        ),
        (
            ",search=alphabeta:play=best",
            "search 'alphabeta:play=best': there is no option 'play'; its options are depth, reductions, completion, "
            "transpositions, turns",
        ),
        (
            ",search=alphabeta:depth=0",
            "search 'alphabeta:depth=0': depth must be a whole number from 1 to 10,000 or none, not 0",
        ),
        (
            ",search=(ubfm:completion=false,exact=true)",
            "search 'ubfm:completion=false,exact=true': exact must be false without completion, which is what proves "
            "values",
        ),
        (
            ",search=(ubfm:completion=false,play=safest_securing_draw)",
            "search 'ubfm:completion=false,play=safest_securing_draw': play must be default, best or safest without "
            "completion, which is what proves draws",
        ),
        (",device=cuda:9", "device 'cuda:9' is not here; use auto, cpu"),
        (",best", "there is no option 'best'; its options are seconds, iterations"),
        (",search=uct,search=ubfm", "option search is given twice"),
        (",search=uct:exploration=-1", "search 'uct:exploration=-1': exploration must be from 0 to 1,000"),
    ],
)
def test_impossible_settings_of_a_run_as_a_player_are_refused(settings: str, message: str, run: Path) -> None:
    with pytest.raises(PlayerError, match=re.escape(f"{settings}': {message}")):
        make_player(f"{run}{settings}", make("connect_four:4x4"))


def test_a_network_of_compiled_code_takes_no_other_device_than_the_cpu() -> None:
    with pytest.raises(
        PlayerError, match="'athenan,device=cuda': device must be cpu for this network, or auto, not cuda"
    ):
        make_player("athenan,device=cuda", make("connect_four"))
    make_player("athenan,device=cpu", make("connect_four")).close()


def test_damaged_checkpoints_are_refused(run: Path, tmp_path: Path) -> None:
    whole, damaged, game = (run / CHECKPOINT).read_bytes(), tmp_path / CHECKPOINT, make("connect_four:4x4")
    changed = whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]
    for content in (whole[: len(whole) // 2], whole[:-1], whole[:7], b"", changed):
        damaged.write_bytes(content)
        uses: list[Callable[[Path], object]] = [learnt_network, lambda path: load_player(path, game)]
        for use in uses + [game_name] * (content is not changed):  # which reads the document alone
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
        ({"game": "connect_four:5x4"}, "the weights do not fit this network"),
        ({"network": "r1"}, "the weights do not fit this network"),
        ({"network": "mlp:dense=8192,dense_layers=3"}, "weights do not fit this network: it has 134,.* or more, and"),
        ({"network": 3}, "network must be a text, not 3"),
        ({"threads": 0}, "threads must be from"),
        ({"colour": "red"}, "there is no setting 'colour'"),
    ],
)
def test_hand_made_configurations_are_checked(
    change: dict[str, object], message: str, run: Path, tmp_path: Path
) -> None:
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


def test_a_run_saves_the_numbers_of_its_heuristic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever loads it takes them, and does not compute them anew."""
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


@pytest.mark.parametrize("numbers", [None, {"constants": [], "scale": 1.0}])
def test_missing_and_damaged_numbers_of_a_heuristic_are_refused(
    run: Path, tmp_path: Path, numbers: dict[str, Any] | None
) -> None:
    whole = load(run)
    whole.document["heuristic"] = numbers
    with RunDirectory(tmp_path / "changed") as directory:
        directory.save(whole.tensors, whole.document, whole.matches)
    for use in (learnt_network, resume):
        with pytest.raises(CheckpointError, match="the numbers of its heuristic are damaged"):
            use(tmp_path / "changed")


def test_weights_that_are_no_numbers_are_refused(run: Path, tmp_path: Path) -> None:
    whole = load(run)
    whole.tensors["network.last.bias"] = np.array([np.nan], np.float32)
    with RunDirectory(tmp_path / "changed") as directory:
        directory.save(whole.tensors, whole.document, {})
    with pytest.raises(CheckpointError, match="the weights are not finite numbers"):
        learnt_network(tmp_path / "changed")


@pytest.mark.parametrize(
    ("algorithm", "played"),
    [("descent", "ubfm"), ("alphazero", "puct"),
     *size((), (("ubfm", "ubfm"), ("uct", "uct"), ("alphabeta", "alphabeta"), ("gumbel", "gumbel")))],
)  # fmt: skip
def test_players_search_as_their_run_does(algorithm: str, played: str, tmp_path: Path) -> None:
    changes = {"network": "c:filters=8,dense=16", "threads": 1, "memory": 16, "actors": 1, "overlap": False}
    recipe = recommended("tictactoe", matches=1, timed=False, algorithm=algorithm, torch=True)
    budget = {} if recipe.action.iterations else {"iterations": 3}
    run = train(changed(recipe, **changes, **budget, strength={"seconds": 0}), tmp_path / "run", quiet())
    game = make("tictactoe")
    usual = Ubfm(leaves=4) if played == "ubfm" else SEARCHES[played]()
    for player, wanted in (
        (make_player(str(run), game), usual),
        (load_player(run, game), usual),
        (make_player(f"{run},search={played}:completion=false", game), SEARCHES[played](completion=False)),
        (make_player(f"{run},search=descent:play=best", game), Descent(play="best")),
    ):
        assert isinstance(player, SearchPlayer) and isinstance(player.searcher, Search)
        assert player.searcher.settings == wanted
    player = make_player(f"{run},iterations=20", game)
    player.new_match(game, 1)
    assert player.select(game.after("a1 b1 a2 b2"), Budget(seconds=1)).action in game.actions(game.after("a1 b1 a2 b2"))
