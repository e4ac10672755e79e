"""The display of a training: a live panel in a terminal, elsewhere a line every few seconds.

>>> import io
>>> progress = Progress(game="hex:7", directory="runs/hex-7", seconds=60, limit_seconds=300, matches=12)
>>> with Display(Console(file=io.StringIO(), width=80)) as display:
...     display.update(progress)
>>> print(plain_report(progress))
1:00 of 5:00 | match 12
"""

import math
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from types import TracebackType
from typing import Self

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from athenan.arena.learnt_players import run_player
from athenan.games import catalogue as games
from athenan.learning.observers.observer import Observer
from athenan.learning.progress import RECENT, Measurement, Progress, Record
from athenan.rules.compilation import Compilation, Watch
from athenan.search import named as searches
from athenan.settings import counted, shell_word

PANEL_WIDTH = 84
_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII_BLOCKS = "_.-=+*%#"
_COLOURS = ("cyan", "green", "magenta", "yellow", "bright_black")


class Display(Observer):
    """Shows the progress of a training between `with` and its end.

    console -- its `is_terminal` decides between the live panel and plain lines.
    every   -- seconds between plain lines; the panel is drawn at most four times a second, when it is updated.
    clock   -- returns the time in seconds.
    """

    def __init__(
        self, console: Console | None = None, every: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.console = console or Console()
        self.live = self.console.is_terminal and not self.console.is_dumb_terminal
        self._every = 0.25 if self.live else every
        self._clock = clock
        self._last: float | None = None  # when something was shown
        self._progress: Progress | None = None
        self._reported = ""  # the last plain line
        self._panel = Live(console=self.console, auto_refresh=False) if self.live else None
        self._compilations = Watch(self._compiling)
        self._compiled: Compilation | None = None  # what is being compiled now

    def update(self, progress: Progress) -> None:
        """Shows the progress, unless the display was just updated."""
        self._progress = progress
        now = self._clock()
        if self._last is None or now - self._last >= self._every:
            self._last = now
            self._show(progress)

    def message(self, text: str) -> None:
        """Prints a line, above any panel."""
        self.console.print(Text(text), soft_wrap=not self.live)

    def _compiling(self, now: Compilation | None) -> None:
        """Shows a compilation in the panel: two displays that write to one terminal would spoil each other's lines."""
        self._compiled = now
        if self._panel and self._progress:
            self._show(self._progress)
        elif self._panel:
            self._panel.update(Text("" if now is None else f"{now} ({now.number}: {now.name})"), refresh=True)

    def _show(self, progress: Progress, ended: bool = False) -> None:
        if self._panel:
            shown = panel(progress, self.console.width, self.console.options.ascii_only, ended, self._compiled)
            self._panel.update(shown, refresh=True)
            return
        report = plain_report(progress)
        lines = [] if report == self._reported else [report]  # the last one may have been printed just now
        self._reported = report
        if ended:
            lines += _advice(progress)
        if lines:
            self.console.print(Text("\n".join(lines)), soft_wrap=True)
            self.console.file.flush()

    def __enter__(self) -> Self:
        if self._panel:
            self._panel.start()
            self._compilations.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Shows the last progress, which stays in the terminal, and the commands to use the run."""
        if self._panel:
            self._compilations.__exit__()
        if self._progress:
            self._show(self._progress, ended=True)
        if self._panel:
            self._panel.stop()


def panel(
    progress: Progress,
    width: int = PANEL_WIDTH,
    ascii_only: bool = False,
    ended: bool = False,
    compiled: Compilation | None = None,
) -> RenderableType:
    """The live panel for a terminal of `width` columns; `ascii_only` if it cannot show block characters.

    `ended`: the training is over or interrupted; the panel then shows the commands to use the run.
    `compiled`: what is being compiled now.
    """
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, content in _rows(progress, max(10, min(width, PANEL_WIDTH) - 20), ascii_only):
        table.add_row(label, content)
    if compiled:
        table.add_row("compiling", Text(f"{compiled.number}: {compiled.name}"))
    advice = _advice(progress)
    footer = Text("\n".join(advice if ended else ["Ctrl-C saves and stops; " + advice[0]]), overflow="fold")
    return Panel(
        Group(_progress_line(progress), Text(), table, Text(), footer),
        title=Text.assemble((progress.game, "bold"), "  ", progress.directory),
        title_align="left",
        box=box.ROUNDED,
        border_style="cyan",
        width=PANEL_WIDTH,
    )


def _advice(progress: Progress) -> list[str]:
    """The commands to use the run."""
    directory, search, longer = shell_word(progress.directory), searches.known_search(progress.search), ""
    if progress.done == 1.0:
        limit, used = progress.limit_seconds, progress.seconds
        minutes = limit and (limit if used < 1.5 * limit else used) / 30  # twice as long
        longer = f" --minutes {round(minutes, 3):g}" if minutes else f" --matches {2 * progress.matches}"
    own, own_search = games.own_code(progress.game), searches.own_code(search)  # code runs only if it is named
    game, codes = f"{shell_word(progress.game)} " if own else "", [*filter(None, [own]), *progress.code]
    rules = f" --rules {shell_word(','.join(dict.fromkeys(codes)))}" if codes else ""
    searching = f" --search {shell_word(own_search)}" if own_search else ""
    return [
        f"go on with: athenan train {game}--resume {directory}{searching}{rules if progress.code else ''}{longer}",
        f"play against it: athenan play {shell_word(run_player(progress.directory, search))}{rules}",
    ]


def plain_report(progress: Progress) -> str:
    """The progress in one line, without unknown values."""
    parts = [_position(progress)]
    if progress.limit_matches is None:
        parts.append(f"match {progress.matches:,}")
    if progress.mean_length is not None:
        parts.append(f"length {progress.mean_length:.1f}")
    if progress.mean_score is not None:
        parts.append(f"score {progress.mean_score:.1f}")
    if progress.record:
        parts.append(f"record {progress.record.score}")
    elif progress.results:
        parts.append("first player won {:.0%} drew {:.0%} lost {:.0%}".format(*progress.results))
    if progress.learnt:
        parts.append(f"{progress.learnt:,} learnt")
    if progress.evaluations_per_second is not None:
        parts.append(f"{progress.evaluations_per_second:,.0f} evaluations/s")
    if progress.shares:
        parts.append(", ".join(f"{name} {share:.0%}" for name, share in progress.shares.items() if name != "other"))
    if progress.cut_short:
        parts.append(_cut_short(progress))
    if progress.remote_actors:
        parts.append(_remote_actors(progress))
    if progress.mean_loss is not None:
        parts.append(f"loss {progress.mean_loss:.4g}")
    if progress.measurement:
        parts.append(_measurement(progress.measurement))
    return " | ".join(parts)


def duration(seconds: float) -> str:
    """Seconds as 0:05, 12:34, 1:02:03 or 2 d 1:02:03."""
    days, rest = divmod(int(seconds), 86400)
    hours, minutes, seconds = rest // 3600, rest // 60 % 60, rest % 60
    text = f"{hours}:{minutes:02}:{seconds:02}" if days or hours else f"{minutes}:{seconds:02}"
    return f"{days} d {text}" if days else text


def sparkline(values: Sequence[float], width: int, ascii_only: bool = False) -> str:
    """A curve of the finite values, lowest to highest, as a line of at most `width` characters."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return ""
    columns = min(width, len(finite))
    edges = [len(finite) * column // columns for column in range(columns + 1)]
    means = [sum(finite[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, span = min(means), (max(means) - min(means)) or 1.0
    blocks = _ASCII_BLOCKS if ascii_only else _BLOCKS
    return "".join(blocks[round((mean - low) / span * (len(blocks) - 1))] for mean in means)


def _rows(progress: Progress, width: int, ascii_only: bool) -> list[tuple[str, Text]]:
    """Label and content of each line of the panel; curves have at most `width` characters, a dash is unknown."""
    dash = Text("-", "dim")
    length, results, rate = progress.mean_length, progress.results, progress.evaluations_per_second
    learnt = Text.assemble(counted(progress.learnt, "item"), (f", {progress.memory:,} in memory", "dim"))
    evaluated = Text.assemble(f"{rate:,.0f} a second", (f", {progress.evaluations:,} in all", "dim")) if rate else dash
    result = ("first player", _results(results, _last(progress.outcomes)) if results else dash)
    if progress.record:
        result = ("score", _scores(progress, progress.record, max(1, width - 10), ascii_only))
    return [
        ("matches", Text(f"{progress.matches:,}")),
        ("length", Text.assemble(f"{length:.1f} actions", (_last(progress.lengths), "dim")) if length else dash),
        result,
        ("learnt", learnt if progress.learnt else dash),
        ("evaluations", evaluated),
        *([("memory", Text(_cut_short(progress), "yellow"))] if progress.cut_short else []),
        *([("actors", Text(_remote_actors(progress)))] if progress.remote_actors else []),
        ("time", _shares(progress, width, ascii_only) if progress.shares else dash),
        ("loss", _loss(progress, max(1, width - 10), ascii_only) if progress.losses else dash),
        ("strength", Text(_measurement(progress.measurement)) if progress.measurement else dash),
    ]


def _progress_line(progress: Progress) -> RenderableType:
    """The progress by time and matches, with a bar unless the training is open-ended."""
    left = progress.seconds_left
    position = _position(progress) + ("" if left is None else f", {duration(left)} left")
    if progress.done is None:
        return Text(position)
    line = Table.grid(padding=(0, 2), expand=True)
    line.add_column(ratio=1)
    line.add_column(no_wrap=True)
    line.add_row(ProgressBar(total=1.0, completed=progress.done), position)
    return line


def _position(progress: Progress) -> str:
    """The progress by time and by matches."""
    text = duration(progress.seconds)
    if progress.limit_seconds is not None:
        text += f" of {duration(progress.limit_seconds)}"
    if progress.limit_matches is not None:
        text += f", {progress.matches:,} of {counted(progress.limit_matches, 'match')}"
    return text


def _last(values: Sequence[int]) -> str:
    return f", mean of last {min(len(values), RECENT)}"


def _results(results: tuple[float, float, float], last: str) -> Text:
    won, drew, lost = results
    return Text.assemble(
        (f"won {won:.0%}", "green"),
        "  ",
        (f"drew {drew:.0%}", "yellow"),
        "  ",
        (f"lost {lost:.0%}", "red"),
        (last, "dim"),
    )


def _scores(progress: Progress, record: Record, width: int, ascii_only: bool) -> Text:
    curve = sparkline(progress.scores, width, ascii_only)
    best = f"record {record.score}, found in match {record.match:,}"
    mean = f"{progress.mean_score:.1f}" if progress.scores else "-"
    return Text.assemble(mean, "  ", (curve, "cyan"), (_last(progress.scores), "dim"), "\n", (best, "green"))


def _shares(progress: Progress, width: int, ascii_only: bool) -> Text:
    """A bar of the shares of time, with their names."""
    bar, legend, filled, total = Text(), Text(), 0, 0.0
    for (name, share), colour, letter in zip(progress.shares.items(), _COLOURS, "nslco", strict=True):
        total += share
        cells = round(total * width) - filled
        filled += cells
        bar.append((letter if ascii_only else "█") * cells, colour)
        legend.append(f"{name} {share:.0%}  ", colour)
    return Text.assemble(bar, "\n", legend)


def _loss(progress: Progress, width: int, ascii_only: bool) -> Text:
    curve = sparkline(progress.losses, width, ascii_only)
    return Text.assemble(f"{progress.mean_loss:.4g}", "  ", (curve, "cyan"))


def _cut_short(progress: Progress) -> str:
    """How many searches the memory of their trees has ended."""
    return f"{counted(progress.cut_short, 'search')} cut short by full trees: --memory gives more"


def _remote_actors(progress: Progress) -> str:
    """How many actors in other processes play, have died, and how new their networks are."""
    count, lost, lag = progress.remote_actors, progress.lost_actors, progress.mean_lag
    text = "1 actor in another process" if count == 1 else f"{count} actors in other processes"
    text += f", {lost} lost" if lost else ""
    return text + ("" if lag is None else f", networks {lag:.1f} phases old")


def _measurement(measured: Measurement) -> str:
    when = f"{measured.opponent} at match {measured.matches:,}"
    if measured.best is not None:
        return f"{when}: mean score {measured.score:.1f}, best {measured.best} of {counted(measured.games, 'game')}"
    return f"vs {when}: {measured.score:.0%} of {counted(measured.games, 'game')}"
