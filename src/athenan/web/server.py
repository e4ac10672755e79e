"""The server of the pages' files, a socket for each page that plays, and the curves of trainings.

It listens only on this machine, unless it has a token that every request must bring. It checks the host and the origin
of a request, so a page of another site can neither read nor use it.
"""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from athenan.drawing.svg import draw
from athenan.rules.game import GameError
from athenan.runs.checkpoint import CheckpointError
from athenan.settings import one_line
from athenan.web import texts
from athenan.web.admission import COOKIE, LOCAL_HOSTS, WithHeaders, for_admitted
from athenan.web.choices import Choices
from athenan.web.gallery import cards, gallery, told
from athenan.web.language import COOKIE as LANGUAGE_COOKIE
from athenan.web.language import language_of
from athenan.web.pages import PAGES, STATIC, page
from athenan.web.sockets import Sockets
from athenan.web.trainings import CurveCache, latest, overview


def application(choices: Choices, token: str | None = None, shared: str = "") -> Starlette:
    """The server as an ASGI application; with a token it answers requests of any host that bring the token.

    `shared` is the address of the board for other machines, with the token; the page's links to a position begin so.
    """
    answers = _Answers(choices, token, shared)
    requests = {
        **{address: answers.page(name) for name, address in PAGES.items()},
        "/about": answers.about, "/picture": answers.picture, "/runs": answers.runs, "/runs/{name:path}": answers.run,
    }  # fmt: skip
    hosts = ["*"] if token else list(LOCAL_HOSTS)
    return Starlette(
        routes=[
            *(Route(address, for_admitted(answer, token)) for address, answer in requests.items()),
            WebSocketRoute("/socket", Sockets(choices, token).answer),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts), Middleware(WithHeaders)],
    )


class _Answers:
    """What the server answers to each kind of request."""

    def __init__(self, choices: Choices, token: str | None, shared: str) -> None:
        self._choices, self._token, self._shared = choices, token, shared
        self._curves = CurveCache()

    def page(self, name: str) -> Callable[[Request], Response]:
        """The answer that is a page, in the language of its reader."""

        def answer(request: Request) -> Response:
            language = language_of(request)
            try:
                content = _content(name, language, self._choices)
            except GameError as error:  # the user's own game cannot be drawn
                return _refusal(error, language, 500)
            response = HTMLResponse(page(name, language, self._shared, **content))
            if self._token:
                response.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
            if "lang" in request.query_params:
                response.set_cookie(LANGUAGE_COOKIE, language, samesite="strict")
            return response

        return answer

    def about(self, request: Request) -> Response:
        """A game in words, its options and who plays it, by its name; without a name the server's game."""
        choices, language = self._choices, language_of(request)
        try:
            game = choices.make_game(request.query_params.get("game") or choices.game)
            return JSONResponse({**told(game, language), "computer": choices.computer_of(game)})
        except GameError as error:
            return _refusal(error, language, 404)

    def picture(self, request: Request) -> Response:
        """The picture of a game's first position, by its name."""
        try:
            picture = draw(self._choices.make_game(request.query_params.get("game", "")))
        except GameError as error:
            return _refusal(error, language_of(request), 404)
        return Response(picture.svg, media_type="image/svg+xml")

    def runs(self, request: Request) -> Response:
        """The runs that the server knows."""
        return JSONResponse({"runs": overview(self._choices.runs)})

    def run(self, request: Request) -> Response:
        """The curves and the latest matches of a run, by its name in the list."""
        path = self._choices.runs.get(request.path_params["name"])
        if path is None:
            return PlainTextResponse(texts.said("refused.run", language_of(request), {}), 404)
        try:
            return JSONResponse({"curves": self._curves.of(path), "latest": latest(path)})
        except (CheckpointError, GameError) as error:
            return PlainTextResponse(str(error), 500)


def _refusal(error: GameError, language: str, status: int) -> Response:
    return PlainTextResponse(texts.said("refused.game", language, {"message": one_line(error)}), status)


def _content(name: str, language: str, choices: Choices) -> dict[str, str]:
    """What the server adds to the middle of a page."""
    if name != "games":
        return {}
    words, shown = texts.table(language), cards(choices.make_game(choices.game), language)
    return {"cards": gallery(shown, words["games.play"], words["games.choose"])}
