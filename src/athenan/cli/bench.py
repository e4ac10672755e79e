"""`athenan bench`: the speed of rules, searches and network on this machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from rich import box
from rich.console import Console
from rich.table import Table

from athenan.bench import SearchSpeed, Speed, as_json, machine, measure, usual_network
from athenan.cli.arguments import Argument
from athenan.cli.options import SearchText, Threads, parse, print_json, read_search
from athenan.cli.progress import showing
from athenan.evaluation.architectures import KIND as NETWORK
from athenan.evaluation.architectures import require_what_computes
from athenan.games.catalogue import MEASURED, make
from athenan.rules.game import Game
from athenan.settings import Seconds, counted


@dataclass(frozen=True)
class Bench:
    """Measures random play, perft, MCTS, and best-first search with a free evaluation function and with a network.

    Figures are medians of five measurements. The network is untrained and runs on the CPU. For searches, nodes are
    states expanded, values are children evaluated, overhead is the cost of a round (one expansion) beyond the rules,
    and share is the part of the time that the network takes, unless the search evaluates it in compiled code.
    """

    games: Annotated[tuple[str, ...], Argument(positional=True, metavar="GAME")] = MEASURED
    """The games to measure."""
    seconds: Annotated[Seconds, Argument(metavar="S")] = 1.0
    """Seconds that each figure is measured for, roughly."""
    threads: Threads = 1
    network: Annotated[str, Argument()] = ""
    """The architecture of the network. Default: the one that a short training of the game has."""
    search: SearchText = "descent"
    """The search with its settings, such as descent:evaluate=action_values."""
    json: bool = False
    """Print JSON."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Bench, "bench", arguments)
    settings, speeds = read_search(options.search), list[Speed]()
    own = options.network and NETWORK.own_code(options.network) and NETWORK.named(options.network).text
    chosen = own or options.network
    measured = [(game, chosen or usual_network(game, settings)) for game in map(make, options.games)]
    for _, network in measured:
        require_what_computes(network, "take one that needs none: --network patterns")
    try:
        with showing(lambda: _progress([game for game, _ in measured], len(speeds))):
            for game, network in measured:
                speeds.append(measure(game, options.seconds, options.threads, network, settings))
    except KeyboardInterrupt:
        if speeds:
            _report(speeds, options)
        raise
    _report(speeds, options)


def _progress(games: Sequence[Game], done: int) -> str:
    """How far the measurements are; `done` games have ended."""
    following = f", now {games[done].name}" if done < len(games) else ""
    return f"measured {done} of {counted(len(games), 'game')}{following}"


def _report(speeds: list[Speed], options: Bench) -> None:
    if options.json:
        print_json(as_json(speeds))
    else:
        _show(speeds, options)


def _show(speeds: list[Speed], options: Bench) -> None:
    console = Console(highlight=False)
    console.print(", ".join(f"{key} {value}" for key, value in machine().items()))
    rules = _table("random play, steps", "perft, nodes", "MCTS, rollouts")
    search, network = _table("nodes", "values", "overhead"), _table("nodes", "values", "share")
    network.add_column("network", overflow="fold")
    for speed in speeds:
        figures = (speed.random_steps, speed.perft_nodes, speed.mcts_rollouts)
        rules.add_row(speed.game, *(f"{figure:,.0f}" for figure in figures))
        search.add_row(speed.game, *_of_search(speed.search), f"{speed.round_microseconds:.1f} µs")
        share = speed.network.evaluator_share
        network.add_row(
            speed.game, *_of_search(speed.network), "inside" if share is None else f"{share:.1%}", speed.architecture
        )
    console.print("\n[bold]Rules and MCTS, per second[/bold]", rules)
    console.print(f"[bold]{options.search} with a free evaluation, per second[/bold]", search)
    console.print(f"[bold]{options.search} with a network, per second[/bold]", network)
    precisions = ", ".join(sorted({speed.precision for speed in speeds}))
    console.print(f"networks in {precisions}, threads: {options.threads}")


def _of_search(speed: SearchSpeed) -> tuple[str, str]:
    return f"{speed.expansions:,.0f}", f"{speed.evaluations:,.0f}"


def _table(*titles: str) -> Table:
    table = Table("game", box=box.SIMPLE, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right")
    return table
