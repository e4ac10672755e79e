"""Grades as data, one observation in a row."""

from collections.abc import Sequence

from athenan.arena.learnt_players import parts_of
from athenan.grading.grades import Grade
from athenan.report.data import Data
from athenan.search.budget import Budget

GRADES, ANSWERS = TABLES = ("grades", "answers")
"""The names of the tables."""
_PLAYER = ("game", "player", "run", "minutes", "settings", "limit")
_OF_GRADE = (
    "kept", "positions", "share", "low", "high", "loss", "seconds_per_action", "processor_seconds_per_action",
)  # fmt: skip
_OF_ANSWER = ("position", "value", "loss", "kept", "seconds", "processor_seconds", "forfeit")


def data(game: str, limit: Budget, grades: Sequence[Grade]) -> list[Data]:
    """The grades of players, and their answers to each position, as the `TABLES`."""
    named = [((game, grade.player, *parts_of(grade.player), limit.in_words), grade) for grade in grades]
    of_grades = [
        (
            *player, grade.kept, len(grade.answers), grade.share, *grade.interval, grade.loss,
            grade.seconds_per_action, grade.processor_seconds_per_action,
        )
        for player, grade in named
    ]  # fmt: skip
    of_answers = [
        (*player, one.number, one.value, one.loss, one.kept, one.seconds, one.processor_seconds, one.forfeit)
        for player, grade in named
        for one in grade.answers
    ]
    return [Data(GRADES, _PLAYER + _OF_GRADE, of_grades), Data(ANSWERS, _PLAYER + _OF_ANSWER, of_answers)]
