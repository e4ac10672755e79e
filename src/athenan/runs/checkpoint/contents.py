"""The contents of checkpoints, and how to find them: for a run, for RUN@MINUTES, or in one file."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from athenan.reading import WRONG_SHAPE
from athenan.runs.checkpoint.file_format import (
    CHECKPOINT,
    CheckpointError,
    Tensors,
    digest_of,
    read,
    read_document,
    write,
)
from athenan.runs.checkpoint.packing import packed, unpacked

Matches = Mapping[int, Tensors]
"""Match number -> the arrays of its data."""

NETWORKS = "networks"
_MINUTES = re.compile(r"[0-9]{1,9}(\.[0-9]{1,18})?(e-[0-9]{1,2})?")
NETWORK_PREFIX = "network."
PACKED = "packed"
"""The field of a compact network's document that describes its arrays."""
LEARNER_PREFIX = "learner."
"""The prefix of the weights that learning steps change, if the network that plays is their average."""


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
    chances: Any = None
    """The win chances in the document's progress, if it has them."""
    learner: dict[str, NDArray[Any]] = field(default_factory=dict)
    """The weights that learning steps change, without the prefix `learner.`; empty if they are the network's."""


def load(path: str | Path) -> Checkpoint:
    """The checkpoint of a run directory (or of its checkpoint file), without taking the directory's lock.

    Raises CheckpointError unless all of it, with the match files, is there and whole.
    """
    return load_with_digests(checkpoint_file(path))[0]


def load_document(path: str | Path, whole: bool = True) -> dict[str, Any]:
    """The JSON document of a run directory or of a checkpoint file.

    Raises CheckpointError if it is not whole. Without `whole` only the document is read: damage in the rest is found by
    whoever reads that.
    """
    file = checkpoint_file(path)
    return read(file)[1] if whole else read_document(file)


def load_header(path: str | Path) -> tuple[dict[str, Any], str]:
    """The JSON document of a checkpoint, and the SHA-256 of its tensors. Raises CheckpointError if it is not whole."""
    tensors, document, _, _ = read(checkpoint_file(path))
    return document, digest_of(tensors)


def save_packed(
    file: Path, arrays: Tensors, document: Mapping[str, Any], levels: int, steps: Mapping[str, NDArray[np.float64]]
) -> None:
    """Writes a compact checkpoint of a network alone, by `levels` and `steps` of `packing.packed`."""
    tensors, described = packed(arrays, levels, steps)
    named = {f"{NETWORK_PREFIX}{name}": one for name, one in tensors.items()}
    write(file, named, {**document, PACKED: described}, {})


def kept(directory: str | Path) -> dict[float, Path]:
    """The networks that a run directory has kept: minutes of training -> file, ascending."""
    found = Path(directory, NETWORKS).glob("*.safetensors")
    files = {float(file.stem): file for file in found if _MINUTES.fullmatch(file.stem)}
    return dict(sorted(files.items()))


def is_run(path: str | Path) -> bool:
    """Whether a text is the path of a run or checkpoint, or RUN@MINUTES with the directory of a run."""
    return Path(path).exists() or _at(path) is not None


def load_progress(path: str | Path) -> dict[str, Any]:
    """The counters of the training up to a checkpoint or kept network (`learning.progress.Progress`), unchecked.

    Raises CheckpointError without such counters.
    """
    progress = load_document(path).get("progress")
    if not isinstance(progress, dict):
        raise CheckpointError(f"{path} does not hold the progress of its training")
    return progress


def load_network(path: str | Path) -> NetworkCheckpoint:
    """The network of a run directory, of RUN@MINUTES if it was kept, or of a checkpoint file, which may be a copy.

    Raises CheckpointError if it is missing or damaged, or holds no network.
    """
    file = checkpoint_file(path)
    tensors, document, _, _ = read(file)
    weights = weights_of(tensors, NETWORK_PREFIX)
    if PACKED in document:
        weights = unpacked(weights, document[PACKED])
    configuration = document.get("configuration")
    if not weights or not isinstance(configuration, dict):
        raise CheckpointError(f"{file} holds no network with its configuration: give a run directory or its checkpoint")
    learner = weights_of(tensors, LEARNER_PREFIX)
    chances = progress.get("chances") if isinstance(progress := document.get("progress"), dict) else None
    return NetworkCheckpoint(weights, configuration, document.get("heuristic"), chances, learner)


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
    except WRONG_SHAPE:
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
    there = f"it kept networks after {', '.join(f'{one:g}' for one in networks)}" if networks else "it kept none"
    raise CheckpointError(f"{directory} has no network of {minutes:g} minutes: {there} (train --keep)")


def directory_of(path: str | Path) -> Path:
    """The directory of the run that RUN@MINUTES names, or any other path itself."""
    found = _at(path)
    return Path(found[0] if found else path)


def _at(path: str | Path) -> tuple[str, float] | None:
    """The directory and the minutes of RUN@MINUTES; None for any other path."""
    directory, _, minutes = str(path).rpartition("@")
    if not directory or Path(path).exists() or not _MINUTES.fullmatch(minutes):
        return None
    return (directory, float(minutes)) if Path(directory).is_dir() else None


def match_name(number: int) -> str:
    return f"{number:06d}.safetensors"


def load_with_digests(file: Path, salvage: bool = False) -> tuple[Checkpoint, dict[int, str]]:
    """A checkpoint with its matches, and the digests of the match files; `salvage` leaves out damaged matches."""
    tensors, document, digests, _ = read(file)
    matches, lost = {}, []
    for number, digest in digests.items():
        match_file = file.parent / "matches" / match_name(number)
        try:
            if not match_file.exists():
                raise CheckpointError(f"there is no file {match_file}, which {file.name} names: restore it from a copy")
            arrays, _, _, found = read(match_file)
            if found != digest:
                raise CheckpointError(f"{match_file} is not what {file.name} names: restore both from one copy")
        except CheckpointError as error:
            if not salvage:
                raise CheckpointError(f"{error}; --resume with --salvage goes on without such matches") from None
            lost.append(number)
        else:
            matches[number] = arrays
    return Checkpoint(tensors, document, matches, tuple(lost)), digests
