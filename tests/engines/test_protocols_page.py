"""The examples of docs/protocols.md: what goes into an engine, and what comes out."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "protocols.md").read_text()
EXAMPLES = re.findall(r"^```\n\$ printf '(.*?)' \| athenan (.*?)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[1])
def test_examples_of_the_page(example: tuple[str, str, str]) -> None:
    lines, command, output = example
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-m", "athenan", *command.split()], input=lines.replace("\\n", "\n"),
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    told = [line.rstrip() for line in ran.stdout.strip().splitlines()]
    assert told == [line.rstrip() for line in output.strip().splitlines()]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 2


@pytest.mark.parametrize(("game", "search"), [("go:5", "rave"), ("hex:4", "uct")])
def test_a_game_without_a_network_is_played_by_rollouts_that_it_informs_if_it_can(game: str, search: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "athenan", "engine", game, "--protocol", "ugi"], input="ugi\nquit\n",
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.splitlines()[0].endswith(f"{search})")
