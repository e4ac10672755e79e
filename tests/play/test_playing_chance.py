"""Matches, records, series, sessions, analysis and commands where chance takes part."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pig_variants
import pytest
from scipy.stats import chisquare

from athenan import Budget, Game, GameError, analyze, make
from athenan.arena.human import HumanPlayer
from athenan.arena.results import Duel, from_json
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.cli import main
from athenan.learning.recipe import seconds_per_action
from athenan.play.limit import Clock, Limit
from athenan.play.match import play_match
from athenan.play.player import Move, RandomPlayer
from athenan.play.records import MatchRecord, RecordError
from athenan.play.session import Session
from athenan.rules import CHANCE, State
from athenan.rules.playouts import random_match
from athenan.search.walking.walk_search import Search

PIG = make("pig:10,length=20")
LOADED = pig_variants.make()
GAMES = [PIG, LOADED]


class Rolling:
    """Rolls until the sum of the turn is at least a number, then holds; it notes what it is told."""

    def __init__(self, least: int = 4) -> None:
        self.name, self.least = f"rolling:{least}", least

    def new_match(self, game: Game, seed: int) -> None:
        self.game, self.seen, self.limits = game, list[tuple[int, bytes]](), list[Limit]()

    def select(self, state: State, limit: Limit) -> Move:
        assert self.game.player(state) != CHANCE
        if self.seen:
            assert self.seen[-1][1] == state.tobytes()
        self.limits.append(limit)
        return Move(int(state[10] >= self.least), 0.5)

    def observe(self, action: int, following: State) -> None:
        self.seen.append((action, following.tobytes()))

    def close(self) -> None:
        pass


def rolls(record: MatchRecord) -> list[int]:
    return [ply.action for ply in record.plies if ply.side == CHANCE]


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_what_its_record_says(game: Game) -> None:
    one, other = Rolling(), Rolling(2)
    for seed in range(20):
        record = play_match(game, (one, other), seed=seed)
        state = game.initial()
        for number, ply in enumerate(record.plies):
            assert ply.side == game.player(state)
            assert (ply.seconds is None, ply.value) == ((True, None) if ply.side == CHANCE else (False, 0.5))
            assert one.seen[number] == other.seen[number]
            state = game.play(state, ply.action)
        assert game.outcome(state) == record.outcome
        assert MatchRecord.from_json(json.loads(json.dumps(record.as_json())), game) == record
        assert play_match(game, (one, other), seed=seed).actions == record.actions
        assert rolls(play_match(game, (one, other), seed=seed + 1, dice=seed)) == rolls(record)


@pytest.mark.parametrize("game", GAMES)
def test_matches_draw_by_the_probabilities(game: Game) -> None:
    first = Counter(rolls(play_match(game, (Rolling(), Rolling()), seed=seed))[0] for seed in range(600))
    chance = game.initial() if game.player(game.initial()) == CHANCE else game.play(game.initial(), 0)
    found = [first[int(action)] for action in game.actions(chance)]
    assert chisquare(found, game.probabilities(chance) * 600).pvalue > 1e-4


@pytest.mark.parametrize("game", GAMES)
def test_both_matches_of_a_pair_have_the_same_dice(game: Game) -> None:
    duel = play_series(game, [Rolling(3), Rolling(5)], games=40, random_opening=0, seed=3)
    assert isinstance(duel, Duel)
    for one, other in duel.pairs:
        first, second = rolls(one), rolls(other)
        if game is PIG:  # whose die is the same wherever it is rolled
            both = min(len(first), len(second))
            assert first[:both] == second[:both]
        assert first[0] == second[0]
    assert len({tuple(rolls(one)) for one, _ in duel.pairs}) > 15
    assert from_json(json.loads(json.dumps(duel.as_json())), game) == duel


def test_the_opening_and_what_is_drawn_after_it() -> None:
    record = play_match(PIG, (RandomPlayer(), RandomPlayer()), opening=[0, 4, 1], seed=1)
    assert record.opening == (0, 4, 1)
    record = play_match(PIG, (RandomPlayer(), RandomPlayer()), opening=[0], seed=1)
    assert record.opening == (0, rolls(record)[0])
    assert [ply.side for ply in record.plies[:2]] == [0, CHANCE]
    assert all(ply.side != CHANCE for side in (0, 1) for ply in record.selected(side))
    with pytest.raises(GameError, match="not legal"):
        play_match(PIG, (RandomPlayer(), RandomPlayer()), opening=[0, 0])


def test_clocks_do_not_run_while_dice_roll() -> None:
    one, other = Rolling(), Rolling()
    record = play_match(PIG, (one, other), limit=Clock(60, increment=2), seed=5)
    for side, player in enumerate((one, other)):
        clocks = [limit for limit in player.limits if isinstance(limit, Clock)]
        assert len(clocks) == len(player.limits) == len(record.selected(side))
        increments = [after.left - before.left for before, after in pairwise(clocks)]
        assert all(1.9 < increment <= 2 for increment in increments)


@pytest.mark.parametrize("game", [PIG, make("backgammon:hyper")])
def test_a_clock_counts_decisions(game: Game) -> None:
    """A typical match has typical_length actions, of which the players choose some and chance the others."""
    records = [play_match(game, (RandomPlayer(), RandomPlayer()), seed=seed) for seed in range(60)]
    actions = sum(len(record.plies) for record in records)
    chosen = sum(len(record.selected(side)) for record in records for side in (0, 1))
    assert chosen < 0.9 * actions
    state = next(state for state in states(game) if len(game.actions(state)) > 1 and game.player(state) != CHANCE)
    left = game.typical_length - game.length(state)
    expected = 60 / max(10, left * chosen / actions / 2)
    assert Clock(60).seconds(game, state) == pytest.approx(expected, rel=0.1)
    assert seconds_per_action(game, 5) == pytest.approx(0.3 / (game.typical_length * chosen / actions), rel=0.1)


def states(game: Game) -> Iterator[State]:
    """Those of a random match."""
    state = game.initial()
    for action in random_match(game, 1):
        yield state
        state = game.play(state, action)


def test_a_forced_action_takes_no_time() -> None:
    game = make("backgammon:hyper")
    forced = next(state for state in states(game) if len(game.actions(state)) == 1)
    assert Clock(60).seconds(game, forced) == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plies: plies[1].update(side=0), "side of ply 2"),
        (lambda plies: plies[1].update(action=99), "ply 2: action 99 is not legal"),
        (lambda plies: plies[1].update(action=0), "ply 2: action 0 is not legal"),
        (lambda plies: plies[1].update(seconds=0.5), "seconds of ply 2 of a match cannot be 0.5"),
        (lambda plies: plies[1].update(value="0.5"), "value of a match cannot be '0.5'"),
        (lambda plies: plies[1].update(value=float("nan")), "value of a match cannot be nan"),
        (lambda plies: plies[1].update(proven=1), "proven of ply 2"),
    ],
)
def test_invalid_records_are_refused(change: Any, message: str) -> None:
    data = json.loads(json.dumps(play_match(PIG, (Rolling(), Rolling()), seed=1).as_json()))
    change(data["plies"])
    with pytest.raises(RecordError, match=message):
        MatchRecord.from_json(data, PIG)


def test_a_ply_of_chance_may_have_a_value() -> None:
    """As in matches of self-play, which note what is learnt of every state, and in annotated matches."""
    data = json.loads(json.dumps(play_match(PIG, (Rolling(), Rolling()), seed=1).as_json()))
    assert data["plies"][1]["side"] == CHANCE
    data["plies"][1]["value"] = 0.5
    assert MatchRecord.from_json(data, PIG).plies[1].value == 0.5


def test_chance_neither_resigns_nor_fails() -> None:
    """A player may resign before chance moves, and the outcome says which."""
    data = json.loads(json.dumps(play_match(PIG, (Rolling(), Rolling()), seed=1).as_json()))
    before_chance = {**data, "plies": data["plies"][:1]}
    for outcome in (1, -1):
        assert MatchRecord.from_json({**before_chance, "resigned": True, "outcome": outcome}, PIG).outcome == outcome
    with pytest.raises(RecordError, match="outcome of a match cannot be 0"):
        MatchRecord.from_json({**before_chance, "resigned": True, "outcome": 0}, PIG)
    with pytest.raises(RecordError, match="no player was to move, so none could give up"):
        MatchRecord.from_json({**before_chance, "forfeit": "it crashed", "outcome": 1}, PIG)


def typist(*lines: str) -> tuple[HumanPlayer, list[str]]:
    """A human player who types these lines and then ends the input, and what is shown."""
    shown: list[str] = []
    typed: Iterator[str] = iter((*lines, "resign"))
    return HumanPlayer(lambda prompt: next(typed), shown.append), shown


def test_an_undo_is_no_way_to_roll_again() -> None:
    person, shown = typist("roll", "moves", "undo", "roll", "moves", "undo", "hold")
    record = play_match(PIG, (person, Rolling(100)), seed=11)  # which rolls until a 1 ends its turn
    drawn = [line.split()[1] for line in shown if line.startswith("roll ")]
    assert len(drawn) == 2
    assert drawn[0] == drawn[1]
    first = int(drawn[0])
    assert PIG.moves(record.actions).split()[:3] == ["hold", "roll", str(first)]


def test_a_session_rolls() -> None:
    session = Session(Search(PIG))
    with pytest.raises(GameError, match="chance is not to move here"):
        session.roll()
    drawn = Counter[int]()
    for seed in range(300):
        session.new_match(seed)
        session.play("roll")
        action = session.roll()
        assert session.actions == (0, action)
        drawn[action] += 1
        session.undo()
        assert PIG.player(session.state) == CHANCE
    assert chisquare([drawn[action] for action in range(2, 8)]).pvalue > 1e-4
    session.play("4")
    assert PIG.moves(session.actions) == "roll 4"


def expectation(game: Game, state: State, known: dict[bytes, float]) -> float:
    """E(s) by full enumeration."""
    if state.tobytes() not in known:
        outcome = game.outcome(state)
        if outcome is not None:
            return outcome
        values = [expectation(game, game.play(state, int(action)), known) for action in game.actions(state)]
        side = game.player(state)
        known[state.tobytes()] = (
            float(np.dot(game.probabilities(state), values)) if side == CHANCE else (max, min)[side](values)
        )
    return known[state.tobytes()]


SMALL = make("pig:4,length=10")


@pytest.mark.parametrize("moves", ["", "roll", "roll 3", "roll 1 roll"])
def test_analysis_finds_expectations(moves: str) -> None:
    known = dict[bytes, float]()
    state = SMALL.after(moves)
    found = analyze(SMALL, state, Budget(seconds=100))
    assert found.exact
    assert found.proven is None
    assert found.value == pytest.approx(expectation(SMALL, state, known), abs=1e-6)
    assert found.chance == (SMALL.player(state) == CHANCE)
    report = found.as_json()
    assert report["player"] == ("first", "second", "chance")[SMALL.player(state)]
    assert report["proven"] is None
    if not found.chance:
        assert all("probability" not in action for action in report["actions"])
        assert report["best"] == found.line[0]
        return
    assert (found.best, found.line, report["pv"]) == (None, [], [])
    assert [action["action"] for action in report["actions"]] == list("123456")
    assert [action["probability"] for action in report["actions"]] == pytest.approx([1 / 6] * 6)
    for action in found.actions:
        following = SMALL.play(state, SMALL.parse_action(state, action.action))
        assert action.exact
        assert action.value == pytest.approx(expectation(SMALL, following, known), abs=1e-6)
        assert action.proven == (SMALL.outcome(SMALL.play(following, 1)) if following[10] >= 4 else None)


def test_the_probabilities_of_a_loaded_die_are_those_of_its_outcomes() -> None:
    found = analyze(LOADED, None, Budget(iterations=20))
    assert found.chance
    assert [one.probability for one in found.actions] == pytest.approx([1 / 7, 2 / 7, 4 / 7])
    assert make_player("mcts:50", LOADED).name == "mcts:50"


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    def output(*arguments: str) -> str:
        assert main(list(arguments)) == 0
        return capsys.readouterr().out

    shown = output("analyze", "pig:4,length=10", "--moves", "roll")
    value = expectation(SMALL, SMALL.after("roll"), {})
    assert f"expectation exactly {value:+.4g}\n" in shown
    assert "chance to move after 1 action" in shown
    assert "outcome   probability" in shown
    assert "best line" not in shown
    assert "certain win for the first player; value +1, proven" in output("analyze", "pig:4", "--moves", "roll 4")
    assert "nothing is proven" in output("analyze", "pig:50", "--iterations", "5")

    shown = output("play", "pig:10,length=20", "--first", "mcts:20", "--second", "random", "--moves", "roll 3")
    record = play_match(
        PIG, (make_player("mcts:20", PIG), make_player("random", PIG)), [0, 4], seed=0
    )  # fmt: skip
    names = PIG.moves(record.actions).split()
    drawn = [f"chance draws {name}" for name, ply in zip(names, record.plies, strict=True) if ply.side == CHANCE]
    assert [line for line in shown.splitlines() if line.startswith("chance draws")] == drawn


def test_a_series_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "pig:10,length=20", "mcts:30", "random", "--games", "10", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["games"] == 10
    assert report["score"] > 0.5
