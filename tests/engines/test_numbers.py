"""The reader of protocols' numbers: what programs send is read within its bounds, anything else is an error."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf, isfinite

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from protocol_servers import Told

from athenan.engines.names import ProtocolName
from athenan.engines.numbers import number, whole
from athenan.engines.protocols import SERVERS

BOUNDS = st.tuples(st.integers(-(10**12), 10**12), st.integers(-(10**12), 10**12)).map(sorted)
NO_NUMBERS = [
    "", " ", "x", "-", "+", ".", "--1", "1 2", " 1", "1\n", "1_000", "0x10", "1,5", "nan", "-nan", "inf", "-Infinity",
    "\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}", "\N{FULLWIDTH DIGIT ONE}", "\N{MINUS SIGN}1", "1e", "e5",
    "9" * 41, "1e9999", "9" * 1_000_000,
]  # fmt: skip


@given(st.integers(), BOUNDS)
def test_a_whole_number_is_read_or_becomes_the_nearest_bound(value: int, bounds: list[int]) -> None:
    least, most = bounds
    if abs(value) < 10**40:
        assert whole("it", str(value), most, least) == sorted((least, value, most))[1]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**15), max_value=10**15), BOUNDS)
def test_a_number_is_read_or_becomes_the_nearest_bound(value: object, bounds: list[int]) -> None:
    least, most = bounds
    expected = sorted((Fraction(least), Fraction(str(value)), Fraction(most)))[1]
    assert number("it", f"{value:f}", most, least) == float(expected)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read(value: float) -> None:
    assert number("it", repr(value), most=float("inf"), least=float("-inf")) == value


@given(st.text(), st.sampled_from([whole, number]))
@example("9" * 1_000_000, whole)
@example("1e400", number)
@example("-1e400", number)
def test_any_text_is_a_number_within_the_bounds_or_an_error_of_one_line(
    text: str, read: Callable[[str, str, int, int], float]
) -> None:
    try:
        found = read("it", text, 100, -5)
    except ValueError as error:
        assert str(error).startswith("it must be a ")
        assert len(str(error)) < 300
        assert str(error).isprintable()
    else:
        assert isfinite(found)
        assert -5 <= found <= 100


@pytest.mark.parametrize("text", NO_NUMBERS, ids=lambda text: ascii(text[:12]))
def test_other_text_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"^it must be a whole number, not '"):
        whole("it", text)
    with pytest.raises(ValueError, match=r"^it must be a number, not '"):
        number("it", text)


def test_a_number_without_bounds_is_the_one_that_was_sent() -> None:
    assert (whole("it", "-3", inf, -inf), whole("it", "9" * 40, inf, -inf)) == (-3, 10**40 - 1)
    assert (number("it", "1e300", inf, -inf), number("it", "1e999", 7)) == (1e300, 7)
    with pytest.raises(ValueError, match=r"^it must be a number, not '1e999'$"):
        number("it", "1e999", most=inf)


def test_fractions_are_no_whole_numbers() -> None:
    for text in ("1.5", "1.0", "1e3", ".5"):
        assert number("it", text) == float(text)
        with pytest.raises(ValueError, match="it must be a whole number"):
            whole("it", text)


def test_a_clock_that_has_run_out_has_no_time() -> None:
    assert (whole("wtime", "-31"), number("time", "-0.5"), str(number("time", "-0"))) == (0, 0.0, "0.0")


WORDS = ("x", "nan", "\N{ARABIC-INDIC DIGIT THREE}")
BEYOND = ("-300", "20000000000")
"""Texts that are no numbers, and numbers that are refused as they were sent."""


@pytest.mark.parametrize(
    ("protocol", "game", "texts", "line", "answer"),
    [
        ("gtp", "go:5", BEYOND, "boardsize {}", "? unacceptable size: go: size must be from 2 to 19, not {}"),
        ("gtp", "go:5", BEYOND, "fixed_handicap {}", "? invalid number of stones: none on a board of 5 x 5, not {}"),
        ("gtp", "go:5", BEYOND, "komi {}", "? go: komi must be from -25 to 25, not {}"),
        ("gomocup", "gomoku:5", BEYOND, "START {}", "ERROR gomoku: size must be from 5 to 19, not {}"),
        ("gtp", "go:5", WORDS, "komi {}", "? komi must be a number, not '{}'"),
        ("gtp", "hex:3", WORDS, "time_left b {} 0", "? time_left must be a number, not '{}'"),
        ("gtp", "hex:3", WORDS, "boardsize {}", "? boardsize must be a whole number, not '{}'"),
        ("uci", "hex:3", WORDS, "go movetime {}", "info string error: movetime must be a whole number, not '{}'"),
        ("aei", "arimaa:200", WORDS, "setoption name tcmove value {}", "log Error: tcmove must be a number, not '{}'"),
        ("gomocup", "gomoku:5", WORDS, "INFO timeout_turn {}", "MESSAGE timeout_turn must be a whole number, not '{}'"),
        ("gomocup", "gomoku:5", WORDS, "START {}", "ERROR the size of the board must be a whole number, not '{}'"),
        ("hub", "draughts", WORDS, "level move-time={}", "error message=\"move-time must be a number, not '{}'\""),
    ],
)  # fmt: skip
def test_every_protocol_says_so_in_one_sentence(
    protocol: ProtocolName, game: str, texts: Sequence[str], line: str, answer: str
) -> None:
    for text in texts:
        assert Told(SERVERS[protocol], game)(line.format(text))[0] == answer.format(text)
