"""The latest matches of self-play, as those who watch a training find them."""

import json

import numpy as np
import pytest
from small_trainings import quiet, small

from athenan.cli import analyze, convert
from athenan.files.formats import read_matches
from athenan.games.catalogue import make
from athenan.learning.examples.examples import Examples
from athenan.learning.observers.latest import Latest
from athenan.learning.progress import Progress
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.learning.training import train
from athenan.play.latest import LATEST, MOST, LatestMatch, read_latest
from athenan.rules.state import CHANCE
from athenan.runs.checkpoint import CheckpointError, load


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
    moves = game.moves(first.record.actions)
    end = game.after(moves)
    assert (first.number, first.record.outcome, first.record.score) == (1, game.outcome(end), None)
    learnt = saved.matches[0]
    for count, value in enumerate(first.values):
        state = game.after(" ".join(moves.split()[:count]))
        (row,) = np.flatnonzero((learnt["states"][:, : game.state_size] == state).all(1))
        assert value == pytest.approx(learnt["values"][row], rel=1e-3)
    assert first.values[-1] == game.outcome(end)


def test_a_stochastic_game_of_points(tmp_path):
    run = train(small("pig:6,length=12", matches=1, heuristic="classic"), tmp_path / "run", quiet())
    (match,) = read_latest(run)
    assert len(match.values) == len(match.record.plies) + 1 and match.values[-1] == match.record.outcome


def test_values_of_states_where_chance_is_to_move_stay(tmp_path):
    run = train(small("pig:6,length=12", matches=1, heuristic="classic"), tmp_path / "run", quiet())
    (match,) = read_latest(run)
    assert [ply.value for ply in match.record.plies if ply.side == CHANCE and ply.value is not None]


def test_other_readers_of_matches_read_them(tmp_path, capsys):
    """With the values learnt: they are in the comments of an SGF file; and annotation takes the file."""
    run = train(small("hex:3", matches=1, heuristic="classic"), tmp_path / "run", quiet())
    (match,) = read_latest(run)
    (told,) = read_matches(run / LATEST)
    assert (told.actions, told.outcome) == (match.record.actions, match.record.outcome)
    assert [ply.value for ply in told.plies] == list(match.values[:-1])
    convert.run([str(run / LATEST), str(tmp_path / "match.sgf")])
    (converted,) = read_matches(tmp_path / "match.sgf")
    assert [ply.value for ply in converted.plies] == pytest.approx(list(match.values[:-1]), rel=1e-4)
    capsys.readouterr()
    analyze.run(["hex:3", "--match", str(run / LATEST), "--iterations", "10", "--json"])
    assert len(json.loads(capsys.readouterr().out)["plies"]) == len(match.record.plies)


def test_few_of_many_matches_are_noted():
    game, progress = make("tictactoe"), Progress(game="tictactoe", directory="")
    latest = Latest(game)
    assert latest.unsaved() is None
    for number in range(4 * MOST):
        progress.matches, progress.seconds = number + 1, 2.0 * number
        latest.match(finished(game, "a1 b1 a2 b2 a3", [0.5, None, 0, None, 0.25, 1]), progress)
    told = latest.unsaved()
    assert told
    found = [LatestMatch.from_line(line) for line in told.splitlines()]
    assert len(found) == MOST and latest.unsaved() is None
    gaps = np.diff([one.training_seconds for one in found])
    assert (gaps >= 5).all() and found[-1].values == (0.5, None, 0.0, None, 0.25, 1.0)


def whole():
    """A line of the file as data."""
    latest = Latest(make("tictactoe"))
    values = [0.5, None, 0, None, 0.25, 1]
    latest.match(
        finished(make("tictactoe"), "a1 b1 a2 b2 a3", values), Progress("tictactoe", "", matches=1, seconds=2.5)
    )
    told = latest.unsaved()
    assert told
    return json.loads(told)


def test_reads_what_was_written(tmp_path):
    assert read_latest(tmp_path) == []
    (tmp_path / LATEST).write_text(json.dumps(whole()) + "\n")
    (match,) = read_latest(tmp_path)
    assert (match.number, match.training_seconds, match.values) == (1, 2.5, (0.5, None, 0, None, 0.25, 1))


@pytest.mark.parametrize(
    "damage",
    [
        "", "[]", "{}", "[" * 10_000, '{"game": 3}', "3", "\n\n", b"\xff\xfe\x00", {"number": "1"}, {"number": None},
        {"final_value": "3"}, {"final_value": float("nan")}, {"training_seconds": True}, {"outcome": -1}, {"plies": []},
        {"score": 0.5}, {"outcome": []}, {"plies": [{"action": 9}]},
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused(tmp_path, damage):
    if isinstance(damage, dict):
        damage = json.dumps(whole() | damage)
    (tmp_path / LATEST).write_bytes(damage if isinstance(damage, bytes) else damage.encode())
    with pytest.raises(CheckpointError, match="is damaged"):
        read_latest(tmp_path)
