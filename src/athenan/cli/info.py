"""`athenan info`: what runs are, how far they have come, and how they differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Annotated, Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from athenan.cli.arguments import Argument
from athenan.cli.options import parse, print_json, require_path
from athenan.learning.config import TrainingConfig
from athenan.learning.progress import ALONE, Progress, restored_progress
from athenan.runs.checkpoint import CheckpointError
from athenan.runs.description import Description, describe, differences, flat
from athenan.settings import counted

RunNames = Annotated[tuple[str, ...], Argument(positional=True, metavar="RUN")]


@dataclass(frozen=True)
class Info:
    """Shows the game, progress, strength and configuration of a run, or how several runs differ."""

    runs: RunNames = ()
    """Run directories or checkpoints."""
    json: bool = False
    """Print JSON: runs, each with its game, progress, strength and configuration, and the settings that differ."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Info, "info", arguments)
    if not options.runs:
        raise ValueError("which run? For example: athenan info runs/hex-7; `athenan runs` lists them")
    found = [described(path) for path in options.runs]
    whole = [_whole(run.configuration) for run, _ in found]
    configurations = [flat(one) for one in whole]
    if options.json:
        runs = [{**overview(*one), "configuration": of} for one, of in zip(found, whole, strict=True)]
        print_json({"runs": runs, "differences": differences(configurations)})
        return
    console = Console(highlight=False)
    for one in found:
        _tell(console, overview(*one))
    if len(found) == 1:
        console.print(_settings(configurations[0]))
    elif rows := differences(configurations):
        table = Table("setting", *(escape(str(run.path)) for run, _ in found), box=box.SIMPLE, pad_edge=False)
        for name, values in rows.items():
            table.add_row(*map(escape, (name, *values)))
        console.print(table)
    else:
        console.print("All settings are the same.")


def described(path: Any) -> tuple[Description, Progress]:
    """A run and its progress. Raises CheckpointError if it is damaged."""
    require_path(str(path))
    run = describe(path)
    if run.progress is None or (isinstance(run.progress, dict) and set(run.progress) == {"chances"}):
        raise CheckpointError(f"{path} is a network without its training; `athenan networks GAME` shows the package's")
    return run, restored_progress(run.progress, Progress(run.settings.game, str(path)))


def _whole(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """A saved configuration, with the defaults of settings that an earlier version of athenan did not have."""
    found = dict(configuration)
    for name, default in TrainingConfig().as_json().items():
        settings = found.setdefault(name, default)
        if isinstance(default, Mapping) and isinstance(settings, Mapping):
            found[name] = {**default, **settings}
    return found


def overview(run: Description, progress: Progress) -> dict[str, Any]:
    """The game, the progress and the latest measurement of strength of a run, as JSON data."""
    settings = run.settings
    of_results = zip(("won", "drawn", "lost"), progress.results or (), strict=False)
    return {
        "run": str(run.path), "game": settings.game, "network": settings.network, "heuristic": settings.heuristic,
        "matches": progress.matches, "seconds": round(progress.seconds, 1), "minutes_limit": settings.minutes,
        "matches_limit": settings.matches, "saved": run.saved,
        "length": progress.mean_length, "loss": progress.mean_loss, "first_player": dict(of_results) or None,
        "evaluations": progress.evaluations, "evaluations_per_second": progress.evaluations_per_second,
        "cut_short": progress.cut_short, "learnt": progress.learnt, "memory": progress.memory,
        "shares": progress.shares,
        "strength": asdict(progress.measurement) if progress.measurement else None,
        "record": asdict(progress.record) if progress.record else None, "versions": _versions(progress.environments),
        "environments": list(progress.environments),
    }  # fmt: skip


def strength(one: Mapping[str, Any]) -> str:
    """The latest measurement of strength of an `overview`, in words."""
    measured = one["strength"]
    if not measured:
        return "not measured"
    matches = counted(measured["matches"], "match")
    if measured["opponent"] == ALONE:
        return f"mean score {measured['score']:g}, best {measured['best']}, after {matches}"
    score = f"{measured['score']:.0%} of {counted(measured['games'], 'game')} against {measured['opponent']}"
    return f"{score}, after {matches}"


def duration(seconds: float) -> str:
    """A time in its two largest units.

    >>> duration(42), duration(62), duration(7300), duration(180_000)
    ('42 s', '1 min 2 s', '2 h 1 min', '2 d 2 h')
    """
    whole = max(0, round(seconds))
    units = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
    found = []
    for name, length in units:
        count, whole = divmod(whole, length)
        found.append((count, name))
    first = next((number for number, (count, _) in enumerate(found) if count), len(found) - 1)
    return " ".join(f"{count} {name}" for count, name in found[first : first + 2] if count or name == "s")


def _tell(console: Console, one: Mapping[str, Any]) -> None:
    """Prints everything about one run except its settings."""
    console.print(f"[bold]{escape(one['run'])}[/bold]: {escape(one['game'])}", soft_wrap=True)
    limits = [f"{one['minutes_limit']:g} min" if one["minutes_limit"] else ""]
    limits += [counted(one["matches_limit"], "match") if one["matches_limit"] else ""]
    limit = " or ".join(filter(None, limits))
    trained = f"{duration(one['seconds'])}, {counted(one['matches'], 'match')}"
    rows = {
        "trained": f"{trained} (limit: {limit})" if limit else trained,
        "strength": strength(one),
        "last matches": _last_matches(one),
        "learnt": f"{counted(one['learnt'], 'item')}, {one['memory']:,} in memory" + _loss(one["loss"]),
        "searched": counted(one["evaluations"], "evaluation")
        + _speed(one["evaluations_per_second"])
        + (f", {counted(one['cut_short'], 'search')} cut short by full trees" if one["cut_short"] else ""),
        "time": ", ".join(f"{name} {share:.0%}" for name, share in one["shares"].items()),
        "by athenan": ", then ".join(one["versions"]) + _processor(one["environments"]),
    }
    for name, text in rows.items():
        if text:
            console.print(f"  {name:13}{escape(text)}", soft_wrap=True)


def _versions(environments: Sequence[Mapping[str, str]]) -> list[str]:
    """The versions of athenan that have trained, in order."""
    return [version for version, _ in groupby(one["athenan"] for one in environments if "athenan" in one)]


def _processor(environments: Sequence[Mapping[str, str]]) -> str:
    """The processor that has trained last, if the run says so."""
    processor = environments[-1].get("processor") if environments else None
    return f", on {processor}" if processor else ""


def _last_matches(one: Mapping[str, Any]) -> str:
    if one["length"] is None:
        return ""
    text = f"{one['length']:.1f} actions"
    if one["record"]:
        return f"{text}; best score {one['record']['score']} in match {one['record']['match']:,}"
    results = one["first_player"] or {}
    return "; first player ".join(filter(None, (text, ", ".join(f"{name} {x:.0%}" for name, x in results.items()))))


def _loss(loss: float | None) -> str:
    return "" if loss is None else f", loss {loss:.4g}"


def _speed(speed: float | None) -> str:
    return "" if speed is None else f", {speed:,.0f} a second of searching"


def _settings(configuration: Mapping[str, str]) -> Table:
    """The settings of a run, one row for each component."""
    table = Table("component", "settings", box=box.SIMPLE, pad_edge=False)
    for component in dict.fromkeys(name.partition(".")[0] for name in configuration):
        table.add_row(escape(component), escape(", ".join(_of(component, configuration.items()))))
    return table


def _of(component: str, settings: Iterable[tuple[str, str]]) -> list[str]:
    own = [(name.partition("."), value) for name, value in settings]
    return [f"{name}={value}" if name else value for (owner, _, name), value in own if owner == component]
