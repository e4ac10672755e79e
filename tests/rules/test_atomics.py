"""Numbers that threads share: none of their changes is lost, and what was written before a number is seen after it."""

from threading import Thread
from time import perf_counter

import numpy as np
from numba import types

from athenan.rules.arrays import NUMBERS
from athenan.rules.atomics import APART, load, pause, replace, rest, store
from athenan.rules.compiler import kernel

_EACH = 20_000


@kernel(types.int64(NUMBERS, types.int64))
def count_up(numbers, times):
    """Adds 1 this often; returns how often another thread came before."""
    failures = 0
    while times:
        found = load(numbers, 0)
        if replace(numbers, 0, found, found + 1):
            times -= 1
        else:
            failures += 1
            pause()
    return failures


@kernel(types.void(NUMBERS, NUMBERS, types.int64))
def write_all(numbers, written, times):
    """Writes a number, then says so, and waits until it was read."""
    for number in range(1, times + 1):
        written[0] = number * number
        store(numbers, 0, number)
        while load(numbers, APART) < number:
            pause()


@kernel(types.int64(NUMBERS, NUMBERS, types.int64))
def read_all(numbers, written, times):
    """Reads each number once it is there; returns how many were wrong."""
    wrong = 0
    for number in range(1, times + 1):
        while load(numbers, 0) < number:
            pause()
        wrong += written[0] != number * number
        store(numbers, APART, number)
    return wrong


@kernel(types.void(types.int64))
def rest_for(nanoseconds):
    rest(nanoseconds)


def test_no_change_is_lost():
    numbers = np.zeros(1, np.int64)
    threads = [Thread(target=count_up, args=(numbers, _EACH)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers[0] == 4 * _EACH


def test_a_number_is_replaced_only_if_it_is_the_old_one():
    @kernel(types.boolean(NUMBERS, types.int64, types.int64))
    def change(numbers, old, new):
        return replace(numbers, 1, old, new)

    numbers = np.array([5, 7], np.int64)
    assert not change(numbers, 5, 9)
    assert change(numbers, 7, 9)
    assert numbers.tolist() == [5, 9]


def test_what_was_written_before_a_number_is_seen_after_it():
    numbers, written = np.zeros(2 * APART, np.int64), np.zeros(1, np.int64)
    write_all.compile(), read_all.compile()
    writer = Thread(target=write_all, args=(numbers, written, 200))
    writer.start()
    assert read_all(numbers, written, 200) == 0
    writer.join()


def test_a_rest_lasts_as_long_as_it_says():
    rest_for(0)
    began = perf_counter()
    rest_for(20_000_000)
    assert perf_counter() - began >= 0.02
