"""Analysis of many positions: queries and answers in JSON lines, against the documented schema and `analyze`."""

import json
import re
import threading
from pathlib import Path

import pytest
from clocks import Ticking
from evaluators import hash_values, of_values
from fuzzing import lines_like
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from protocol_servers import PATIENCE

from athenan import Budget, Search, analyze, make
from athenan.cli import main
from athenan.engines.queries.messages import QueryError, read
from athenan.engines.queries.server import QueryServer, serve
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.clock import CLOCKS
from athenan.search.named import SEARCHES, make_search

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "queries.schema.json").read_text())
EVALUATE = of_values(hash_values)


def validator(which):
    return Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{which}"})


INPUT, OUTPUT = validator("input"), validator("output")


class Asked:
    """A server with its answers, each of which must fit the schema."""

    def __init__(self, game="tictactoe", slots=4, budget=Budget(iterations=30), algorithm="ubfm", **more):
        search = make_search(
            make(game), EVALUATE, settings=SEARCHES[algorithm](**more), slots=slots, memory=slots << 25
        )
        self.answers, self._answered = [], threading.Condition()
        self.server = QueryServer(search, budget, self.take, "1.0")

    def take(self, line):
        assert line.endswith("\n") and "\n" not in line[:-1]
        with self._answered:
            self.answers.append(json.loads(line))
            self._answered.notify_all()
        OUTPUT.validate(self.answers[-1])

    def wait_for(self, name):
        """Waits for an answer with this id."""
        with self._answered:
            assert self._answered.wait_for(lambda: any(one["id"] == name for one in self.answers), PATIENCE)

    def ask(self, *messages):
        for message in messages:
            self.server.handle(message if isinstance(message, str) else json.dumps(message))
        return self

    def finish(self):
        while self.server.step():
            pass
        return self.answers

    def final(self):
        """The last answers of positions by query and turn."""
        return {(one["id"], one["turnNumber"]): one for one in self.answers if one.get("isDuringSearch") is False}


def without_time(answer):
    return {name: value for name, value in answer.items() if name not in ("seconds", "id", "turnNumber")}


@pytest.mark.parametrize("algorithm", ["ubfm", "descent", "alphabeta"])
def test_answers_are_those_of_analyze(algorithm):
    moves = ["b2", "a1", "b1", "b3"]
    asked = Asked(slots=3, algorithm=algorithm, budget=Budget(iterations=4))
    asked.ask({"id": "all", "moves": moves, "analyzeTurns": [0, 1, 2, 3, 4]}, {"id": "short", "iterations": 2}).finish()
    found = asked.final()
    assert len(asked.answers) == len(found) == 6
    for turn in range(5):
        alone = analyze(
            "tictactoe", " ".join(moves[:turn]), Budget(iterations=4), EVALUATE, settings=SEARCHES[algorithm]()
        )
        told = {**alone.as_json(), "isDuringSearch": False}
        assert without_time(found["all", turn]) == without_time(told)
    assert found["short", 0]["iterations"] == 2


def test_each_position_is_searched_with_its_own_budget():
    asked = Asked("hex:3", slots=2)
    asked.ask({"id": "i", "iterations": 7}, {"id": "e", "evaluations": 20}, {"id": "s", "seconds": 0.02}).finish()
    found = asked.final()
    assert found["i", 0]["iterations"] == 7
    assert found["e", 0]["evaluations"] >= 20 > found["e", 0]["evaluations"] - 9
    assert found["s", 0]["seconds"] >= 0.02 or found["s", 0]["proven"]


def test_positions_are_searched_by_priority():
    asked = Asked(slots=1, budget=Budget(iterations=5))
    asked.ask(
        {"id": "low", "priority": -1}, {"id": "first"}, {"id": "second"}, {"id": "high", "priority": 3},
        {"id": "turns", "moves": "a1 b1", "analyzeTurns": [0, 1], "priorities": [1, 2]},
    ).finish()  # fmt: skip
    order = [(one["id"], one["turnNumber"]) for one in asked.answers]
    assert order == [("high", 0), ("turns", 1), ("turns", 0), ("first", 0), ("second", 0), ("low", 0)]


def test_reports_during_the_search(monkeypatch):
    monkeypatch.setitem(CLOCKS, "wall", Ticking(0.01))
    asked = Asked("hex:5", slots=2, budget=Budget(seconds=0.3))
    asked.ask({"id": "told", "reportDuringSearchEvery": 0.045}, {"id": "quiet"}).finish()
    during = [one for one in asked.answers if one.get("isDuringSearch")]
    assert 3 <= len(during) <= 6 and {one["id"] for one in during} == {"told"}
    counts = [one["iterations"] for one in during] + [asked.final()["told", 0]["iterations"]]
    assert counts == sorted(counts)


def test_terminate_ends_what_waits_and_what_is_searched():
    asked = Asked("hex:5", slots=1, budget=Budget(seconds=1000))
    asked.ask({"id": "a"}, {"id": "b", "moves": "c3 b2", "analyzeTurns": [0, 1, 2], "iterations": 2})
    asked.server.step()
    asked.server.step()
    asked.ask({"id": "t", "action": "terminate", "terminateId": "b", "turnNumbers": [0, 2]})
    assert asked.answers[0] == {"id": "t", "action": "terminate", "terminateId": "b", "turnNumbers": [0, 2]}
    assert [one["turnNumber"] for one in asked.answers[1:] if one["noResults"]] == [0, 2]
    asked.ask({"id": "again", "action": "terminate", "terminateId": "b", "turnNumbers": [0]})
    asked.ask(
        {"id": "u", "action": "terminate", "terminateId": "a"}, {"id": "n", "action": "terminate", "terminateId": "?"}
    )
    asked.finish()
    assert asked.final()["a", 0]["iterations"] > 0
    assert asked.final()["b", 1]["iterations"] == 2
    assert len(asked.answers) == 8


def test_terminate_all_ends_what_waits_and_what_is_searched():
    asked = Asked("hex:5", slots=2, budget=Budget(seconds=1000))
    asked.ask(*({"id": str(number)} for number in range(5)))
    asked.server.step()
    asked.ask({"id": "t", "action": "terminate_all"}).finish()
    assert len(asked.final()) == 5
    assert sum("noResults" in one for one in asked.answers) == 3
    asked.ask({"id": "0", "iterations": 1}).finish()  # ids are free again, and the slots too
    assert asked.final()["0", 0]["iterations"] == 1


def test_positions_that_are_over_or_of_chance():
    asked = Asked().ask({"id": "over", "moves": "a1 b1 a2 b2 a3"})
    (answer,) = asked.finish()
    assert answer["over"] and answer["proven"] == "win" and answer["best"] is None
    (answer,) = Asked("pig:10,length=12", budget=Budget(iterations=20)).ask({"id": "dice", "moves": "roll"}).finish()
    assert answer["player"] == "chance" and len(answer["actions"]) == 6


def test_positions_by_fen():
    asked = Asked("draughts", slots=1, budget=Budget(iterations=1))
    asked.ask({"id": "f", "fen": "W:W31,32,K5:B1,2"}, {"id": "bad", "fen": "nonsense"}).finish()
    assert asked.final()["f", 0]["player"] == "first"
    assert next(one for one in asked.answers if "error" in one)["field"] == "fen"
    (answer,) = Asked().ask({"id": "none", "fen": "W:W31,32,K5:B1,2"}).answers
    assert "tictactoe has no FEN" in answer["error"]


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        ("nonsense", None, "not JSON"), ("[" * 100_000, None, "nested too deeply"), ("[1]", None, "a JSON object"),
        ('{"id": "a", "seconds": NaN}', None, "not a JSON number"), ("{}", "id", "id is missing"),
        ('{"id": 5}', "id", "id must be a text"), ('{"id": "a", "iteration": 5}', "iteration", "there is no field"),
        ('{"id": "a", "moves": 5}', "moves", "a text, or a list of texts"),
        ('{"id": "a", "moves": [["B", "b2"]]}', "moves", "a text, or a list of texts"),
        ('{"id": "a", "moves": "b2 b2"}', "moves", "move 2: 'b2' is not a legal action"),
        ('{"id": "a", "iterations": 0}', "iterations", "from 1 to"),
        ('{"id": "a", "iterations": true}', "iterations", "a whole number"),
        ('{"id": "a", "seconds": null}', "seconds", "must have a value"),
        ('{"id": "a", "analyzeTurns": [1]}', "analyzeTurns", "from 0 to 0"),
        ('{"id": "a", "analyzeTurns": []}', "analyzeTurns", "a list of whole numbers"),
        ('{"id": "a", "analyzeTurns": [0.0]}', "analyzeTurns", "a list of whole numbers"),
        ('{"id": "a", "analyzeTurns": [0], "priorities": [1, 2]}', "priorities", "for each of analyzeTurns"),
        ('{"id": "a", "action": "stop"}', "action", "terminate or terminate_all or query_version"),
        ('{"id": "a", "action": "terminate"}', "terminateId", "must be given"),
        ('{"id": "a", "action": "query_version", "moves": ""}', "moves", "there is no field"),
    ],
)  # fmt: skip
def test_bad_lines_get_an_error_and_end_nothing(line, field, message):
    asked = Asked().ask({"id": "before", "iterations": 3}, line, {"id": "after", "iterations": 3})
    error = asked.answers[0]
    assert message in error["error"] and error.get("field") == field
    assert ("id" in error) == ('"id": "a"' in line and "NaN" not in line)
    asked.finish()
    assert set(asked.final()) == {("before", 0), ("after", 0)}


def test_an_id_in_use_is_refused():
    asked = Asked().ask({"id": "a"}, {"id": "a"})
    assert "not answered yet" in asked.answers[0]["error"]
    assert len(asked.finish()) == 2


def test_the_version_is_answered():
    assert Asked().ask({"id": "v", "action": "query_version"}).answers == [
        {"id": "v", "action": "query_version", "version": "1.0", "game": "tictactoe"}
    ]


def test_examples_of_the_page():
    text = (DOCS / "queries.md").read_text()
    lines = re.findall(r"^\{.*\}$", text, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        INPUT.validate(json.loads(line))
    found = Asked().ask(*lines)
    found.finish()
    assert set(found.final()) == {("start", 2), ("late", 0), ("late", 4)}
    for field in SCHEMA["$defs"]["query"]["properties"]:
        assert f"`{field}`" in text


numbers = st.integers(-3, 3) | st.sampled_from([0.5, 1e-9, 10**12, 10**13, True, None, "1", 2**31, 2**31 + 1])
FIELDS = {
    "id": st.sampled_from(["a", "", 5, "x" * 1000, "x" * 1001]),
    "moves": st.sampled_from(["", "a1 b1", ["a1"], ["a1 b1"], [""], 7, [5]]),
    "analyzeTurns": st.lists(st.integers(-1, 2) | st.just(2**31 + 1) | st.just(False), max_size=3),
    "seconds": numbers, "iterations": numbers, "evaluations": numbers, "priority": numbers,
    "priorities": st.lists(numbers, max_size=3), "fen": numbers, "reportDuringSearchEvery": numbers,
    "action": st.sampled_from(["terminate", "terminate_all", "query_version", "none", 3]),
    "terminateId": st.sampled_from(["a", 4]), "turnNumbers": st.lists(st.integers(-1, 2), max_size=2),
    "other": numbers,
}  # fmt: skip
messages = st.lists(st.sampled_from(list(FIELDS)), max_size=4, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in ["id", *names]})
)
ACROSS_FIELDS = ("for each of analyzeTurns", "the number of moves")
"""Errors that depend on two fields, which the schema cannot tell."""


@settings(max_examples=150, deadline=None)
@given(messages)
def test_the_schema_is_what_is_read(message):
    try:
        read(json.dumps(message))
    except QueryError as error:
        if not any(text in str(error) for text in ACROSS_FIELDS):
            assert not INPUT.is_valid(message), error
    else:
        INPUT.validate(message)


WORDS = [
    '{"id": "a"', '{"id": "b"', '{"id": 3', '{"action": "terminate_all", "id": "t"}',
    '{"action": "terminate", "id": "t"',
    ', "moves": "a1 b1"', ', "moves": ["b2"]', ', "analyzeTurns": [0]', ', "iterations": 3', ', "terminateId": "a"',
    ', "priority": 2', "}", "}", "}", "{", "]", "null", '"', "1e999", "\\ud800",
]  # fmt: skip


def fuzz(count):
    asked = Asked(slots=3, budget=Budget(iterations=2))
    for number, line in enumerate(lines_like(WORDS, count, seed=1)):
        asked.ask(line)
        if number % 7 == 0:
            asked.server.step()
    asked.finish()
    final = asked.final()
    assert final and any("error" in one for one in asked.answers)
    asked.ask({"id": "last", "iterations": 5}).finish()
    assert asked.final()["last", 0]["iterations"] == 5


def test_every_line_is_answered():
    fuzz(3000)


@pytest.mark.slow
def test_100_000_lines_are_answered():
    fuzz(100_000)


def test_queries_are_taken_while_searches_go_on():
    asked, answered = Asked("hex:5", slots=2, budget=Budget(seconds=1000)), threading.Event()

    def lines():
        yield '{"id": "long"}\n'
        yield '{"id": "short", "iterations": 1}\n'
        asked.wait_for("short")
        yield '{"id": "t", "action": "terminate", "terminateId": "long"}\n'
        answered.set()

    serve(asked.server, lines())
    assert answered.is_set()
    assert set(asked.final()) == {("long", 0), ("short", 0)}


def test_what_reading_raises_comes_after_the_answers():
    asked = Asked(budget=Budget(iterations=1))

    def lines():
        yield '{"id": "a"}'
        raise OSError("the disk has gone")

    with pytest.raises(OSError, match="the disk has gone"):
        serve(asked.server, lines())
    assert set(asked.final()) == {("a", 0)}


def test_reading_pauses_while_many_wait(monkeypatch):
    monkeypatch.setattr("athenan.engines.queries.server.MOST_WAITING", 10)
    asked = Asked(slots=1, budget=Budget(iterations=1))
    most = 0

    def lines():
        nonlocal most
        for number in range(200):
            most = max(most, asked.server.waiting)
            yield json.dumps({"id": str(number)})

    serve(asked.server, lines())
    assert len(asked.final()) == 200 and most <= 10


def test_the_command(tmp_path, capsys, monkeypatch):
    file = tmp_path / "queries.jsonl"
    file.write_text('{"id": "a", "moves": "b2 b1"}\nnonsense\n')
    command = ["analyze", "tictactoe", "--iterations", "1000", "--memory", "64"]
    assert main([*command, "--queries", str(file), "--slots", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line.get("id"): line.get("proven") for line in lines} == {"a": "win", None: None}
    for line in lines:
        OUTPUT.validate(line)
    for arguments, message in (
        (["--queries", "none.jsonl"], "No such file"),
        (["--queries", str(file), "--moves", "a1"], "--queries reads positions"),
        (["--queries", str(file), "--slots", "0"], "--slots must be from 1 to 1,024"),
    ):
        assert main([*command, *arguments]) == 2
        assert message in capsys.readouterr().err


def test_a_search_is_not_disturbed_by_its_neighbours():
    """The random numbers of a slot are those of a search alone."""
    one = Search(make("hex:3"), EVALUATE, settings=Ubfm(), seed=5)
    many = Search(make("hex:3"), EVALUATE, settings=Ubfm(), slots=3)
    many.seed(5, slot=2)
    assert many.forest.random[2] == one.forest.random[0]
