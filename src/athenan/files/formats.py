r"""Files of matches, by their suffix: `.sgf`, `.pdn`, `.ggf`, `.mat`, `.html`, `.svg`, `.jsonl`, or else plain moves.

>>> import tempfile
>>> from pathlib import Path
>>> from athenan import make
>>> file = Path(tempfile.mkdtemp(), "match.sgf")
>>> file.write_text("(;GM[11]SZ[5]PB[Ann]PW[Ben];B[c3]C[the middle];W[swap-pieces](;B[b2])(;B[d4]))")
78
>>> [match] = read_matches(file)
>>> match.game, match.players, make(match.game).moves(match.actions), match.plies[0].comment
('hex:5', ('Ann', 'Ben'), 'c3 swap b2', 'the middle')
>>> write_matches(file.with_suffix(".txt"), [match])
>>> file.with_suffix(".txt").read_text()
'# hex:5\nc3 swap b2\n'

A file is never trusted: its actions are replayed by the rules, its game must be in the catalogue or already named, and
it has at most as many bytes as `athenan.reading` allows.
"""

import errno
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from athenan.files import animation, ggf, json_lines, moves, playback
from athenan.files.encoding import decoded
from athenan.files.file_match import FileMatch
from athenan.files.mat import matches as mat
from athenan.files.mat import text as mat_text
from athenan.files.pdn import matches as pdn
from athenan.files.pdn import text as pdn_text
from athenan.files.sgf import reading, tree, writing
from athenan.files.typed import actions_to_the_end
from athenan.games.catalogue import GAMES, MODULES, known
from athenan.play.records import plies_of
from athenan.reading import read_bytes
from athenan.replacing import require_writable
from athenan.rules.game import Game, GameError
from athenan.settings import counted, split


@dataclass(frozen=True)
class Format:
    """A textual format of matches."""

    split: Callable[[str], Sequence[Any]]
    """Reads the matches of a text, unchecked: a ValueError stands for one that is not in this format. Raises ValueError
    if there is no match."""
    replayed: Callable[[Any, Game | None], FileMatch]
    """Replays such a match by the rules of its game, by default the given one. Raises ValueError."""
    text: Callable[[Sequence[tuple[FileMatch, Game]]], str]
    """Writes matches as text. Raises ValueError if the format cannot hold one."""
    positions: bool = False
    """Whether it can hold matches that begin from another position than the initial one."""


def read_matches(
    path: str | Path, game: Game | None = None, refused: Callable[[str], None] | None = None
) -> Iterator[FileMatch]:
    """The matches of a file, one after the other; `game` is used if the file does not name one.

    A match that is not of the expected game, or that the rules do not allow, does not lose the others: if `refused` is
    given, it gets a sentence about each of them, and the others follow. Otherwise the first one raises ValueError. So
    does a file without a match. Raises OSError if the file cannot be read.
    """
    data = read_bytes(path)
    said = (lambda reason: refused(f"{path}: {reason}")) if refused else None
    try:
        yield from matches_in(data, format_of(path, data), game, said)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_match(path: str | Path, game: Game | None = None, number: int = 1) -> FileMatch:
    """One match of a file, counted from 1. Raises ValueError if it cannot be read or does not exist, and OSError."""
    data = read_bytes(path)
    try:
        form = FORMATS[format_of(path, data)]
        text, notice = decoded(data)
        parts = form.split(text)
        if not 1 <= number <= len(parts):
            raise ValueError(f"there is no match {number}: the file has {counted(len(parts), 'match')}")
        return _noticed(replayed(form, parts[number - 1], game), notice)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def matches_in(
    data: bytes, kind: str, game: Game | None = None, refused: Callable[[str], None] | None = None
) -> Iterator[FileMatch]:
    """The matches of a file's bytes, in the format `kind`, a key of `FORMATS`. Like `read_matches`, without a path."""
    form = FORMATS[kind]
    text, notice = decoded(data)
    parts = form.split(text)
    for number, part in enumerate(parts, 1):
        try:
            match = replayed(form, part, game)
        except ValueError as error:
            reason = f"match {number}: {error}" if len(parts) > 1 else str(error)
            if refused is None:
                raise ValueError(reason) from None
            refused(reason)
        else:
            yield _noticed(match, notice)
            notice = ""


def replayed(form: Format, part: Any, game: Game | None) -> FileMatch:
    """One of the matches of `Format.split`, by the rules. Raises ValueError, also for a part that is an error."""
    if isinstance(part, ValueError):
        raise part
    return form.replayed(part, game)


def _noticed(match: FileMatch, notice: str) -> FileMatch:
    return replace(match, notices=(notice, *match.notices)) if notice else match


def write_matches(path: str | Path, matches: Sequence[FileMatch]) -> None:
    """Writes matches to a new file. Raises FileExistsError if it exists, ValueError like `as_text`, and OSError.

    If the disk is full, no part of the file remains.
    """
    text = as_text(matches, format_of(path))
    with open(path, "x", encoding="utf-8", newline="\n") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            Path(path).unlink()
            raise


def require_new(path: str | Path) -> None:
    """Raises OSError unless `write_matches` could write the file: if it exists, or its folder cannot be written."""
    if Path(path).exists():
        raise FileExistsError(errno.EEXIST, "the file already exists; name another one", str(path))
    require_writable(path)


def as_text(matches: Sequence[FileMatch], kind: str) -> str:
    """Matches in the format `kind`. Raises ValueError if the format cannot hold one."""
    if not FORMATS[kind].positions and any(match.fen for match in matches):
        others = ", ".join(suffix for suffix, form in FORMATS.items() if form.positions)
        raise ValueError(f"{kind} has only matches from the initial position; for others there are {others}")
    return FORMATS[kind].text([(one, known(one.game)) for one in matches])


def format_of(path: str | Path, data: bytes = b"") -> str:
    """The format of a file's suffix or, for a name without one, of its bytes: JSON lines or moves."""
    suffix = {".hsgf": ".sgf"}.get(Path(path).suffix.lower(), Path(path).suffix.lower())
    return suffix if suffix in FORMATS else ".jsonl" if data[:1] == b"{" else ".txt"


def _of_moves(part: tuple[str | None, str], game: Game | None) -> FileMatch:
    name, text = part
    if name is not None and game is not None and name != game.name and _names_other(name, game):
        raise ValueError(f"its game is {name}, not {game.name}")
    if name is None and game is None:
        raise ValueError("its first line must name the game, such as # hex:7")
    found = game or known(name or "")
    actions, notice = actions_to_the_end(found, text)
    return FileMatch(found.name, ("",) * found.players, plies_of(found, actions), notices=notice)


def _names_other(comment: str, game: Game) -> bool:
    """Whether a comment names another game, and is not just a comment. It must not choose code that runs."""
    kind = split(comment)[0].lower()
    if kind not in GAMES:
        return kind.endswith(".py") or kind in MODULES
    try:
        return known(comment).name != game.name
    except GameError:  # as in "go: the first of three"
        return False


def _as_moves(matches: Sequence[tuple[FileMatch, Game]]) -> str:
    if len(matches) != 1:
        raise ValueError(f"a file of moves holds one match, not {len(matches)}: use a name with .jsonl for more")
    [(match, game)] = matches
    return moves.write(game.moves(match.actions), game)


FORMATS: dict[str, Format] = {
    ".sgf": Format(
        tree.split, reading.replayed, lambda matches: tree.write(writing.tree(one, game) for one, game in matches),
        positions=True,
    ),
    ".pdn": Format(
        pdn_text.split, pdn.replayed,
        lambda matches: "\n".join(pdn_text.write(pdn.written(one, game)) for one, game in matches),
        positions=True,
    ),
    ".ggf": Format(ggf.split, ggf.replayed, ggf.write),
    ".mat": Format(mat_text.split, mat.replayed, mat.write),
    ".html": Format(playback.split, json_lines.replayed, playback.write, positions=True),
    ".svg": Format(animation.split, json_lines.replayed, animation.write, positions=True),
    ".jsonl": Format(json_lines.split, json_lines.replayed, json_lines.write, positions=True),
    ".txt": Format(lambda text: [moves.read(text)], _of_moves, _as_moves),
}  # fmt: skip
"""Suffix of a file -> the format of its matches."""
