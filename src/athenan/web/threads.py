"""The threads of one page's work, and what the page is told while they, or other processes, compile."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from athenan.rules.compilation import Compilation, Watch
from athenan.rules.compiler import keeps_code
from athenan.rules.game import Game
from athenan.web.preparing import GAME, Prepared

_CALLS = 3
"""Functions compiled at the first position of a game besides the kernels of its rules."""


class PageThreads:
    """Threads of one page, which shares none: no page waits for the work of another.

    Work with rules or a search may have to compile them first. It runs in a thread of its own, or in another one if it
    does not disturb a search.
    """

    def __init__(self, tell: Callable[..., Awaitable[None]]) -> None:
        """`tell(kind, request, **content)` sends a message to the page."""
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, "search")
        self._others = ThreadPoolExecutor(2, "beside")  # one prepares a player while the other one answers
        self._request = 0  # the latest one; its page waits for it alone
        self._compiled = 0  # functions, for this request
        self.opening: Game | None = None
        """The game that is being opened."""

    def waits_for(self, request: int) -> None:
        """What is compiled from now on keeps this request waiting."""
        self._request, self._compiled = request, 0

    async def run(self, function: Callable[..., Any], *arguments: Any, prepares: Prepared = GAME) -> Any:
        """The result of a function run in a thread of its own; the page is told what is compiled for it."""
        return await self._loop.run_in_executor(self._thread, self._watched, None, prepares, function, *arguments)

    async def aside(self, request: int, function: Callable[[], Any], prepares: Prepared = GAME) -> Any:
        """The result of a function run in another thread."""
        return await self._loop.run_in_executor(self._others, self._watched, request, prepares, function)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Calls a function in the thread of the server's loop. Any thread may call this."""
        with contextlib.suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(function)

    def tell_steps(
        self, request: int | None, prepares: Prepared, name: str, numbers: Iterable[int], smaller: bool = False
    ) -> None:
        """Tells the page the numbers of the functions that another process compiles. Any thread may call this.

        `smaller`: whether a smaller opponent replies meanwhile.
        """
        for number in numbers:
            told = {"name": name, "number": number, "kept": keeps_code(), "elsewhere": False, "smaller": smaller}
            self._tell_compiling(request, prepares, told)
        self._tell_compiling(request, prepares, {"name": None})

    def close(self) -> None:
        self._thread.shutdown(wait=False)
        self._others.shutdown(wait=False)

    def _watched(self, request: int | None, prepares: Prepared, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function; the page is told what it compiles, for a request or for the latest one."""

        def compiling(now: Compilation | None) -> None:
            told: dict[str, Any] = {"name": now and now.name}
            if now:
                self._compiled += not now.elsewhere
                number = self._compiled if request is None else now.number
                told |= {"number": number, "kept": now.kept, "elsewhere": now.elsewhere, "smaller": False}
            self._tell_compiling(request, prepares, told)

        with Watch(compiling, own_thread=True):
            return function(*arguments)

    def _tell_compiling(self, request: int | None, prepares: Prepared, told: dict[str, Any]) -> None:
        """Tells the page what is compiled, for a request or for the latest one."""
        if told["name"]:
            opening = self.opening
            of = len(opening.table.kernels) + _CALLS if opening else prepares.functions
            told |= {"what": prepares.what, "of": of}
        asked = self._request if request is None else request
        self.call_soon(lambda: asyncio.ensure_future(self._tell("compiling", asked, **told)))
