"""Who is told while kernels are compiled."""

import threading
from types import SimpleNamespace
from typing import Any

from numba.core.compiler_lock import global_compiler_lock
from numba.core.event import Event, EventStatus, trigger_event

from athenan.rules.compilation import Compilation, Watch, _Listener, _Waiting
from athenan.rules.compiler import kernel
from athenan.rules.kernels import INITIAL
from athenan.rules.perft import perft


def compiles(function=perft):
    """What numba tells of a compilation."""
    return trigger_event("numba:compile", data={"dispatcher": SimpleNamespace(py_func=function)})


def test_the_watch_that_began_last_is_told():
    outer, inner = list[Compilation | None](), list[Compilation | None]()
    with Watch(outer.append):
        with Watch(inner.append), compiles(), compiles():  # the second one is of what the first one calls
            pass
        with compiles():
            pass
    with compiles():
        pass
    assert inner == outer == [Compilation(1, "perft.perft", True), None]


def test_the_first_watch_may_begin_during_a_compilation():
    """Then numba tells of the end of something that nobody has heard begin."""
    told = list[Compilation | None]()
    listener, event = _Listener(_Waiting()), Event("numba:compile", EventStatus.END, {})
    with Watch(told.append):
        listener.on_end(event)
        assert told == []
        with compiles():
            pass
    assert told == [Compilation(1, "perft.perft", True), None]


def test_a_watch_of_its_own_thread_is_told_of_that_thread_only():
    told: dict[str, list[Compilation | None]] = {"page": [], "others": []}

    def elsewhere():
        with compiles():
            pass

    with Watch(told["others"].append), Watch(told["page"].append, own_thread=True), compiles():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert [one and one.number for one in told["page"]] == [1, None] == [one and one.number for one in told["others"]]


def test_a_watch_of_its_own_thread_is_told_for_which_compilations_it_waits():
    """Of each, until the thread has the lock; and of nothing if it need not wait."""
    told, waits, ended = list[Compilation | None](), threading.Event(), threading.Event()

    def tell(now):
        told.append(now)
        waits.set()

    def page():
        with Watch(tell, own_thread=True):
            with global_compiler_lock:
                ended.set()
            with global_compiler_lock:
                pass

    thread = threading.Thread(target=page)
    with Watch(lambda now: None), global_compiler_lock:
        with compiles():
            thread.start()
            assert waits.wait(60)
        with compiles(kernel):
            assert not ended.is_set()
    thread.join()
    names = [one and (one.number, one.name, one.elsewhere) for one in told]
    assert names == [(0, "perft.perft", True), (0, "compiler.kernel", True), None]


TYPED_IN = "def initial(params, state):\n    state[0] = 3\n"


def test_a_kernel_is_told_of_once():
    names: dict[str, Any] = {"__name__": "rules.typed_in"}
    exec(TYPED_IN, names)  # what is in no file is in no cache
    initial = kernel(INITIAL)(names["initial"])
    told = list[Compilation | None]()
    with Watch(told.append):
        assert initial.address == initial.address
    assert [one and one.name for one in told] == ["typed_in.initial", None]


def test_a_compiled_kernel_does_not_wait_for_the_compilation_of_another():
    @kernel(INITIAL)
    def initial(params, state):
        state[0] = 3

    initial.compile()
    found = list[int]()
    thread = threading.Thread(target=lambda: found.append(initial.address))
    with global_compiler_lock:
        thread.start()
        thread.join(60)
        assert found
