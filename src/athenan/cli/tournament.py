"""`athenan tournament`: any number of players against each other, with results in a file that can be added to."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Annotated

from rich.console import Console
from rich.live import Live
from rich.text import Text

from athenan.arena.learnt_players import labelled
from athenan.arena.pairs import Conditions, close_players, kept_player
from athenan.arena.store import Store
from athenan.arena.tournaments import report
from athenan.arena.tournaments.conditions import facts, in_words
from athenan.arena.tournaments.data import TABLES, data
from athenan.arena.tournaments.schedule import TournamentProgress, pairings, play_tournament
from athenan.arena.tournaments.standings import DuelStandings, Standings, anchored, standings
from athenan.cli.arguments import Argument
from athenan.cli.data import DataOptions
from athenan.cli.options import GameName, Limits, OwnRules, PlayerNames, allow_rules, parse, read_game
from athenan.cli.playing import Playing, count_of_pairs, require_whole_pairs
from athenan.cli.progress import showing
from athenan.cli.streams import width
from athenan.cli.threads import names_of
from athenan.extras import require
from athenan.play.limit import Limit
from athenan.replacing import require_writable
from athenan.report.data import Data
from athenan.report.page import write
from athenan.report.tables import WIDTH, as_text
from athenan.rules.game import Game
from athenan.settings import Between, counted

_MOST_TOLD = 3
"""Conditions of a store that an error reports."""
_REFRESH = 1.0
"""Seconds between two updates of the results while matches are played."""


@dataclass(frozen=True)
class Tournament:
    """Plays matches between all players, or the first against the others, and rates them on one scale.

    Players are named as in athenan match. The file of --store keeps the results: the same command continues an
    interrupted tournament, more --games or more players extend a finished one, and several commands can fill one file
    at once. In a one-player game each player plays alone.
    """

    game: GameName
    """The game, such as hex:7."""
    players: PlayerNames = ()
    """The players. Default: the players in the store under these conditions."""
    limits: Limits = field(default_factory=Limits)
    playing: Playing = field(default_factory=Playing)
    games: Annotated[
        Annotated[int, Between(0, 10**7)] | None,
        Argument(short="-g", metavar="N", default="20, or each listed opening once"),
    ] = None
    """Matches of each pairing, an even number in a two-player game. 0 only reports."""
    gauntlet: bool = False
    """Only the first player plays against the others."""
    anchor: Annotated[str | None, Argument(metavar="PLAYER", default="the mean is 0")] = None
    """Rate all players relative to this one, which has 1000 Elo points, such as mcts:1000."""
    store: Annotated[str | None, Argument(metavar="FILE", default="not kept")] = None
    """The file for the results, an SQLite database."""
    html: Annotated[str | None, Argument(metavar="FILE")] = None
    """Also write the report as a web page."""
    rules: OwnRules = ""
    json: bool = False
    """Print JSON: players with ratings and counts, pairings with scores, and what engines remarked."""
    data: DataOptions = field(default_factory=DataOptions)


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Tournament, "tournament", arguments)
    options.data.format(options.json, TABLES)  # bad options are refused before the matches
    allow_rules(options.rules)
    game = read_game(options.game)
    require_whole_pairs(game, options.games)
    if options.html:
        require_writable(options.html)
        require("matplotlib", "--html, a report with figures,")
    conditions = options.playing.conditions(game, options.limits)
    count = count_of_pairs(game, options.games, conditions, usual=20)
    with ExitStack() as stack:
        stack.callback(close_players)
        players = _named(game, options, conditions.limit) if options.players else _stored(game, options, conditions)
        anchor = _anchor(game, options, players)
        meeting = pairings(game, players, conditions, options.gauntlet)
        if count:
            options.playing.require_machines()
        path = options.store or str(Path(stack.enter_context(TemporaryDirectory(prefix="athenan-"))) / "results.sqlite")
        store = stack.enter_context(Store(path))  # only now: bad input leaves no new file
        result = partial(standings, store, game.name, players, meeting)

        def finished() -> Standings:
            return anchored(replace(result(), remarks=store.remarks(meeting)), anchor)

        if count:
            steps = play_tournament(
                store, game, dict.fromkeys(meeting, count), conditions,
                options.playing.spread(game, players), options.playing.threads,
            )  # fmt: skip
            try:
                _watch(steps, count * len(meeting), lambda: _for_people(game, result()))
            except KeyboardInterrupt:
                if (so_far := finished()).games:
                    _print(game, options, so_far, conditions, partial(data, store, meeting, so_far))
                raise
        found = finished()
        _print(game, options, found, conditions, partial(data, store, meeting, found))
    if options.html:  # last: what is printed is not lost if the page cannot be written
        write(options.html, report.html(_for_people(game, found), _facts(game, options, conditions)))


def _print(
    game: Game, options: Tournament, found: Standings, conditions: Conditions, rows: Callable[[], Sequence[Data]]
) -> None:
    if form := options.data.format(options.json, TABLES):
        whole = lambda: {**found.as_json(), "conditions": json.loads(conditions.text)}
        options.data.print(form, rows, lambda: report.tables(_for_people(game, found)), whole)
    else:
        print(report.text(_for_people(game, found), width(WIDTH)))


def _for_people(game: Game, found: Standings) -> Standings:
    """The standings, with the levels of the players beside their names."""
    told = replace(found, players=tuple(labelled(name, game) for name in found.players))
    anchor = found.anchor if isinstance(found, DuelStandings) else None
    return anchored(told, anchor and labelled(anchor, game))


def _named(game: Game, options: Tournament, limit: Limit) -> list[str]:
    """The canonical names of the given players. Each player is made once, to find out whether it can be."""
    players = (kept_player(name, game, options.playing.threads, named=True) for name in options.players)
    names = names_of(players, options.playing.threads, limit)
    if not options.playing.plays_here:
        close_players()
    return names


def _stored(game: Game, options: Tournament, conditions: Conditions) -> list[str]:
    """The players in the store under these conditions. Raises ValueError without any."""
    if options.gauntlet:
        raise ValueError("name the players of a gauntlet, first the one that plays against all others")
    if not options.store:
        raise ValueError("name players, such as mcts:100 mcts:1000 runs/x, or the --store of a tournament")
    if not Path(options.store).exists():
        raise ValueError(f"{options.store} does not exist; name the players of a new tournament")
    with Store(options.store) as store:
        found = [one for one in store.pairings() if one.game == game.name]
    names = {name for one in found if one.conditions == conditions.text for name in one.players}
    if not names:
        raise ValueError(_missing(options.store, game, conditions, {one.conditions for one in found}))
    return sorted(names)


def _missing(store: str, game: Game, conditions: Conditions, others: Collection[str]) -> str:
    """Why a store has no players under these conditions: it has no results of the game, or only under others."""
    if not others:
        return f"{store} has no results of {game.name}: name players"
    known = " or ".join(f"({in_words(text)})" for text in sorted(others)[:_MOST_TOLD])
    return (
        f"{store} has no results of {game.name} under these conditions ({in_words(conditions.text)}): name players, or "
        f"give the conditions of {'its results' if len(others) <= _MOST_TOLD else 'some of its results'} {known}"
    )


def _anchor(game: Game, options: Tournament, players: Sequence[str]) -> str | None:
    """The canonical name of the player that others are rated against. Raises ValueError for an unknown player."""
    if options.anchor is None:
        return None
    if game.players == 1:
        raise ValueError("--anchor is for ratings, and a one-player game has scores")
    named = options.anchor if options.anchor in players else kept_player(options.anchor, game, named=True).name
    if named not in players:
        raise ValueError(f"--anchor must be one of the players, not {options.anchor}")
    return named


def _facts(game: Game, options: Tournament, conditions: Conditions) -> dict[str, str]:
    """The conditions in words, for the page."""
    told = facts(conditions.text, options.playing.openings)
    return told if game.players == 1 else {**told, "openings": f"{told['openings']}; each with both colours"}


def _watch(steps: Iterator[TournamentProgress], pairs: int, result: Callable[[], Standings]) -> None:
    """Plays the matches. A terminal shows the results so far in a table."""
    console = Console(stderr=True)
    if not console.is_terminal:
        unfinished = pairs
        with showing(lambda: _done(unfinished, pairs)):
            for step in steps:
                unfinished = step.unfinished
        return
    began, looked = monotonic(), -_REFRESH
    with Live(console=console, transient=True, auto_refresh=False) as live:
        for step in steps:
            now = monotonic()
            if now - looked >= _REFRESH:
                looked = now
                live.update(_progress(step, pairs, now - began, result(), width(WIDTH)), refresh=True)


def _progress(step: TournamentProgress, pairs: int, seconds: float, found: Standings, columns: int) -> Text:
    """What is done, and the first table of the results, whose columns continue below where they do not fit."""
    left = f", about {step.unfinished * seconds / step.own:,.0f} s left" if step.own else ""
    table = replace(next(report.tables(found)), note="")
    return Text(f"{_done(step.unfinished, pairs)}{left}\n\n{as_text(table, columns)}")


def _done(unfinished: int, pairs: int) -> str:
    return f"finished {pairs - unfinished:,} of {counted(pairs, 'pair')}"
