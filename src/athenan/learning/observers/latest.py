"""Notes the latest matches of self-play, with the values that are learnt for their states (`play.latest`)."""

from collections import deque
from math import inf

import numpy as np

from athenan.learning.examples.examples import Examples
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import Progress
from athenan.learning.self_play.protocol import FinishedMatch
from athenan.play.latest import LATEST, MOST, LatestMatch
from athenan.play.records import MatchRecord, Ply
from athenan.rules.game import Game, State
from athenan.runs.checkpoint import Checkpoint, RunDirectory

PLAYER = "self-play"
"""The name of both players."""
_SECONDS = 5.0
"""Seconds between two noted matches, at least: noting them must cost next to nothing."""


class Latest(Observer):
    """Notes the latest matches of a training. Of many within a few seconds it notes only the first."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._lines = deque[str](maxlen=MOST)
        self._noted, self._saved = -inf, True
        self._directory: RunDirectory

    def begin(self, directory: RunDirectory, checkpoint: Checkpoint) -> None:
        """Notes the directory to write to."""
        self._directory = directory

    def checkpoint(self, checkpoint: Checkpoint, progress: Progress) -> None:
        """Writes the matches that were noted. Raises CheckpointError if the file cannot be written."""
        if latest := self.unsaved():
            self._directory.write_text(LATEST, latest)

    def match(self, match: FinishedMatch, progress: Progress) -> None:
        """Notes a match that has ended now, unless another was noted just before."""
        if progress.seconds < self._noted + _SECONDS:
            return
        self._noted, self._saved, game = progress.seconds, False, self._game
        state, plies = game.initial(), list[Ply]()
        for action in match.actions:
            plies.append(Ply(int(action), game.player(state), value=_learnt(match.examples, state)))
            state = game.play(state, action)
        score = None if game.max_score is None else game.score(state)
        record = MatchRecord(game.name, (PLAYER,) * game.players, tuple(plies), match.outcome, score)
        final_value = _learnt(match.examples, state)
        found = LatestMatch(progress.matches, round(progress.seconds, 1), record, final_value)
        self._lines.append(found.as_line(game))

    def unsaved(self) -> str | None:
        """The new contents of the file; None if nothing was noted since the last call."""
        if self._saved:
            return None
        self._saved = True
        return "".join(self._lines)


def _learnt(examples: Examples, state: State) -> float | None:
    """The value that is learnt for a state; None if it is not learnt."""
    length = slice(2, 4)  # equal states have equal lengths, which differ from state to state of a match
    rows = np.flatnonzero((examples.states[:, length] == state[length]).all(1))
    same = rows[(examples.states[rows] == state).all(1)]
    return float(f"{examples.values[same[0]]:.4g}") if same.size else None
