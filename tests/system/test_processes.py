"""Programs in a group of their own, and how processes end, in words."""

import os
import sys

import pytest

from athenan.system.processes import Group, signal_name

posix = pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")


@posix
def test_the_number_of_a_program_that_has_ended_is_not_used_again(monkeypatch):
    group, killed = Group([sys.executable, "-c", ""], os.environ), []
    group.popen.wait()
    monkeypatch.setattr(os, "killpg", lambda *given: killed.append(given))
    group.end()
    assert killed == []


@posix
def test_a_program_that_ends_meanwhile_is_no_error(monkeypatch):
    def refused(*given):
        raise PermissionError

    group = Group([sys.executable, "-c", "input()"], os.environ)
    with monkeypatch.context() as patched:
        patched.setattr(os, "killpg", refused)
        group.kill()
    group.end()
    assert group.popen.poll()


def test_signals_without_a_name_have_their_number():
    assert (signal_name(9), signal_name(37)) == ("SIGKILL", "signal 37")
