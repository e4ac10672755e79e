"""The server of the pages' files, a socket for each page that plays, and the curves of trainings.

It listens only on this machine, unless it has a token that every request must bring. It checks the host and the origin
of a request, so a page of another site can neither read nor use it. The size and the rate of messages and the number of
pages are bounded.
"""

import secrets
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope
from starlette.types import Send as AsgiSend
from starlette.websockets import WebSocket, WebSocketDisconnect

from athenan.rules.game import GameError
from athenan.runs.checkpoint import CheckpointError
from athenan.settings import one_line
from athenan.web import messages, texts
from athenan.web.choices import Choices
from athenan.web.gallery import cards, gallery, told
from athenan.web.page_game import page_game
from athenan.web.pages import PAGES, STATIC, page
from athenan.web.trainings import CurveCache, latest, overview

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]", "::1")
COOKIE, LANGUAGE_COOKIE = "athenan-token", "athenan-language"
MOST_PAGES = 16
"""Most pages open at the same time."""
_MOST_MESSAGES, _SECONDS = 300, 10.0
_HEADERS = {
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
_REFUSED, _TOO_MUCH, _FULL = 4401, 4429, 4503
_CLOSED = (WebSocketDisconnect, OSError, RuntimeError)
"""Exceptions after a page has left: the first two when this is noticed, the last when the socket is used again."""


@dataclass
class _Pages:
    open: int = 0


def application(choices: Choices, token: str | None = None) -> Starlette:
    """The server as an ASGI application; with a token it answers requests of any host that bring the token."""
    pages, curves = _Pages(), CurveCache()

    def shown(name: str) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            if not _admitted(request, token):
                return PlainTextResponse("This address needs the token that the command printed.", 401)
            language = _language(request)
            response = HTMLResponse(page(name, language, **_content(name, language, choices)))
            if token:
                response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            if "lang" in request.query_params:
                response.set_cookie(LANGUAGE_COOKIE, language, samesite="strict")
            return response

        return answer

    def about(request: Request) -> Response:
        """A game in words, its options and who plays it, by its name; without a name the server's game."""
        if not _admitted(request, token):
            return PlainTextResponse("no token", 401)
        try:
            game = choices.make_game(request.query_params.get("game") or choices.game)
            return JSONResponse({**told(game, _language(request)), "computer": choices.computer_of(game)})
        except GameError as error:
            return PlainTextResponse(str(error), 404)

    def runs(request: Request) -> Response:
        if not _admitted(request, token):
            return PlainTextResponse("no token", 401)
        return JSONResponse({"runs": overview(choices.runs)})

    def run(request: Request) -> Response:
        """The curves and the latest matches of a run, by its name in the list."""
        if not _admitted(request, token):
            return PlainTextResponse("no token", 401)
        path = choices.runs.get(request.path_params["name"])
        if path is None:
            return PlainTextResponse("there is no such run", 404)
        try:
            return JSONResponse({"curves": curves.of(path), "latest": latest(path)})
        except (CheckpointError, GameError) as error:
            return PlainTextResponse(str(error), 500)

    async def socket(web: WebSocket) -> None:
        if not _admitted(web, token) or not _same_origin(web.headers):
            await _close(web, _REFUSED)
            return
        with suppress(*_CLOSED):
            await web.accept()
        if pages.open >= MOST_PAGES:
            await _close(web, _FULL, f"at most {MOST_PAGES} pages are open at the same time")
            return
        pages.open += 1
        try:
            await _serve(web, choices)
        finally:
            pages.open -= 1

    hosts = ["*"] if token else list(LOCAL_HOSTS)
    return Starlette(
        routes=[
            *(Route(address, shown(name)) for name, address in PAGES.items()),
            Route("/about", about),
            Route("/runs", runs),
            Route("/runs/{name:path}", run),
            WebSocketRoute("/socket", socket),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts), Middleware(_WithHeaders)],
    )


def _content(name: str, language: str, choices: Choices) -> dict[str, str]:
    """What the server adds to the middle of a page."""
    if name != "games":
        return {}
    words, shown = texts.table(language), cards(choices.make_game(choices.game), language)
    return {"cards": gallery(shown, words["games.play"], words["games.choose"])}


def _language(request: Request) -> str:
    """The language that the address asks for, that a page of this browser asked for before, or that it accepts."""
    asked = request.query_params.get("lang") or request.cookies.get(LANGUAGE_COOKIE) or ""
    return texts.chosen(asked, request.headers.get("accept-language", ""))


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


async def _serve(web: WebSocket, choices: Choices) -> None:
    """Handles the messages of a page until it is closed; it answers a wrong message with the error."""
    recent = deque[float](maxlen=_MOST_MESSAGES)

    async def send(content: dict[str, Any]) -> None:
        with suppress(*_CLOSED):  # the loop below also notices it
            await web.send_json(content)

    async with page_game(choices, send) as own:
        while True:
            try:
                text = await web.receive_text()
            except (*_CLOSED, KeyError):  # bytes have no text
                return
            if len(recent) == _MOST_MESSAGES and time.monotonic() - recent[0] < _SECONDS:
                await _close(web, _TOO_MUCH, "too many messages")
                return
            recent.append(time.monotonic())
            try:
                message = messages.read(text)
            except messages.MessageError as error:
                await send({"type": "error", "request": error.request, "text": one_line(error)})
                continue
            try:
                await own.handle(message)
            except (ValueError, OSError, MemoryError) as error:
                await send({"type": "error", "request": message["request"], "text": one_line(error)})


async def _close(web: WebSocket, code: int, reason: str = "") -> None:
    with suppress(*_CLOSED):
        await web.close(code, reason)


def _admitted(connection: HTTPConnection, token: str | None) -> bool:
    if token is None:
        return True
    given = connection.query_params.get("token") or connection.cookies.get(COOKIE) or ""
    return secrets.compare_digest(given.encode(), token.encode())


def _same_origin(headers: Headers) -> bool:
    """Whether a page of this server opens a socket; programs other than browsers send no origin."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


class _WithHeaders:
    """Adds headers that keep the page from loading anything from elsewhere."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: AsgiSend) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.encode(), value.encode()) for name, value in _HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
