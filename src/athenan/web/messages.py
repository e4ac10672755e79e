"""What a page may send: each message is an object with a `type` and the fields that are listed here, no others."""

import json
from typing import Any

MOST_CHARACTERS = 1 << 17
"""Of a message."""
_TEXT, _NUMBER = 1 << 16, (int, float)
FIELDS: dict[str, dict[str, Any]] = {
    "open": {"game": str, "moves": str, "fen": str},
    "position": {"moves": str},
    "play": {"action": int},
    "roll": {},
    "think": {"player": str, "seconds": _NUMBER, "evaluations": int},
    "analyse": {"search": str, "on": bool},
    "annotate": {"search": str, "seconds": _NUMBER},
    "choose": {"places": list},
    "stop": {},
}
"""Type of a message -> its fields besides `request`, the number that its answers repeat."""


class MessageError(ValueError):
    """A message that the page of this server does not send."""


def read(text: str) -> dict[str, Any]:
    """A message. Raises MessageError if it is none."""
    if len(text) > MOST_CHARACTERS:
        raise MessageError(f"a message has at most {MOST_CHARACTERS} characters")
    try:
        message: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("a message is a JSON object") from None
    if not isinstance(message, dict) or not isinstance(kind := message.get("type"), str) or kind not in FIELDS:
        raise MessageError(f"the type of a message is one of {', '.join(FIELDS)}")
    fields = {"type": str, "request": int, **FIELDS[kind]}
    if set(message) != set(fields):
        raise MessageError(f"a message {kind!r} has the fields {', '.join(fields)}")
    for name, expected in fields.items():
        value = message[name]
        if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
            raise MessageError(f"the field {name} of a message {kind!r} has a wrong type")
        if isinstance(value, str) and len(value) > _TEXT:
            raise MessageError(f"the field {name} of a message {kind!r} is too long")
    return message


def within(what: str, value: float, low: float, high: float) -> float:
    """The value. Raises MessageError unless it is within bounds."""
    if not low <= value <= high:
        raise MessageError(f"{what} must be from {low:g} to {high:g}, not {value:g}")
    return value
