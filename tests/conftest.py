"""Shared by all tests: hypothesis without chance, and the command."""

import gc
import json
import os
import signal

import pytest
import sizes
from command_output import without_compiling
from hypothesis import settings

from athenan.cli import main
from athenan.rules.compiler import prepare
from athenan.runs.checkpoint import contents

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as in the command: PyTorch's threads do not spin for each other
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # its processes have the cores; threads would wait for each other
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes that tests start share the package's bytecode

MANY = 3_000
"""Tests of a run for which it pays to compile all kernels."""


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="try all cases in each test: takes twice as long")


def pytest_configure(config):
    sizes.configure(config)
    settings.register_profile("default", derandomize=True, deadline=None, max_examples=sizes.size(25, 100))
    settings.load_profile("default")


def pytest_collection_modifyitems(config, items):
    """Tests of pages go first: they wait for most of their time, which others can use."""
    items[:], left_out = sizes.one_of_many(items)
    items.sort(key=lambda item: item.path.parent.name != "web")
    config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish():
    """What was imported and collected stays: garbage need not be looked for in it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@pytest.fixture
def ctrl_c():
    """Presses Ctrl-C, which is ignored where tests run unseen."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: os.kill(os.getpid(), signal.SIGINT)
    signal.signal(signal.SIGINT, usual)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Before many tests, each of xdist's processes compiles a part of the kernels.

    Otherwise the processes would often compile the same kernel at the same time.
    """
    if "PYTEST_XDIST_WORKER" in os.environ and len(session.items) >= MANY:
        from all_kernels import MODULES, kernels_of

        number, count = int(os.environ["PYTEST_XDIST_WORKER"][2:]), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        with_kernels = [module for module in MODULES if any(kernels_of(module))]
        for module in with_kernels[number::count]:
            prepare(*kernels_of(module))


@pytest.fixture
def command(capsys):
    """Runs the command; returns the exit status, standard output and standard error."""

    def call(*arguments):
        status = main(list(arguments))
        output, errors = capsys.readouterr()
        return status, output, without_compiling(errors)

    return call


@pytest.fixture
def files_read(monkeypatch):
    """The files of checkpoints that are read whole, as they are read."""
    files, read = [], contents.read

    def noted(file):
        files.append(file)
        return read(file)

    monkeypatch.setattr(contents, "read", noted)
    return files


@pytest.fixture
def as_json(command):
    """Runs the command with --json; returns what it prints."""

    def call(*arguments):
        status, output, errors = command(*arguments, "--json")
        assert (status, errors) == (0, "")
        return json.loads(output)

    return call
