"""Documents of a run that were changed by somebody."""

from pathlib import Path

import pytest
from small_trainings import (
    quiet,
    small,
)  # fmt: skip

from athenan.learning.training import resume, train
from athenan.runs.checkpoint import CHECKPOINT, CheckpointError, RunDirectory, load


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(small(matches=1), tmp_path_factory.mktemp("trained") / "run", quiet())


HOSTILE: dict[str, list[tuple[object, str]]] = {
    "configuration": [
        ({"run": {"game": "chess"}}, "there is no game"),
        ({"run": {"game": "hex:4"}}, "cannot be used: the weights do not fit this network"),
        ({"run": {"network": "c:filters=9,dense=16"}}, "the weights do not fit this network"),
        ({"run": {"network": "mlp:dense=8192,dense_layers=3"}}, "weights do not fit this network: it has 134,"),
        ({"run": {"network": "c:filters=1024,dense=8192,convolutions=64"}}, "at most 200,000,000 weights"),
        ({"run": {"network": "rm -rf"}}, "network 'rm -rf' does not exist"),
        ({"run": {"matches": 10**400}}, "matches must be .*from 1 to"),
        ({"run": {"minutes": float("nan")}}, "minutes must be .*from"),
        ({"run": {"seed": 2**200}}, "seed must be from"),
        ({"run": {"threads": 10**9}}, "threads must be from"),
        ({"run": None}, "RunSettings.*, not None"),
        ({"action": {"seconds": float("inf")}}, "seconds must be .*from"),
        ({"action": {"evaluations": 2**70}}, "evaluations must be .*from"),
        ({"action": {"evaluations": None}}, "a budget needs seconds, iterations or evaluations"),
        ({"playing": {"memory": 10**9}}, "memory must be from"),
        ({"playing": {"memory": 1, "parallel_matches": 5000}}, "memory must be at least .* for 5000 searches of"),
        ({"playing": {"parallel_matches": 2}}, "search.random"),
        ({"playing": {"precision": "float8"}}, "precision must be auto, float32 or bfloat16, not 'float8'"),
        ({"learning": {"device": "cuda:77"}}, "device 'cuda:77' is not here"),
        ({"learning": {"target": "leaves"}}, "target 'leaves' does not exist: choose one of tree, "),
        ({"strength": {"seconds": 1.0, "opponent": "nobody"}}, "there is no player 'nobody'"),
        ({"replay": {"method": "some"}}, "replay 'some' does not exist: choose one of stratified, "),
        ({"replay": {"duplication": float("nan")}}, "duplication must be "),
        ({"search": None}, "search must be a text such as .*, not None"),
        ({"search": "magic"}, "search 'magic' does not exist: choose one of descent, ubfm"),
        ({"search": "./magic.py"}, "search ./magic.py is code that a file may not load by itself"),
        ({"__class__": 1}, "there is no setting '__class__'"),
        (["game"], "must be an object"),
    ],
    "progress": [
        ({"matches": -1}, "progress is damaged"), ({"matches": 2.5}, "progress is damaged"),
        ({"seconds": float("nan")}, "progress is damaged"), ({"seconds": "1"}, "progress is damaged"),
        ({"lengths": 7}, "progress is damaged"), ({"outcomes": [None]}, "progress is damaged"),
        ({"losses": [10**400]}, "progress is damaged"), ({"measurement": {}}, "progress is damaged"),
        ({"measurement": {"opponent": "a", "matches": "b", "score": 0.5, "games": 2}}, "progress is damaged"),
        (None, "progress is damaged"),
    ],
    "random": [({"bit_generator": "MT19937"}, "generator state is damaged"), (None, "generator state is damaged")],
    "replay": [({"next_number": -3}, "replay document is damaged"), (7, "replay document is damaged")],
}  # fmt: skip


def merged(document: object, change: object) -> object:
    """The document with the changed entries, at any depth."""
    if not isinstance(document, dict) or not isinstance(change, dict):
        return change
    return {**document, **{name: merged(document.get(name), value) for name, value in change.items()}}


@pytest.mark.parametrize(
    ("part", "change", "message"), [(part, *case) for part, cases in HOSTILE.items() for case in cases]
)
def test_a_changed_document_is_refused_and_the_file_kept(
    part: str, change: object, message: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the checkpoint had been written by hand, with the right SHA-256."""
    whole, before = load(run), (run / CHECKPOINT).read_bytes()
    whole.document[part] = merged(whole.document[part], change)
    monkeypatch.setattr(RunDirectory, "load", lambda self, salvage: whole)
    with pytest.raises(CheckpointError, match=message) as raised:
        resume(run, display=quiet())
    assert "\n" not in str(raised.value)
    assert (run / CHECKPOINT).read_bytes() == before
