"""The settings of components: one place checks them and reads them from text or JSON.

The settings of a component are the fields of a frozen dataclass, or the parameters of the function that makes it. Their
annotations define the allowed values: `int`, `Literal["add", "none"]`, `Annotated[float, Between(0, 1)]`, `... | None`.

The text of a component is NAME, NAME:VALUE, or NAME:VALUE,SETTING=VALUE,... where VALUE sets the first setting. Games
(hex:11,swap=false), networks (c:filters=32) and players (mcts:1000) are written this way.

    >>> def make(size: int = 11, *, swap: bool = True) -> None: ...
    >>> name, values = split("hex:5,swap=false")
    >>> read(make, values)
    {'size': 5, 'swap': False}
    >>> write("hex", make, {"size": 5}), write("hex", make, {"swap": False})
    ('hex:5', 'hex:11,swap=false')
"""

from athenan.settings.allowed import (
    MOST_THREADS,
    Between,
    Checked,
    Count,
    Mebibytes,
    Seconds,
    Seed,
    Threads,
    allowed,
    check,
    check_value,
)  # fmt: skip
from athenan.settings.json import from_json, values_from_json
from athenan.settings.kinds import Kind, Part, classes, is_code
from athenan.settings.needs import Needs, UnmetError, require_met, settled, unmet
from athenan.settings.text import (
    Values,
    annotations,
    parts,
    read,
    require_text,
    require_value,
    split,
    split_settings,
    value_of,
    write,
)  # fmt: skip
from athenan.settings.within import Within, names_within, spread, take_texts, within
from athenan.settings.words import (
    counted,
    did_you_mean,
    one_line,
    printable,
    readable,
    require_type,
    shell_word,
    shown,
    written,
)

__all__ = [
    "MOST_THREADS", "Between", "Checked", "Count", "Kind", "Mebibytes", "Needs", "Part", "Seconds", "Seed", "Threads",
    "UnmetError", "Values", "Within", "allowed", "annotations", "check", "check_value", "classes", "counted",
    "did_you_mean", "from_json", "is_code", "names_within", "one_line", "parts", "printable", "read", "readable",
    "require_met", "require_text", "require_type", "require_value", "settled", "shell_word", "shown", "split",
    "split_settings", "spread", "take_texts", "unmet", "value_of", "values_from_json", "within", "write", "written",
]  # fmt: skip
