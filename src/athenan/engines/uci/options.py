"""The options that a program offers in UCI, UGI, UAI or UCCI, and the values that users set.

>>> option = ProgramOption.of("option name Skill Level type spin default 20 min -20 max 20")
>>> option.name, option.told("7")
('Skill Level', 'setoption name Skill Level value 7')
>>> option.told("99")
Traceback (most recent call last):
    ...
ValueError: Skill Level must be from -20 to 20, not '99'
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from athenan.settings import shown

_LINE = re.compile(r"option\s+(?:name\s+)?(.+?)\s+type\s+(\w+)(.*)")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True)
class ProgramOption:
    """One option of a program."""

    name: str
    kind: str
    """check, spin, combo, button or string."""
    least: int | None = None
    most: int | None = None
    """Bounds of a spin."""
    values: tuple[str, ...] = ()
    """The values of a combo."""

    @classmethod
    def of(cls, line: str) -> "ProgramOption | None":
        """The option that a line declares; None if it declares none."""
        if not (found := _LINE.fullmatch(line.strip())):
            return None
        words = found[3].split()
        bounds = {word: words[number + 1] for number, word in enumerate(words[:-1]) if word in ("min", "max")}
        least, most = (int(text) if _WHOLE.fullmatch(text := bounds.get(one, "")) else None for one in ("min", "max"))
        values = tuple(one.strip() for one in re.split(r"(?:^|\s)var\s", found[3])[1:])
        return cls(found[1], found[2], least, most, values)

    def told(self, value: str, named: bool = True) -> str:
        """The line that sets the option; `named` unless the protocol is UCCI. Raises ValueError for a bad value."""
        name, before = (f"name {self.name}", "value ") if named else (self.name, "")
        if self.kind == "button":
            if value:
                raise ValueError(f"{self.name} is a button, which takes no value: write its name alone")
            return f"setoption {name}"
        return f"setoption {name} {before}{self._checked(value)}"

    def _checked(self, value: str) -> str:
        if self.kind == "check" and value.lower() not in ("true", "false"):
            raise ValueError(f"{self.name} must be true or false, not {shown(value)}")
        if self.kind == "spin":
            number = int(value) if _WHOLE.fullmatch(value) else None
            bounds = f"from {self.least} to {self.most}" if self.least is not None and self.most is not None else ""
            if number is None or not (
                (self.least is None or self.least <= number) and (self.most is None or number <= self.most)
            ):
                raise ValueError(f"{self.name} must be {bounds or 'a whole number'}, not {shown(value)}")
        if self.kind == "combo" and self.values and value.lower() not in (one.lower() for one in self.values):
            raise ValueError(f"{self.name} must be {' or '.join(self.values)[:300]}, not {shown(value)}")
        return value


def lines(options: Sequence[ProgramOption], wanted: Sequence[str], named: bool) -> Iterator[str]:
    """The lines that set options given as NAME=VALUE. Raises ValueError for an option that the program lacks."""
    known = {option.name.lower(): option for option in options}
    for text in wanted:
        name, _, value = text.partition("=")
        if not (option := known.get(name.strip().lower())):
            has = f"its options are {', '.join(one.name for one in options)[:1000]}" if options else "it has no options"
            raise ValueError(f"there is no option {shown(name.strip())}; {has}")
        yield option.told(value.strip(), named)
