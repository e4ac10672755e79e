"""One page's work: a position and at most one search at a time, which ends at the next request."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from athenan.arena.preparing import answer
from athenan.drawing.overlay import values_layer
from athenan.engines.program import ProgramPlayer
from athenan.files.annotation import AnnotatedPly, accuracies
from athenan.play.levels import LEVELS
from athenan.play.player import Forfeit, Player
from athenan.play.search_player import SearchPlayer
from athenan.play.session import Session
from athenan.rules.game import Game, GameError
from athenan.rules.state import CHANCE
from athenan.search.budget import Budget
from athenan.settings import one_line
from athenan.web.analysing import Report, analyse
from athenan.web.choices import Choices
from athenan.web.cube import answered, may_turn
from athenan.web.files import formats_of, read_file, write_file
from athenan.web.messages import MOST_SECONDS, MessageError
from athenan.web.page_player import PagePlayer
from athenan.web.position import Position
from athenan.web.preparing import ONE, Preparations, Prepared, prepared_search, smaller
from athenan.web.refusals import Refusal, error_fields
from athenan.web.reviewing import Review, tried
from athenan.web.threads import PageThreads

Send = Callable[[dict[str, Any]], Awaitable[None]]
Made = TypeVar("Made")
_ASIDE = 0
"""The number of requests that the page does not wait for."""
_STOPPING = 0.02
"""Seconds between two requests to a search to stop."""
_log = logging.getLogger("athenan")


class PageGame:
    """The game of one page. It handles messages one after another."""

    def __init__(self, choices: Choices, send: Send) -> None:
        self._choices, self._send, self._preparations = choices, send, Preparations(choices)
        self._threads = PageThreads(self._tell)
        self._opened: Position | None = None
        self._job: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._stop: Callable[[], None] = lambda: None
        self._cancelled = False
        self._session: tuple[str, Session] | None = None
        self._report: Report | None = None
        self._dice = np.random.default_rng()
        self._player = PagePlayer(self._dice)

    @property
    def _position(self) -> Position:
        """The position; until the page opens one, the first position of the server's game."""
        if self._opened is None:
            self._opened = Position(self._choices.make_game(self._choices.game))
        return self._opened

    async def handle(self, message: dict[str, Any]) -> None:
        """Does what a message asks for. Raises ValueError for impossible requests."""
        kind, request = message["type"], message["request"]
        if kind in ("look", "choose", "read", "write", "prepare"):
            return await self._beside(message, request)
        self._threads.waits_for(request)  # also for what is compiled for the job before
        await self._end_job()
        self._threads.waits_for(request)
        match kind:
            case "open":
                self._opened = await self._threads.run(self._open, message)
                networks = await self._threads.run(self._choices.networks_of, self._opened.game)  # reads their runs
                await self._tell_game(networks, request)
                await self._tell_position(request)
                if networks:
                    asyncio.get_running_loop().run_in_executor(None, import_module, "athenan.runs.learnt")
                return None
            case "position":
                await self._threads.run(lambda: self._position.go(message["moves"]))
            case "play":
                await self._threads.run(lambda: self._position.play(message["action"]))
            case "roll":
                await self._threads.run(self._roll)
            case "think" | "cube" | "review" | "try":
                work = {
                    "think": self._thinking, "cube": self._about_cube, "review": self._reviewing, "try": self._trying
                }[kind]  # fmt: skip
                return self._begin(self._failing(work(message, request), request))
            case "analyse":
                if message["on"] and not await self._threads.run(lambda: self._position.over):
                    self._begin(self._failing(self._analysing(message, request), request))
                return None
            case "stop":
                return None
        await self._tell_position(request)

    def _open(self, message: dict[str, Any]) -> Position:
        """The position of a message. If the message is bad, nothing is lost."""
        try:
            self._threads.opening = self._choices.make_game(message["game"])
        except GameError as error:
            raise Refusal("refused.game", message=one_line(error)) from None
        try:
            position = Position(self._threads.opening, message["fen"])
            position.go(message["moves"])
        finally:
            self._threads.opening = None
        self._forget()
        return position

    async def _beside(self, message: dict[str, Any], request: int) -> None:
        """Does work that does not disturb a search."""
        match message["type"]:
            case "look":
                position, moves = self._position, message["moves"]
                seen = await self._threads.aside(request, lambda: position.elsewhere(moves).view() | {"roller": None})
                await self._tell("seen", request, **seen)
            case "choose":
                await self._choose(message["places"], request)
            case "read":
                name, text, make_game = message["name"], message["text"], self._choices.make_game
                found = await self._threads.aside(
                    request, lambda: read_file(name, text, self._position.game, make_game)
                )
                await self._tell("read", request, **found._asdict())
            case "prepare":
                self._begin_to_prepare(message["player"], request)
            case "write":
                game, fen, suffix = self._position.game, self._position.fen, message["format"]
                text = await self._threads.aside(
                    request, lambda: write_file(suffix, game, fen, message["moves"], message["ended"], message["cube"])
                )  # fmt: skip
                await self._tell("written", request, format=suffix, text=text)

    async def close(self) -> None:
        """Ends the search and releases everything. The page has left: it is told nothing more."""
        self._send = _tell_nobody
        try:
            await self._end_job()
            await self._threads.run(self._forget)
        finally:  # also when the server ends meanwhile
            self._threads.close()
            self._preparations.close()

    def _forget(self) -> None:
        self._preparations.end()
        self._player.leave()
        self._session = self._report = None

    def _begin(self, job: Any) -> None:
        self._stop = lambda: None  # the player of the job before may be closed
        self._job = asyncio.create_task(job)

    async def _end_job(self) -> None:
        """Ends the running job: a search that has not begun yet is asked to stop until it ends."""
        job, self._report = self._job, None
        if job is None:
            return
        self._cancelled = True
        while not job.done():
            self._stop()
            await asyncio.wait({job}, timeout=_STOPPING)
        self._job = None
        self._cancelled = False

    async def _tell(self, kind: str, request: int, **content: Any) -> None:
        await self._send({"type": kind, "request": request, **content})

    async def _tell_game(self, networks: dict[str, str], request: int) -> None:
        game, choices = self._position.game, self._choices
        players, opponent = choices.players_of(game, networks), choices.opponent_of(networks)
        searches = choices.searches_of(game, networks)
        carried = await self._threads.run(choices.carried_to, game, networks)
        formats = await self._threads.run(formats_of, game, self._position.fen)
        await self._tell(
            "game",
            request,
            game=game.name,
            players=players,
            opponent=opponent,
            searches=searches,
            carried=carried,
            levelled=[*networks, "mcts"],
            levels=list(LEVELS),
            formats=formats,
        )

    async def _tell_position(self, request: int) -> None:
        position = self._position
        view = await self._threads.run(lambda: position.view() | {"roller": may_turn(position)})
        await self._tell("position", request, **view)

    def _roll(self) -> None:
        position = self._position
        if position.over or position.side != CHANCE:
            raise MessageError("chance is not to move here")
        position.play(position.game.draw(position.state, self._dice))

    async def _choose(self, places: list[int], request: int) -> None:
        """Sends the values of the actions that begin with the clicked places."""
        if self._report:
            game, state = self._position.game, self._position.state
            layer = values_layer(game, state, self._report.values, tuple(places), self._report.paths)
            await self._tell("overlay", request, overlay=layer)

    async def _failing(self, work: Awaitable[None], request: int) -> None:
        """Does a job, and tells the page if it could not be done."""
        try:
            await work
        except Forfeit as error:
            self._player.leave()
            if not self._cancelled:  # otherwise the program was ended because nobody waits for its answer
                refusal = Refusal("refused.program", message=one_line(error))
                await self._tell("error", request, **error_fields(refusal))
        except (ValueError, OSError, MemoryError) as error:
            await self._tell("error", request, **error_fields(error))
        except Exception as error:  # our fault: the page waits for an answer, and the terminal shows the place
            _log.exception("a search of a page failed")
            await self._tell("error", request, **error_fields(Refusal("refused.fault", message=one_line(error))))

    async def _analysing(self, message: dict[str, Any], request: int) -> None:
        prepares = prepared_search("analysis", message["search"])
        if not (session := await self._threads.run(self._session_of, message["search"], prepares, prepares=prepares)):
            return

        def tell(found: dict[str, Any], report: Report) -> None:
            def deliver() -> None:
                if not self._cancelled:
                    self._report = report
                    told.append(asyncio.ensure_future(self._tell("analysis", request, **found)))

            self._threads.call_soon(deliver)

        told = list[asyncio.Future[None]]()
        self._stop = session.stop
        if not self._cancelled:
            await self._threads.run(analyse, session, self._position, message["chances"], tell, prepares=prepares)
        await asyncio.gather(*told, return_exceptions=True)

    def _session_of(self, search: str, prepares: Prepared) -> Session | None:
        """The session of a search, kept with its tree until another is asked for; None if nobody waits any more."""
        if self._session is None or self._session[0] != search:
            self._session = None
            make = partial(self._choices.make_session, search, game := self._position.game)
            if (session := self._made(make, prepares, search, game)) is None:
                return None
            self._session = search, session
        return self._session[1]

    def _made(self, make: Callable[[], Made], prepares: Prepared, name: str, game: Game) -> Made | None:
        """What `make` makes, which another process may have to prepare; None if nobody waits any more."""
        while not self._cancelled:
            if (made := self._preparations.made(make, prepares.what, name, game)) is not None:
                return made
            steps = self._preparations.steps(prepares.what, name, game, lambda: self._cancelled)
            self._threads.tell_steps(None, prepares, name, steps)
        return None

    async def _thinking(self, message: dict[str, Any], request: int) -> None:
        seconds, evaluations = message["seconds"], message["evaluations"]
        if not seconds + evaluations or not await self._threads.run(self._someone_moves):
            raise MessageError("there is nothing to think about, or no time for it")
        prepares = prepared_search("opponent", message["player"])
        if not (asked := await self._asked(message, prepares)) or self._cancelled:
            return
        player, limit = asked
        move = await self._threads.run(player.select, self._position.state, limit, prepares=prepares)
        if self._cancelled:
            return
        await self._threads.run(self._position.play, move.action)
        chances = player.chances if isinstance(player, SearchPlayer) else None
        chance = None if chances is None or move.value is None else chances.of(move.value, move.proven)
        await self._tell("moved", request, value=move.value, proven=move.proven, win_chance=chance)
        await self._tell_position(request)

    async def _asked(self, message: dict[str, Any], prepares: Prepared) -> tuple[Player, Budget] | None:
        """The player of a message, and its limit; None if nobody waits any more.

        While another process prepares that player, a smaller one replies if the limit is a time: results that can be
        repeated never depend on what is compiled.
        """
        name, timed = message["player"], not message["evaluations"]
        player = await self._threads.run(self._player_of, name, prepares, timed, prepares=prepares)
        if player is None:
            return None
        if player.name == smaller(name) != name:
            self._begin_to_prepare(name, _ASIDE)
        self._stop = getattr(player, "stop", lambda: None)
        most = None if isinstance(player, ProgramPlayer) else MOST_SECONDS  # programs have a timeout
        return player, Budget(seconds=message["seconds"] or most, evaluations=message["evaluations"] or None)

    async def _about_cube(self, message: dict[str, Any], request: int) -> None:
        """Asks a player about the doubling cube; the position stays."""
        if not (asked := await self._asked(message, prepares := prepared_search("opponent", message["player"]))):
            return
        player, limit = asked
        yes = await self._threads.run(answered, player, self._position, message, limit, prepares=prepares)
        if not self._cancelled:
            await self._tell("cube", request, offered=message["offered"], yes=yes)

    def _begin_to_prepare(self, name: str, request: int) -> None:
        """Prepares a player unless another one is being prepared."""
        if self._preparing is None or self._preparing.done():
            self._preparing = asyncio.create_task(self._failing(self._prepared(name, request), request))

    async def _prepared(self, name: str, request: int) -> None:
        """Prepares a player; the page goes on meanwhile."""
        prepares = prepared_search("opponent", name)
        try:
            await self._threads.aside(request, lambda: self._prepare(name, prepares, request), prepares)
        finally:
            await self._tell("prepared", request)

    def _prepare(self, name: str, prepares: Prepared, request: int) -> None:
        """Lets another player of this name play one action, so that what it needs is compiled and loaded."""
        game = self._position.game
        if name in self._choices.players:
            return  # programs are started once, when they are to move
        make = partial(self._choices.make_player, name, game)
        if (player := self._preparations.made(make, prepares.what, name, game)) is None:
            steps = self._preparations.steps(prepares.what, name, game)
            self._threads.tell_steps(request, prepares, name, steps, smaller=True)
        else:
            answer(player, game, ONE)

    def _someone_moves(self) -> bool:
        """Whether a player, not chance, is to move."""
        return not self._position.over and self._position.side != CHANCE

    def _player_of(self, name: str, prepares: Prepared, timed: bool) -> Player | None:
        """The player, or a smaller one that replies meanwhile, who has seen the match so far.

        None if nobody waits for it any more.
        """
        page, position = self._player, self._position
        if player := page.held(name, position):
            return player
        make = partial(self._choices.make_player, name, position.game)
        player = self._preparations.made(make, prepares.what, name, position.game)
        if player is None and timed:
            if player := page.held(name := smaller(name), position):
                return player
            player = self._choices.make_player(name, position.game)
        elif player is None and (player := self._made(make, prepares, name, position.game)) is None:
            return None
        page.enter(name, player, position)
        return page.held(name, position)

    async def _reviewing(self, message: dict[str, Any], request: int) -> None:
        """Reviews the match, and sends the findings about each action and the last position."""
        prepares = prepared_search("analysis", message["search"])
        if not (session := await self._threads.run(self._session_of, message["search"], prepares, prepares=prepares)):
            return
        self._stop = session.stop
        review, plies = Review(session, self._position, message["seconds"]), list[AnnotatedPly]()
        while ply := await self._threads.run(review.next, prepares=prepares):
            if self._cancelled:
                return
            plies.append(ply)
            await self._tell("graph", request, **await self._threads.run(review.told, ply))
        if not self._cancelled:
            await self._tell("graph", request, **await self._threads.run(review.told_of_end))
            await self._tell("reviewed", request, accuracy=accuracies(plies))

    async def _trying(self, message: dict[str, Any], request: int) -> None:
        """Judges a move that a person tries instead of a mistake; the position stays."""
        prepares = prepared_search("analysis", message["search"])
        if not (session := await self._threads.run(self._session_of, message["search"], prepares, prepares=prepares)):
            return
        self._stop = session.stop
        action, seconds = message["action"], message["seconds"]
        found = await self._threads.run(tried, session, self._position, action, seconds, prepares=prepares)
        if not self._cancelled:
            await self._tell("tried", request, **found)


async def _tell_nobody(content: dict[str, Any]) -> None: ...


@contextlib.asynccontextmanager
async def page_game(choices: Choices, send: Send) -> Any:
    """The game of a page, closed together with it."""
    made = PageGame(choices, send)
    try:
        yield made
    finally:
        await made.close()
