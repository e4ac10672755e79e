"""Files that are read whole, if they are not too large: a device may have no end."""

from pathlib import Path

LARGEST = 256 << 20
"""Most bytes of a file."""


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file. Raises ValueError if it is too large, and OSError."""
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{path} has more than {LARGEST >> 20} MiB")
    return data


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, without the mark that may begin it.

    Raises UnicodeDecodeError if it is not such a text, ValueError if it is too large, and OSError.
    """
    return read_bytes(path).decode("utf-8-sig")
