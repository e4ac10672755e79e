"""The format of one file: tensors and a JSON document in safetensors, with a SHA-256 over all of it."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from athenan.reading import WRONG_SHAPE, parsed

Tensors = Mapping[str, NDArray[Any]]

FORMAT, VERSION = "athenan", 3
CHECKPOINT = "checkpoint.safetensors"
_DTYPES = {
    "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16",
    "uint32": "U32", "uint64": "U64", "float16": "F16", "float32": "F32", "float64": "F64",
}  # fmt: skip
"""NumPy's name of a type -> its name in safetensors."""


class CheckpointError(ValueError):
    """A checkpoint cannot be written, or is missing or damaged; the message, one line, gives the cause and a remedy."""


def write(file: Path, tensors: Tensors, document: Mapping[str, Any], digests: Mapping[int, str]) -> str:
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
    digest = digest_of(contiguous, text)
    ordered = dict(sorted(contiguous.items(), key=lambda item: (-item[1].itemsize, item[0])))
    with open(file, "wb") as stream:
        stream.write(_header(ordered, {"athenan": text, "sha256": digest}))
        for tensor in ordered.values():
            stream.write(_bytes(tensor))
    return digest


def _header(tensors: Tensors, metadata: dict[str, str]) -> bytes:
    """The part of a safetensors file before the tensors' bytes, which need not be copied in memory this way."""
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


def read(file: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any], dict[int, str], str]:
    """Tensors, document, digests of the matches and SHA-256 of one file, all checked."""
    tensors, metadata, header = _content(file)
    if metadata.get("sha256") != digest_of(tensors, metadata["athenan"]):
        raise _damaged(file)
    return tensors, *_parts(file, header), metadata["sha256"]


def read_document(file: Path) -> dict[str, Any]:
    """The document of one file, without reading its tensors. So the SHA-256 of the file is not checked."""
    _, _, header = _content(file, whole=False)
    return _parts(file, header)[0]


def _content(file: Path, whole: bool = True) -> tuple[dict[str, NDArray[Any]], dict[str, str], dict[str, Any]]:
    """The tensors, if `whole`, the metadata and their JSON. Raises CheckpointError for another format or version."""
    remedy = "restore it from a copy"
    if not file.is_file():
        raise CheckpointError(f"there is no file {file}: give a run directory, or its {CHECKPOINT}")
    try:
        with open(file, "rb"):  # safetensors calls a file that may not be read missing
            pass
        with safe_open(file, framework="np") as content:
            metadata = content.metadata() or {}
            tensors = {name: content.get_tensor(name) for name in (content.keys() if whole else ())}
        header = parsed(metadata["athenan"])
        found, version = header["format"], header["version"]
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror or error}") from None
    except (SafetensorError, *WRONG_SHAPE):
        raise CheckpointError(f"{file} is not a checkpoint of {FORMAT}, or is damaged: {remedy}") from None
    if found != FORMAT:
        raise CheckpointError(f"{file} is not a checkpoint of {FORMAT}: give a run directory, or its {CHECKPOINT}")
    if type(version) is not int or version != VERSION:
        remedy = "update athenan" if type(version) is int and version > VERSION else "train it anew"
        raise CheckpointError(f"{file} has format version {version}, and this program reads {VERSION}: {remedy}")
    return tensors, metadata, header


def _parts(file: Path, header: Any) -> tuple[dict[str, Any], dict[int, str]]:
    """The document, and the digests of the matches. Raises CheckpointError unless they are of their types."""
    document, digests = header.get("document"), header.get("matches")
    if not isinstance(document, dict) or not _are_digests(digests):
        raise _damaged(file)
    return document, dict(digests)


def _damaged(file: Path) -> CheckpointError:
    return CheckpointError(f"{file} is damaged: restore it from a copy")


def _are_digests(digests: Any) -> bool:
    """Whether it is a list of [match number, SHA-256], numbers ascending."""
    if not isinstance(digests, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in digests):
        return False
    numbers = [number for number, _ in digests]
    whole = all(type(number) is int and 0 <= number < 10**12 for number in numbers)
    hexadecimal = all(isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest) for _, digest in digests)
    return whole and hexadecimal and numbers == sorted(set(numbers))


def digest_of(tensors: Tensors, text: str = "") -> str:
    """SHA-256 over the JSON text and every tensor's name, type, shape and bytes, in the order of the names."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = np.asarray(tensors[name], order="C")
        digest.update(f"\n{name} {tensor.dtype} {tensor.shape}\n".encode())
        digest.update(_bytes(tensor))
    return digest.hexdigest()
