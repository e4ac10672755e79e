"""Counts in the progress of a training what was played and learnt."""

from dataclasses import fields

import numpy as np

from athenan.learning.progress import RECENT, Progress, Record
from athenan.learning.self_play.protocol import FinishedMatch, Spent
from athenan.rules.game import Game

_CURVE = 200  # losses kept for the display


class Counting:
    """Counts in a progress, from where it stands now; for one thread at a time."""

    def __init__(self, game: Game, progress: Progress) -> None:
        self._game, self._progress = game, progress
        self._earlier = Spent(**{item.name: getattr(progress, item.name) for item in fields(Spent)})

    def match(self, match: FinishedMatch) -> None:
        """Counts a finished match."""
        progress = self._progress
        progress.matches += 1
        progress.lengths = [*progress.lengths, len(match.actions)][-RECENT:]
        progress.outcomes = [*progress.outcomes, match.outcome][-RECENT:]
        if self._game.players == 1:
            self._score(match)

    def _score(self, match: FinishedMatch) -> None:
        """Notes the score of a one-player match, and a new record by the match or by one that its search found."""
        game, progress = self._game, self._progress
        progress.scores = [*progress.scores, game.score(game.replay(match.actions))][-RECENT:]
        score = game.score(game.replay(match.line))
        if progress.record is None or score > progress.record.score:
            progress.record = Record(score, progress.matches, game.moves(match.line))

    def spent(self, spent: Spent) -> None:
        """Notes all that actors have spent in this process."""
        for name, so_far in vars(self._earlier + spent).items():
            setattr(self._progress, name, so_far)

    def phase(self, losses: list[float], seconds: float, memory: int) -> None:
        """Counts the minibatches of a learning phase and its time; `memory` items are in replay memory now."""
        progress = self._progress
        if losses:
            progress.losses = [*progress.losses, float(np.mean(losses))][-_CURVE:]
        progress.memory = memory
        progress.learning_seconds += seconds
