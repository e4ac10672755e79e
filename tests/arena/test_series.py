"""Series by the names of the players: openings, early ends, records in files, the same results in any processes."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
from clocks import Ticking

from athenan import jobs
from athenan.arena.pairs import Conditions, Pair, close_players, kept_player, pairs_of, play_pair, played
from athenan.arena.recording import Recording
from athenan.arena.results import Duel
from athenan.arena.roster import PLAYERS, make_player
from athenan.arena.series import play_pairs
from athenan.arena.store import Pairing
from athenan.games.catalogue import make
from athenan.play import match
from athenan.play.cube import CubeRules
from athenan.play.limit import Clock, Limit
from athenan.play.match import MARGIN, Adjudication, play_match
from athenan.play.openings import OpeningChoice, openings, random_openings, read_openings
from athenan.play.player import Forfeit, Move, PlayerError, RandomPlayer
from athenan.play.records import MatchRecord, RecordError
from athenan.rules.game import Game, GameError, State
from athenan.search.budget import Budget

GAME = make("tictactoe")
NAMES = ("mcts:20", "random")
QUICK = Conditions(Budget(iterations=1), seed=3)


# -- Openings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "plies"), [("tictactoe", 2), ("connect_four:4x4", 7), ("pig:4,length=12", 3)])
def test_the_opening_of_a_number_does_not_depend_on_how_many_there_are(name: str, plies: int) -> None:
    game = make(name)
    many = random_openings(game, plies, 40, seed=5)
    assert many[:7] == random_openings(game, plies, 7, seed=5)
    assert many == list(islice(openings(game, OpeningChoice("random", plies, 5)), 40))


def test_random_openings_begin_again_when_all_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.play.openings._MOST", 3)  # so that they are drawn, not listed
    assert sorted(random_openings(GAME, 1, 9, seed=0)) == [(action,) for action in range(9)]
    assert len(random_openings(GAME, 1, 30, seed=0)) == 30


def test_listed_openings(tmp_path: Path) -> None:
    file = tmp_path / "openings"
    file.write_text("\ufeff# two openings, after a byte order mark\nB2  a1\n\nc3 # the corner\n", encoding="utf-8")
    choice = read_openings(file, GAME)
    assert choice.listed == ("b2 a1", "c3")
    assert list(islice(openings(GAME, choice), 3)) == [(4, 0), (8,), (4, 0)]
    for text, message in (
        ("b2\nb2 b2", "line 2: move 2: 'b2' is not a legal action"),
        ("a1 a2 b1 b2 c1", "line 1: after .* the match is over"),
        ("# none", "has no opening"),
    ):
        file.write_text(text)
        with pytest.raises(GameError, match=message):
            read_openings(file, GAME)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(GameError, match="not a text file"):
        read_openings(file, GAME)


def test_too_many_openings_to_play_every_one_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("athenan.play.openings._MOST_LISTED", 8)
    with pytest.raises(GameError, match="more than 8 openings"):
        openings(GAME, OpeningChoice("every", 1))


# -- Early ends ------------------------------------------------------------------------------------------------------


class Saying(RandomPlayer):
    """A random player that says what it was told to say, at each of its actions."""

    def __init__(self, value: float | None = None, proven: Sequence[int | None] = ()) -> None:
        self.value, self.proven = value, list(proven)

    def select(self, state: State, limit: Limit) -> Move:
        move = super().select(state, limit)
        return Move(move.action, self.value, self.proven.pop(0) if self.proven else None)


def through_json(record: MatchRecord) -> MatchRecord:
    return MatchRecord.from_json(json.loads(json.dumps(record.as_json())), make(record.game))


@pytest.mark.parametrize("proven", [1, 0, -1])
def test_a_proof_ends_a_match(proven: int) -> None:
    def players() -> tuple[Saying, Saying]:
        return Saying(), Saying(proven=[None, proven])

    record = play_match(GAME, players(), adjudication=Adjudication(proofs=True))
    assert (record.outcome, len(record.plies), record.adjudicated, record.resigned) == (proven, 4, True, False)
    assert through_json(record) == record
    assert not play_match(GAME, players()).adjudicated  # only if it is asked for


def test_a_proof_by_the_last_action_changes_nothing() -> None:
    winning = make_player("mcts:200", GAME), RandomPlayer()
    record = play_match(GAME, winning, opening=[0, 3, 1, 4], adjudication=Adjudication(proofs=True))
    assert (record.outcome, record.adjudicated, len(record.plies)) == (1, False, 5)


def test_hopeless_values_in_succession_end_a_match() -> None:
    players = Saying(value=-0.5), Saying(value=-0.5)  # values are those of the first player
    record = play_match(GAME, players, adjudication=Adjudication(resign=0.4))
    assert (record.outcome, record.resigned, len(record.plies)) == (-1, True, 4)
    assert through_json(record) == record
    for early in (Adjudication(resign=0.5), Adjudication()):
        assert not play_match(GAME, players, adjudication=early).resigned
    with pytest.raises(ValueError, match="resign must be"):
        Adjudication(resign=-1)


def test_a_player_that_alone_plays_is_not_adjudicated() -> None:
    game = make("morpion:4D,size=9")
    early = Adjudication(proofs=True, resign=0)
    record = play_match(game, [Saying(value=-1.0, proven=[0] * 99)], adjudication=early)
    assert not record.adjudicated and not record.resigned and record.score is not None


@pytest.mark.parametrize(
    ("seconds", "forfeit"), [(MARGIN - 0.01, None), (MARGIN + 0.01, "the clock of random ran out")]
)
def test_who_oversteps_its_time_by_more_than_the_margin_loses(
    seconds: float, forfeit: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock, the second player takes so many seconds for each action."""
    clock, slow, select = Ticking(0), RandomPlayer(), RandomPlayer.select

    def late(state: State, limit: Limit) -> Move:
        clock.now += seconds
        return select(slow, state, limit)

    monkeypatch.setattr(match, "perf_counter", clock)
    monkeypatch.setattr(slow, "select", late)
    record = play_match(GAME, (RandomPlayer(), slow), limit=Clock(0.0))
    assert record.forfeit == forfeit
    assert forfeit is None or (record.outcome, len(record.plies)) == (1, 1)
    assert through_json(record) == record


def test_early_ends_are_counted() -> None:
    full = MatchRecord("g", ("a", "b"), (), 1)
    early = replace(full, resigned=True), replace(full, forfeit="crashed"), replace(full, adjudicated=True), full
    records = [replace(one, players=one.players[:: 1 - 2 * (n % 2)]) for n, one in enumerate(early)]
    report = Duel("g", ("a", "b"), 0, tuple(records)).report()
    assert (report["resigned"], report["forfeits"], report["adjudicated"]) == (1, ["crashed"], 1)


def test_a_player_that_has_failed_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(RandomPlayer):
        def __init__(self, game: Game) -> None:
            self.name, self.actions = "failing", 0
            made.append(self)

        def select(self, state: State, limit: Limit) -> Move:
            self.actions += 1
            if self.actions > 1:
                raise Forfeit("it has crashed")
            return super().select(state, limit)

    made: list[Failing] = []
    monkeypatch.setitem(PLAYERS, "failing", Failing)
    pairs = pairs_of(GAME, ("failing", "random"), QUICK)
    for pair in islice(pairs, 2):
        assert "it has crashed" in {record.forfeit for record in played(pair)}
    assert len(made) == 2


# -- Pairs -----------------------------------------------------------------------------------------------------------


def results(workers: int = 0, count: int = 4, recording: Recording | None = None) -> list[list[MatchRecord]]:
    spread = partial(jobs.run, played, workers=workers)
    *_, series = play_pairs(GAME, NAMES, QUICK, count, spread, recording=recording)
    return [list(pair) for pair in zip(series.matches[::2], series.matches[1::2], strict=True)]


def actions(pairs: list[list[MatchRecord]]) -> list[list[tuple[int, ...]]]:
    return [[match.actions for match in pair] for pair in pairs]


def test_the_same_pairs_in_any_processes() -> None:
    alone = results()
    assert actions(alone) == actions(results(workers=2)) == actions(results(count=6)[:4])
    players = [make_player(name, GAME) for name in NAMES]
    again = [play_pair(GAME, players, pair) for pair in islice(pairs_of(GAME, NAMES, QUICK), 4)]
    assert actions(again) == actions(alone)
    for first, second in alone:
        assert (first.players, second.players) == (NAMES, NAMES[::-1])


def test_a_pair_is_played_under_all_its_conditions() -> None:
    """It knows them, and its pairing, wherever it is played."""
    early = Adjudication(proofs=True)
    conditions = Conditions(Clock(5, 1), OpeningChoice("listed", listed=("a1 b1",)), 5, early)
    pair = pickle.loads(pickle.dumps(next(pairs_of(GAME, NAMES, conditions))))
    assert pair.pairing == Pairing("tictactoe", NAMES, conditions.text)
    assert (pair.opening, pair.conditions) == ((0, 1), conditions)
    records = play_pair(GAME, (Saying(proven=[1, -1]), Saying()), pair)
    assert [(record.adjudicated, record.outcome, len(record.plies)) for record in records] == [
        (True, 1, 3), (True, -1, 4),
    ]  # fmt: skip
    hypergammon, names = make("backgammon:hyper"), ("random", "random")
    with_cube = Conditions(Budget(iterations=1), cube=CubeRules(jacoby=True))
    for record in played(next(pairs_of(hypergammon, names, with_cube))):
        assert record.cube and record.cube.jacoby


def test_what_pairs_depend_on() -> None:
    """Different conditions have different texts, by which results are stored."""
    listed = [OpeningChoice("listed", listed=moves) for moves in (("a1",), ("a1", "b2"))]
    changes = [
        {}, {"seed": 1}, {"limit": Clock(3)}, {"limit": Clock(3, 1)}, {"limit": Budget(seconds=3)},
        {"limit": Budget(iterations=3)}, {"openings": OpeningChoice("every")}, {"openings": OpeningChoice(seed=1)},
        {"openings": OpeningChoice(plies=2)}, {"openings": listed[0]}, {"openings": listed[1]},
        {"adjudication": Adjudication(True)}, {"adjudication": Adjudication(resign=3)},
    ]  # fmt: skip
    assert len({Conditions(**change).text for change in changes}) == len(changes)  # type: ignore[arg-type]


def test_players_are_kept_and_those_of_long_ago_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Closing(RandomPlayer):
        def __init__(self, game: Game, number: int = 0) -> None:
            self.number = number

        def close(self) -> None:
            closed.append(self.number)

    monkeypatch.setitem(PLAYERS, "closing", Closing)
    close_players()
    first = kept_player("closing:0", GAME)
    assert first is kept_player("closing:0", GAME) is not kept_player("closing:0", GAME, copy=1)
    for number in range(1, 7):
        kept_player(f"closing:{number}", GAME)
    assert kept_player("closing:0", GAME) is first and closed == []
    kept_player("closing:7", GAME)
    assert closed == [0]  # the copy
    close_players()
    assert sorted(closed) == [0, 0, 1, 2, 3, 4, 5, 6, 7]


def test_a_job_names_what_it_cannot_play() -> None:
    pair = Pair("tictactoe", ("random", "nobody"), 0, (), QUICK)
    with pytest.raises(PlayerError, match="no player 'nobody'"):
        played(pair)


# -- Records in a file -----------------------------------------------------------------------------------------------


def recording(path: Path, conditions: Conditions = QUICK, game: Game = GAME) -> Recording:
    return Recording(path, Pairing(game.name, NAMES, conditions.text))


def test_a_series_continues_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with recording(path) as file:
        first = results(count=3, recording=file)
    another = Conditions(Budget(iterations=1), seed=9)
    with recording(path, another) as file:
        assert file.finished == {}
        file.add(Pair(GAME.name, NAMES, 0, (), another), first[0])
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for kept, pairs in ((6, 3), (5, 2), (2, 1), (1, 0), (0, 0)):
        for rest in (b"", lines[kept][:50]):  # a kill in the middle of a line
            path.write_bytes(b"".join(lines[:kept]) + rest)
            with recording(path) as file:
                assert file.finished == dict(enumerate(first[:pairs]))
                assert actions(results(count=4, recording=file))[:3] == actions(first)
            assert len(path.read_bytes().splitlines()) == 8
    data = json.loads(lines[0])
    assert data["moves"] == GAME.moves(first[0][0].actions)
    assert (data["pair"], data["part"], data["conditions"]["seed"]) == (0, 0, 3)


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    with recording(tmp_path / "records"), pytest.raises(ValueError, match="being written by another process"):
        recording(tmp_path / "records")


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_what_is_not_a_file_is_refused(device: str) -> None:
    """The matches of /dev/full, which gives zeros without an end, took all memory."""
    with pytest.raises(ValueError, match=f"{device} is not a regular file"):
        recording(Path(device))


def test_a_file_without_an_end_of_line_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    for text in ('{"important": 1}', "notes", '{"pairs": 1'):
        path.write_text(text)
        with pytest.raises(RecordError, match="line 1: this is not a file of matches"):
            recording(path)
        assert path.read_text() == text


def test_files_that_hold_no_matches_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with recording(path) as file:
        results(count=1, recording=file)
    first, second = path.read_text().splitlines()
    illegal = first.replace('"action": ', '"action": 7')
    for text, message in (
        ("a text\n", "line 1: this is not a file of matches"),
        ("[" * 100_000 + "\n", "line 1: this is not a file of matches"),
        ("[1, 2]\n", "line 1: a match was expected"),
        (f"{first}\n{first}\n", "line 2: matches must come in pairs"),
        (f"{second}\n", "line 1: matches must come in pairs"),
        (f"{first}\n{second}\n{illegal}\n{second}\n", "lines up to 4: ply 1: action"),
    ):
        path.write_text(text)
        with pytest.raises(RecordError, match=message):
            recording(path)
        assert path.read_text() == text
