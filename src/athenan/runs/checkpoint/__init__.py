"""Checkpoints: everything that a run needs to continue, in safetensors and JSON.

A run directory holds

| file | content |
| --- | --- |
| `checkpoint.safetensors` | everything that changes: tensors, and a JSON document; replaced atomically |
| `matches/000123.safetensors` | the data of one match in replay memory; written once, before the checkpoint names it |
| `configuration.json` | the configuration of the training, for readers; written, never read |
| `networks/30.safetensors` | the network after 30 minutes of training, if it was to be kept |
| `latest.jsonl` | the latest matches of self-play with the values that are learnt, for readers (`play.latest`) |
| `record.json` | one-player games: the best match so far, its score and its moves; written, never read |
| `lock` | held by the process that trains in the directory |

A network of the package is one such file with its network alone, in few bytes (`packing`).

If the process is killed at any moment, the directory holds the previous checkpoint or the new one, whole. Every file is
checked when it is read: a SHA-256 covers its content, and any damage raises `CheckpointError`.

    >>> import tempfile
    >>> import numpy as np
    >>> directory = tempfile.mkdtemp()
    >>> with RunDirectory(directory) as run:
    ...     document = {"configuration": {"run": {"game": "hex:7"}}}
    ...     run.save({"network.bias": np.zeros(2, np.float32)}, document, matches={})
    >>> load_network(directory).configuration
    {'run': {'game': 'hex:7'}}
"""

from athenan.runs.checkpoint.contents import (
    LEARNER_PREFIX,
    NETWORK_PREFIX,
    Checkpoint,
    Matches,
    NetworkCheckpoint,
    checkpoint_file,
    directory_of,
    expect,
    generator,
    is_run,
    kept,
    load,
    load_document,
    load_header,
    load_network,
    load_progress,
    save_packed,
    weights_of,
)  # fmt: skip
from athenan.runs.checkpoint.directory import CONFIGURATION, RECORD, RunDirectory, amend, require_unlocked
from athenan.runs.checkpoint.file_format import CHECKPOINT, CheckpointError, Tensors

__all__ = [
    "CHECKPOINT", "CONFIGURATION", "LEARNER_PREFIX", "NETWORK_PREFIX", "RECORD", "Checkpoint", "CheckpointError",
    "Matches", "NetworkCheckpoint", "RunDirectory", "Tensors", "amend", "checkpoint_file", "directory_of",
    "expect", "generator", "is_run", "kept", "load", "load_document", "load_header", "load_network", "load_progress",
    "require_unlocked", "save_packed", "weights_of",
]  # fmt: skip
