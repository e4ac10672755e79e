"""Records of matches, and openings."""

import json
import pickle
from collections import Counter
from typing import Any

import pytest
from scripted_players import Scripted, typist

from athenan.arena.results import from_json
from athenan.arena.roster import make_player
from athenan.arena.series import play_series
from athenan.games.catalogue import make
from athenan.play.match import play_match
from athenan.play.openings import random_openings
from athenan.play.player import RandomPlayer
from athenan.play.records import MatchRecord, RecordError
from athenan.rules.game import Game, GameError, State


@pytest.mark.parametrize("name", ["tictactoe", "othello:4", "morpion:4D,size=9"])
def test_records_go_to_json_and_to_other_processes_and_back(name: str) -> None:
    game = make(name)
    players = [make_player(text, game) for text in ("mcts:20", "random")][: game.players]
    result = play_series(game, players, games=4, seed=3)
    data = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert from_json(data, game) == result == pickle.loads(pickle.dumps(result))
    assert from_json(data, game).report() == result.report()
    for match in result.matches:
        end = game.replay(match.actions)
        assert match.outcome == game.outcome(end)
        assert match.score == (None if game.max_score is None else game.score(end))
    assert any(ply.value is not None for ply in result.matches[0].plies)


def test_a_resigned_match_goes_to_json_and_back() -> None:
    game = make("tictactoe")
    record = play_match(game, (typist("b2", "resign")[0], Scripted()))
    assert MatchRecord.from_json(json.loads(json.dumps(record.as_json())), game) == record


def changed(data: Any, path: list[Any], value: Any) -> Any:
    """A copy of JSON data in which one thing is another."""
    copy = json.loads(json.dumps(data))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["game"], "hex:3"), (["game"], 3), (["players"], ["random"]), (["players"], [1, 2]), (["players"], "random"),
        (["plies"], None), (["plies"], []), (["plies"], [3]), (["plies", 0], {}), (["plies", 0, "action"], 9),
        (["plies", 0, "action"], 10**30), (["plies", 0, "action"], 1.0), (["plies", 0, "action"], True),
        (["plies", 0, "side"], 1), (["plies", 1, "seconds"], -1), (["plies", 1, "seconds"], float("nan")),
        (["plies", 1, "seconds"], "1"), (["plies", 1, "seconds"], 10**400), (["plies", 1, "value"], float("inf")),
        (["plies", 1, "proven"], 2), (["plies", 1, "proven"], True), (["outcome"], 0), (["outcome"], None),
        (["score"], 3), (["resigned"], True), (["resigned"], 0), (["colour"], "red"), (["plies", 0, "colour"], "red"),
        (["plies", 1, "action"], 0), (["plies"], [{}] * 10**4), (["adjudicated"], True), (["adjudicated"], 0),
        (["forfeit"], "crashed"), (["forfeit"], ""), (["forfeit"], 3),
    ],
)  # fmt: skip
def test_what_is_no_record_of_a_match_is_refused(path: list[Any], value: Any) -> None:
    game = make("tictactoe")
    data = play_match(game, (Scripted(), Scripted()), opening=[0]).as_json()
    with pytest.raises(RecordError) as raised:
        MatchRecord.from_json(changed(data, path, value), game)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200
    with pytest.raises(RecordError, match="must be an object"):
        MatchRecord.from_json(value, game)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["game"], "hex:3"), (["players"], ["random"]), (["players"], None), (["players", 0], "mcts:9"),
        (["seed"], 0.5), (["matches"], {}), (["matches"], [None, None]), (["matches", 1], None), (["colour"], 1),
    ],
)  # fmt: skip
def test_what_is_no_record_of_a_series_is_refused(path: list[Any], value: Any) -> None:
    game = make("tictactoe")
    data = play_series(game, (Scripted(), RandomPlayer()), games=4).as_json()
    with pytest.raises(RecordError):
        from_json(changed(data, path, value), game)
    with pytest.raises(RecordError):
        from_json({**data, "matches": data["matches"][:3]}, game)
    with pytest.raises(RecordError):
        from_json([data], game)


# -- Openings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "plies"), [("hex:3", 1), ("tictactoe", 2), ("connect_four", 3), ("othello:6", 4)])
def test_openings_are_legal_and_distinct_before_they_repeat(name: str, plies: int) -> None:
    game = make(name)
    every: dict[tuple[int, ...], State] = {(): game.initial()}
    for _ in range(plies):
        every = {(*o, int(a)): game.play(s, int(a)) for o, s in every.items() for a in game.actions(s)}
    states = len({state.tobytes() for state in every.values()})
    for count in (3, 2 * states):
        openings = random_openings(game, plies, count, seed=1)
        assert len(openings) == count
        assert all(opening in every for opening in openings)
        used = Counter(every[opening].tobytes() for opening in openings)
        assert len(used) == min(count, states)
        assert max(used.values()) == max(1, count // states)
    assert random_openings(game, plies, 3, seed=1) != random_openings(game, plies, 3, seed=2)


def test_openings_at_the_limits() -> None:
    game = make("tictactoe")
    assert random_openings(game, 0, 2, 0) == [(), ()]
    assert all(game.outcome(_after(game, opening)) is None for opening in random_openings(game, 7, 50, 0))
    for plies in (9, 20):
        with pytest.raises(GameError, match=r"openings? of"):
            random_openings(game, plies, 5, 0)
    with pytest.raises(GameError, match="0 or more"):
        random_openings(game, -1, 5, 0)


def _after(game: Game, actions: tuple[int, ...]) -> State:
    state = game.initial()
    for action in actions:
        state = game.play(state, action)
    return state
