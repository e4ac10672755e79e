"""Who may use the server: this machine, or whoever has the token; no page of another site."""

import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from athenan.web.language import language_of
from athenan.web.texts import said

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]", "::1")
COOKIE = "athenan-token"
_HEADERS = {
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def admitted(connection: HTTPConnection, token: str | None) -> bool:
    """Whether a connection brings the token, in its address or a cookie, if there is a token."""
    if token is None:
        return True
    given = connection.query_params.get("token") or connection.cookies.get(COOKIE) or ""
    return secrets.compare_digest(given.encode(), token.encode())


def for_admitted(answer: Callable[[Request], Response], token: str | None) -> Callable[[Request], Response]:
    """The answer to requests that bring the token, and a refusal of all others."""

    def answer_or_refuse(request: Request) -> Response:
        if admitted(request, token):
            return answer(request)
        return PlainTextResponse(said("refused.token", language_of(request), {}), 401)

    return answer_or_refuse


def same_origin(headers: Headers) -> bool:
    """Whether a page of this server opens a socket; programs other than browsers send no origin."""
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


class WithHeaders:
    """Adds headers that keep the page from loading anything from elsewhere."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added: list[Any] = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
