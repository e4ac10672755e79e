"""The results of a tournament as data, one observation in a row."""

from collections.abc import Sequence

from athenan.arena.learnt_players import parts_of
from athenan.arena.store import Pairing, Store
from athenan.arena.tally import share
from athenan.arena.tournaments.conditions import facts
from athenan.arena.tournaments.standings import DuelStandings, SoloStandings, Standings
from athenan.report.data import Data, Value

PAIRS, PLAYERS = TABLES = ("pairs", "players")
"""The names of the tables."""
_PLAYER = ("player", "run", "minutes", "settings")
_OF_PAIR = (
    "game", *_PLAYER, "opponent", *(f"opponent_{name}" for name in _PLAYER[1:]), "limit", "pair", "gain_first",
    "gain_second", "score_first", "score_second", "processor", "athenan",
)  # fmt: skip


def data(store: Store, meeting: Sequence[Pairing], found: Standings) -> list[Data]:
    """The pairs of these pairings in the store, and the standings, as the `TABLES`. Raises StoreError."""
    return [Data(PAIRS, _OF_PAIR, _pairs(store, meeting)), _players(found)]


def _pairs(store: Store, meeting: Sequence[Pairing]) -> list[tuple[Value, ...]]:
    rows = list[tuple[Value, ...]]()
    ran = store.environments()
    for pairing in meeting:
        player, *others = ((name, *parts_of(name)) for name in pairing.players)
        rival: tuple[Value, ...] = others[0] if others else (None,) * len(_PLAYER)
        limit = facts(pairing.conditions)["limit"]
        for pair in store.results(pairing):
            gains: tuple[Value, ...] = (*pair.gains, None)[:2] if others else (None, None)
            environment = ran.get(pair.environment or 0, {})
            made = environment.get("processor"), environment.get("athenan")
            scores = (*pair.scores, None)[:2]
            rows.append((pairing.game, *player, *rival, limit, pair.number, *gains, *scores, *made))
    return rows


def _players(found: Standings) -> Data:
    columns: tuple[str, ...]
    if isinstance(found, SoloStandings):
        columns = ("games", "mean", "low", "high", "best")
        rows = [(*_named(found, one), *_of_scores(found, one)) for one in found.ranking]
    else:
        assert isinstance(found, DuelStandings)
        columns = ("elo", "low", "high", "games", "wins", "draws", "losses", "score", "score_first", "score_second")
        rows = [(*_named(found, one), *_of_duels(found, one)) for one in found.ranking]
    return Data(PLAYERS, ("game", *_PLAYER, *columns), rows)


def _named(found: Standings, one: int) -> tuple[Value, ...]:
    return found.game, found.players[one], *parts_of(found.players[one])


def _of_scores(found: SoloStandings, one: int) -> tuple[Value, ...]:
    facts = found.as_json()["players"][found.ranking.index(one)]
    return facts["games"], facts["mean"], *(facts["interval"] or (None, None)), facts["best"]


def _of_duels(found: DuelStandings, one: int) -> tuple[Value, ...]:
    rating, counts = found.ratings and found.ratings[one], found.counts(one)
    shares = [share(found.counts(one, colour=colour)) for colour in (None, 0, 1)]
    return (*((rating.elo, *rating.interval) if rating else (None,) * 3), sum(counts), *counts, *shares)
