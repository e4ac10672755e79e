"""Values, names and errors in words."""

import shlex
from collections.abc import Iterable
from difflib import get_close_matches
from os import fsencode
from reprlib import Repr
from typing import Any

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_LONGEST_SHOWN = 180


def shown(value: Any) -> str:
    """A value for an error message, shortened."""
    text = _SHORT.repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def require_type(name: str, value: object, kind: type, example: str) -> None:
    """Raises TypeError unless a value has the type that a public function needs, such as a game and not its name.

    >>> require_type("moves", ["c2", "b3"], str, "'c2 b3'")
    Traceback (most recent call last):
        ...
    TypeError: moves must be a str, such as 'c2 b3', not ['c2', 'b3']
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, such as {example}, not {shown(value)}")


def counted(value: float, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "action"), counted(1200, "action"), counted(0.5, "second"), counted(2, "match"), counted(0, "loss")
    ('1 action', '1,200 actions', '0.5 seconds', '2 matches', '0 losses')
    """
    plural = "es" if noun.endswith(("ch", "ss")) else "s"
    return f"{number(value)} {noun}{'' if value == 1 else plural}"


def one_line(error: Exception) -> str:
    """The text of an error on one line; without a text, its kind."""
    return printable(str(error)) or type(error).__name__


def printable(text: str) -> str:
    r"""A text on one line, with escapes for what a terminal would not show, or would obey.

    >>> printable("no game '\x1b[2J'\n here")
    "no game '\\x1b[2J' here"
    """
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)


def readable(text: str) -> str:
    r"""A text that UTF-8 can encode, with escapes for the bytes of a file's name in another encoding.

    >>> readable("r\udce4ns")
    'r\\udce4ns'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def shell_word(text: str) -> str:
    r"""A text as one word of a shell's command line, also if UTF-8 cannot encode it.

    >>> shell_word("my run"), shell_word("r\udce4ns")
    ("'my run'", "$'r\\xe4ns'")
    """
    if readable(text) == text:
        return shlex.quote(text)
    escaped = fsencode(text.replace("\\", r"\\").replace("'", r"\'")).decode("ascii", "backslashreplace")
    return f"$'{escaped}'"


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The end of a message about an unknown name: the most similar known name, or `otherwise` if none is similar.

    >>> did_you_mean("conect4", ["connect_four", "connect6"]), did_you_mean("chess", ["hex"])
    (': did you mean connect_four?', '')
    """
    spoken = str.maketrans({"_": "", "4": "four", "6": "six"})  # Connect Four and Connect6 in any spelling
    names = {name.lower().translate(spoken): name for name in known}
    similar = get_close_matches(word.lower().translate(spoken), names, 1)
    if similar:
        return f": did you mean {names[similar[0]]}?"
    return f"; {otherwise}" if otherwise else ""


def written(value: Any) -> str:
    """A value as text, from which a setting that may have it reads the same value."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    if isinstance(value, frozenset):
        return "+".join(sorted(value, key=lambda name: (name[1:], name)))  # cells such as c3 row by row
    return str(value)


def number(value: float) -> str:
    """A number for people, such as 1,000 or 0.5."""
    return f"{int(value):,}" if float(value).is_integer() else f"{value:g}"
