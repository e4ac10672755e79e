"""`athenan convert`: converts a file of matches to another format."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from athenan.cli.options import parse
from athenan.files.formats import read_match, read_matches, require_new, write_matches
from athenan.games.catalogue import make
from athenan.settings import Between, counted


@dataclass(frozen=True)
class Convert:
    """Writes the matches of a file to a new file. The ending of its name chooses the format.

    .sgf is the Smart Game Format, for Go, Othello, Gomoku, backgammon, Lines of Action, Hex, Amazons and Havannah. .pdn
    is the Portable Draughts Notation. .jsonl is the format of match --records, for all games. Any other name gives a
    file of moves, for one match. Every match is replayed by the rules.
    """

    source: tyro.conf.Positional[Annotated[Path, tyro.conf.arg(metavar="FROM")]]
    """The file to read."""
    target: tyro.conf.Positional[Annotated[Path, tyro.conf.arg(metavar="TO")]]
    """The file to write."""
    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="(default: the file says it)")] = None
    """The game of the matches, such as go:19,superko=positional."""
    number: Annotated[
        Annotated[int, Between(1, 10**9)] | None, tyro.conf.arg(metavar="N", help_behavior_hint="(default: all)")
    ] = None
    """Convert only the match with this number, counted from 1."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Convert, "convert", arguments)
    require_new(options.target)
    game = make(options.game) if options.game else None
    one = options.number
    matches = [read_match(options.source, game, one)] if one else list(read_matches(options.source, game))
    if not matches:
        raise ValueError(f"{options.source} has no match")
    write_matches(options.target, matches)
    print(f"{counted(len(matches), 'match')} of {options.source} written to {options.target}")
