"""The network of a run for other programs: a plain PyTorch module, or a file that needs no athenan.

A file holds the network and its description as JSON, under the key `DESCRIPTION`: the game, what goes in, what comes
out, and the scale of the values. See docs/export.md.
"""

import io
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from athenan.evaluation.networks import Network
from athenan.evaluation.patterns.network import PatternNetwork
from athenan.evaluation.patterns.torch_module import PatternModule
from athenan.evaluation.shallow.network import ShallowNetwork
from athenan.evaluation.shallow.torch_module import ShallowModule
from athenan.extras import require
from athenan.replacing import replacing, require_writable
from athenan.runs.learnt import SavedNetwork, saved_network

DESCRIPTION = "athenan.json"
"""The key of the description in a file: in the metadata of ONNX, in the extra files of `torch.export`."""
_INPUT = "planes"


class PlainNetwork(nn.Module):
    """The network of a run with nothing else around it: encoded states in, the answers of all heads out, in float32.

    Values are on the scale of the heuristic, from the first player's point of view.
    """

    def __init__(self, network: Network | PatternModule | ShallowModule) -> None:
        super().__init__()
        self.network = network
        self.names = tuple(network.heads)
        """The names of the answers, in their order."""
        self.scale, self.bounded = network.scale, network.bounded

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        """int8 or float32 [n, planes, rows, columns] -> values, float32[n], then float32[n, actions] of other heads."""
        return tuple(self.network.answers(planes.float(), self.names))


def plain_network(path: str | Path) -> PlainNetwork:
    """The network of a run directory, of RUN@MINUTES or of a checkpoint, on the CPU, for evaluation.

    Raises CheckpointError as `learnt_network` does, and ValueError as `PatternModule` and `ShallowModule`.
    """
    return _plain(saved_network(path))


def _plain(saved: SavedNetwork) -> PlainNetwork:
    network: Network | PatternModule | ShallowModule
    match saved.network:
        case PatternNetwork():
            network = PatternModule(saved.network)
        case ShallowNetwork():
            network = ShallowModule(saved.network)
        case _:
            network = saved.network
    return PlainNetwork(network).eval().requires_grad_(False)


def export_network(path: str | Path, file: str | Path) -> dict[str, Any]:
    """Writes the network of a run to a file, replacing an existing one, and returns its description.

    The file's ending chooses its format: .onnx for ONNX, .pt2 for `torch.export`. Raises ValueError for another ending,
    if the library that writes ONNX is not installed, or as `PatternModule`; CheckpointError as `learnt_network` does,
    and OSError.
    """
    file = Path(file)
    if file.suffix not in FORMATS:
        raise ValueError(f"the file must end with {' or '.join(FORMATS)}, not {file.name!r}")
    require_writable(file)
    saved = saved_network(path)
    module, description = _plain(saved), describe(saved)
    with _quiet():
        data = FORMATS[file.suffix](module, torch.zeros(2, *saved.game.planes, dtype=torch.int8), description)
    with replacing(file) as half:
        half.write_bytes(data)
    return description


def describe(saved: SavedNetwork) -> dict[str, Any]:
    """What a program must know about a network to use it, as JSON data."""
    game, network = saved.game, saved.network
    actions = {name: ["n", game.action_count] for name in network.heads if name != "values"}
    return {
        "game": game.name, "network": saved.architecture, "heuristic": saved.heuristic_name,
        "input": {"name": _INPUT, "type": "int8", "shape": ["n", *game.planes]},
        "outputs": {"values": ["n"], **actions}, "scale": saved.heuristic.scale, "bounded": saved.heuristic.bounded,
    }  # fmt: skip


def _torch_export(module: PlainNetwork, states: Tensor, description: dict[str, Any]) -> bytes:
    program = torch.export.export(module, (states,), dynamic_shapes=({0: torch.export.Dim("n")},))
    data = io.BytesIO()
    torch.export.save(program, data, extra_files={DESCRIPTION: json.dumps(description)})
    return data.getvalue()


def _onnx(module: PlainNetwork, states: Tensor, description: dict[str, Any]) -> bytes:
    require("onnxscript", "an ONNX file")
    program = torch.onnx.export(
        module, (states,), input_names=[_INPUT], output_names=list(module.names), verbose=False,
        dynamic_shapes=({0: "n"},),
    )  # fmt: skip
    assert program is not None  # only the older exporter gives None
    program.model.metadata_props[DESCRIPTION] = json.dumps(description)
    data: bytes = program.model_proto.SerializeToString()
    return data


FORMATS: dict[str, Callable[[PlainNetwork, Tensor, dict[str, Any]], bytes]] = {".onnx": _onnx, ".pt2": _torch_export}
"""Ending of a file -> what makes its contents."""


@contextmanager
def _quiet() -> Iterator[None]:
    """Leaves out PyTorch's warnings about its own parts, and about operators of packages that are not used here."""
    log = logging.getLogger("torch.onnx._internal.exporter._registration")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        log.setLevel(level)
