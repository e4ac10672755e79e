"""`athenan export`: the network of a run for other programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from athenan.cli.arguments import Argument
from athenan.cli.options import OwnRules, RunName, allow_rules, parse, print_json, require_path
from athenan.extras import require

_File = Annotated[Path, Argument(positional=True, metavar="FILE")]


@dataclass(frozen=True)
class Export:
    """Writes the network of a run to a file that programs without athenan can use.

    The ending of the file's name chooses the format: hex.onnx for ONNX, hex.pt2 for PyTorch alone (torch.export). The
    exported network takes encoded states and returns values on their scale, and its other outputs. docs/export.md has
    examples.
    """

    run: RunName
    """A run directory, RUN@MINUTES or a checkpoint."""
    file: _File
    """The file to write. An existing file is replaced."""
    rules: OwnRules = ""
    json: bool = False
    """Print the file's description as JSON: game, input, outputs, scale and more."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Export, "export", arguments)
    allow_rules(options.rules)
    require_path(options.run)
    require("torch", "writing a network for other programs")
    from athenan.runs.export import export_network

    found = export_network(options.run, options.file)
    if options.json:
        print_json(found)
        return
    print(f"written: {options.file}")
    print(f"  {found['input']['name']}: {found['input']['type']} {_shape(found['input']['shape'])} of {found['game']}")
    for name, shape in found["outputs"].items():
        print(f"  -> {name}: float32 {_shape(shape)}")
    within = "never larger" if found["bounded"] else "the scale of large ones"
    print(f"  values are from the first player's point of view; {found['scale']:g} is {within}")


def _shape(shape: list[int | str]) -> str:
    return f"[{', '.join(map(str, shape))}]"
