"""The doubling cube: its rules in matches and records, and who doubles, takes and drops."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan import make
from athenan.arena.results import Duel, from_json
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.cli import main
from athenan.engines import gnubg
from athenan.engines.process import find_program
from athenan.evaluation.heuristics import make_heuristic
from athenan.games.backgammon.gnubg import Circumstances, external_board
from athenan.games.backgammon.positions import before_roll, position_of
from athenan.play.cube import MOST, Cube, CubeRecord, CubeRules, Offer
from athenan.play.doubling import EFFICIENCY, Searching, cubeful, decider, doubles, takes
from athenan.play.limit import DEFAULT_LIMIT
from athenan.play.match import play_match
from athenan.play.player import Forfeit, PlayerError, RandomPlayer
from athenan.play.records import MatchRecord, RecordError
from athenan.play.search_player import SearchPlayer
from athenan.rules import CHANCE, Game, GameError
from athenan.rules.leaves import Leaves
from athenan.search.budget import Budget
from athenan.search.walking.walk_search import Search

GAME = make("backgammon:hyper")


class Cubing(RandomPlayer):
    """Plays at random, doubles and takes with some probabilities, and notes what it is told."""

    def __init__(self, doubling: float, taking: float) -> None:
        self.chances, self.seen = (doubling, taking), list[Cube]()
        self.asked = list[tuple[str, int, Cube]]()
        self.rules: CubeRules | None = None
        self.dice = np.random.default_rng(5)

    def use_cube(self, rules: CubeRules | None) -> None:
        self.rules = rules

    def see_cube(self, cube: Cube) -> None:
        self.seen.append(cube)

    def doubles(self, state: Any, cube: Cube, limit: Any) -> bool:
        self.asked.append(("double", int(state[1]), cube))
        return bool(self.dice.random() < self.chances[0])

    def takes(self, state: Any, cube: Cube, limit: Any) -> bool:
        self.asked.append(("take", int(state[1]), cube))
        return bool(self.dice.random() < self.chances[1])


def played(*chances: tuple[float, float], seed: int = 0, jacoby: bool = False) -> MatchRecord:
    return play_match(GAME, [Cubing(*one) for one in chances], seed=seed, cube=CubeRules(jacoby))


def of_the_cube(record: MatchRecord) -> CubeRecord:
    assert record.cube
    return record.cube


# -- the rules --------------------------------------------------------------------------------------------------------


def test_the_cube_goes_to_and_fro_up_to_64() -> None:
    values = set()
    for seed in range(10):
        record = played((1, 1), (1, 1), seed=seed)
        cube = of_the_cube(record)
        for number, (offer, following) in enumerate(zip(cube.offers, [*cube.offers[1:], None], strict=True)):
            assert offer.taken
            assert 2**number < MOST
            assert following is None or following.side == 1 - offer.side
        end = GAME.replay(record.actions)
        assert record.score == 2 ** len(cube.offers) * GAME.score(end)
        assert record.outcome == GAME.outcome(end)
        values.add(cube.cube.value)
    assert MOST in values


def test_a_drop_ends_the_match_at_what_the_cube_showed() -> None:
    record = played((0, 0), (1, 1))
    (offer,) = of_the_cube(record).offers
    assert (offer.side, offer.taken, offer.ply) == (1, False, len(record.plies))
    assert (record.score, record.outcome, record.resigned) == (-1, -1, False)
    redoubled = next(
        record for seed in range(20) if len(of_the_cube(record := played((1, 1), (1, 0.0), seed=seed)).offers) > 1
    )
    assert (of_the_cube(redoubled).cube.value, redoubled.score) in ((2, 2), (2, -2), (1, 1))


def test_players_are_asked_when_they_may_double() -> None:
    """Before their rolls but the first, the cube in the middle or their own; both know the cube."""
    for seed in range(10):
        players = Cubing(0.3, 1), Cubing(0.3, 1)
        record = play_match(GAME, players, seed=seed, cube=CubeRules())
        offers = {offer.ply: offer for offer in of_the_cube(record).offers}
        asked = [list(player.asked) for player in players]
        state, cube = GAME.initial(), Cube()
        for number, action in enumerate(record.actions):
            side = int(state[1])
            if number and GAME.player(state) == CHANCE and cube.value < MOST and cube.owner in (None, side):
                assert asked[side].pop(0) == ("double", side, cube)
                if number in offers:
                    assert asked[1 - side].pop(0) == ("take", side, cube)
                    cube = Cube(2 * cube.value, 1 - side)
            state = GAME.play(state, action)
        assert asked == [[], []]
        assert players[0].seen == players[1].seen
        assert [one for one in players[0].seen if one.value > 1] == [
            CubeRecord(offers=of_the_cube(record).offers[: number + 1]).cube for number in range(len(offers))
        ]


def test_jacobys_rule() -> None:
    seeds = range(40)
    plain, jacoby = ([played((0, 1), (0, 1), seed=seed, jacoby=rule) for seed in seeds] for rule in (False, True))
    assert {abs(record.score or 0) for record in plain} == {1, 2, 3}
    assert {abs(record.score or 0) for record in jacoby} == {1}
    turned = [played((1, 1), (0, 1), seed=seed, jacoby=True).score for seed in seeds]
    assert {abs(score or 0) for score in turned} >= {2, 4}


def test_without_a_cube_nothing_is_asked_or_written() -> None:
    player = Cubing(1, 1)
    play_match(GAME, [player, RandomPlayer()], cube=CubeRules())
    asked = len(player.asked)
    record = play_match(GAME, [player, RandomPlayer()])
    assert (record.cube, player.rules, len(player.asked)) == (None, None, asked)
    assert "cube" not in record.as_json()


class Failing(Cubing):
    """A program that fails when it is asked about the cube: to double or to take."""

    def __init__(self, asked: str) -> None:
        super().__init__(1, 1)
        self.fails = asked

    def doubles(self, state: Any, cube: Cube, limit: Any) -> bool:
        return self._answered("double")

    def takes(self, state: Any, cube: Cube, limit: Any) -> bool:
        return self._answered("take")

    def _answered(self, asked: str) -> bool:
        if asked == self.fails:
            raise Forfeit(f"it did not answer whether to {asked}")
        return asked == "take"


@pytest.mark.parametrize("asked", ["double", "take"])
@pytest.mark.parametrize("side", [0, 1])
def test_who_fails_to_decide_loses(side: int, asked: str) -> None:
    players = [Failing(asked), Cubing(asked == "take", 1)]
    record = play_match(GAME, players[:: 1 - 2 * side], seed=3, cube=CubeRules())
    assert (record.forfeit, record.outcome) == (f"it did not answer whether to {asked}", 2 * side - 1)
    assert (record.score, of_the_cube(record).offers) == (None, ())
    data = json.loads(json.dumps(record.as_json()))
    assert MatchRecord.from_json(data, GAME) == record
    with pytest.raises(RecordError, match="outcome"):
        MatchRecord.from_json(data | {"outcome": 0}, GAME)


def test_only_backgammon_has_a_cube() -> None:
    with pytest.raises(GameError, match="tictactoe is played without a doubling cube"):
        play_match(make("tictactoe"), [RandomPlayer(), RandomPlayer()], cube=CubeRules())


# -- records ----------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.sampled_from([0.0, 0.1, 1.0])] * 2), st.tuples(*[st.sampled_from([0.0, 0.7, 1.0])] * 2),
    st.integers(0, 10**6), st.booleans(),
)  # fmt: skip
def test_records_are_read_as_they_were_written(
    doubling: tuple[float, float], taking: tuple[float, float], seed: int, jacoby: bool
) -> None:
    record = played(*zip(doubling, taking, strict=True), seed=seed, jacoby=jacoby)
    assert MatchRecord.from_json(json.loads(json.dumps(record.as_json())), GAME) == record


def written(**chances: tuple[float, float]) -> dict[str, Any]:
    record = played(chances.get("one", (1, 1)), chances.get("other", (1, 1)), seed=3)
    data: dict[str, Any] = json.loads(json.dumps(record.as_json()))
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["cube"]["offers"][0].update(side=1 - data["cube"]["offers"][0]["side"]), "double 1 is not"),
        (lambda data: data["cube"]["offers"][0].update(ply=0), "double 1 is not possible after 0 plies"),
        (lambda data: data["cube"]["offers"][0].update(ply=10**6), "double 1 is not possible after 1000000 plies"),
        (lambda data: data["cube"]["offers"][0].update(taken=False), "continues after double 1"),
        (lambda data: data["cube"]["offers"].reverse(), "double"),
        (lambda data: data["cube"]["offers"].clear(), "score"),
        (lambda data: data["cube"]["offers"][0].update(ply="1"), "ply"),
        (lambda data: data["cube"].update(jacoby=1), "jacoby"),
        (lambda data: data["cube"].update(offers=3), "offers"),
        (lambda data: data.update(cube=[]), "CubeRecord must be an object"),
        (lambda data: data.update(score=-data["score"]), "score"),
    ],
)
def test_records_that_are_not_valid(change: Callable[[dict[str, Any]], Any], message: str) -> None:
    data = written()
    change(data)
    with pytest.raises(RecordError, match=message):
        MatchRecord.from_json(data, GAME)


def test_series_count_points_with_the_cube() -> None:
    duel = play_series(GAME, [Cubing(0.2, 0.8), Cubing(0.1, 0.5)], games=10, seed=2, cube=CubeRules())
    assert isinstance(duel, Duel)
    assert duel.points
    assert duel.points[0] == pytest.approx(
        np.mean([(match.score or 0) * (-1) ** number for number, match in enumerate(duel.matches)])
    )
    counts = duel.report()["cube"]
    assert counts["doubles"] == counts["takes"] + counts["drops"] > 0
    assert counts["highest"] == max(of_the_cube(match).cube.value for match in duel.matches)
    assert from_json(duel.as_json(), GAME) == duel
    assert "cube" not in play_series(GAME, [RandomPlayer(), RandomPlayer()], games=2).report()


# -- decisions --------------------------------------------------------------------------------------------------------


def turning_point(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition begins to hold."""
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low


def test_janowskis_points_without_gammons() -> None:
    """By hand: the take point is (L - 1/2) / (W + L + x/2), and so on; probabilities of winning."""
    own = Cube(2, 0)
    assert turning_point(takes, -1, 1) == pytest.approx(2 * (0.5 / (2 + EFFICIENCY / 2)) - 1)
    assert turning_point(lambda equity: doubles(equity, Cube()), -1, 1) == pytest.approx(2 * 0.6875 - 1)
    assert turning_point(lambda equity: doubles(equity, own), -1, 1) == pytest.approx(2 * 0.7142857 - 1)
    assert turning_point(lambda equity: takes(equity, last=True), -1, 1) == pytest.approx(-0.5)


def test_too_good_to_double() -> None:
    """Who expects more than a point plays on for the gammon, if that counts."""
    for equity in (0.8, 1.0):
        assert doubles(equity, Cube())
    for cube in (Cube(), Cube(2, 0)):
        assert not doubles(1.5, cube)
    assert doubles(1.5, Cube(), jacoby=True)
    assert not doubles(1.5, Cube(2, 0), jacoby=True)


@given(st.floats(-3, 3), st.booleans(), st.booleans())
def test_a_cube_is_worth_something_to_its_owner(equity: float, owned: bool, available: bool) -> None:
    found = cubeful(equity, owned, available)
    assert found == pytest.approx(-cubeful(-equity, available, owned))
    assert cubeful(equity, True, False) + 1e-9 >= found >= cubeful(equity, False, True) - 1e-9
    assert -3 <= found <= 3


def searching(value: float, heuristic: str = "score") -> SearchPlayer:
    """A player whose network says the same of all states."""

    def evaluate(planes: np.ndarray) -> Leaves:
        return Leaves(np.full(len(planes), value, np.float32))

    return SearchPlayer("mine", Search(GAME, evaluate, make_heuristic(heuristic, GAME)), Budget(iterations=1))


def test_a_player_that_searches_decides_by_its_expectation() -> None:
    position = position_of(GAME.initial(), 0)
    for side in (0, 1):
        state = before_roll(GAME, position, side)
        for value, wanted in ((0.6, (True, False)), (0.0, (False, True)), (-0.6, (False, True))):
            one = decider(searching(value if side == 0 else -value))
            one.use_cube(CubeRules())
            assert (one.doubles(state, Cube(), DEFAULT_LIMIT), one.takes(state, Cube(), DEFAULT_LIMIT)) == wanted


def test_a_player_that_searches_for_something_else_cannot_decide() -> None:
    with pytest.raises(PlayerError, match="its values are neither points nor wins"):
        Searching(searching(0.0, "additive_depth"))
    Searching(searching(0.0, "classic"))


def test_players_with_a_cube_in_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "backgammon:hyper", "mcts:20", "random", "--games", "4", "--cube"]) == 0
    assert " taken, " in capsys.readouterr().out
    assert main(["match", "tictactoe", "random", "random", "--cube"]) == 2
    assert "tictactoe is played without a doubling cube" in capsys.readouterr().err
    assert main(["match", "backgammon", "random", "random", "--jacoby"]) == 2
    assert "--jacoby is a rule of the doubling cube: give --cube as well" in capsys.readouterr().err


# -- GNU Backgammon ---------------------------------------------------------------------------------------------------


class Answering:
    """A transport that gives one answer, and keeps what it was asked."""

    name = "gnubg"

    def __init__(self, answer: str) -> None:
        self.answer, self.asked, self.closed = answer, list[str](), False

    def send(self, line: str) -> None:
        self.asked.append(line)

    def receive(self, seconds: float) -> str:
        return self.answer

    def close(self) -> None:
        self.closed = True


STANDARD = make("backgammon")


@pytest.mark.parametrize(("answer", "doubled", "taken"), [("double", True, None), ("roll", False, None),
    ("take", None, True), ("beaver", None, True), ("drop", None, False), ("8/5 6/5", None, None)])  # fmt: skip
def test_answers_about_the_cube(answer: str, doubled: bool | None, taken: bool | None) -> None:
    launched = list[tuple[CubeRules | None, Answering]]()

    def launch(rules: CubeRules | None) -> Answering:
        launched.append((rules, Answering(answer)))
        return launched[-1][1]

    player, state = (
        gnubg.GnubgPlayer(STANDARD, "gnubg", launch),
        before_roll(STANDARD, position_of(STANDARD.initial(), 0)),
    )
    player.use_cube(CubeRules(jacoby=True))
    player.use_cube(CubeRules(jacoby=True))
    assert [rules for rules, _ in launched] == [None, CubeRules(jacoby=True)]
    assert [transport.closed for _, transport in launched] == [True, False]
    for ask, wanted in ((player.doubles, doubled), (player.takes, taken)):
        if wanted is None:
            with pytest.raises(Forfeit, match="about the cube, not"):
                ask(state, Cube(4, 0), DEFAULT_LIMIT)
        else:
            assert ask(state, Cube(4, 0), DEFAULT_LIMIT) == wanted
    offered = external_board(state, around=Circumstances(cube=4, may_double=(True, False)))
    assert launched[1][1].asked == [offered, external_board(state, around=Circumstances(was_doubled=True))]


def race(game: Game, own: int, other: int) -> Any:
    """A player with so many checkers left on the ace point is about to roll; the other has as many on six."""
    one, two = [15 - own, own] + [0] * 24, [0] * 26
    two[0], two[6] = 15 - other, other
    return before_roll(game, (one, two))


@pytest.mark.skipif(find_program("gnubg") is None, reason="gnubg is not installed")
def test_gnubg_decides_and_plays_with_the_cube() -> None:
    player: Any = make_player("gnubg", STANDARD)
    try:
        player.use_cube(CubeRules())
        for cube in (Cube(), Cube(2, 0)):
            assert player.doubles(race(STANDARD, 5, 5), cube, DEFAULT_LIMIT)
            assert not player.takes(race(STANDARD, 5, 5), cube, DEFAULT_LIMIT)
            assert player.takes(race(STANDARD, 14, 2), cube, DEFAULT_LIMIT)
            assert not player.doubles(race(STANDARD, 14, 2), cube, DEFAULT_LIMIT)
        records = [play_match(STANDARD, [player, player], seed=seed, cube=CubeRules(True)) for seed in range(4)]
    finally:
        player.close()
    assert any(of_the_cube(record).offers for record in records)
    for record in records:
        assert MatchRecord.from_json(json.loads(json.dumps(record.as_json())), STANDARD) == record
    assert Offer(0, 0, True) not in records[0].cube.offers  # type: ignore[union-attr]
