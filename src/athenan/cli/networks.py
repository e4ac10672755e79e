"""`athenan networks`: the networks in the package."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from athenan.cli.options import GameName, parse, print_json, read_game
from athenan.networks.card import Card, Rated
from athenan.networks.catalogue import NAME, Shipped, every, unchecked_network_of
from athenan.settings import counted


@dataclass(frozen=True)
class Networks:
    """Lists the networks in the package, or shows the card of a game's network.

    A network is the player athenan of its game. athenan:beginner, athenan:casual, athenan:club, athenan:expert and
    athenan:strongest are its levels.
    """

    game: GameName = ""
    """The game whose network to show."""
    json: bool = False
    """Print JSON."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Networks, "networks", arguments)
    if options.game:
        found = unchecked_network_of(read_game(options.game))
        if options.json:
            print_json(_as_json(found))
        else:
            _tell(found)
        return
    entries = list(every())
    if options.json:
        print_json([
            _as_json(one) if isinstance(one, Shipped) else {"file": file.name, "damage": str(one)}
            for file, one in entries
        ])  # fmt: skip
        return
    console, table = Console(highlight=False), Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("game", overflow="fold")
    for title in ("minutes", "kB"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("strength (Elo, mcts:1000 has 1000)", overflow="fold")
    for file, one in entries:
        row = _row(one) if isinstance(one, Shipped) else (file.name, "", "", str(one))
        table.add_row(*map(escape, row))
    console.print(table)
    console.print(f"A network plays as {NAME}: athenan match GAME {NAME} mcts:1000. athenan networks GAME says more.")


def _row(one: Shipped) -> tuple[str, ...]:
    return one.card.game, f"{one.card.total_minutes:g}", f"{one.size / 1000:,.0f}", one.card.strength


def _as_json(one: Shipped) -> dict[str, Any]:
    return {**one.card.as_json(), "player": one.name, "file": str(one.file), "bytes": one.size}


def _earlier(card: Card) -> str:
    return f", after {counted(card.earlier_minutes, 'minute')} of the network before it" if card.earlier_minutes else ""


def _rating(one: Rated) -> str:
    return f"{one}, plays as {NAME},{one.plays}" if one.evaluations else str(one)


def _tell(one: Shipped) -> None:
    """Prints the card of a network."""
    card = one.card
    time, matches = counted(card.minutes, "minute"), counted(card.matches, "match")
    rows = {
        "game": f"{card.game}, rules {card.rules}", "player": one.name, "file": one.file,
        "trained": f"{time} ({card.clock} clock), {matches}{_earlier(card)}",
        "with": card.command, "commit": card.commit, "on": card.processor,
        "stored": f"{one.size:,} bytes; values differ by {card.error:.2%} of the scale from those before storing",
        "weaknesses": card.weaknesses or "none known",
        "strength": f"measured {card.measured}" if card.ratings else "not measured",
        **{f"  {NAME}:{one.level}": _rating(one) for one in card.ratings},
    }  # fmt: skip
    for name, text in rows.items():
        print(f"{name:20}{text}")
