"""Standard streams: closed ones, characters that they cannot decode or encode, and the width of their lines."""

import codecs
import io
import os
import shutil
import sys
import unicodedata
from contextlib import suppress

_SPELLINGS = {"µ": "u", "×": "x", "–": "-", "—": "-", "…": "...", "’": "'", "“": '"', "”": '"', "→": "->", "−": "-"}


def prepare() -> None:
    """Replaces closed streams by empty ones.

    Bytes of the input that are not text become a sign for that. What an output cannot encode is spelled in ASCII.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller, as in `athenan games >&-`
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "athenan.spell"), (sys.stderr, "athenan.spell")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def complain(line: str) -> None:
    """Prints a line on standard error, or drops it if that cannot be written: the exit status remains."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def settle() -> None:
    """Writes what is left of the outputs, or drops it if nobody reads it any more or the disk is full.

    Otherwise the interpreter would try once more at its end, complain, and change the exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def width(most: int) -> int:
    """The characters of a line of text: the terminal's width, at most `most`; `most` outside of terminals."""
    return min(most, shutil.get_terminal_size((most, 24)).columns)


def spelled(text: str) -> str:
    """The text in ASCII: Greek letters by their names, letters without accents, "?" for a character without a spelling.

    >>> spelled("τ = 5 µs, naïve…")
    'tau = 5 us, naive...'
    """
    return "".join(map(_spelled, text))


def _spelled(character: str) -> str:
    if character.isascii():
        return character
    if character in _SPELLINGS:
        return _SPELLINGS[character]
    name = unicodedata.name(character, "")
    if name.startswith("GREEK ") and " LETTER " in name:
        return name.partition(" LETTER ")[2].split()[0].lower()
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or "?"


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return spelled(error.object[error.start : error.end]), error.end


codecs.register_error("athenan.spell", _spell)
