"""One page's work: a position and at most one search at a time, which ends at the next request."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np

from athenan.drawing.overlay import values_layer
from athenan.engines.program import ProgramPlayer
from athenan.files.annotation import AnnotatedPly, accuracies
from athenan.play.levels import LEVELS
from athenan.play.player import Forfeit, Player
from athenan.play.search_player import SearchPlayer
from athenan.play.session import Session
from athenan.rules.compilation import Compilation, Watch
from athenan.rules.game import Game, GameError
from athenan.rules.state import CHANCE
from athenan.search.budget import Budget
from athenan.settings import one_line
from athenan.web.analysing import Report, analyse
from athenan.web.choices import Choices
from athenan.web.cube import answered, may_turn
from athenan.web.files import formats_of, read_file, write_file
from athenan.web.messages import MOST_SECONDS, MessageError
from athenan.web.position import Position
from athenan.web.preparing import GAME, Prepared, prepared_search
from athenan.web.refusals import Refusal, error_fields
from athenan.web.reviewing import Review, tried

Send = Callable[[dict[str, Any]], Awaitable[None]]
_ONE = Budget(evaluations=1)
_CALLS = 3
"""Functions compiled at the first position of a game besides the kernels of its rules."""
_STOPPING = 0.02
"""Seconds between two requests to a search to stop."""
_log = logging.getLogger("athenan")


class PageGame:
    """The game of one page. It handles messages one after another.

    Work with rules or a search runs in threads, since it may have to compile them first: in a thread of its own, or
    in another one if it does not disturb a search. Pages share no threads, so that none waits for the work of another.
    """

    def __init__(self, choices: Choices, send: Send) -> None:
        self._choices, self._send = choices, send
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, "search")
        self._others = ThreadPoolExecutor(2, "beside")  # one prepares a player while the other one answers
        self._opened: Position | None = None
        self._request = 0  # the latest one; its page waits for it alone
        self._compiled = 0  # functions, for this request
        self._opening: Game | None = None  # the game that is being opened
        self._job: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._stop: Callable[[], None] = lambda: None
        self._cancelled = False
        self._session: tuple[str, Session] | None = None
        self._player: tuple[str, Player, list[str]] | None = None
        self._report: Report | None = None
        self._dice = np.random.default_rng()

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
        self._request = request  # what is compiled for the job before keeps this request waiting
        await self._end_job()
        self._compiled = 0
        match kind:
            case "open":
                self._opened = await self._in_thread(self._open, message)
                networks = await self._in_thread(self._choices.networks_of, self._opened.game)  # reads their runs
                await self._tell_game(networks, request)
                await self._tell_position(request)
                if networks:
                    self._loop.run_in_executor(None, import_module, "athenan.runs.learnt")
                return None
            case "position":
                await self._in_thread(lambda: self._position.go(message["moves"]))
            case "play":
                await self._in_thread(lambda: self._position.play(message["action"]))
            case "roll":
                await self._in_thread(self._roll)
            case "think" | "cube" | "review" | "try":
                work = {
                    "think": self._thinking, "cube": self._about_cube, "review": self._reviewing, "try": self._trying
                }[kind]  # fmt: skip
                return self._begin(self._failing(work(message, request), request))
            case "analyse":
                if message["on"] and not await self._in_thread(lambda: self._position.over):
                    self._begin(self._failing(self._analysing(message, request), request))
                return None
            case "stop":
                return None
        await self._tell_position(request)

    def _open(self, message: dict[str, Any]) -> Position:
        """The position of a message. If the message is bad, nothing is lost."""
        try:
            self._opening = self._choices.make_game(message["game"])
        except GameError as error:
            raise Refusal("refused.game", message=one_line(error)) from None
        try:
            position = Position(self._opening, message["fen"])
            position.go(message["moves"])
        finally:
            self._opening = None
        self._forget()
        return position

    async def _beside(self, message: dict[str, Any], request: int) -> None:
        """Does work that does not disturb a search."""
        match message["type"]:
            case "look":
                position, moves = self._position, message["moves"]
                seen = await self._aside(request, lambda: position.elsewhere(moves).view() | {"roller": None})
                await self._tell("seen", request, **seen)
            case "choose":
                await self._choose(message["places"], request)
            case "read":
                name, text, make_game = message["name"], message["text"], self._choices.make_game
                found = await self._aside(request, lambda: read_file(name, text, self._position.game, make_game))
                await self._tell("read", request, **found._asdict())
            case "prepare":
                if self._preparing is None or self._preparing.done():  # one at a time
                    work = self._failing(self._prepared(message["player"], request), request)
                    self._preparing = asyncio.create_task(work)
            case "write":
                game, fen, suffix = self._position.game, self._position.fen, message["format"]
                text = await self._aside(
                    request, lambda: write_file(suffix, game, fen, message["moves"], message["ended"], message["cube"])
                )  # fmt: skip
                await self._tell("written", request, format=suffix, text=text)

    async def close(self) -> None:
        """Ends the search and releases everything. The page has left: it is told nothing more."""
        self._send = _tell_nobody
        try:
            await self._end_job()
            await self._in_thread(self._forget)
        finally:  # also when the server ends meanwhile
            self._thread.shutdown(wait=False)
            self._others.shutdown(wait=False)

    def _forget(self) -> None:
        self._leave_player()
        self._session = self._report = None

    def _leave_player(self) -> None:
        if self._player:
            self._player[1].close()
        self._player = None

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any, prepares: Prepared = GAME) -> Any:
        """The result of a function run in a thread of its own; the page is told what is compiled for it."""
        return await self._loop.run_in_executor(self._thread, self._watched, None, prepares, function, *arguments)

    async def _aside(self, request: int, function: Callable[[], Any], prepares: Prepared = GAME) -> Any:
        """The result of a function run in another thread."""
        return await self._loop.run_in_executor(self._others, self._watched, request, prepares, function)

    def _watched(self, request: int | None, prepares: Prepared, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function; the page is told what it compiles, for a request or for the latest one."""

        def compiling(now: Compilation | None) -> None:
            told: dict[str, Any] = {"name": now and now.name}
            if now:
                self._compiled += not now.elsewhere
                number = self._compiled if request is None else now.number
                opening = self._opening
                of = len(opening.table.kernels) + _CALLS if opening else prepares.functions
                told |= {
                    "what": prepares.what, "number": number, "of": of, "kept": now.kept, "elsewhere": now.elsewhere
                }  # fmt: skip
            asked = self._request if request is None else request
            with contextlib.suppress(RuntimeError):  # the server has ended
                self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._tell("compiling", asked, **told)))

        with Watch(compiling, own_thread=True):
            return function(*arguments)

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
        carried = await self._in_thread(choices.carried_to, game, networks)
        formats = await self._in_thread(formats_of, game, self._position.fen)
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
        view = await self._in_thread(lambda: position.view() | {"roller": may_turn(position)})
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
            self._leave_player()
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
        session = await self._in_thread(self._session_of, message["search"], prepares=prepares)

        def tell(found: dict[str, Any], report: Report) -> None:
            def deliver() -> None:
                if not self._cancelled:
                    self._report = report
                    told.append(asyncio.ensure_future(self._tell("analysis", request, **found)))

            self._loop.call_soon_threadsafe(deliver)

        told = list[asyncio.Future[None]]()
        self._stop = session.stop
        if not self._cancelled:
            await self._in_thread(analyse, session, self._position, message["chances"], tell, prepares=prepares)
        await asyncio.gather(*told, return_exceptions=True)

    def _session_of(self, search: str) -> Session:
        """The session of a search, kept with its tree until another is asked for."""
        if self._session is None or self._session[0] != search:
            self._session = None
            self._session = search, self._choices.make_session(search, self._position.game)
        return self._session[1]

    async def _thinking(self, message: dict[str, Any], request: int) -> None:
        seconds, evaluations = message["seconds"], message["evaluations"]
        if not seconds + evaluations or not await self._in_thread(self._someone_moves):
            raise MessageError("there is nothing to think about, or no time for it")
        prepares = prepared_search("opponent", message["player"])
        player, limit = await self._asked(message, prepares)
        move = await self._in_thread(player.select, self._position.state, limit, prepares=prepares)
        if self._cancelled:
            return
        await self._in_thread(self._position.play, move.action)
        chances = player.chances if isinstance(player, SearchPlayer) else None
        chance = None if chances is None or move.value is None else chances.of(move.value, move.proven)
        await self._tell("moved", request, value=move.value, proven=move.proven, win_chance=chance)
        await self._tell_position(request)

    async def _asked(self, message: dict[str, Any], prepares: Prepared) -> tuple[Player, Budget]:
        """The player of a message, and its limit."""
        player: Player = await self._in_thread(self._player_of, message["player"], prepares=prepares)
        self._stop = getattr(player, "stop", lambda: None)
        most = None if isinstance(player, ProgramPlayer) else MOST_SECONDS  # programs have a timeout
        return player, Budget(seconds=message["seconds"] or most, evaluations=message["evaluations"] or None)

    async def _about_cube(self, message: dict[str, Any], request: int) -> None:
        """Asks a player about the doubling cube; the position stays."""
        player, limit = await self._asked(message, prepares := prepared_search("opponent", message["player"]))
        yes = await self._in_thread(answered, player, self._position, message, limit, prepares=prepares)
        if not self._cancelled:
            await self._tell("cube", request, offered=message["offered"], yes=yes)

    async def _prepared(self, name: str, request: int) -> None:
        """Prepares a player; the page goes on meanwhile."""
        try:
            await self._aside(request, lambda: self._prepare(name), prepared_search("opponent", name))
        finally:
            await self._tell("prepared", request)

    def _prepare(self, name: str) -> None:
        """Lets another player of this name play one action, so that what it needs is compiled and loaded."""
        game, state = self._position.game, self._position.state
        if name in self._choices.players or game.outcome(state) is not None or game.player(state) == CHANCE:
            return  # programs are started once, when they are to move
        player = self._choices.make_player(name, game)
        player.new_match(game, 0)
        player.select(state, _ONE)
        player.close()

    def _someone_moves(self) -> bool:
        """Whether a player, not chance, is to move."""
        return not self._position.over and self._position.side != CHANCE

    def _player_of(self, name: str) -> Player:
        """The player, who has seen the match so far."""
        position = self._position
        seen: list[str] = []
        if self._player and self._player[0] == name and position.names[: len(self._player[2])] == self._player[2]:
            player, seen = self._player[1], self._player[2]
        else:
            self._leave_player()
            player = self._choices.make_player(name, position.game)
            seed = int(self._dice.integers(1 << 62))
            if isinstance(player, ProgramPlayer):
                player.new_match(position.game, seed, position.states[0] if position.fen else None)
            else:
                player.new_match(position.game, seed)
        for number in range(len(seen), len(position.actions)):
            if not position.fen or isinstance(player, ProgramPlayer):  # others take each position independently
                player.observe(position.actions[number], position.states[number + 1])
        self._player = name, player, list(position.names)
        return player

    async def _reviewing(self, message: dict[str, Any], request: int) -> None:
        """Reviews the match, and sends the findings about each action and the last position."""
        prepares = prepared_search("analysis", message["search"])
        session = await self._in_thread(self._session_of, message["search"], prepares=prepares)
        self._stop = session.stop
        review, plies = Review(session, self._position, message["seconds"]), list[AnnotatedPly]()
        while ply := await self._in_thread(review.next, prepares=prepares):
            if self._cancelled:
                return
            plies.append(ply)
            await self._tell("graph", request, **await self._in_thread(review.told, ply))
        if not self._cancelled:
            await self._tell("graph", request, **await self._in_thread(review.told_of_end))
            await self._tell("reviewed", request, accuracy=accuracies(plies))

    async def _trying(self, message: dict[str, Any], request: int) -> None:
        """Judges a move that a person tries instead of a mistake; the position stays."""
        prepares = prepared_search("analysis", message["search"])
        session = await self._in_thread(self._session_of, message["search"], prepares=prepares)
        self._stop = session.stop
        action, seconds = message["action"], message["seconds"]
        found = await self._in_thread(tried, session, self._position, action, seconds, prepares=prepares)
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
