"""The functions that a game declares, called so that whatever is wrong in them is one sentence."""

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import update_wrapper
from typing import Any

from athenan.loading import what as in_words
from athenan.rules.compiler import NotCompiledError
from athenan.rules.errors import GameError
from athenan.rules.fitting import annotations, judge, result_of


class OwnFunction:
    """A function of a game. Its exceptions, and results that do not fit their annotation, become a clear GameError."""

    def __init__(self, game: str, what: str, function: Callable[..., Any], result: Any = Any, places: int = 0) -> None:
        """`result`: the annotation of results. `places`: the number of places of the board."""
        self.function: Callable[..., Any] = function.function if isinstance(function, OwnFunction) else function
        self._named = f"{game or 'the game'}: its {what}"
        self._judge, self._places = judge(result), places
        update_wrapper(self, self.function, updated=())

    def __call__(self, *given: Any) -> Any:
        """The result. Raises GameError if the function fails."""
        try:
            result = self.function(*given)
            fault = self._judge(result, self._places)
        except (GameError, NotCompiledError):
            raise
        except Exception as error:
            raise GameError(f"{self._named} raised {in_words(error)}") from error
        if fault:
            must = f"(){fault.where} must be" if fault.where else " must return"
            raise GameError(f"{self._named}{must} {fault.wanted}")
        return result


def guarded(part: Any, game: str, what: str) -> Any:
    """A copy of what a game of this name declares as `what`, with `OwnFunction`s, also in the parts of this part."""
    fields = {}
    for name, annotation in annotations(part.__class__).items():
        value, called = getattr(part, name), f"{what}.{name}"
        if value is not None and (result := result_of(annotation)):
            value = OwnFunction(game, called, value, result)
        elif is_dataclass(value) or hasattr(value, "_fields"):
            value = guarded(value, game, called)
        fields[name] = value
    return type(part)(**fields)
