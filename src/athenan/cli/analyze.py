"""`athenan analyze`: values of the actions of a position, best line, and what is proven."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Annotated

from rich import box
from rich.console import Console
from rich.table import Table

from athenan.arena.learnt_players import prior_with, rolls_out
from athenan.cli.arguments import Argument
from athenan.cli.interruption import ctrl_c_calls
from athenan.cli.options import (
    GameOrRun,
    Limits,
    Moves,
    OwnRules,
    UsualThreads,
    allow_rules,
    is_game,
    parse,
    print_json,
    read_search,
)
from athenan.cli.progress import showing
from athenan.cli.review import review
from athenan.cli.saying import say
from athenan.cli.threads import tell_idle, why_idle
from athenan.engines.queries.server import QueryServer, serve
from athenan.engines.serving import lines_of, writer
from athenan.evaluation.chances import OF_RESULTS, Chances
from athenan.evaluation.handwritten import KIND as OWN_EVALUATION
from athenan.evaluation.handwritten import terminal_of
from athenan.evaluation.heuristics import KIND as HEURISTIC
from athenan.evaluation.heuristics import make_heuristic
from athenan.files.formats import read_match
from athenan.games.catalogue import known, make
from athenan.networks.catalogue import NAME, available, name_in_messages, network_of
from athenan.play import words
from athenan.play.analysis import Analysis
from athenan.play.evaluated import evaluator
from athenan.play.session import Session
from athenan.rules.game import Game
from athenan.rules.leaves import Evaluate
from athenan.rules.terminal import Gain, TerminalValue
from athenan.runs.run import usual_threads
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.budget import Budget
from athenan.search.monte_carlo.rave import Rave, usual_rave
from athenan.search.named import make_search, search_name
from athenan.search.searcher import Searcher
from athenan.search.settings import SearchSettings, WalkSettings
from athenan.search.trees.forest_search import ForestSearch
from athenan.settings import Between, Mebibytes, Seed, counted
from athenan.version import __version__


@dataclass(frozen=True)
class Analyze:
    """Searches a position, and shows the values of its actions, the best line and what is proven.

    Given a run, it searches like the run's player, with its network. Given a game, it uses the package's network of the
    game, in Go together with rollouts. If the package has none, and with --network none or --heuristic, it searches for
    proofs, and every unproven state has the value 0. Values and proofs are from the first player's point of view. In a
    one-player game values are final scores, and a proof proves the best score. In a game of chance values are
    expectations, and a position where chance moves shows its outcomes with their probabilities. If the network has
    learnt win chances (athenan calibrate), it also shows them: the first player's expected points, where a draw counts
    half.
    """

    game: GameOrRun
    """The game, such as hex:4,swap=false, or a run directory or checkpoint."""
    limits: Limits = field(default_factory=Limits)
    network: Annotated[str, Argument(metavar="RUN")] = ""
    """For a game: search with the network of this run, or none. The run's game may differ in options that the network
    allows, such as swap in Hex. Default: athenan, the package's network, if it has one."""
    moves: Moves = ""
    """The actions that lead to the position, such as "d3 c5", including what chance drew."""
    fen: Annotated[str, Argument(metavar="FEN")] = ""
    """The position that --moves starts from, as FEN (backgammon: position ID or XGID). Default: the initial one."""
    heuristic: Annotated[
        str | None,
        Argument(metavar="NAME", default="classic, the gain; for one player: score; a run has its own"),
    ] = None
    """The value of a finished match, for a search without a network: one that `athenan games GAME` lists. With score
    the search continues until it has proven the score under perfect play, not only who wins. Implies --exact."""
    evaluation: Annotated[str | None, Argument(metavar="NAME")] = None
    """For a game: search with one of the evaluations that the game declares, such as material. `athenan games GAME`
    lists them."""
    exact: bool = False
    """Continue until the exact value of the position is proven, not only who wins."""
    search: Annotated[
        str | None,
        Argument(metavar="SEARCH", default="the search of the run's players; ubfm for a game"),
    ] = None
    """The search with its settings, such as alphabeta:depth=4 or uct:exploration=1.4: descent, ubfm, korf_chickering,
    uct, puct, gumbel, exit, alphabeta, or ./mine.py. puct, gumbel and exit need a run whose network has a policy."""
    memory: Annotated[Mebibytes, Argument(metavar="MIB")] = 2048
    """MiB that the tree may take. The search ends when the tree is full."""
    threads: UsualThreads = None
    rules: OwnRules = ""
    seed: Seed = 0
    """Seed for the order of equal actions."""
    match: Annotated[Path | None, Argument(metavar="FILE")] = None
    """Instead of a position: review a whole match from an SGF or PDN file, or from a file that play saved or match
    --records wrote. If the file only sets up a position, this position is analysed. With win chances the review shows
    the accuracy of both sides. It marks inaccuracies, mistakes and blunders, which lost 5, 10 and 20%, if a repeated
    search agrees."""
    number: Annotated[int, Between(1, 10**9), Argument(metavar="N")] = 1
    """Which match of that file, counted from 1."""
    output: Annotated[Path | None, Argument(metavar="FILE")] = None
    """Write the annotated match to a new .sgf or .pdn file: values as comments, better lines as variations."""
    queries: Annotated[str | None, Argument(metavar="FILE|-")] = None
    """Instead of a position: answer the queries of a file (- for standard input). Queries and answers are JSON objects,
    one a line (docs/queries.md)."""
    slots: Annotated[int, Between(1, 1024), Argument(metavar="N")] = 16
    """With --queries: positions searched at the same time. They share the memory and the network's batches."""
    rows: Annotated[int, Between(0, 10**9), Argument(metavar="N")] = 20
    """Actions to show at most. 0 shows all, and JSON always has all."""
    json: bool = False
    """Print JSON: value, proven (win, draw or loss of the first player, or null; in a one-player game value or null),
    exact, best, pv, actions, and more."""


def run(arguments: Sequence[str]) -> None:
    """Runs the command."""
    options = parse(Analyze, "analyze", arguments)
    allow_rules(options.rules)
    settings = _settings(options)
    estimates = options.evaluation is not None or _run(options) is not None
    limit = options.limits.or_seconds(1.0 if estimates else 300.0)
    if options.queries is not None:
        game, evaluate, terminal, chances = _subject(options, settings)
        _answer(options, limit, partial(make_search, game, evaluate, terminal, settings), chances)
        return
    search, chances = _searcher(options, settings)
    state = search.game.after(options.moves, search.game.read_fen(options.fen) if options.fen else None)
    tell_idle(options.threads, [why_idle(search, limit)])
    session = Session(search, chances)
    if options.match is not None:
        if options.moves or options.fen:
            raise ValueError("--moves and --fen give a position, --match a whole match: choose one")
        match = read_match(options.match, search.game, options.number)
        say(f"{options.match}: {notice}" for notice in match.notices)
        if match.actions or options.output:
            review(session, match, options.limits.or_seconds(1.0), options.output, options.json)
            return
        state = session.game.position(match.start(session.game))  # the file has a position only
    session.position(state)
    interrupted, so_far = Event(), f"searching {search.game.name}"

    def report(now: Analysis) -> None:
        nonlocal so_far
        so_far = _progress(now)

    with showing(lambda: so_far), ctrl_c_calls(interrupted.set):
        found = session.think(limit, report, stopped=interrupted.is_set)
    if options.json:
        print_json(found.as_json())
    else:
        if estimates and is_game(options.game) and options.network in ("", NAME) and not options.evaluation:
            print(_with_network(search))
        _show(found, estimates, options)
    if interrupted.is_set():
        raise KeyboardInterrupt


def _searcher(options: Analyze, settings: SearchSettings) -> tuple[Searcher, Chances | None]:
    """The search of a position, and what its values mean as win chances, if that is known."""
    memory = options.memory << 20
    if _by_default(options) and rolls_out(game := make(options.game)) and (network := available(game)):
        searcher = usual_rave(game, memory, prior_with(network.file, game))
        searcher.seed(options.seed)
        return searcher, OF_RESULTS
    game, evaluate, terminal, chances = _subject(options, settings)
    threads = options.threads or usual_threads()
    return make_search(game, evaluate, terminal, settings, 1, memory, options.seed, threads), chances


def _with_network(search: Searcher) -> str:
    network = f"with {NAME}@{network_of(search.game).digest}, the package's network"
    if isinstance(search, Rave):
        return f"{network}, and rollouts (--search ubfm: the network alone)"
    return f"{network} (--network none searches for a proof)"


def _by_default(options: Analyze) -> bool:
    """Whether a game is searched as the package's player of it does."""
    chosen = (options.search, options.evaluation, options.heuristic)
    return is_game(options.game) and options.network in ("", NAME) and chosen == (None,) * 3 and not options.exact


def _answer(options: Analyze, limit: Budget, make_slots: Callable[..., ForestSearch], chances: Chances | None) -> None:
    """Answers the queries of a file or of standard input."""
    if options.moves or options.fen or options.match is not None or options.json:
        raise ValueError("--queries reads positions and writes JSON by itself: leave out positions and --json")
    standard_input = options.queries == "-"
    source = 0 if standard_input else str(options.queries)
    with open(source, encoding="utf-8", errors="replace", closefd=not standard_input) as queries:
        search = make_slots(slots=options.slots, memory=options.memory << 20)
        server = QueryServer(search, limit, writer(sys.stdout), __version__, options.seed, chances)
        serve(server, lines_of(queries))


def _settings(options: Analyze) -> SearchSettings:
    """The settings of the search. Raises ValueError for settings that it does not have."""
    search = _usual(options)
    option = "--heuristic" if options.heuristic is not None else "--exact"
    if not options.exact and options.heuristic is None:
        return search
    if not isinstance(search, WalkSettings):
        raise ValueError(f"{option} does not go with --search {search_name(search)}, which ends when it finds a win")
    try:
        return replace(search, exact=True)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None


def _usual(options: Analyze) -> SearchSettings:
    """The search before --heuristic and --exact are applied."""
    if (run := _run(options)) is None:
        return read_search(options.search) if options.search else Ubfm()
    from athenan.runs.learnt import playing_search, plays_by_turns

    if not options.search:
        return playing_search(run)
    read_search(options.search)  # first: it allows the user's code with which the run may search
    return read_search(options.search, plays_by_turns(run))


def _run(options: Analyze) -> str | None:
    """The run whose network searches. Raises ValueError for two runs, or for a run and an evaluation."""
    if is_game(options.game):
        run = _of_game(options)
    elif options.network:
        raise ValueError(f"--network goes with a game, but {options.game} is a run, which has its own network")
    else:
        run = options.game
    if run is not None and options.evaluation is not None:
        raise ValueError(f"--evaluation replaces a network, and {run} has one: give one of them")
    return run


def _of_game(options: Analyze) -> str | None:
    """The network that searches a game: the named one, or the package's if nothing else estimates values."""
    if options.network == "none":
        return None
    if options.network == NAME:
        return str(network_of(make(options.game)).file)
    if options.network or options.evaluation is not None or options.heuristic is not None:
        return options.network or None
    found = available(make(options.game))
    return str(found.file) if found else None


def _subject(options: Analyze, settings: SearchSettings) -> tuple[Game, Evaluate | None, TerminalValue, Chances | None]:
    """The game, the network if any, the terminal evaluation, and the win chances of the network."""
    game, run = make(options.game) if is_game(options.game) else None, _run(options)
    if game is not None and options.evaluation is not None:
        return game, _evaluation(options, settings, game), terminal_of(game), None
    if run is None:
        assert game is not None
        heuristic = options.heuristic or ("score" if game.players == 1 else None)
        if heuristic is None:
            return game, None, Gain(), None
        if HEURISTIC.own_code(heuristic):
            heuristic = HEURISTIC.named(heuristic).text
        terminal = make_heuristic(heuristic, game)
        return terminal.tracked(game), None, terminal, None
    if options.heuristic is not None:
        raise ValueError("--heuristic is for a search without a network; a run keeps the heuristic it was trained with")
    from athenan.runs.description import game_name
    from athenan.runs.learnt import learnt_network

    heads = settings.heads((game or known(game_name(run))).stochastic)
    called = name_in_messages(run)
    learnt = learnt_network(run, threads=options.threads or 1, heads=heads, game=game, called=called)
    return learnt.game, learnt.evaluate, learnt.heuristic, learnt.chances


def _evaluation(options: Analyze, settings: SearchSettings, game: Game) -> Evaluate:
    """The evaluation that --evaluation names. Raises ValueError if the search cannot use it."""
    if options.heuristic is not None:
        raise ValueError("--heuristic does not go with --evaluation, which estimates the gain (one player: the score)")
    name = options.evaluation or ""
    return evaluator(game, OWN_EVALUATION.named(name).text if OWN_EVALUATION.own_code(name) else name, settings)


def _progress(now: Analysis) -> str:
    verdict = now.verdict if now.proven is not None else f"value {now.value:+.3f}, best {now.best}"
    return f"{now.seconds:.0f} s, {counted(now.iterations, 'iteration')}, {counted(now.states, 'state')}: {verdict}"


def _show(found: Analysis, with_network: bool, options: Analyze) -> None:
    console = Console(highlight=False)
    game, state = found.game, found.state
    console.print(game.text(state), markup=False)
    alone = game.players == 1
    if found.over and alone:
        console.print(f"The match is over: score {game.score(state)}. There is nothing to search.")
        return
    if found.over:
        result = words.result(found.proven or 0)
        console.print(f"The match is over: {result} (value {found.value:g}). There is nothing to search.")
        return
    mover = f"{game.side(state)} to move " if found.chance or not alone else ""
    console.print(f"{mover}after {counted(game.length(state), 'action')}")
    value = f"value {found.value:+.4g}" + (", proven" if found.exact else ", an estimate" if with_network else "")
    if found.proven is None and not found.exact and not with_network:
        value = f"the best match found ends with {found.value:g}" if alone else "no network to estimate with"
    if found.win_chance is not None:
        value += f", win chance of the first player {found.win_chance:.1%}"
    certain = found.proven is not None or not found.exact or alone
    console.print(f"[bold]{found.verdict}[/bold]{f'; {value}' if certain else ''}")
    if found.points is not None:
        exact = "score with best play" if found.exact else "score estimate of the network"
        console.print(f"{exact}: {words.lead(round(found.points, 1), game.sides)}")
    console.print(_table(found, options.rows))
    if len(found.actions) > options.rows > 0:
        console.print(f"and {counted(len(found.actions) - options.rows, 'more action')} (--rows 0 shows all)")
    if not found.chance:
        console.print(f"best line: {' '.join(found.line)}", soft_wrap=True)
    console.print(
        f"{found.seconds:.2f} s, {counted(found.iterations, 'iteration')}, "
        f"{counted(found.evaluations, 'evaluation')}, {counted(found.states, 'state')}"
    )
    if found.full:
        console.print(f"The tree is full ({options.memory} MiB): more --memory lets the search go further.")
    elif found.proven is None and not found.exact and not with_network:
        console.print("The search ended before a proof: give it more time.")


def _table(found: Analysis, rows: int) -> Table:
    alone = found.game.players == 1
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("outcome" if found.chance else "action")
    learnt = found.win_chance is not None
    for title in (*["probability"] * found.chance, "value", *["win chance"] * learnt, "visits"):
        table.add_column(title, justify="right")
    table.add_column("proven")
    for one in found.actions[: rows or None]:
        best = " [bold]*[/bold]" if one.action == found.best else ""
        probability = [] if one.probability is None else [f"{one.probability:.4f}"]
        win_chance = [] if one.win_chance is None else [f"{one.win_chance:.1%}"]
        proven = "yes" if one.exact else ""
        if one.proven is not None and not alone:
            proven = words.result(one.proven)
        table.add_row(f"{one.action}{best}", *probability, f"{one.value:+.4f}", *win_chance, f"{one.visits:,}", proven)
    return table
