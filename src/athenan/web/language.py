"""The language of a page's reader."""

from starlette.requests import Request

from athenan.web.texts import chosen

COOKIE = "athenan-language"


def language_of(request: Request) -> str:
    """The language that the address asks for, that a page of this browser asked for before, or that it accepts."""
    asked = request.query_params.get("lang") or request.cookies.get(COOKIE) or ""
    return chosen(asked, request.headers.get("accept-language", ""))
