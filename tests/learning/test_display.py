"""What is shown of a training: the panel, plain lines, TensorBoard scalars."""

import fcntl
import io
import math
import os
import pty
import struct
import sys
import termios
from collections import deque
from pathlib import Path
from typing import Any

import pyte
import pytest
from rich.console import Console

from athenan.learning.observers.display import Display, duration, panel, plain_report, sparkline
from athenan.learning.progress import Measurement, Progress
from athenan.rules.compilation import Compilation


def progress(**changes: object) -> Progress:
    fields: dict[str, Any] = {
        "game": "hex:7",
        "directory": "runs/hex-7",
        "seconds": 186.3,
        "limit_seconds": 300,
        "matches": 110,
        "lengths": deque([1000, *[30] * 50, *[40] * 50], maxlen=200),
        "outcomes": deque([0, *[1] * 55, *[-1] * 45], maxlen=200),
        "learnt": 382_120,
        "memory": 36_400,
        "evaluations": 2_104_332,
        "network_seconds": 98.1,
        "search_seconds": 14.9,
        "learning_seconds": 67.2,
        "checkpoint_seconds": 2.1,
        "losses": deque([0.9, *[0.25] * 10]),
        "measurement": Measurement("mcts:200", 80, 0.75, 20),
    }
    return Progress(**(fields | changes))


def rendered(shown: Progress, width: int = 100, ended: bool = False) -> str:
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(panel(shown, width, ended=ended))
    return console.export_text()


def test_the_panel_shows_the_figures() -> None:
    text = rendered(progress())
    for figure in (
        "hex:7  runs/hex-7",
        "3:06 of 5:00, 1:53 left",
        "35.0 actions, mean of last 100",
        "won 55%  drew 0%  lost 45%, mean of last 100",
        "382,120 items, 36,400 in memory",
        "18,622 a second, 2,104,332 in all",
        "network 53%  search 8%  learning 36%  checkpoint 1%  other 2%",
        "0.25  █▁▁▁▁▁▁▁▁▁▁",
        "vs mcts:200 at match 80: 75% of 20 games",
        "athenan train --resume runs/hex-7",
    ):
        assert figure in text


@pytest.mark.parametrize("width", [20, 50, 80, 200])
@pytest.mark.parametrize("shown", [progress(), Progress("hex:7", "runs/[bold]"), progress(losses=[math.nan])])
def test_no_line_is_wider_than_the_terminal(shown: Progress, width: int) -> None:
    assert max(map(len, rendered(shown, width).splitlines())) <= min(width, 84)


def test_names_are_no_markup() -> None:
    assert "runs/[bold]" in rendered(Progress("hex:7", "runs/[bold]"))


def test_the_command_to_go_on_can_be_pasted() -> None:
    assert "--resume 'my runs/1'" in rendered(Progress("hex:7", "my runs/1"))


@pytest.mark.parametrize(
    ("limits", "longer"),
    [
        ({"seconds": 300, "limit_seconds": 300}, " --minutes 10"),
        ({"seconds": 90.06, "limit_seconds": 90}, " --minutes 3"),  # not 3.002
        ({"seconds": 300, "limit_seconds": 60}, " --minutes 10"),  # resumed with a limit that it had passed
        ({"limit_seconds": None, "limit_matches": 110}, " --matches 220"),
        ({}, ""),  # interrupted
    ],
)
def test_the_finished_panel_says_how_to_go_on_and_not_that_ctrl_c_saves(limits: dict[str, Any], longer: str) -> None:
    ended = rendered(progress(**limits), ended=True)
    assert "Ctrl-C" not in ended
    assert f"go on with: athenan train --resume runs/hex-7{longer} " in ended
    assert "play against it: athenan play runs/hex-7 " in ended
    assert "Ctrl-C saves and stops" in rendered(progress(**limits))


@pytest.mark.parametrize(
    ("limits", "text", "left", "done"),
    [
        ({"limit_seconds": None}, "3:20", None, None),
        ({"limit_seconds": None, "limit_matches": 200}, "3:20, 100 of 200 matches, 3:20 left", 200, 0.5),
        ({"limit_seconds": 400, "limit_matches": 1000}, "3:20 of 6:40, 100 of 1,000 matches, 3:20 left", 200, 0.5),
        ({"limit_seconds": 100}, "3:20 of 1:40, 0:00 left", 0, 1),
        ({"limit_seconds": None, "limit_matches": 200, "matches": 0}, "3:20, 0 of 200 matches", None, 0),
    ],
)
def test_time_left(limits: dict[str, Any], text: str, left: float | None, done: float | None) -> None:
    shown = progress(**({"seconds": 200, "matches": 100} | limits))
    assert text in rendered(shown)
    assert (shown.seconds_left, shown.done) == (left, done)


def test_durations() -> None:
    assert [duration(s) for s in (0, 59.9, 60, 3599, 3600, 86399, 180000)] == [
        "0:00", "0:59", "1:00", "59:59", "1:00:00", "23:59:59", "2 d 2:00:00",
    ]  # fmt: skip


def test_sparklines() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7], 20) == "▁▂▃▄▅▆▇█"
    assert sparkline([0, 0, 7, 7], 2) == "▁█"
    assert sparkline([3, 3], 9) == "▁▁"
    assert sparkline([math.nan, math.inf], 9) == ""
    assert sparkline([1, math.nan, 2], 9, ascii_only=True) == "_#"


def test_plain_lines_every_ten_seconds() -> None:
    now, file = [0.0], io.StringIO()
    with Display(Console(file=file, width=40), clock=lambda: now[0]) as display:
        for matches in range(35):
            now[0] = float(matches)
            display.update(Progress("hex:7", "runs/a", seconds=matches, matches=matches))
        display.message("evaluating " * 8)
    reports = [f"0:{n:02} | match {n}" for n in (0, 10, 20, 30)]
    advice = ["go on with: athenan train --resume runs/a", "play against it: athenan play runs/a"]
    assert file.getvalue().splitlines() == [*reports, "evaluating " * 8, "0:34 | match 34", *advice]


def test_the_plain_report() -> None:
    assert plain_report(progress()) == (
        "3:06 of 5:00 | match 110 | length 35.0 | first player won 55% drew 0% lost 45% | 382,120 learnt | "
        "18,622 evaluations/s | network 53%, search 8%, learning 36%, checkpoint 1% | loss 0.25 | "
        "vs mcts:200 at match 80: 75% of 20 games"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_live_panel(encoding: str) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    now = [0.0]
    console = Console(file=file, width=90, force_terminal=True, _environ={"TERM": "xterm"})
    with Display(console, clock=lambda: now[0]) as display:
        assert display.live
        for matches in range(110):
            now[0] += 0.1
            display.update(progress(matches=matches))
        display.message("saved")
        display.update(progress(matches=12345))  # a moment after another, shown at the end
    file.flush()
    text = file.buffer.getvalue().decode(encoding)
    assert "saved" in text
    assert "12,345" in text
    assert 30 <= text.count("hex:7") <= 45


TRAINING_THAT_COMPILES = """
from types import SimpleNamespace
from numba.core.event import trigger_event
from athenan.cli.compiling import announce
from athenan.learning.observers.display import Display
from athenan.learning.progress import Progress
from athenan.rules.perft import perft

def compile(seen=None):
    with trigger_event("numba:compile", data={"dispatcher": SimpleNamespace(py_func=perft)}):
        if seen:
            print(seen)

announce()
times = iter(range(0, 1000, 10))
with Display(clock=lambda: next(times)) as display:
    compile()
    for matches in range(3):
        display.update(Progress("hex:4", "runs/a", seconds=0, matches=matches))
        compile()
        compile("evaluating" if matches == 1 else None)
"""


def terminal(code: str, rows: int, columns: int) -> list[str]:
    """The lines that a terminal shows after a program has ended."""
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    # COLUMNS and LINES, which a test of this process may have set, would hide the terminal's own size.
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process, descriptor = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execve(sys.executable, [sys.executable, "-c", code], {**environment, "TERM": "xterm"})
    try:
        while data := os.read(descriptor, 1 << 16):
            stream.feed(data)
    except OSError:  # the program has ended
        pass
    _, status = os.waitpid(process, 0)
    os.close(descriptor)
    assert status == 0, screen.display
    return [line.rstrip() for line in screen.display]


@pytest.mark.parametrize(("rows", "columns"), [(40, 100), (40, 70), (18, 100)])
def test_compilations_leave_one_panel(rows: int, columns: int) -> None:
    """Also where the panel is at the lower end of the terminal."""
    lines = terminal(TRAINING_THAT_COMPILES, rows, columns)
    shown = "\n".join(lines)
    assert shown.count("╭") == shown.count("╰") == 1
    assert shown.count("evaluating") == 1 and "compiling" not in shown


def test_the_panel_names_what_is_compiled() -> None:
    console = Console(record=True, width=90, file=io.StringIO())
    console.print(panel(progress(), compiled=Compilation(12, "search.walk", True)))
    assert "12: search.walk" in console.export_text()
    assert "compiling" not in rendered(progress())


def test_scalars_can_be_read_back_after_a_resumption(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from athenan.learning.observers.metrics import Metrics

    with Metrics(tmp_path) as metrics:
        for matches in (1, 2, 2, 3):
            metrics.update(progress(matches=matches, losses=[1 / matches], measurement=None))
    with Metrics(tmp_path, matches=2) as metrics:
        metrics.update(progress(matches=2, losses=[9], measurement=None))
        for matches in (3, 4):
            metrics.update(
                progress(matches=matches, losses=[9 + matches], measurement=Measurement("mcts:9", 3, 0.75, 8))
            )
    measured = Measurement("mcts:9", 3, 0.75, 8)
    with Metrics(tmp_path, 4, measured) as metrics:
        metrics.update(progress(matches=4, losses=[13], measurement=measured))
    events = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    losses = [(event.step, event.value) for event in events.Scalars("learning/loss")]
    assert losses == [(1, 1), (2, 0.5), (3, 12), (4, 13)]
    assert [(event.step, event.value) for event in events.Scalars("strength/mcts:9")] == [(3, 0.75)]
    assert set(events.Tags()["scalars"]) == {
        "match/length", "match/won", "match/drew", "match/lost", "learning/loss", "learning/learnt", "learning/memory",
        "speed/evaluations_per_second", "speed/cut_short", "time/network", "time/search", "time/learning",
        "time/checkpoint", "time/other", "time/seconds", "strength/mcts:9",
    }  # fmt: skip
