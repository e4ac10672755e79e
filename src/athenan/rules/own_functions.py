"""The functions that a game declares, called so that whatever is wrong in them is one sentence."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from athenan.loading import what as in_words
from athenan.rules.compiler import NotCompiledError
from athenan.rules.errors import GameError
from athenan.rules.fitting import judge


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
