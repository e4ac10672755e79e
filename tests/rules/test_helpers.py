"""Functions that kernels call: they are compiled into the kernels, and only there."""

import subprocess
import sys

import numpy as np
import pytest
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.errors import TypingError

from athenan.rules.compiler import Kernel, helper, kernel
from athenan.rules.memory import load16, scratch, store16

INTEGER = types.int64(types.int64)


def test_code_is_optimised_only_in_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    @helper
    def double(number):
        return 2 * number

    @helper
    def quadruple(number):
        return double(double(number))

    @kernel(INTEGER)
    def twelvefold(number):
        return double(number) + double(quadruple(number)) + double(number)

    optimised = []
    optimise = JITCodeLibrary._optimize_final_module

    def count(library: JITCodeLibrary) -> None:
        optimised.append(library.name)
        optimise(library)

    monkeypatch.setattr(JITCodeLibrary, "_optimize_final_module", count)
    assert twelvefold(5) == 60
    (only,) = (name for name in optimised if name != "nrt")  # numba's own, once a process
    assert only.endswith("twelvefold")


def test_a_constant_is_passed_like_a_variable() -> None:
    @helper
    def successor(number):
        return number + 1

    @kernel(INTEGER)
    def third(number):
        return successor(successor(number=number)) + successor(0)

    assert third(4) == 7
    assert list(successor.overloads) == [(types.int64,)]


@helper
def first_of(count, value):
    vector = scratch(count, np.int64)
    vector[0] = value
    return vector[0]


def test_a_helper_that_must_know_a_constant_gets_it() -> None:
    @kernel(INTEGER)
    def of_sixteen(value):
        return first_of(16, value)

    assert of_sixteen(7) == 7


def test_the_length_of_scratch_is_a_constant() -> None:
    @kernel(INTEGER)
    def of_any(value):
        return first_of(value, 7)

    with pytest.raises(TypingError, match="must be a constant"):
        of_any(16)


def test_helpers_call_themselves() -> None:
    @helper
    def factorial(number):
        if number <= 1:
            return 1
        return number * factorial(number - 1)

    @kernel(INTEGER)
    def of(number):
        return factorial(number)

    assert of(5) == 120


def test_python_can_call_a_helper_before_and_after_a_kernel() -> None:
    @helper
    def square(number):
        return number * number

    @kernel(INTEGER)
    def fourth(number):
        return square(square(number))

    assert [square(3), fourth(3), square(4), square(0.5)] == [9, 81, 16, 0.25]


def test_what_a_helper_raises_reaches_python() -> None:
    @helper
    def small(number):
        if number > 3:
            raise ValueError("too large")
        return number

    @kernel(INTEGER)
    def checked(number):
        return small(number)

    assert checked(3) == 3
    with pytest.raises(ValueError, match="too large"):
        checked(4)


PRINTING = """
from numba import types
from athenan.rules import helper, kernel

@helper
def say(number):
    print("number", number)
    return number

@kernel(types.int64(types.int64))
def said(number):
    return say(number)

said(5)
"""


def test_a_helper_can_print() -> None:
    done = subprocess.run(
        [sys.executable, "-"], input=PRINTING, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.stdout, done.stderr) == ("number 5\n", "")


def test_a_kernel_is_no_helper() -> None:
    """A kernel has machine code of its own, by which Python and other kernels call it."""

    @kernel(INTEGER)
    def same(number):
        return number

    assert isinstance(same, Kernel) and same.address > 0


@pytest.mark.parametrize("number", [0, 1, 255, 256, 0x7FFF, 0x8000, 0xFFFF, -1, -300])
def test_words_of_16_bits_are_read_as_they_are_written(number: int) -> None:
    """In compiled code and in Python; the bytes beside them stay as they are."""

    @kernel(types.int64(types.int8[::1], types.int64))
    def written(state, number):
        store16(state, 3, number)
        return load16(state, 3)

    compiled, interpreted = np.full((2, 8), 7, np.int8)
    assert written(compiled, number) == number & 0xFFFF
    store16(interpreted, 3, np.int64(number))
    assert load16(interpreted, 3) == number & 0xFFFF
    assert compiled.tobytes() == interpreted.tobytes()
    assert compiled.tobytes() == b"\7\7\7" + (number & 0xFFFF).to_bytes(2, "little") + b"\7\7\7"
