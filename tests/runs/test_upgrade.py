"""Checkpoints of older format versions: they load, play and go on."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import assert_same_checkpoint, quiet, small

from athenan.learning.config import TrainingConfig
from athenan.learning.trainer import resume, train
from athenan.runs import checkpoint
from athenan.runs.checkpoint import CheckpointError, RunDirectory, file_format, load
from athenan.runs.description import game_name
from athenan.runs.learnt import learnt_network
from athenan.runs.upgrade import upgraded
from athenan.settings import from_json

OLD_RUN = Path(__file__).parents[1] / "data" / "run_of_version_1"
"""Of tictactoe: four matches, the last of them still to be learnt; written by the program of then."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    shutil.copytree(OLD_RUN, tmp_path / "old")
    return tmp_path / "old"


def test_an_old_run_is_read(old: Path) -> None:
    document = load(old).document
    config = from_json(TrainingConfig, document["configuration"])
    assert config == small(
        "tictactoe", matches=4, network="c:filters=4,dense=8,convolutions=2", exploitation=0.25, overlap=True,
        evaluations=20, seed=3, strength={"opponent": "random", "games": 2, "seconds": 1e-6},
    )  # fmt: skip
    measured = document["progress"]["measurement"]
    assert (measured["opponent"], measured["matches"] in range(1, 5), measured["games"]) == ("random", True, 2)
    assert game_name(old) == "tictactoe"


def test_an_old_run_plays(old: Path) -> None:
    learnt = learnt_network(old, "cpu", "float32")
    states = np.stack([learnt.game.encode(learnt.game.after(moves)) for moves in ("", "b2", "b2 a1")])
    values = learnt.evaluate(states).values
    assert np.isfinite(values).all()
    assert len(set(values.tolist())) == 3


def test_an_old_run_goes_on_and_is_written_anew(old: Path) -> None:
    before = load(old)
    resume(old, matches=6, display=quiet())
    after = load(old)
    assert after.document["progress"]["matches"] == 6
    assert after.document["progress"]["losses"][:3] == before.document["progress"]["losses"]
    assert list(after.matches) == [0, 1, 2, 3, 4]  # the last one waits
    assert (after.tensors["network.last.weight"] != before.tensors["network.last.weight"]).any()
    assert b'\\"version\\": 2' in (old / checkpoint.CHECKPOINT).read_bytes()


VERSION_1 = {
    "run": ("game", "minutes", "matches", "network", "heuristic", "threads", "seed"),
    "action": ("seconds", "iterations", "evaluations"),
    "playing": (
        "selection", "completed_selection", "parallel_matches", "actors", "borrowing", "memory", "precision",
    ),
    "learning": ("learning_rate", "averaging", "l2", "overlap", "device", "learning_precision"),
}  # fmt: skip
SEARCH_1 = ("algorithm", "completion", "resolution_stop", "transpositions", "exact")
REPLAY_1 = (
    "method", "memory_matches", "duplication", "batch_size", "augmentation", "memory_pairs", "sampling_rate",
    "pairs_limit",
)  # fmt: skip
"""The settings that version 1 had."""


def as_version_1(document: dict[str, Any]) -> dict[str, Any]:
    """The document as version 1 had it."""
    config, progress = document["configuration"], dict(document["progress"])
    measured = progress.pop("measurement")
    if measured:
        measured = {("match" if name == "matches" else name): value for name, value in measured.items()}
    flat = {
        **{name: config[part][name] for part, names in VERSION_1.items() for name in names},
        "exploitation": str(config["playing"]["exploitation"]),
        **{f"evaluation_{name}": value for name, value in config["strength"].items()},
        "search": {name: config["search"][name] for name in SEARCH_1},
        "replay": {name: config["replay"][name] for name in REPLAY_1},
    }  # fmt: skip
    return {**document, "configuration": flat, "progress": {**progress, "evaluation": measured}}


@pytest.mark.parametrize("exploitation", ["uniform", 0.7])
def test_an_old_run_goes_on_as_if_it_had_been_of_today(
    exploitation: str | float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small(matches=6, exploitation=exploitation, averaging=0.9)
    train(config, tmp_path / "whole", quiet())
    whole = load(train(config.changed(run={"matches": 3}), tmp_path / "part", quiet()))
    with monkeypatch.context() as patched, RunDirectory(tmp_path / "old") as directory:
        patched.setattr(file_format, "VERSION", 1)
        directory.save(whole.tensors, as_version_1(whole.document), whole.matches)
    assert b'\\"version\\": 1' in (tmp_path / "old" / checkpoint.CHECKPOINT).read_bytes()
    old = load(tmp_path / "old").document
    assert from_json(TrainingConfig, old["configuration"]) == from_json(TrainingConfig, whole.document["configuration"])
    assert old["progress"] == whole.document["progress"]
    resume(tmp_path / "old", matches=6, display=quiet())
    assert_same_checkpoint(tmp_path / "whole", tmp_path / "old")


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"tempo": 3}, "there is no setting 'tempo'"),
        ({"exploitation": "warm"}, "exploitation must be uniform, annealed or a number from 0 to 1, not 'warm'"),
        ({"exploitation": "nan"}, "exploitation must be"),
        ({"exploitation": ["uniform"]}, "exploitation must be"),
        ({"evaluation_games": 3}, "games must be even"),
        (["game"], "must be an object"),
        (None, "must be an object"),
    ],
)
def test_damaged_old_configurations_are_refused(configuration: Any, message: str) -> None:
    document = upgraded({"configuration": configuration, "progress": configuration}, 1)
    with pytest.raises(ValueError, match=message):
        from_json(TrainingConfig, document["configuration"])


def test_an_old_configuration_that_lacks_settings_has_their_defaults() -> None:
    assert from_json(TrainingConfig, upgraded({"configuration": {}}, 1)["configuration"]) == TrainingConfig()


def test_the_former_score_of_arimaa_is_read_as_its_heuristic() -> None:
    for game, former, now in (
        ("arimaa:900", "score", "arimaa"), ("arimaa", "score", "arimaa"), ("arimaa", "classic", "classic"),
        ("othello:8", "score", "score"), (5, "score", "score"),
    ):  # fmt: skip
        document = {"configuration": {"run": {"game": game, "heuristic": former, "seed": 3}}}
        for version in (1, 2):
            upper = document if version == 2 else {"configuration": document["configuration"]["run"]}
            found = upgraded(upper, version)["configuration"]["run"]
            assert found == {"game": game, "heuristic": now, "seed": 3}


def test_a_run_names_its_game_but_runs_no_code(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of a stranger must not load a file or a module that nobody has named here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("trap.py", "trap/game.py"):
        file = tmp_path / module
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    whole = load(old)
    for name in ("./trap.py", str(tmp_path / "trap.py"), "trap.game", "trap/game.py", "trap"):
        whole.document["configuration"]["run"]["game"] = name
        with RunDirectory(tmp_path / "run") as directory:
            if directory.holds_checkpoint:
                directory.load()
            directory.save(whole.tensors, whole.document, whole.matches)
        for use in (learnt_network, game_name, lambda path: resume(path, display=quiet())):
            with pytest.raises(CheckpointError) as raised:
                use(tmp_path / "run")
            assert "\n" not in str(raised.value)
    assert not (tmp_path / "sprung").exists()
