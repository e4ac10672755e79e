"""The command lines of athenan in documents: in blocks and within sentences."""

import re
import shlex
from pathlib import Path

from athenan.cli import COMMANDS

_CODE = re.compile(
    r"^ *```(?P<language>\w*)[^\n]*\n(?P<block>.*?)^ *```|`(?P<words>athenan [a-z]+\b[^`]*)`", re.MULTILINE | re.DOTALL
)
_SHELLS = "", "bash", "sh", "console", "text"
_CALL = re.compile(r"(?:^|[|;&]|\bdo|\$) *(athenan [a-z]+\b.*)$")
_ENDS = re.compile(r"[|;&]+|[0-9]?>+")
"""A word after which a line of a shell is no longer the command's."""


def command_lines(page: Path) -> list[list[str]]:
    """The command lines of a page in its order, without the name of the program.

    Blocks of other languages than a shell's are left out.
    """
    lines = list[list[str]]()
    for code in _CODE.finditer(page.read_text()):
        if code["words"]:
            texts = [code["words"]]
        else:
            texts = _calls(code["block"]) if code["language"] in _SHELLS else []
        lines += [words for text in texts if (words := _words(text)) and words[0] in COMMANDS]
    return lines


def _calls(block: str) -> list[str]:
    lines = block.replace("\\\n", " ").splitlines()
    return [found[1] for line in lines if (found := _CALL.search(line.strip()))]


def _words(text: str) -> list[str]:
    words = shlex.split(text, comments=True)[1:]
    end = next((number for number, word in enumerate(words) if _ENDS.fullmatch(word)), len(words))
    return words[:end]
