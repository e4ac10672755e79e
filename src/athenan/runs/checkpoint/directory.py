"""The run directory: one process writes to it, and whatever happens, it holds a whole checkpoint."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from athenan.replacing import TEMPORARY, replacing
from athenan.runs.checkpoint.contents import (
    NETWORKS,
    Checkpoint,
    Matches,
    checkpoint_file,
    load_with_digests,
    match_name,
)
from athenan.runs.checkpoint.file_format import CHECKPOINT, CheckpointError, Tensors, read, write
from athenan.system import locks
from athenan.system.disk import synchronise

CONFIGURATION, RECORD = "configuration.json", "record.json"
_MATCH_FILE = re.compile(rf"\d{{6,12}}\.safetensors({re.escape(TEMPORARY)})?")


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
            self._lock = locks.opened(files[0])
        except OSError as error:
            file = next((path for path in (self.path, *self.path.parents) if path.is_file()), None)
            reason = f"{file} is a file, not a folder" if file else error.strerror
            raise CheckpointError(f"{self.path} cannot be a run directory: {reason}") from None
        try:
            if not locks.hold(self._lock):
                raise OSError(0, "another process is training in it; stop that one or choose another")
            (self.path / (CHECKPOINT + TEMPORARY)).unlink(missing_ok=True)
        except OSError as error:
            os.close(self._lock)
            raise CheckpointError(f"run directory {self.path}: {error.strerror}") from None
        self._may_replace = not self.holds_checkpoint

    @property
    def holds_checkpoint(self) -> bool:
        """Whether there is a checkpoint to load."""
        return (self.path / CHECKPOINT).exists()

    def load(self, salvage: bool = False) -> Checkpoint:
        """The directory's checkpoint; raises CheckpointError unless all of it is there and whole.

        With `salvage`, missing and damaged matches are left out; the checkpoint lists them in `lost`.
        """
        checkpoint, self._written = load_with_digests(self.path / CHECKPOINT, salvage)
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
        folder, file, temporary = self.path / "matches", self.path / CHECKPOINT, self.path / (CHECKPOINT + TEMPORARY)
        fresh = {number: folder / match_name(number) for number in matches if number not in self._written}
        written = {number: digest for number, digest in self._written.items() if number in matches}
        try:
            for number, match_file in fresh.items():
                with replacing(match_file) as half:
                    written[number] = write(half, matches[number], {}, {})
            write(temporary, tensors, document, written)
            for path in (*fresh.values(), folder, temporary):  # together: one wait for the disk costs less than three
                synchronise(path)
            os.replace(temporary, file)
            self._written = written
            synchronise(self.path)
            self._remove_unnamed()
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
                self._remove_unnamed()
            remains = f"the checkpoint in {self.path} is whole" if self.holds_checkpoint else "nothing was saved"
            raise CheckpointError(f"cannot save to {self.path}: {error.strerror}; {remains}") from error

    def write_json(self, name: str, data: Mapping[str, Any]) -> None:
        """Replaces a file for readers with these data, if it changed. Raises CheckpointError."""
        self.write_text(name, json.dumps(data, indent=2) + "\n")

    def write_text(self, name: str, text: str) -> None:
        """Replaces a file for readers, which the training does not read, if it changed. Raises CheckpointError."""
        file, written = self.path / name, text.encode()
        with suppress(OSError):  # an unreadable file is replaced
            if file.read_bytes() == written:
                return
        try:
            with replacing(file) as half:
                half.write_bytes(written)
        except OSError as error:
            raise CheckpointError(f"cannot write {file}: {error.strerror}") from error

    def keep(self, network: Checkpoint, minutes: float) -> None:
        """Keeps a checkpoint without matches as RUN@MINUTES. Raises CheckpointError if it cannot be written."""
        folder = self.path / NETWORKS
        try:
            folder.mkdir(exist_ok=True)
            _replace(folder / f"{minutes:.10g}.safetensors", network.tensors, network.document, {})
        except OSError as error:
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
            (self.path / (CHECKPOINT + TEMPORARY)).unlink(missing_ok=True)
            for path in self._made:  # the lock first, then folders, which stay if they hold anything else
                path.rmdir() if path.is_dir() else path.unlink()

    def _remove_unnamed(self) -> None:
        """Deletes match files, whole or not, that the checkpoint does not name."""
        named = {match_name(number) for number in self._written}
        for file in (self.path / "matches").iterdir():
            if file.name not in named and _MATCH_FILE.fullmatch(file.name):
                file.unlink()


def amend(path: str | Path, fields_of: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """Replaces fields of the document of a run directory, of RUN@MINUTES or of a checkpoint file; all else stays.

    `fields_of` gives the new fields from the document as it is then, or raises an error. Raises CheckpointError, with
    the file as it was, if it is damaged or cannot be written, or if a training writes to the directory.
    """
    file = checkpoint_file(path)
    with _locked(file):
        tensors, document, digests, _ = read(file)
        fields = fields_of(document)
        try:
            _replace(file, tensors, document | dict(fields), digests)
        except OSError as error:
            raise CheckpointError(f"cannot write {file}: {error.strerror}") from error


def require_unlocked(path: str | Path) -> None:
    """Raises CheckpointError if a training writes to what `amend` would change."""
    with _locked(checkpoint_file(path)):
        pass


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """The lock of the run whose checkpoint a file is. Other files have none."""
    with ExitStack() as locked:
        if file.name == CHECKPOINT and (file.parent / "matches").is_dir():
            locked.enter_context(RunDirectory(file.parent))
        yield


def _replace(file: Path, tensors: Tensors, document: Mapping[str, Any], digests: Mapping[int, str]) -> None:
    """Writes a whole file, replacing an existing one, and waits until it is on disk."""
    with replacing(file) as half:
        write(half, tensors, document, digests)
        synchronise(half)
    synchronise(file.parent)
