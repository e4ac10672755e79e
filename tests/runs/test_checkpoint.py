"""Checkpoints: what is saved comes back, and neither crashes, full disks nor damaged files do harm."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan.runs import checkpoint as c
from athenan.runs.checkpoint import file_format

DOCUMENT = {"configuration": {"game": "hex:7", "seed": 3}, "matches": 2, "random": {"state": 2**127 + 1}}


def tensors() -> dict[str, np.ndarray]:
    return {
        "network.0.weight": np.arange(60, dtype=np.float32).reshape(3, 4, 5),
        "network.0.bias": np.zeros((0, 3), np.float32),
        "optimizer.step": np.array(7, np.int64),
        "forest.random": np.array([2**64 - 1, 1], np.uint64),
        "done": np.array([True, False]),
        "half": np.array([0.5], np.float16),
        "transposed": np.arange(6, dtype=np.int8).reshape(2, 3).T,
    }


def match(number: int) -> dict[str, np.ndarray]:
    return {"states": np.full((5, 16), number, np.int8), "values": np.linspace(0, number, 5, dtype=np.float32)}


def assert_equal(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, tensor in one.items():
        assert tensor.dtype == other[name].dtype and tensor.shape == other[name].shape
        np.testing.assert_array_equal(tensor, other[name])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run directory with a checkpoint that names matches 0 and 1."""
    with c.RunDirectory(tmp_path / "run") as directory:
        directory.save(tensors(), DOCUMENT, {0: match(0), 1: match(1)})
    return tmp_path / "run"


def test_what_is_saved_is_loaded(run: Path) -> None:
    for path in (run, run / c.CHECKPOINT):
        loaded = c.load(path)
        assert_equal(loaded.tensors, tensors())
        assert loaded.document == DOCUMENT
        assert list(loaded.matches) == [0, 1]
        assert_equal(loaded.matches[1], match(1))


def test_files_are_safetensors(run: Path) -> None:
    assert_equal(safetensors.numpy.load_file(run / c.CHECKPOINT), tensors())
    assert_equal(safetensors.numpy.load_file(run / "matches" / "000001.safetensors"), match(1))


def test_only_new_matches_are_written_and_unnamed_ones_deleted(run: Path) -> None:
    kept = run / "matches" / "000001.safetensors"
    before, stranger = kept.stat(), run / "matches" / "notes.txt"
    stranger.write_text("mine")
    with c.RunDirectory(run) as directory:
        directory.load()
        directory.save(tensors(), DOCUMENT, {1: match(1), 1_000_000: match(2)})
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert {file.name for file in (run / "matches").iterdir()} == {
        "000001.safetensors", "1000000.safetensors", "notes.txt",
    }  # fmt: skip
    assert_equal(c.load(run).matches[1_000_000], match(2))


def test_network_of_a_file_copied_elsewhere(run: Path, tmp_path: Path) -> None:
    copy = shutil.copy(run / c.CHECKPOINT, tmp_path / "champion.safetensors")
    for path in (copy, run):
        network = c.load_network(path)
        assert network.configuration == DOCUMENT["configuration"]
        assert sorted(network.tensors) == ["0.bias", "0.weight"]
        np.testing.assert_array_equal(network.tensors["0.weight"], tensors()["network.0.weight"])
    with pytest.raises(c.CheckpointError, match=r"no file .*000000\.safetensors"):
        c.load(copy)


def test_the_document_can_be_read_without_the_tensors(run: Path) -> None:
    file = run / c.CHECKPOINT
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert c.load_document(run, whole=False) == DOCUMENT
    with pytest.raises(c.CheckpointError, match="is damaged"):
        c.load_document(run)
    file.write_bytes(data[:-1])
    with pytest.raises(c.CheckpointError, match="is damaged"):
        c.load_document(run, whole=False)


def test_two_processes_cannot_train_in_one_directory(tmp_path: Path) -> None:
    first = c.RunDirectory(tmp_path)
    with pytest.raises(c.CheckpointError, match="another process is training"):
        c.RunDirectory(tmp_path)
    first.close()
    first.close()
    c.RunDirectory(tmp_path).close()


def test_a_new_run_does_not_replace_another(run: Path) -> None:
    with c.RunDirectory(run) as directory:
        assert directory.holds_checkpoint
        with pytest.raises(c.CheckpointError, match="resume it or choose another"):
            directory.save(tensors(), DOCUMENT, {0: match(5)})
    assert_equal(c.load(run).matches[0], match(0))


def test_a_file_where_the_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(c.CheckpointError, match="cannot be a run directory"):
        c.RunDirectory(tmp_path / "file")


@pytest.mark.parametrize(
    ("given_tensors", "document", "message"),
    [
        ({"a": np.array(["text"])}, {}, "tensor a cannot be saved"),
        ({"a": np.array([None])}, {}, "tensor a cannot be saved"),
        ({}, {"loss": float("nan")}, "cannot be saved as JSON"),
        ({}, {"set": {1}}, "cannot be saved as JSON"),
    ],
)
def test_what_cannot_be_saved_is_refused(run: Path, given_tensors: dict, document: dict, message: str) -> None:
    with c.RunDirectory(run) as directory:
        directory.load()
        with pytest.raises(c.CheckpointError, match=message):
            directory.save(given_tensors, document, {})
    assert_equal(c.load(run).tensors, tensors())


# Damaged files


def test_missing_files_foreign_files_and_other_versions_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(c.CheckpointError, match="there is no file"):
        c.load(tmp_path / "nothing")
    text = json.dumps({"format": "athenan", "version": 99})
    for metadata, message in (
        (None, "or is damaged: restore"),
        ({"athenan": "{}"}, "not a checkpoint"),
        ({"athenan": "[" * 100_000}, "not a checkpoint"),
        ({"athenan": '{"format": "other", "version": 1}'}, "not a checkpoint of athenan"),
        ({"athenan": text}, "format version 99, and this program reads 3: update athenan"),
        ({"athenan": text.replace("99", "2")}, "format version 2, and this program reads 3: train it anew"),
        ({"athenan": text.replace("99", "true")}, "format version True"),
    ):
        safetensors.numpy.save_file(tensors(), run / c.CHECKPOINT, metadata)
        with pytest.raises(c.CheckpointError, match=message):
            c.load(run)


@pytest.mark.parametrize("dtype", ["BF16", "F8_E4M3", "I128", "F4", 3])
def test_foreign_types_are_refused(run: Path, dtype: object) -> None:
    header = {"x": {"dtype": dtype, "shape": [2], "data_offsets": [0, 4]}, "__metadata__": {"athenan": "{}"}}
    text = json.dumps(header).encode()
    (run / c.CHECKPOINT).write_bytes(len(text).to_bytes(8, "little") + text + bytes(4))
    with pytest.raises(c.CheckpointError, match="or is damaged"):
        c.load(run)


@pytest.mark.parametrize(
    "matches",
    [
        "none", [0], [[0]], [["../../secret", "0" * 64]], [[-1, "0" * 64]], [[True, "0" * 64]], [[0, "0" * 63]],
        [[1, "0" * 64], [0, "0" * 64]], [[0, "0" * 64], [0, "0" * 64]], [[0.0, "0" * 64]], [[10**12, "0" * 64]],
    ],
)  # fmt: skip
def test_edited_lists_of_matches_are_refused(run: Path, matches: object) -> None:
    text = json.dumps({"format": "athenan", "version": file_format.VERSION, "document": {}, "matches": matches})
    metadata = {"athenan": text, "sha256": file_format.digest_of(tensors(), text)}
    safetensors.numpy.save_file(tensors(), run / c.CHECKPOINT, metadata)
    with pytest.raises(c.CheckpointError, match="damaged"):
        c.load(run)


def test_match_files_of_another_run_are_refused(run: Path) -> None:
    matches = run / "matches"
    shutil.copy(matches / "000000.safetensors", matches / "000001.safetensors")
    with pytest.raises(c.CheckpointError, match="not what checkpoint"):
        c.load(run)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damage_is_found(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = _intact(tmp_path_factory)
    file = directory / data.draw(st.sampled_from([c.CHECKPOINT, "matches/000001.safetensors"]))
    intact = file.read_bytes()
    where = data.draw(st.integers(0, len(intact) - 1))
    change = data.draw(st.sampled_from(["bit", "byte", "cut", "insert", "zeros"]))
    damaged = {
        "bit": lambda: intact[:where] + bytes([intact[where] ^ 1 << where % 8]) + intact[where + 1 :],
        "byte": lambda: intact[:where] + data.draw(st.binary(min_size=1, max_size=1)) + intact[where + 1 :],
        "cut": lambda: intact[:where],
        "insert": lambda: intact[:where] + data.draw(st.binary(min_size=1, max_size=9)) + intact[where:],
        "zeros": lambda: intact[:where] + bytes(len(intact) - where),
    }[change]()
    file.write_bytes(damaged)
    try:
        loaded = c.load(directory)
    except c.CheckpointError as error:
        assert "\n" not in str(error)
    else:
        assert_equal(loaded.tensors, tensors())
        assert loaded.document == DOCUMENT
        assert_equal(loaded.matches[1], match(1))
    finally:
        file.write_bytes(intact)


def _intact(factory: pytest.TempPathFactory) -> Path:
    """One run directory for all examples."""
    directory = factory.getbasetemp() / "damage"
    if not directory.exists():
        with c.RunDirectory(directory) as run:
            run.save(tensors(), DOCUMENT, {0: match(0), 1: match(1)})
    return directory


def test_a_file_that_may_not_be_read_is_not_called_missing(run: Path) -> None:
    (run / c.CHECKPOINT).chmod(0)
    if os.access(run / c.CHECKPOINT, os.R_OK):
        pytest.skip("this user reads every file")
    with pytest.raises(c.CheckpointError, match=r"cannot be read: Permission denied$"):
        c.load(run)


def test_only_numbers_of_minutes_name_kept_networks(run: Path) -> None:
    (run / "networks").mkdir()
    for name in ("0.5", "30", "nan", "inf", "-5", "copy of 30"):
        (run / "networks" / f"{name}.safetensors").touch()
    assert list(c.kept(run)) == [0.5, 30.0]


def test_expect_checks_names_types_and_shapes() -> None:
    given_tensors = {"a": np.zeros((2, 3), np.int8)}
    assert c.expect(given_tensors, "a", np.int8, None, 3).shape == (2, 3)
    for name, dtype, shape in (
        ("b", np.int8, (2, 3)),
        ("a", np.uint8, (2, 3)),
        ("a", np.int8, (2, 3, 1)),
        ("a", np.int8, (2, 4)),
    ):
        with pytest.raises(c.CheckpointError, match="another version or by hand"):
            c.expect(given_tensors, name, dtype, *shape)


def test_a_saved_generator_goes_on_where_it_was() -> None:
    one = np.random.default_rng(4)
    one.random(5)
    other = c.generator(json.loads(json.dumps(one.bit_generator.state)))
    assert one.random() == other.random()


@pytest.mark.parametrize(
    "state",
    [None, {}, 7, {"bit_generator": "MT19937"}, {"bit_generator": "PCG64", "state": {"state": -1, "inc": "x"}}],
)
def test_damaged_generator_states_are_refused(state: object) -> None:
    with pytest.raises(c.CheckpointError, match="random generator"):
        c.generator(state)


def test_salvage_goes_on_without_damaged_match_files(run: Path) -> None:
    with c.RunDirectory(run) as directory:
        directory.load()
        directory.save(tensors(), DOCUMENT, {number: match(number) for number in range(4)})
    matches = run / "matches"
    (matches / "000000.safetensors").unlink()
    shutil.copy(matches / "000003.safetensors", matches / "000001.safetensors")
    (matches / "000002.safetensors").write_bytes(b"half")
    with c.RunDirectory(run) as directory:
        with pytest.raises(c.CheckpointError, match="--salvage goes on without"):
            directory.load()
        salvaged = directory.load(salvage=True)
        assert_equal(salvaged.tensors, tensors())
        assert (salvaged.document, list(salvaged.matches), salvaged.lost) == (DOCUMENT, [3], (0, 1, 2))
        directory.save(tensors(), DOCUMENT, salvaged.matches)
    assert list(c.load(run).matches) == [3]
    assert [file.name for file in matches.iterdir()] == ["000003.safetensors"]


@pytest.mark.parametrize("damage", [b"\xff\xfe", None])
def test_an_unreadable_record_is_replaced(run: Path, damage: bytes | None) -> None:
    if damage:
        (run / c.RECORD).write_bytes(damage)
    else:
        (run / c.RECORD).symlink_to(run / c.RECORD)  # no program can read it
    with c.RunDirectory(run) as directory:
        directory.write_json(c.RECORD, {"score": 7})
    assert json.loads((run / c.RECORD).read_text()) == {"score": 7}


# Interrupted saves


def test_an_interrupted_start_leaves_nothing(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "lock").write_text("not ours")
    for path in (tmp_path / "a" / "b", mine):
        with c.RunDirectory(path):
            (path / "checkpoint.safetensors.tmp").write_bytes(b"half")
    assert [str(file.relative_to(tmp_path)) for file in sorted(tmp_path.rglob("*"))] == ["mine", "mine/lock"]
    with c.RunDirectory(tmp_path / "a" / "b") as directory:
        directory.save(tensors(), DOCUMENT, {})
    assert c.load(tmp_path / "a" / "b").document == DOCUMENT


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_full_disk_loses_nothing(run: Path, monkeypatch: pytest.MonkeyPatch, call: str, after: int) -> None:
    genuine, calls = getattr(os, call), []

    def full(*arguments: object) -> object:
        calls.append(arguments)
        if len(calls) > after:
            raise OSError(errno.ENOSPC, "No space left on device")
        return genuine(*arguments)

    with c.RunDirectory(run) as directory:
        directory.load()
        with monkeypatch.context() as patch:
            patch.setattr(os, call, full)
            if call == "replace" and after == 2:
                directory.save({"a": np.ones(2)}, {}, {1: match(1), 2: match(2)})
                return
            with pytest.raises(c.CheckpointError, match=r"No space left on device; the checkpoint in .* is whole"):
                directory.save({"a": np.ones(2)}, {}, {1: match(1), 2: match(2)})
        assert_equal(c.load(run).tensors, tensors())
        assert sorted(file.name for file in run.rglob("*.safetensors*")) == [
            "000000.safetensors", "000001.safetensors", "checkpoint.safetensors",
        ]  # fmt: skip
        directory.save({"a": np.ones(2)}, {}, {1: match(1), 2: match(2)})
    assert_equal(c.load(run).matches[2], match(2))


def test_a_disk_that_takes_half_a_file_loses_nothing(run: Path) -> None:
    """The operating system itself refuses the second half of the write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with c.RunDirectory(run) as directory:
        directory.load()
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            with pytest.raises(c.CheckpointError, match="cannot save to"):
                directory.save({"network.a": np.ones(50_000)}, {}, {1: match(1)})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, handler)
    assert_equal(c.load(run).tensors, tensors())
    assert not list(run.rglob("*.tmp"))


def test_leftovers_are_removed(run: Path) -> None:
    names = ["checkpoint.safetensors.tmp", "matches/000002.safetensors.tmp", "matches/000007.safetensors"]
    leftovers = [run / name for name in names]
    for file in leftovers:
        file.write_bytes(b"half")
    with c.RunDirectory(run) as directory:
        directory.load()
    assert not any(file.exists() for file in leftovers)


SAVE_WITHOUT_END = """
import sys
import numpy as np
from athenan.runs.checkpoint import RunDirectory
with RunDirectory(sys.argv[1]) as run:
    step = run.load().document["step"] if run.holds_checkpoint else 0
    while True:
        step += 1
        matches = {number: {"states": np.full((100, 64), number % 100, np.int8)} for number in range(step, step + 4)}
        run.save({"network.weight": np.full(50_000, step, np.float32)}, {"step": step}, matches)
        print(step, flush=True)
"""


def test_a_save_that_is_killed_leaves_the_former_or_the_new_state(tmp_path: Path) -> None:
    """At random moments after a first save, whatever the process is doing then."""
    run, moments, saved = tmp_path / "run", random.Random(5), 0
    for _ in range(20):
        command = [sys.executable, "-c", SAVE_WITHOUT_END, str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            saved = int(child.stdout.readline())
            time.sleep(moments.uniform(0, 0.03))
            child.send_signal(signal.SIGKILL)
            saved = max([saved, *map(int, child.stdout.read().split())])
        loaded = c.load(run)
        step = loaded.document["step"]
        assert step in (saved, saved + 1)
        assert (loaded.tensors["network.weight"] == step).all()
        assert list(loaded.matches) == list(range(step, step + 4))
        assert all((loaded.matches[number]["states"] == number % 100).all() for number in loaded.matches)
