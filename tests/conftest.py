"""Shared by all tests: hypothesis without chance, and the command."""

import json
import os

import pytest
from commands import without_compiling
from hypothesis import settings

from athenan.cli import main

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as in the command: PyTorch's threads do not spin for each other
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes that tests start share the package's bytecode

settings.register_profile("default", derandomize=True, deadline=None)
settings.load_profile("default")


@pytest.fixture
def command(capsys):
    """Runs the command; returns the exit status, standard output and standard error."""

    def call(*arguments):
        status = main(list(arguments))
        output, errors = capsys.readouterr()
        return status, output, without_compiling(errors)

    return call


@pytest.fixture
def as_json(command):
    """Runs the command with --json; returns what it prints."""

    def call(*arguments):
        status, output, errors = command(*arguments, "--json")
        assert (status, errors) == (0, "")
        return json.loads(output)

    return call
