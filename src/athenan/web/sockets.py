"""The socket of each page that plays. The size and the rate of its messages and the number of pages are bounded."""

import json
import time
from collections import deque
from contextlib import suppress
from operator import index
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from athenan.web import messages
from athenan.web.admission import admitted, same_origin
from athenan.web.choices import Choices
from athenan.web.page_game import page_game
from athenan.web.refusals import error_fields

MOST_PAGES = 16
"""Most pages open at the same time."""
CLOSED = (WebSocketDisconnect, OSError, RuntimeError)
"""Exceptions after a page has left: the first two when this is noticed, the last when the socket is used again."""
_MOST_MESSAGES, _SECONDS = 300, 10.0
_REFUSED, _TOO_MUCH, _FULL = 4401, 4429, 4503


class Sockets:
    """The sockets of a server's pages."""

    def __init__(self, choices: Choices, token: str | None) -> None:
        self._choices, self._token = choices, token
        self._open = 0

    async def answer(self, web: WebSocket) -> None:
        """Serves a page until it is closed, unless it may not use the server or too many pages are open."""
        if not admitted(web, self._token) or not same_origin(web.headers):
            await _close(web, _REFUSED)
            return
        with suppress(*CLOSED):
            await web.accept()
        if self._open >= MOST_PAGES:
            await _close(web, _FULL, f"at most {MOST_PAGES} pages are open at the same time")
            return
        self._open += 1
        try:
            await serve(web, self._choices)
        finally:
            self._open -= 1


async def serve(web: WebSocket, choices: Choices) -> None:
    """Handles the messages of a page until it is closed; it answers a wrong message with the error."""
    recent = deque[float](maxlen=_MOST_MESSAGES)

    async def send(content: dict[str, Any]) -> None:
        with suppress(*CLOSED):  # the loop below also notices it; the board of a user may have numbers of NumPy
            await web.send_text(json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=index))

    async with page_game(choices, send) as own:
        while True:
            try:
                text = await web.receive_text()
            except (*CLOSED, KeyError):  # bytes have no text
                return
            if len(recent) == _MOST_MESSAGES and time.monotonic() - recent[0] < _SECONDS:
                await _close(web, _TOO_MUCH, "too many messages")
                return
            recent.append(time.monotonic())
            try:
                message = messages.read(text)
            except messages.MessageError as error:
                await send({"type": "error", "request": error.request, **error_fields(error)})
                continue
            try:
                await own.handle(message)
            except (ValueError, OSError, MemoryError) as error:
                await send({"type": "error", "request": message["request"], **error_fields(error)})


async def _close(web: WebSocket, code: int, reason: str = "") -> None:
    with suppress(*CLOSED):
        await web.close(code, reason)
