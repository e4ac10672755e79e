"""Measures the ladder of games, and writes it to docs/strength.md and into the cards of the package's networks.

Usage, after `scripts/test` has made the environment:

    .venv/bin/python scripts/ladder.py connect_four othello:8 --seconds 0.1 --games-each 20 --store runs/ladder.sqlite

`scripts/levels.py` chooses the levels whose strength this measures. Of docs/strength.md only the sections of these
games change. The store keeps all results, so the same command continues
an interrupted tournament, and after a network has become better plays only the new one's matches; the earlier network
stays on the ladder. `--also` adds players, such as runs, and `--without` leaves slow ones out. Programs that are not
installed are left out, with a sentence. Seconds are processor time of the searching thread; other programs have
wall-clock time, so that with them it must run where nothing else does.
"""

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from measuring import measure_games, options_of, rated

from athenan.arena.pairs import Conditions
from athenan.arena.store import Store
from athenan.arena.tournaments import ladder
from athenan.arena.tournaments.standings import DuelStandings
from athenan.networks.catalogue import NAME, available
from athenan.networks.shipping import change_card
from athenan.play.levels import Level, LevelName
from athenan.play.openings import OpeningChoice
from athenan.rules.game import Game
from athenan.search.budget import Budget
from athenan.version import processor

_SECTION = "<!-- ladder of {} -->\n"
_END = "<!-- end of ladder -->\n"
_WHOLE = re.compile(r"<!-- ladder of (\S+) -->\n.*?" + re.escape(_END), re.DOTALL)
_SUMMARY = re.compile(r"(<!-- summary -->\n).*?(<!-- end of summary -->\n)", re.DOTALL)
_ROW = re.compile(r"^\| `(.+)`(?: \(\w+\))? \| (-?\d+) \| (-?\d+ to -?\d+) \|", re.MULTILINE)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command."""
    parser = options_of("ladder", __doc__)
    parser.add_argument("--seconds", type=float, default=0.1, help="time for an action (0.1)")
    parser.add_argument("--games-each", type=int, default=20, dest="count", help="of each player, at least (20)")
    parser.add_argument("--also", nargs="*", default=[], metavar="PLAYER", help="more players")
    parser.add_argument("--without", nargs="*", default=[], metavar="PLAYER", help="usual players that are left out")
    measure_games(measure, parser.parse_args(arguments))


def measure(game: Game, store: Store, given: argparse.Namespace) -> None:
    """Plays what is missing of a game's ladder, and writes its section."""
    conditions = Conditions(
        Budget(seconds=given.seconds), OpeningChoice("random", 1, given.seed), given.seed, clock="processor"
    )
    players, left_out = ladder.rungs(game, given.seconds, given.also, given.without)
    for sentence in left_out:
        print(f"left out: {sentence}", file=sys.stderr)
    played, watched = 0, sys.stderr.isatty()
    for played in ladder.play(store, game, players, conditions, given.count // 2):
        if watched:
            print(f"\r{game.name}: {played} pairs played ", end="", file=sys.stderr)
    print("" if watched else f"{game.name}: {played} pairs played", file=sys.stderr)
    former = earlier(store, game, conditions, players)
    found = ladder.standings_of(store, game, [*players, *former], conditions)
    network = available(game)
    levels = ladder.levels_of_network(found, game) if network else {}
    names = {place: name for name, (_, place) in levels.items()}
    page = with_section(given.page.read_text(), game.name, section(found, names, given.seconds, left_out))
    given.page.write_text(with_summary(in_order(page)))
    if network and levels:
        set_levels(network.file, found, levels, given.seconds)


def earlier(store: Store, game: Game, conditions: Conditions, players: list[str]) -> list[str]:
    """Former networks of the package in the store, at their strongest."""
    met = [one for one in store.pairings() if (one.game, one.conditions) == (game.name, conditions.text)]
    names = {name for one in met for name in one.players if _is_strongest(name)}
    return sorted(names - set(players))


def _is_strongest(player: str) -> bool:
    """Whether a player is a network of the package without handicap."""
    return re.fullmatch(rf"{NAME}@[0-9a-f]+", player) is not None


def set_levels(file: Path, found: DuelStandings, levels: Mapping[LevelName, tuple[Level, int]], seconds: float) -> None:
    """Writes the ratings of the levels into the card of a network."""
    ratings = rated(found, [(name, level, place) for name, (level, place) in levels.items()])
    how = f"in the ladder of {found.games} games; the strongest level has {seconds:g} s of processor time an action"
    change_card(file, ratings=tuple(ratings), measured=f"{how}, on {processor()}")


def section(found: DuelStandings, levels: Mapping[int, str], seconds: float, left_out: list[str]) -> str:
    """The section of a game: a table of ratings, with the names of `levels` by place, and how they were measured."""
    ratings = found.ratings
    lines = [
        f"## {found.game}", "",
        f"{found.games} games; {seconds:g} s of processor time (other programs: wall-clock time) for an action of",
        f"players without a limit of their own, on {processor()}.",
        "", "| player | Elo | 95% interval | games | points |", "| --- | --: | --: | --: | --: |",
    ]  # fmt: skip
    for one in found.ranking:
        wins, draws, losses = found.counts(one)
        games = wins + draws + losses
        low, high = ratings[one].interval if ratings else (float("nan"),) * 2
        elo = f"{ratings[one].elo:.0f} | {low:.0f} to {high:.0f}" if ratings else "– | –"
        name = f"`{found.players[one]}`" + (f" ({levels[one]})" if one in levels else "")
        lines.append(f"| {name} | {elo} | {games} | {(wins + draws / 2) / max(1, games):.1%} |")
    if left_out:
        lines += ["", "Left out: " + "; ".join(left_out) + "."]
    return "\n".join(lines) + "\n"


def with_section(page: str, game: str, text: str) -> str:
    """The page with the section of a game in place of its former one, or as the last."""
    part = f"{_SECTION.format(game)}\n{text}\n{_END}"
    if any(found[1] == game for found in _WHOLE.finditer(page)):
        return _WHOLE.sub(lambda found: part if found[1] == game else found[0], page)
    return f"{page.rstrip()}\n\n{part}"


def in_order(page: str) -> str:
    """The page with its sections in the order of their games."""
    sections = sorted(_WHOLE.finditer(page), key=lambda found: found[1])
    return _WHOLE.sub("", page).rstrip() + "\n\n" + "\n".join(found[0] for found in sections)


def with_summary(page: str) -> str:
    """The page with a table of the package's networks, and of the strongest other player of each game, if it has room.

    Former networks and networks of runs are no other players.
    """
    lines = ["", "| game | the package's network: Elo, 95% interval | the strongest other player | Elo |"]
    lines += ["| --- | --- | --- | --: |"]
    for found in _WHOLE.finditer(page):
        rows = {name: (elo, interval) for name, elo, interval in _ROW.findall(found[0])}
        own = next((name.partition(",")[0] for name in rows if name.startswith(f"{NAME}@") and "," in name), None)
        others = [name for name in rows if not name.startswith((f"{NAME}@", "runs/"))]
        if own in rows and others:
            game, (elo, interval), best = found[1], rows[own], others[0]
            link = f"[{game}](#{re.sub('[^a-z0-9_]', '', game)})"
            lines.append(f"| {link} | {elo}, {interval} | `{best}` | {rows[best][0]} |")
    table = "\n".join([*lines, ""])
    return _SUMMARY.sub(lambda room: f"{room[1]}{table}\n{room[2]}", page)


if __name__ == "__main__":
    main()
