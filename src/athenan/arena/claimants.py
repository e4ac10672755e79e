"""Processes that claim work in a database: who they are, and whether they are alive."""

import os
import socket
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from secrets import randbits
from time import time

from athenan.system.processes import exists

BEAT = 5.0
"""Seconds between two signs of life."""
SILENCE = 60.0
"""Seconds after which a process without a sign of life counts as gone."""


@dataclass(frozen=True)
class Claimant:
    """One process that claims work."""

    id: int
    """A number that is never used again."""
    machine: str
    """The machine on which its process number is valid."""
    process: int


def this_process() -> Claimant:
    """A new claimant, for this process."""
    return Claimant(randbits(62), _machine(), os.getpid())


def beat(connection: sqlite3.Connection, one: Claimant) -> None:
    """Records the present time as the claimant's last sign of life."""
    connection.execute(
        "INSERT INTO claimants VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen",
        (one.id, one.machine, one.process, time()),
    )


def remove_void(connection: sqlite3.Connection) -> None:
    """Removes claimants that are gone, and with them their claims."""
    machine, now = _machine(), time()
    for key, where, process, seen in connection.execute("SELECT id, machine, process, seen FROM claimants").fetchall():
        if now - seen > SILENCE or (where == machine and not exists(process)):
            remove(connection, key)


def remove(connection: sqlite3.Connection, key: int) -> None:
    """Removes a claimant, and with it its claims."""
    connection.execute("DELETE FROM claimants WHERE id = ?", (key,))


def _machine() -> str:
    """The machine, or the container that numbers its own processes."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:  # not Linux
        space = ""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = ""
    return " ".join(filter(None, (socket.gethostname(), boot, space)))
