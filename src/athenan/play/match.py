"""Matches between two players, and what came of them.

    >>> from athenan import make
    >>> from athenan.play.match import play_matches
    >>> from athenan.play.player import MctsPlayer, RandomPlayer
    >>> result = play_matches(make("tictactoe"), MctsPlayer(), RandomPlayer(), games=20)
    >>> result.games, result.score > 0.8
    (20, True)

Games come in pairs: one opening, played twice with the colours exchanged.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import isfinite
from queue import SimpleQueue
from statistics import fmean
from time import perf_counter
from typing import Any, TypeVar

from athenan.play import statistics
from athenan.play.openings import Opening, random_openings
from athenan.play.player import Player, PlayerError, Resign, Undo
from athenan.rules.game import Game, GameError, State
from athenan.rules.randomness import streams
from athenan.rules.state import sign

Participants = TypeVar("Participants")
Result = TypeVar("Result")


@dataclass(frozen=True)
class MatchRecord:
    """One finished match; pairs of numbers are those of the first and of the second player."""

    actions: tuple[int, ...]
    """From the initial state on, with those of the opening."""
    opening: int
    """How many of the actions were given."""
    outcome: int
    """1, 0 or -1: the first player's gain."""
    seconds: tuple[float, float]
    """Time used to select actions."""
    selected: tuple[int, int]
    """Actions selected."""
    resigned: bool
    """Whether the match ended because the loser gave up."""


def play_match(game: Game, players: tuple[Player, Player], opening: Sequence[int] = (), seed: int = 0) -> MatchRecord:
    """Plays a match from the state after `opening`; `players[0]` is the first player. One player may play both sides.

    Raises GameError if the opening is not legal, PlayerError if a player selects an illegal action, Quit if one quits.
    """
    actions, seconds, selected, resigned = list(opening), [0.0, 0.0], [0, 0], False
    state = _start(game, players, actions, seed)
    while (outcome := game.outcome(state)) is None:
        side, began = game.player(state), perf_counter()
        try:
            action = players[side].select(state)
        except Undo:
            actions = _before_last(game, actions, side, len(opening))
            state = _start(game, players, actions, seed)
            continue
        except Resign:
            outcome, resigned = -sign(side), True
            break
        seconds[side] += perf_counter() - began
        selected[side] += 1
        try:
            following = game.play(state, action)
        except GameError as error:
            raise PlayerError(f"player {players[side].name} made an illegal move: {error}") from None
        _observe(players, state, action)
        actions.append(action)
        state = following
    return MatchRecord(
        tuple(actions), len(opening), outcome, (seconds[0], seconds[1]), (selected[0], selected[1]), resigned
    )


def _each_once(players: tuple[Player, Player]) -> tuple[Player, ...]:
    return players[:1] if players[0] is players[1] else players


def _start(game: Game, players: tuple[Player, Player], actions: Sequence[int], seed: int) -> State:
    """Tells the players of a match and its first actions; returns the state after them."""
    for player, own_seed in zip(_each_once(players), streams(seed, 2), strict=False):
        player.new_match(game, int(own_seed))
    state = game.initial()
    for action in actions:
        following = game.play(state, action)
        _observe(players, state, action)
        state = following
    return state


def _observe(players: tuple[Player, Player], state: State, action: int) -> None:
    for player in _each_once(players):
        player.observe(state, action)


def _before_last(game: Game, actions: list[int], side: int, least: int) -> list[int]:
    """The actions before the last one of a side after the opening; all, if there is none."""
    state, last = game.initial(), len(actions)
    for number, action in enumerate(actions):
        if number >= least and game.player(state) == side:
            last = number
        state = game.play(state, action)
    return actions[:last]


@dataclass(frozen=True)
class MatchResult:
    """Pairs of matches between `player`, from whose point of view all counts and scores are, and `opponent`."""

    game: Game
    player: str
    opponent: str
    seed: int
    pairs: tuple[tuple[MatchRecord, MatchRecord], ...]
    """Of each pair the first was begun by `player`, the second by `opponent`."""

    @property
    def gains(self) -> list[tuple[int, int]]:
        """The gains of `player` in each pair."""
        return [(first.outcome, -second.outcome) for first, second in self.pairs]

    @property
    def games(self) -> int:
        return 2 * len(self.pairs)

    def counts(self, colour: int | None = None) -> tuple[int, int, int]:
        """Wins, draws and losses; with a colour only those as the first (0) or second (1) player."""
        gains = [gain for pair in self.gains for gain in (pair if colour is None else pair[colour : colour + 1])]
        return gains.count(1), gains.count(0), gains.count(-1)

    @property
    def score(self) -> float:
        """Points per game: a win is 1, a draw 1/2."""
        return statistics.score(*self.counts())

    @property
    def pair_scores(self) -> list[float]:
        """Points per game of each pair."""
        return [(2 + first + second) / 4 for first, second in self.gains]

    def interval(self, confidence: float = 0.95) -> statistics.Interval:
        """The interval for the score; see `athenan.play.statistics`."""
        return statistics.score_interval(self.pair_scores, 2, confidence)

    @property
    def p_value(self) -> float:
        """How likely so unequal a result is between equals, counted in pairs (two-sided sign test)."""
        scores = self.pair_scores
        return statistics.sign_test(sum(score > 0.5 for score in scores), sum(score < 0.5 for score in scores))

    def seconds_per_move(self, of_player: bool) -> float:
        """Mean time used to select an action, by `player` or by `opponent`."""
        sides = [(match, side if of_player else 1 - side) for pair in self.pairs for side, match in enumerate(pair)]
        moves = sum(match.selected[side] for match, side in sides)
        return sum(match.seconds[side] for match, side in sides) / max(1, moves)

    def summary(self) -> str:
        """The result in one line."""
        (wins, draws, losses), (low, high) = self.counts(), self.interval()
        return (
            f"{self.player} against {self.opponent} at {self.game.name}: {wins} wins, {draws} draws, {losses} losses "
            f"in {self.games} games; {self.score:.1%} of points, 95% interval {low:.1%} to {high:.1%}"
        )

    def as_json(self) -> dict[str, Any]:
        """The result as JSON takes it; infinite Elo differences are null.

        `openings` and `distinct_games` count different ones: games played twice say nothing new.
        """
        matches = [match for pair in self.pairs for match in pair]
        lengths = [len(match.actions) for match in matches]
        wins, draws, losses = self.counts()
        interval = self.interval()
        elo = [statistics.elo_difference(score) for score in (self.score, *interval)]
        finite = [value if isfinite(value) else None for value in elo]
        return {
            "game": self.game.name, "player": self.player, "opponent": self.opponent, "seed": self.seed,
            "games": self.games, "wins": wins, "draws": draws, "losses": losses,
            "score": self.score, "interval": list(interval), "confidence": 0.95,
            "elo": finite[0], "elo_interval": finite[1:], "p_value": self.p_value,
            "as_first": self._by_colour(0), "as_second": self._by_colour(1),
            "length": {"mean": fmean(lengths), "least": min(lengths), "most": max(lengths)},
            "seconds_per_move": {"player": self.seconds_per_move(True), "opponent": self.seconds_per_move(False)},
            "openings": len({match.actions[: match.opening] for match in matches}),
            "distinct_games": len({match.actions for match in matches}),
        }  # fmt: skip

    def _by_colour(self, colour: int) -> dict[str, float]:
        wins, draws, losses = self.counts(colour)
        return {"wins": wins, "draws": draws, "losses": losses, "score": statistics.score(wins, draws, losses)}


def play_matches(
    game: Game,
    player: Player,
    opponent: Player,
    games: int = 100,
    openings: Sequence[Opening] | None = None,
    random_opening: int = 1,
    seed: int = 0,
    progress: Callable[[MatchResult], None] | None = None,
    more: Sequence[tuple[Player, Player]] = (),
) -> MatchResult:
    """Plays `games` matches, two per opening with the colours exchanged, and says how `player` fared.

    A game of one player is played with `play_alone`, in the module `solo`.

    `openings` are used in their order, and again if they are too few; by default they begin with `random_opening`
    random actions (see `random_openings`). `progress` is called with the result so far after each pair. `more` are
    further (player, opponent) objects of the same kinds, each of which plays in a thread of its own: matches depend on
    `seed` and not on who plays them, so they are the same unless a budget is a time. Raises GameError for an odd
    number of games or a game of one player, and what `play_match` raises.
    """
    if game.players != 2:
        raise GameError(f"{game.name} has one player, who has no opponent; see athenan.play.solo.play_alone")
    if games < 2 or games % 2:
        raise GameError(f"the number of games must be even, as openings are played with both colours, not {games}")
    if openings is not None and not openings:
        raise GameError("the list of openings is empty")
    openings = random_openings(game, random_opening, games // 2, seed) if openings is None else openings
    seeds = streams(seed, games)

    def play_pair(players: tuple[Player, Player], number: int) -> tuple[MatchRecord, MatchRecord]:
        opening, (one, other) = openings[number % len(openings)], players
        return (
            play_match(game, (one, other), opening, int(seeds[2 * number])),
            play_match(game, (other, one), opening, int(seeds[2 * number + 1])),
        )

    result = MatchResult(game, player.name, opponent.name, seed, ())
    for pair in spread(play_pair, [(player, opponent), *more], games // 2):
        result = MatchResult(game, player.name, opponent.name, seed, (*result.pairs, pair))
        if progress:
            progress(result)
    return result


def spread(
    task: Callable[[Participants, int], Result], participants: Sequence[Participants], count: int
) -> Iterator[Result]:
    """task(those who play, number) for the numbers below `count`, in their order; each participants in a thread."""
    if len(participants) == 1:
        yield from (task(participants[0], number) for number in range(count))
        return
    idle = SimpleQueue[Participants]()
    for one in participants:
        idle.put(one)

    def run(number: int) -> Result:
        one = idle.get()
        try:
            return task(one, number)
        finally:
            idle.put(one)

    executor = ThreadPoolExecutor(len(participants))
    try:
        yield from executor.map(run, range(count))
    finally:
        executor.shutdown(cancel_futures=True)
