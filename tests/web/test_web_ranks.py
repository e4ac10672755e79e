"""The table of actions and the principal variation: they agree, or the page says why they do not."""

from dataclasses import replace
from time import thread_time

import pytest

from athenan.games.catalogue import make
from athenan.play.analysis import ActionAnalysis, of_search
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import Mcts, MctsSettings
from athenan.search.searcher import run
from athenan.web.analysing import analyse, note, ranked
from athenan.web.choices import Choices
from athenan.web.position import Position


@pytest.fixture(scope="module")
def searched():
    game = make("tictactoe")
    searcher = Mcts(game, MctsSettings(memory=16 << 20))
    searcher.reset(game.initial())
    return of_search(searcher, run(searcher, Budget(iterations=200)))


def found(searched, line, *actions):
    """An analysis with this variation and actions of (name, value, visits)."""
    rows = [ActionAnalysis(name, value, None, False, visits) for name, value, visits in actions]
    return replace(searched, line=line, actions=rows)


def test_the_line_begins_with_the_first_row(searched):
    one = found(searched, ["b2"], ("b2", 0.5, 90), ("a1", 0.4, 10))
    assert note(one) is None and [row.action for row in ranked(one)] == ["b2", "a1"]


def test_of_equal_actions_the_one_of_the_line_comes_first(searched):
    one = found(searched, ["c3"], ("b2", 0.5, 20), ("a1", 0.5, 20), ("c3", 0.5, 20), ("a2", 0.1, 9))
    assert note(one) is None and [row.action for row in ranked(one)] == ["c3", "b2", "a1", "a2"]


def test_a_line_of_the_most_visited_action_says_so(searched):
    one = found(searched, ["c3"], ("b2", 0.5, 20), ("c3", 0.25, 3_000))
    assert [row.action for row in ranked(one)] == ["b2", "c3"]
    assert note(one) == ("c3", "b2", (3_000, 20))
    other = found(searched, ["c3"], ("b2", 0.5, 20), ("c3", 0.25, 10))
    assert note(other) == ("c3", "b2", None)


def test_the_board_shows_values_of_searched_actions_only():
    """The table marks the others: their values are first estimates."""
    assert not ActionAnalysis("b2", 0.5, None, exact=False, visits=0).searched
    assert ActionAnalysis("b2", 1, 1, exact=True, visits=0).searched
    position, reports = Position(make("hex:5")), []
    session = Choices("tictactoe").make_session("proof", position.game)

    def tell(told, report):
        reports.append(
            ({one["id"] for one in told["actions"] if one["searched"]}, {one.action for one in report.values})
        )
        session.stop()

    analyse(session, position, True, tell)
    assert reports and all(marked == shown for marked, shown in reports)


def test_a_position_without_a_line_has_no_note(searched):
    assert note(found(searched, [], ("b2", 0.5, 20))) is None


def test_a_real_search_is_noted_if_and_only_if_they_differ(searched):
    assert bool(note(searched)) == (ranked(searched)[0].action != searched.line[0])


def test_one_slow_report_does_not_keep_the_next_one_back():
    """As when memory is collected during it; times are those of the thread."""
    position, reports = Position(make("hex:5")), []
    session = Choices("tictactoe").make_session("rollouts", position.game)

    def tell(told, report):
        reports.append(thread_time())
        while len(reports) == 1 and thread_time() < reports[0] + 0.2:
            pass
        if len(reports) == 2:
            session.stop()

    analyse(session, position, True, tell)
    assert reports[1] - reports[0] < 5
