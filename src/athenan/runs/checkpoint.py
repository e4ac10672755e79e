"""Checkpoints: everything that a run needs to continue as if it had never stopped, in safetensors and JSON.

A run directory holds

| file | content |
| --- | --- |
| `checkpoint.safetensors` | everything that changes: tensors, and a JSON document; replaced atomically |
| `matches/000123.safetensors` | the data of one match in replay memory; written once, before the checkpoint names it |
| `configuration.json` | the configuration of the training, for readers; written, never read |
| `networks/30.safetensors` | the network after 30 minutes of training, if it was to be kept |
| `latest.json` | the latest matches of self-play with the values that are learnt, for readers (`runs.latest`) |
| `record.json` | games of one player: the best match so far, its score and its moves; written, never read |
| `lock` | held by the process that trains in the directory |

If the process is killed at any moment, the directory holds the previous checkpoint or the new one, whole. Every file is
checked when it is read: a SHA-256 covers its content, and any damage raises `CheckpointError`.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> with RunDirectory(directory) as run:
    ...     document = {"configuration": {"run": {"game": "hex:7"}}}
    ...     run.save({"network.bias": np.zeros(2, np.float32)}, document, matches={})
    >>> load_network(directory).configuration
    {'run': {'game': 'hex:7'}}
"""

import errno
import fcntl
import hashlib
import json
import math
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray
from safetensors import SafetensorError, safe_open

from athenan.runs.upgrade import upgraded

Tensors = Mapping[str, NDArray[Any]]
Matches = Mapping[int, Tensors]
"""Match number -> the arrays of its data."""

FORMAT, VERSION = "athenan", 2
CHECKPOINT = "checkpoint.safetensors"
CONFIGURATION, RECORD = "configuration.json", "record.json"
NETWORKS = "networks"
NETWORK_PREFIX = "network."
LEARNER_PREFIX = "learner."
"""The prefix of the weights that learning steps change, if the network that plays is their average."""
_TEMPORARY = ".tmp"
_MATCH_FILE = re.compile(r"\d{6,12}\.safetensors(\.tmp)?")
_DTYPES = {
    "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16",
    "uint32": "U32", "uint64": "U64", "float16": "F16", "float32": "F32", "float64": "F64",
}  # fmt: skip
"""NumPy's name of a type -> its name in safetensors."""


class CheckpointError(ValueError):
    """A checkpoint cannot be written, or is missing or damaged; the message, one line, gives the cause and a remedy."""


@dataclass(frozen=True)
class Checkpoint:
    """The arguments of a `save`."""

    tensors: dict[str, NDArray[Any]]
    document: dict[str, Any]
    matches: dict[int, dict[str, NDArray[Any]]]
    lost: tuple[int, ...] = ()
    """Matches whose files are missing or damaged; only `salvage` leaves them out."""


@dataclass(frozen=True)
class NetworkCheckpoint:
    """The parts of a checkpoint that playing needs."""

    tensors: dict[str, NDArray[Any]]
    """The network's weights, without the prefix `network.`."""
    configuration: dict[str, Any]
    """The document's `configuration`."""
    heuristic: Any = None
    """The document's `heuristic`, if it has one."""
    learner: dict[str, NDArray[Any]] = field(default_factory=dict)
    """The weights that learning steps change, without the prefix `learner.`; empty if they are the network's."""


class RunDirectory:
    """A run directory that only this process may write to, from `with` to its end (or `close`).

    The directory is made if necessary, and removed at the end if nothing has been saved in it. Raises CheckpointError
    if another process trains in it, or it cannot be made.
    """

    def __init__(self, directory: str | Path) -> None:
        self.path = Path(directory)
        self._written: dict[int, str] = {}  # match number -> SHA-256 of its file, for files known to be whole
        files = self.path / "lock", self.path / "matches"
        self._made = [path for path in (*files, self.path, *self.path.parents) if not os.path.lexists(path)]
        try:
            files[1].mkdir(parents=True, exist_ok=True)
            self._lock = os.open(files[0], os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            file = next((path for path in (self.path, *self.path.parents) if path.is_file()), None)
            reason = f"{file} is a file, not a folder" if file else error.strerror
            raise CheckpointError(f"{self.path} cannot be a run directory: {reason}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (self.path / (CHECKPOINT + _TEMPORARY)).unlink(missing_ok=True)
        except OSError as error:
            os.close(self._lock)
            held = error.errno in (errno.EWOULDBLOCK, errno.EACCES)
            reason = "another process is training in it; stop that one or choose another" if held else error.strerror
            raise CheckpointError(f"run directory {self.path}: {reason}") from None
        self._may_replace = not self.holds_checkpoint

    @property
    def holds_checkpoint(self) -> bool:
        """Whether there is a checkpoint to load."""
        return (self.path / CHECKPOINT).exists()

    def load(self, salvage: bool = False) -> Checkpoint:
        """The directory's checkpoint; raises CheckpointError unless all of it is there and whole.

        With `salvage`, missing and damaged matches are left out; the checkpoint lists them in `lost`.
        """
        checkpoint, self._written = _load(self.path / CHECKPOINT, salvage)
        self._may_replace = True
        with suppress(OSError):  # the files of an interrupted save only take space
            self._remove_unnamed()
        for number in checkpoint.lost:
            del self._written[number]
        return checkpoint

    def save(self, tensors: Tensors, document: Mapping[str, Any], matches: Matches) -> None:
        """Replaces the directory's checkpoint; on return it is on disk.

        tensors   -- all arrays that changed; weights of the network are named `network.*`.
        document  -- JSON; `load_network` gives its `configuration` and `heuristic`.
        matches   -- the matches in replay memory; a number's data never changes, and only new numbers are written.

        Raises CheckpointError, with the previous checkpoint intact, if the disk is full or cannot be written, and if
        the directory holds a checkpoint that was not loaded (a new run would destroy it).
        """
        if not self._may_replace:
            raise CheckpointError(f"{self.path} holds another run: resume it or choose another directory")
        folder, file, temporary = self.path / "matches", self.path / CHECKPOINT, self.path / (CHECKPOINT + _TEMPORARY)
        fresh = {number: folder / _match_name(number) for number in matches if number not in self._written}
        written = {number: digest for number, digest in self._written.items() if number in matches}
        try:
            for number, match_file in fresh.items():
                half = match_file.with_name(match_file.name + _TEMPORARY)
                written[number] = _write(half, matches[number], {}, {})
                os.replace(half, match_file)
            _write(temporary, tensors, document, written)
            for path in (*fresh.values(), folder, temporary):  # together: one wait for the disk costs less than three
                _synchronise(path)
            os.replace(temporary, file)
            self._written = written
            _synchronise(self.path)
            self._remove_unnamed()
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
                self._remove_unnamed()
            remains = f"the checkpoint in {self.path} is whole" if self.holds_checkpoint else "nothing was saved"
            raise CheckpointError(f"cannot save to {self.path}: {error.strerror}; {remains}") from error

    def write_json(self, name: str, data: Mapping[str, Any]) -> None:
        """Replaces a file for readers, which the program does not read, if it changed. Raises CheckpointError."""
        file, text = self.path / name, (json.dumps(data, indent=2) + "\n").encode()
        with suppress(OSError):  # an unreadable file is replaced
            if file.read_bytes() == text:
                return
        try:
            temporary = self.path / (name + _TEMPORARY)
            temporary.write_bytes(text)
            os.replace(temporary, file)
        except OSError as error:
            raise CheckpointError(f"cannot write {file}: {error.strerror}") from error

    def keep(self, network: Checkpoint, minutes: float) -> None:
        """Keeps a checkpoint without matches as RUN@MINUTES. Raises CheckpointError if it cannot be written."""
        folder = self.path / NETWORKS
        file = folder / f"{minutes:.10g}.safetensors"
        temporary = file.with_name(file.name + _TEMPORARY)
        try:
            folder.mkdir(exist_ok=True)
            _write(temporary, network.tensors, network.document, {})
            _synchronise(temporary)
            os.replace(temporary, file)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise CheckpointError(f"cannot keep a network in {folder}: {error.strerror}") from error

    def close(self) -> None:
        """Releases the directory for other processes; a second call does nothing."""
        if self._lock >= 0:
            if not self.holds_checkpoint:
                self._remove_made()
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _remove_made(self) -> None:
        """Deletes the files that this object has made, so that a run that never began leaves nothing behind."""
        with suppress(OSError):
            (self.path / (CHECKPOINT + _TEMPORARY)).unlink(missing_ok=True)
            for path in self._made:  # the lock first, then folders, which stay if they hold anything else
                path.rmdir() if path.is_dir() else path.unlink()

    def _remove_unnamed(self) -> None:
        """Deletes match files, whole or not, that the checkpoint does not name."""
        named = {_match_name(number) for number in self._written}
        for file in (self.path / "matches").iterdir():
            if file.name not in named and _MATCH_FILE.fullmatch(file.name):
                file.unlink()


def load(path: str | Path) -> Checkpoint:
    """The checkpoint of a run directory (or of its checkpoint file), without taking the directory's lock.

    Raises CheckpointError unless all of it, with the match files, is there and whole.
    """
    return _load(checkpoint_file(path))[0]


def load_document(path: str | Path) -> dict[str, Any]:
    """The JSON document of a run directory or of a checkpoint file. Raises CheckpointError if that is not whole."""
    return _read(checkpoint_file(path))[1]


def kept(directory: str | Path) -> dict[float, Path]:
    """The networks that a run directory has kept: minutes of training -> file, ascending."""
    files = {}
    for file in Path(directory, NETWORKS).glob("*.safetensors"):
        with suppress(ValueError):
            files[float(file.stem)] = file
    return dict(sorted(files.items()))


def is_run(path: str | Path) -> bool:
    """Whether a text is the path of a run or checkpoint, or RUN@MINUTES with the directory of a run."""
    return Path(path).exists() or _at(path) is not None


def load_progress(path: str | Path) -> dict[str, Any]:
    """The counters of the training up to a checkpoint or kept network (`learning.progress.Progress`), unchecked.

    Raises CheckpointError if there is none.
    """
    progress = load_document(path).get("progress")
    if not isinstance(progress, dict):
        raise CheckpointError(f"{path} does not tell the progress of its training")
    return progress


def load_network(path: str | Path) -> NetworkCheckpoint:
    """The network of a run directory, of RUN@MINUTES if it was kept, or of a checkpoint file, which may be a copy.

    Raises CheckpointError if it is missing or damaged, or holds no network.
    """
    file = checkpoint_file(path)
    tensors, document, _, _ = _read(file)
    weights = weights_of(tensors, NETWORK_PREFIX)
    configuration = document.get("configuration")
    if not weights or not isinstance(configuration, dict):
        raise CheckpointError(f"{file} holds no network with its configuration: give a run directory or its checkpoint")
    return NetworkCheckpoint(weights, configuration, document.get("heuristic"), weights_of(tensors, LEARNER_PREFIX))


def weights_of(tensors: Tensors, prefix: str) -> dict[str, NDArray[Any]]:
    """The tensors whose names have the prefix, by the rest of the name."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def expect(tensors: Tensors, name: str, dtype: DTypeLike, *shape: int | None) -> NDArray[Any]:
    """The tensor of that name; raises CheckpointError unless it has the dtype and the shape (None: any length)."""
    tensor = tensors.get(name)
    if tensor is None:
        raise CheckpointError(f"the checkpoint has no tensor {name}: it was written by another version or by hand")
    fits = len(tensor.shape) == len(shape) and all(
        want in (None, have) for have, want in zip(tensor.shape, shape, strict=True)
    )
    if tensor.dtype != dtype or not fits:
        wanted = "".join(f"[{'any' if length is None else length}]" for length in shape)
        raise CheckpointError(
            f"the checkpoint's {name} is {tensor.dtype}{list(tensor.shape)}, not {np.dtype(dtype)}{wanted}: "
            "it was written by another version or by hand"
        )
    return tensor


def generator(state: Any) -> np.random.Generator:
    """The NumPy generator of a saved `bit_generator.state`; raises CheckpointError if the state is not valid."""
    random = np.random.default_rng(0)
    try:
        random.bit_generator.state = state
    except (ValueError, TypeError, KeyError, OverflowError):
        raise CheckpointError("the checkpoint's random generator state is damaged: it was changed by hand") from None
    return random


def checkpoint_file(path: str | Path) -> Path:
    """The file of a run directory, of a checkpoint, or of RUN@MINUTES. Raises CheckpointError if none was kept then."""
    if (found := _at(path)) is None:
        return Path(path) / CHECKPOINT if Path(path).is_dir() else Path(path)
    directory, minutes = found
    networks = kept(directory)
    for one, file in networks.items():
        if math.isclose(one, minutes):
            return file
    there = f"it has kept those after {', '.join(f'{one:g}' for one in networks)}" if networks else "it has kept none"
    raise CheckpointError(f"{directory} has no network of {minutes:g} minutes: {there} (train --keep)")


def _at(path: str | Path) -> tuple[str, float] | None:
    """The directory and the minutes of RUN@MINUTES; None for any other path."""
    directory, _, minutes = str(path).rpartition("@")
    if not directory or Path(path).exists() or not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,18})?(e-[0-9]{1,2})?", minutes):
        return None
    return (directory, float(minutes)) if Path(directory).is_dir() else None


def _match_name(number: int) -> str:
    return f"{number:06d}.safetensors"


def _load(file: Path, salvage: bool = False) -> tuple[Checkpoint, dict[int, str]]:
    """A checkpoint with its matches, and the digests of the match files; `salvage` leaves out damaged matches."""
    tensors, document, digests, _ = _read(file)
    matches, lost = {}, []
    for number, digest in digests.items():
        match_file = file.parent / "matches" / _match_name(number)
        try:
            if not match_file.exists():
                raise CheckpointError(f"there is no file {match_file}, which {file.name} names: restore it from a copy")
            arrays, _, _, found = _read(match_file)
            if found != digest:
                raise CheckpointError(f"{match_file} is not what {file.name} names: restore both from one copy")
        except CheckpointError as error:
            if not salvage:
                raise CheckpointError(f"{error}; --resume with --salvage goes on without such matches") from None
            lost.append(number)
        else:
            matches[number] = arrays
    return Checkpoint(tensors, document, matches, tuple(lost)), digests


def _write(file: Path, tensors: Tensors, document: Mapping[str, Any], digests: Mapping[int, str]) -> str:
    """Writes one file and returns the SHA-256 of its content."""
    contiguous = {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
    for name, tensor in contiguous.items():
        if tensor.dtype.name not in _DTYPES:
            raise CheckpointError(f"tensor {name} cannot be saved: its type {tensor.dtype} is not a number's")
    try:
        text = json.dumps(
            {"format": FORMAT, "version": VERSION, "document": document, "matches": sorted(digests.items())},
            allow_nan=False,
        )
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"the document cannot be saved as JSON: {error}") from None
    digest = _digest(contiguous, text)
    ordered = dict(sorted(contiguous.items(), key=lambda item: (-item[1].itemsize, item[0])))
    with open(file, "wb") as stream:
        stream.write(_header(ordered, {"athenan": text, "sha256": digest}))
        for tensor in ordered.values():
            stream.write(_bytes(tensor))
    return digest


def _header(tensors: Tensors, metadata: dict[str, str]) -> bytes:
    """What stands before the tensors' bytes in a safetensors file; written so, they are not copied in memory."""
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, tensor in tensors.items():
        start, end = end, end + tensor.nbytes
        header[name] = {"dtype": _DTYPES[tensor.dtype.name], "shape": tensor.shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _bytes(tensor: NDArray[Any]) -> memoryview:
    return tensor.reshape(-1).view(np.uint8).data


def _read(file: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any], dict[int, str], str]:
    """Tensors, document, digests of the matches and SHA-256 of one file, all checked."""
    remedy = "restore it from a copy"
    damaged = f"{file} is damaged: {remedy}"
    if not file.is_file():
        raise CheckpointError(f"there is no file {file}: give a run directory, or its {CHECKPOINT}")
    try:
        with safe_open(file, framework="np") as content:
            metadata = content.metadata() or {}
            tensors = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118
        header = json.loads(metadata["athenan"])
        found, version = header["format"], header["version"]
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror or error}") from None
    except (SafetensorError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise CheckpointError(f"{file} is no checkpoint of {FORMAT}, or damaged: {remedy}") from None
    if found != FORMAT:
        raise CheckpointError(f"{file} is no checkpoint of {FORMAT}: give a run directory, or its {CHECKPOINT}")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise CheckpointError(f"{file} has format version {version}, this program reads 1 to {VERSION}: update athenan")
    if metadata.get("sha256") != _digest(tensors, metadata["athenan"]):
        raise CheckpointError(damaged)
    document, digests = header.get("document"), header.get("matches")
    if not isinstance(document, dict) or not _are_digests(digests):
        raise CheckpointError(damaged)
    return tensors, upgraded(document, version), dict(digests), metadata["sha256"]


def _are_digests(digests: Any) -> bool:
    """Whether it is a list of [match number, SHA-256], numbers ascending."""
    if not isinstance(digests, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in digests):
        return False
    numbers = [number for number, _ in digests]
    whole = all(type(number) is int and 0 <= number < 10**12 for number in numbers)
    hexadecimal = all(isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest) for _, digest in digests)
    return whole and hexadecimal and numbers == sorted(set(numbers))


def _digest(tensors: Tensors, text: str) -> str:
    """SHA-256 over the JSON text and every tensor's name, type, shape and bytes, in the order of the names."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = np.asarray(tensors[name], order="C")
        digest.update(f"\n{name} {tensor.dtype} {tensor.shape}\n".encode())
        digest.update(_bytes(tensor))
    return digest.hexdigest()


def _synchronise(path: Path) -> None:
    """Waits until a file, or the list of a directory's files, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
