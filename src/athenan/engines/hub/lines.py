"""Lines of Hub: a command and its arguments, `pos pos=W... moves="32-28 19-23"`."""

import re

_ARGUMENT = re.compile(r'([^\s="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s"]*)))?')


def read(line: str) -> tuple[str, dict[str, str]]:
    """The command of a line and its arguments; an argument without a value has "". Other text is left out."""
    command, _, rest = line.strip().partition(" ")
    return command, {found[1]: found[2] or found[3] or "" for found in _ARGUMENT.finditer(rest)}


def write(command: str, **arguments: object) -> str:
    """Writes a line. Values that are empty or have spaces are quoted, and `_` in names becomes `-`."""
    parts = [command]
    for name, value in arguments.items():
        text = str(value)
        parts.append(f"{name.replace('_', '-')}=" + (f'"{text}"' if not text or re.search(r'[\s="]', text) else text))
    return " ".join(parts)
