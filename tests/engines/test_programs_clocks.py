"""Whole matches against clocks of other programs, in virtual time: overtime is used, and never exceeded."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from protocol_servers import Told

from athenan import Budget, Clock
from athenan.engines.engine import Engine, ThinkingOptions
from athenan.engines.gtp import server as gtp_server
from athenan.engines.gtp.client import clock_commands
from athenan.engines.gtp.server import GtpServer
from athenan.engines.hub.server import HubServer
from athenan.engines.serving import Server, Write
from athenan.engines.uci.dialect import DIALECTS
from athenan.engines.uci.server import UciServer
from athenan.play.analysis import Analysis
from athenan.play.limit import Limit, budget_of
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.monte_carlo.mcts import Mcts

LAG, MARGIN = 0.06, 0.1


def _player(game: Game) -> SearchPlayer:
    """A player without a limit of its own."""
    return SearchPlayer("uct", Mcts(game))


class Virtual:
    """The clock of a server whose searches take exactly their limit, and then `LAG` until the answer has arrived."""

    def __init__(self, server: Callable[[Engine, Write], Server], game: str) -> None:
        self.now, self.told = 0.0, Told(server, game, _player, ThinkingOptions(margin=MARGIN))
        engine = self.told.engine
        search = engine.session.think

        def think(limit: Limit, *_: object) -> Analysis:
            self.now += (budget_of(limit, engine.game, engine.session.state).seconds or 0.0) + LAG
            return search(Budget(iterations=1))

        def start(limit: Limit, *_: object) -> None:
            think(limit)

        engine.think = think  # type: ignore[method-assign,assignment]
        engine.start = start  # type: ignore[method-assign,assignment]

    def __call__(self, line: str) -> float:
        """The seconds that a line takes."""
        began = self.now
        self.told.server.handle(line)
        return self.now - began


@dataclass
class Canadian:
    """A referee's clock as GoGui keeps it: the action in which overtime begins is the first one of its period."""

    main: float
    period: float
    stones: int
    used: float = 0.0
    left: int = 0
    spent: list[float] = field(default_factory=list)
    """The seconds of the actions that began in overtime."""

    def stop(self, seconds: float) -> None:
        if self.left:
            self.spent.append(seconds)
        self.used += seconds
        if not self.left and self.used > self.main:
            self.used, self.left = self.used - self.main, self.stones
        if self.left:
            assert self.used <= self.period, f"{self.used} s in a period of {self.period} s"
            self.left -= 1
            if not self.left:
                self.used, self.left = 0.0, self.stones

    @property
    def shown(self) -> str:
        """What `time_left` reports, in whole seconds."""
        return f"{int((self.period if self.left else self.main) - self.used)} {self.left}"


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch) -> Virtual:
    virtual = Virtual(GtpServer, "go:5")
    monkeypatch.setattr(gtp_server, "perf_counter", lambda: virtual.now)
    return virtual


@pytest.mark.parametrize("reports", [False, True])
@pytest.mark.parametrize(
    ("main", "period", "stones"), [(4, 3, 2), (0, 3, 2), (60, 10, 5), (10, 5, 1), (20, 30, 25), (1, 2, 1), (7, 40, 3)]
)
def test_overtime_is_used_for_ever_and_never_exceeded(
    go: Virtual, main: float, period: float, stones: int, reports: bool
) -> None:
    go(f"time_settings {main} {period} {stones}")
    share = period / stones
    for clocks in _played(go, {side: Canadian(main, period, stones) for side in "bw"}, reports):
        assert len(clocks.spent) > 10
        typical = sorted(clocks.spent)[len(clocks.spent) // 2]
        assert share - MARGIN - reports / stones <= typical <= 1.1 * share


def _played(go: Virtual, clocks: "dict[str, Canadian]", reports: bool) -> "list[Canadian]":
    """The clocks after 80 actions of each side, which are told with `time_left` if `reports`."""
    for number in range(160):
        side = "bw"[number % 2]
        if number % 20 == 0:
            go.told.engine.session.new_match()  # so that the match does not end; the clocks go on
        if reports:
            go(f"time_left {side} {clocks[side].shown}")
        clocks[side].stop(go(f"genmove {side}"))
    return list(clocks.values())


@dataclass
class Japanese(Canadian):
    """A referee's clock with one action in a period, and periods that are lost when they are used up."""

    periods: int = 3

    @property
    def shown(self) -> str:
        """What KGS reports: the periods that are left in the place of the actions."""
        return f"{int((self.period if self.left else self.main) - self.used)} {self.periods if self.left else 0}"


@pytest.mark.parametrize("reports", [False, True])
@pytest.mark.parametrize("command", ["kgs-time_settings", "kata-time_settings"])
@pytest.mark.parametrize(("main", "period", "periods"), [(20, 5, 3), (0, 3, 5), (2, 30, 1)])
def test_no_period_of_japanese_overtime_is_lost(
    go: Virtual, command: str, main: float, period: float, periods: int, reports: bool
) -> None:
    go(f"{command} byoyomi {main} {period} {periods}")
    for clock in _played(go, {side: Japanese(main, period, 1, periods=periods) for side in "bw"}, reports):
        assert len(clock.spent) > 10
        assert all(period - MARGIN - reports <= seconds <= period for seconds in clock.spent)


@pytest.mark.parametrize(("main", "increment"), [(10, 5), (0, 3), (100, 1)])
def test_an_increment_is_used_for_ever(go: Virtual, main: float, increment: float) -> None:
    go(f"kata-time_settings fischer {main} {increment}")
    go(f"time_left b {main + increment} 0")
    left, spent = main + increment, list[float]()
    for number in range(300):
        if number % 20 == 0:
            go.told.engine.session.new_match()
        spent.append(go("genmove b"))
        left = left - spent[-1] + increment
        assert left > 0
    assert sum(spent[-100:]) == pytest.approx(100 * increment, rel=0.15)


def test_settings_of_time_are_read_or_refused(go: Virtual) -> None:
    def told(line: str) -> str:
        go.told.text = ""
        go.told.server.handle(line)
        return go.told.text.strip()

    assert told("kata-list_time_settings") == "= none absolute canadian byoyomi fischer"
    assert told("kgs-time_settings none") == told("kgs-time_settings absolute 60") == "="
    assert told("kgs-time_settings canadian 60 30 5") == "="
    assert (
        told("kgs-time_settings")
        == "? the kind of time settings must be one of none, absolute, canadian, byoyomi, fischer, not ''"
    )
    assert told("kgs-time_settings byoyomi 60 30") == "? byoyomi needs MAIN PERIOD PERIODS"
    assert told("kgs-time_settings byoyomi 60 x 3").startswith("? time_settings must be a number, not 'x'")


@pytest.mark.parametrize(("left", "moves", "increment"), [(60, 40, 0), (10, 10, 1), (5, 1, 0), (3, 3, 2)])
def test_moves_to_go_last_until_more_time_comes(left: float, moves: int, increment: float) -> None:
    uci = Virtual(lambda engine, write: UciServer(engine, write, DIALECTS["uci"]), "breakthrough:5x5")
    hub = Virtual(HubServer, "draughts")
    for _ in range(3):  # periods
        clocks = {"uci": left, "hub": left}
        for go in range(moves, 0, -1):
            uci("position startpos")
            time, added = round(1000 * clocks["uci"]), round(1000 * increment)
            clocks["uci"] -= uci(f"go wtime {time} btime 1 winc {added} binc 0 movestogo {go}")
            hub("pos pos=W" + 20 * "b" + 10 * "e" + 20 * "w")
            hub(f"level moves={go} time={clocks['hub']:.3f} inc={increment}")
            clocks["hub"] -= hub("go think")
            assert min(clocks.values()) > 0
            clocks = {name: one + increment for name, one in clocks.items()}
        assert max(clocks.values()) - increment <= max(0.2 * left, MARGIN * moves)


@pytest.mark.parametrize(
    ("clock", "told"),
    [
        (Clock(60.9), ["time_settings 60 0 0", "time_left black 60 0"]),
        (Clock(60, 2), ["time_settings 58 2 1", "time_left black 58 0"]),
        (Clock(2.4, 2), ["time_settings 0 2 1", "time_left black 2 1"]),
        (Clock(1.5, 5), ["time_settings 0 5 1", "time_left black 1 1"]),
        (Clock(9, 0.5), ["time_settings 9 0 0", "time_left black 9 0"]),
        (Clock(0, overtime=3), ["time_settings 0 3 1", "time_left black 3 1"]),
        (Clock(8, overtime=3), ["time_settings 8 3 1", "time_left black 8 0"]),
    ],
)
def test_programs_are_told_increments_as_overtime(clock: Clock, told: list[str]) -> None:
    assert clock_commands("black", clock) == told
