"""The latest matches of self-play, as those who watch a training find them."""

import json

import numpy as np
import pytest
from training import quiet, small

from athenan.games.catalogue import make
from athenan.learning.examples.examples import Examples
from athenan.learning.observers.latest import Latest
from athenan.learning.progress import Progress
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.training import train
from athenan.runs.checkpoint import CheckpointError, load
from athenan.runs.latest import LATEST, MOST, read_latest


def finished(game, moves, values):
    """A match, of which the states have these values, None for those that are not learnt."""
    actions, states = [], [game.initial()]
    for name in moves.split():
        actions.append(game.parse_action(states[-1], name))
        states.append(game.play(states[-1], actions[-1]))
    learnt = [number for number, value in enumerate(values) if value is not None]
    examples = Examples(
        np.array([states[number] for number in learnt]), np.array([values[number] for number in learnt], np.float32)
    )
    return FinishedMatch(actions, game.outcome(states[-1]), examples, actions)


def test_a_training_notes_its_matches(tmp_path):
    """The values are those of the data that it has learnt from."""
    run = train(small("tictactoe", matches=3, heuristic="classic"), tmp_path / "run", quiet())
    (first,) = read_latest(run)  # the others ended within a few seconds of it
    game, saved = make("tictactoe"), load(run)
    end = game.after(first.moves)
    assert (first.number, first.outcome, first.score) == (1, game.outcome(end), None)
    learnt = saved.matches[0]
    for count, value in enumerate(first.values):
        state = game.after(" ".join(first.moves.split()[:count]))
        (row,) = np.flatnonzero((learnt["states"][:, : game.state_size] == state).all(1))
        assert value == pytest.approx(learnt["values"][row], rel=1e-3)
    assert first.values[-1] == game.outcome(end)


def test_a_stochastic_game_of_points(tmp_path):
    run = train(small("pig:6,length=12", matches=1, heuristic="classic"), tmp_path / "run", quiet())
    (match,) = read_latest(run)
    assert len(match.values) == len(match.moves.split()) + 1 and match.values[-1] == match.outcome


def test_few_of_many_matches_are_noted():
    game, progress = make("tictactoe"), Progress(game="tictactoe", directory="")
    latest = Latest(game)
    assert latest.unsaved() is None
    for number in range(4 * MOST):
        progress.matches, progress.seconds = number + 1, 2.0 * number
        latest.match(finished(game, "a1 b1 a2 b2 a3", [0.5, None, 0, None, 0.25, 1]), progress)
    told = latest.unsaved()
    assert len(told["matches"]) == MOST and latest.unsaved() is None
    gaps = np.diff([one["seconds"] for one in told["matches"]])
    assert (gaps >= 5).all() and told["matches"][-1]["values"] == (0.5, None, 0.0, None, 0.25, 1.0)


def whole():
    return {"number": 1, "seconds": 2.5, "moves": "a1 b1", "outcome": 0, "score": None, "values": [0.5, None, 1]}


def test_reads_what_was_written(tmp_path):
    assert read_latest(tmp_path) == []
    (tmp_path / LATEST).write_text(json.dumps({"game": "tictactoe", "matches": [whole()]}))
    assert [one.values for one in read_latest(tmp_path)] == [(0.5, None, 1)]


@pytest.mark.parametrize(
    "damage",
    [
        "", "[]", "{}", "[" * 10_000, '{"matches": 3}', '{"matches": [3]}', '{"matches": [{}]}', b"\xff\xfe\x00",
        {"number": "1"}, {"values": [1, 2]}, {"values": [1, 2, "3"]}, {"values": [1, 2, float("nan")]}, {"outcome": 2},
        {"moves": 3}, {"score": 0.5}, {"more": 1}, {"seconds": True}, {"outcome": []},
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused(tmp_path, damage):
    if isinstance(damage, dict):
        damage = json.dumps({"game": "tictactoe", "matches": [whole() | damage]})
    (tmp_path / LATEST).write_bytes(damage if isinstance(damage, bytes) else damage.encode())
    with pytest.raises(CheckpointError, match="is damaged"):
        read_latest(tmp_path)
