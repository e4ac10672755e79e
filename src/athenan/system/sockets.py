"""Sockets of this machine: Unix sockets, or ports of the loopback address where the system has none (Windows)."""

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Address:
    """Where a program of this machine listens."""

    text: str
    """A path, or 127.0.0.1:PORT."""
    family: int
    target: Any

    def connected(self) -> socket.socket:
        """A new connection. Raises OSError if nobody listens."""
        connection = socket.socket(self.family)
        try:
            connection.connect(self.target)
        except OSError:
            connection.close()
            raise
        return connection


def new_address(folder: Path) -> Address:
    """Where a program may listen: a path in the folder, which only its owner may enter, or a free port."""
    if family := getattr(socket, "AF_UNIX", None):
        path = str(folder / "socket")
        return Address(path, family, path)
    with socket.socket() as free:
        free.bind((_LOOPBACK, 0))
        port = free.getsockname()[1]
    return Address(f"{_LOOPBACK}:{port}", socket.AF_INET, (_LOOPBACK, port))
