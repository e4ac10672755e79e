"""The messages of a page: each is an object with a `type` and exactly the fields listed here."""

from typing import Any, NamedTuple

from athenan.reading import parsed

MOST_CHARACTERS = 1 << 17
"""Most characters of a message."""
MOST_SECONDS = 600
"""Most seconds of the search of one position."""
_TEXT = 1 << 16


class Number(NamedTuple):
    """A field that is a number from `low` to `high`."""

    low: float
    high: float
    whole: bool = True

    def __str__(self) -> str:
        return f"a {'whole ' * self.whole}number from {self.low:,} to {self.high:,}"

    def takes(self, value: Any) -> bool:
        """Whether a value of JSON is such a number."""
        kinds = (int,) if self.whole else (int, float)
        return type(value) in kinds and self.low <= value <= self.high


class NumberList(NamedTuple):
    """A field that is a list of numbers."""

    each: Number
    most: int

    def __str__(self) -> str:
        return f"a list of at most {self.most}, each {self.each}"

    def takes(self, value: Any) -> bool:
        """Whether a value of JSON is such a list."""
        return isinstance(value, list) and len(value) <= self.most and all(map(self.each.takes, value))


class Text(NamedTuple):
    """A field that is a text."""

    def __str__(self) -> str:
        return f"a text of at most {_TEXT:,} characters"

    def takes(self, value: Any) -> bool:
        """Whether a value of JSON is a text of allowed length."""
        return isinstance(value, str) and len(value) <= _TEXT


class Switch(NamedTuple):
    """A field that is on or off."""

    def __str__(self) -> str:
        return "true or false"

    def takes(self, value: Any) -> bool:
        """Whether a value of JSON is true or false."""
        return isinstance(value, bool)


Field = Number | NumberList | Text | Switch
_EXACT = 1 << 53
"""JavaScript represents all whole numbers up to this one exactly."""
_COUNT, _SECONDS, _TEXTS = Number(0, _EXACT), Number(0, MOST_SECONDS, whole=False), Text()
FIELDS: dict[str, dict[str, Field]] = {
    "open": {"game": _TEXTS, "moves": _TEXTS, "fen": _TEXTS},
    "position": {"moves": _TEXTS},
    "look": {"moves": _TEXTS},
    "play": {"action": _COUNT},
    "roll": {},
    "prepare": {"player": _TEXTS},
    "think": {"player": _TEXTS, "seconds": _SECONDS, "evaluations": Number(0, 10**9)},
    "analyse": {"search": _TEXTS, "on": Switch(), "chances": Switch()},
    "review": {"search": _TEXTS, "seconds": Number(0.01, 60, whole=False)},
    "try": {"action": _COUNT, "search": _TEXTS, "seconds": Number(0.01, 60, whole=False)},
    "cube": {
        "player": _TEXTS, "seconds": _SECONDS, "evaluations": Number(0, 10**9),
        "value": Number(1, 64), "owner": Number(0, 2), "offered": Switch(),
    },
    "choose": {"places": NumberList(Number(0, 10**6), 64)},
    "read": {"name": _TEXTS, "text": _TEXTS},
    "write": {"format": _TEXTS, "moves": _TEXTS, "ended": _TEXTS, "cube": _TEXTS},
    "stop": {},
}  # fmt: skip
"""Type of a message -> its fields besides `request`, a number that the answers repeat."""


class MessageError(ValueError):
    """A message that this server's page does not send; `request` is its number, or 0 if it has none."""

    def __init__(self, text: str, request: int = 0) -> None:
        super().__init__(text)
        self.request = request


def read(text: str) -> dict[str, Any]:
    """A message with fields within their bounds. Raises MessageError for other texts."""
    if len(text) > MOST_CHARACTERS:
        raise MessageError(f"a message has at most {MOST_CHARACTERS} characters")
    try:
        message: Any = parsed(text)
    except ValueError as error:
        raise MessageError(f"a message is a JSON object: {error}") from None
    if not isinstance(message, dict) or not isinstance(kind := message.get("type"), str) or kind not in FIELDS:
        raise MessageError(f"the type of a message is one of {', '.join(FIELDS)}")
    fields = {"request": _COUNT, **FIELDS[kind]}
    request = message["request"] if _COUNT.takes(message.get("request")) else 0
    if set(message) != {"type", *fields}:
        raise MessageError(f"a message {kind!r} has the fields type, {', '.join(fields)}", request)
    for name, field in fields.items():
        if not field.takes(message[name]):
            raise MessageError(f"the field {name} of a message {kind!r} must be {field}", request)
    return message
