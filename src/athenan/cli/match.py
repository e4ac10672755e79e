"""`athenan match`: matches between two players, or of one player alone."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from athenan.arena.learnt_players import labelled
from athenan.arena.pairs import Conditions, close_players, kept_player
from athenan.arena.recording import Recording
from athenan.arena.results import Duel, Series, Solo, causes_of, of_players
from athenan.arena.series import play_pairs
from athenan.arena.store import Pairing
from athenan.cli.arguments import Argument
from athenan.cli.options import GameName, Limits, OwnRules, allow_rules, parse, print_json, read_game
from athenan.cli.playing import Playing, count_of_pairs, require_whole_pairs
from athenan.cli.progress import showing
from athenan.cli.threads import names_of
from athenan.play.limit import Clock, Limit
from athenan.play.player import PlayerError
from athenan.rules.game import Game
from athenan.settings import Between, counted
from athenan.statistics import Sprt, elo_difference, elo_interval

PlayerName = Annotated[str, Argument(positional=True, metavar="PLAYER")]


@dataclass(frozen=True)
class Match:
    """Plays matches between two players, and measures the strength of the first with a confidence interval.

    Players are random, mcts:1000 or rave:1000 (rollouts per action), mcts:0.5s (seconds per action),
    evaluation:material (alpha-beta with an evaluation that the game declares), gnubg, another program (gtp:COMMAND,
    uci:COMMAND and so on), a run directory or checkpoint (a search with its network), or athenan, the package's network
    of the game. Settings follow after commas: runs/x,search=descent,seconds=0.5. Networks play at levels from beginner
    to strongest: athenan:club, runs/x,level=club. Matches come in pairs: each opening is played with both colours. A
    one-player game has no opponent: each match has its own opening, and the results are scores.
    """

    game: GameName
    """The game, such as hex:7."""
    player: PlayerName
    """The player whose results are shown."""
    opponent: Annotated[PlayerName, Argument(metavar="PLAYER")] = ""
    """The other player. A one-player game has none."""
    limits: Limits = field(default_factory=Limits)
    playing: Playing = field(default_factory=Playing)
    games: Annotated[
        Annotated[int, Between(1, 10**9)] | None,
        Argument(short="-g", metavar="N", default="100, or each listed opening once"),
    ] = None
    """Matches to play, an even number in a two-player game."""
    sprt: Annotated[tuple[float, float] | None, Argument(metavar="ELO0 ELO1", default="play all")] = None
    """Stop as soon as it is clear, with 5% error rates, whether the first player is stronger by ELO0 or by ELO1."""
    records: Annotated[str | None, Argument(metavar="FILE")] = None
    """Append each match to this file of JSON lines. The command does not repeat matches that the file already has, so
    after an interruption the same command continues."""
    rules: OwnRules = ""
    json: bool = False
    """Print JSON: games, wins, draws, losses, score and its 95% interval for the first player, and more. For a
    one-player game: the scores, their mean with its 95% interval, the best score and its moves."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Match, "match", arguments)
    allow_rules(options.rules)
    game = read_game(options.game)
    require_whole_pairs(game, options.games)
    names = [options.player, options.opponent][: game.players]
    if (game.players == 1) == bool(options.opponent):
        needs = "has one player: name no opponent" if game.players == 1 else "needs an opponent, such as mcts:1000"
        raise PlayerError(f"{game.name} {needs}")
    sprt = _sprt(options, game)
    conditions = options.playing.conditions(game, options.limits)
    with ExitStack() as closing_all:
        closing_all.callback(close_players)
        players = (
            kept_player(name, game, options.playing.threads, names[:place].count(name), named=True)
            for place, name in enumerate(names)
        )
        canonical = tuple(names_of(players, options.playing.threads, conditions.limit))
        recording = None
        options.playing.require_machines()
        if options.records:
            pairing = Pairing(game.name, canonical, conditions.text)
            recording = closing_all.enter_context(Recording(options.records, pairing))
        series = _play(game, options, conditions, canonical, recording, sprt)
    _report(series, game, conditions, sprt, as_json=options.json)


def _sprt(options: Match, game: Game) -> Sprt | None:
    if options.sprt is None:
        return None
    if game.players == 1:
        raise ValueError("--sprt compares two players, and this game has one")
    try:
        return Sprt(*options.sprt)
    except ValueError as error:
        raise ValueError(f"--sprt: {error}") from None


def _play(
    game: Game,
    options: Match,
    conditions: Conditions,
    names: tuple[str, ...],
    recording: Recording | None,
    sprt: Sprt | None,
) -> Series:
    """Plays the matches, and shows the score so far. An interruption leaves it on standard error."""
    count = count_of_pairs(game, options.games, conditions, usual=100)
    series = of_players(game, names, options.playing.seed)
    played = play_pairs(
        game, names, conditions, count, options.playing.spread(game, names), options.playing.threads, recording
    )  # fmt: skip

    def so_far() -> str:
        if not series.games:
            return f"{counted(count * game.players, 'match')} of {game.name}"
        return f"{series.games:,} of {count * game.players:,}: {series.in_brief()}"

    try:
        with closing(played), showing(so_far):
            for series in played:
                _tell_forfeits(series, count * game.players)
                if sprt and isinstance(series, Duel) and sprt.decision(series.pair_scores):
                    break
    except KeyboardInterrupt:
        if series.games:
            print(so_far(), file=sys.stderr)
        raise
    return series


_MOST_TOLD = 10


def _tell_forfeits(series: Series, whole: int) -> None:
    """Prints a line on standard error for each match of the last pair that was forfeited, as long as there are few."""
    before = series.games - len(series.players)
    forfeits = [(number, match.forfeit) for number, match in enumerate(series.matches, 1) if match.forfeit is not None]
    for told, (number, why) in enumerate(forfeits[:_MOST_TOLD], 1):
        if number > before:
            rest = "; further forfeits are only counted" if told == _MOST_TOLD else ""
            print(f"match {number:,} of {whole:,} is forfeited: {why}{rest}", file=sys.stderr, flush=True)


def _report(series: Series, game: Game, conditions: Conditions, sprt: Sprt | None, *, as_json: bool) -> None:
    if as_json:
        tested = {"sprt": _tested(series, sprt)} if sprt and isinstance(series, Duel) else {}
        how = {"limit": asdict(conditions.limit), "time": conditions.clock}
        print_json({**series.report(), **how, **tested})
    elif isinstance(series, Solo):
        _show_scores(series, game)
    elif isinstance(series, Duel):
        _show(series, game, conditions.limit)
        if sprt:
            print(f"  SPRT {_verdict(series, sprt)}")


def _tested(series: Duel, sprt: Sprt) -> dict[str, Any]:
    return {
        "elo0": sprt.elo0, "elo1": sprt.elo1, "bounds": sprt.bounds,
        "log_likelihood_ratio": sprt.log_likelihood_ratio(series.pair_scores),
        "accepted": sprt.decision(series.pair_scores),
    }  # fmt: skip


def _verdict(series: Duel, sprt: Sprt) -> str:
    accepted, (low, high) = sprt.decision(series.pair_scores), sprt.bounds
    what = f"accepted: Elo difference {getattr(sprt, accepted):g}" if accepted else "undecided"
    ratio = sprt.log_likelihood_ratio(series.pair_scores)
    other = {"elo0": sprt.elo1, "elo1": sprt.elo0}.get(accepted or "")
    against = f" rather than {other:g}" if other is not None else f" between {sprt.elo0:g} and {sprt.elo1:g}"
    return f"{what}{against} (log-likelihood ratio {ratio:.2f}, bounds {low:.2f} and {high:.2f})"


def _asked(limit: Limit) -> str:
    """The time limit, if any, for players without a limit of their own."""
    if isinstance(limit, Clock):
        return f", within a clock of {limit.left:g}+{limit.increment:g} s"
    return "" if limit.seconds is None else f", with a limit of {limit.seconds:g} s"


def _show_scores(series: Solo, game: Game) -> None:
    low, high = series.interval()
    print(f"{labelled(series.players[0], game)} in {series.game}, {counted(series.games, 'game')}")
    print(f"  mean score {series.score:.2f}, 95% interval {low:.2f} to {high:.2f}")
    print(f"  least {min(series.scores)}, best {max(series.scores)}")
    print(f"  best match {series.best_moves}")
    print(f"  seconds per action {series.seconds_per_move:.3f}")


def _show(series: Duel, game: Game, limit: Limit) -> None:
    low, high = series.interval()
    player, opponent = (labelled(name, game) for name in series.players)
    print(f"{player} against {opponent} in {series.game}")
    for title, colour in (("all", None), ("as first player", 0), ("as second player", 1)):
        wins, draws, losses = series.counts(colour)
        print(f"  {title:16} {wins:5} won {draws:5} drawn {losses:5} lost")
    print(f"  score {series.score:.1%} of points, 95% interval {low:.1%} to {high:.1%}")
    elo = " to ".join(f"{value:+.0f}" for value in elo_interval((low, high)))
    print(f"  Elo difference {elo_difference(series.score):+.0f}, 95% interval {elo}")
    if series.points:
        mean, (low, high) = series.points
        print(f"  points per game {mean:+.3f}, 95% interval {low:+.3f} to {high:+.3f}")
    if series.cube:
        doubles, taken, dropped, highest = series.cube.values()
        print(f"  cube: {counted(doubles, 'double')}, {taken} taken, {dropped} dropped, at most {highest}")
    mine, other = series.seconds_per_move(0), series.seconds_per_move(1)
    print(f"  seconds per action {mine:.3f} and {other:.3f}{_asked(limit)}")
    for what, count in series.endings().items():
        if count:
            print(f"  {what} {count}")
    for remark in series.remarks:
        print(f"  {remark}")
    for place, name in enumerate((player, opponent)):
        if found := series.forfeits_of(place):
            print(f"  {name} forfeited {counted(len(found), 'match')}, {causes_of(found)}; the last: {found[-1]}")
