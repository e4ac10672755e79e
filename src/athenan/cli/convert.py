"""`athenan convert`: converts a file of matches to another format."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from athenan.cli.arguments import Argument
from athenan.cli.options import parse
from athenan.cli.saying import say
from athenan.files.formats import read_match, read_matches, require_new, write_matches
from athenan.games.catalogue import make
from athenan.settings import Between, counted


@dataclass(frozen=True)
class Convert:
    """Writes the matches of a file to a new file. The ending of its name chooses the format.

    .sgf is the Smart Game Format, for Go, Othello, Gomoku, Connect6, backgammon, Lines of Action, Hex, Amazons and
    Havannah. .pdn is the Portable Draughts Notation, .ggf the Generic Game Format of Othello, and .mat the format of
    backgammon programs. .jsonl is the format of match --records, for all games. .html is a page that plays one match
    back in any browser, and .svg an animated picture of one match. Any other name gives a file of moves, for one match.
    Every match is replayed by the rules. A match that cannot be read does not lose the others: standard error says why,
    and the status is not 0. It also says what was left out of a match.
    """

    source: Annotated[Path, Argument(positional=True, metavar="FROM")]
    """The file to read."""
    target: Annotated[Path, Argument(positional=True, metavar="TO")]
    """The file to write."""
    game: Annotated[str | None, Argument(metavar="GAME", default="the file says it")] = None
    """The game of the matches, such as go:19,superko=positional."""
    number: Annotated[Annotated[int, Between(1, 10**9)] | None, Argument(metavar="N", default="all")] = None
    """Convert only the match with this number, counted from 1."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command. What cannot be read or is left out is said on standard error."""
    options = parse(Convert, "convert", arguments)
    require_new(options.target)
    game = make(options.game) if options.game else None
    bad = list[str]()
    if options.number:
        matches = [read_match(options.source, game, options.number)]
    else:
        matches = list(read_matches(options.source, game, bad.append))
    if not matches:
        say(bad[:-1])
        raise ValueError(bad[-1] if bad else f"{options.source} has no match")
    write_matches(options.target, matches)
    print(f"{counted(len(matches), 'match')} of {options.source} written to {options.target}")
    for number, match in enumerate(matches, 1):
        of = f"{options.target}: match {number}" if len(matches) > 1 else f"{options.source}"
        say([f"{of}: {notice}" for notice in match.notices])
    if bad:
        say(bad)
        raise ValueError(f"{counted(len(bad), 'match')} of {options.source} could not be read: the others are written")
