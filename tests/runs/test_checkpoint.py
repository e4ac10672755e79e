"""Checkpoints: what is saved comes back, and damaged files do no harm."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from checkpoints import DOCUMENT, assert_equal, match, saved, tensors
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan.runs import checkpoint as c
from athenan.runs.checkpoint import file_format


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return saved(tmp_path / "run")


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
def test_what_cannot_be_saved_is_refused(
    run: Path, given_tensors: dict[str, np.ndarray], document: dict[str, object], message: str
) -> None:
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
    return directory if directory.exists() else saved(directory)


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
