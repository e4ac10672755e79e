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


def seen_from_outside(host: str) -> str:
    """The address by which other machines of the network reach a server that listens on `host`.

    A server that listens everywhere (0.0.0.0, ::) is reached by the address with which this machine would send. Nothing
    is sent to find it. Without a network it is the loopback address.
    """
    other = {"0.0.0.0": ("192.0.2.1", socket.AF_INET), "::": ("2001:db8::1", socket.AF_INET6)}.get(host)
    if other is None:
        return host
    with socket.socket(other[1], socket.SOCK_DGRAM) as asking:
        try:
            asking.connect((other[0], 9))  # an address that is kept for documents (RFC 5737, RFC 3849)
        except OSError:
            return _LOOPBACK if host == "0.0.0.0" else "::1"
        return str(asking.getsockname()[0])
