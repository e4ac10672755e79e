"""The makers of players that need no network, though RAVE may have one.

Each makes a player from the game and the player's settings.

>>> from athenan import make
>>> make_mcts(make("tictactoe"), rollouts=50).name
'mcts:50'
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated

from athenan import settings
from athenan.arena.learnt_players import named_prior
from athenan.engines.names import ProtocolName
from athenan.evaluation.handwritten import KIND as OWN_EVALUATION
from athenan.play.naive import MOST_TURNS, NaivePlayer
from athenan.play.player import Player, RandomPlayer
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.budget import Budget
from athenan.search.monte_carlo.mcts import MOST_ROLLOUTS, Mcts, MctsSettings
from athenan.search.monte_carlo.rave import Rave, RaveSettings
from athenan.search.named import as_setting, in_parentheses, known_search
from athenan.search.trees.planting import PLAYER_MEMORY
from athenan.settings import Between, Count, Mebibytes, Seconds


def make_random(game: Game) -> Player:
    """Uniformly random actions."""
    return RandomPlayer()


def make_naive(game: Game, turns: Annotated[int, Between(1, MOST_TURNS)] = 1) -> Player:
    """Takes a win that it sees and avoids a loss that it sees, looking `turns` turns of each side ahead; else random.

    It is a yardstick that means the same in every game: it knows the rules, and nothing else.
    """
    return NaivePlayer(game, turns)


def make_human(game: Game) -> Player:
    """A person at the terminal."""
    from athenan.arena.human import HumanPlayer

    return HumanPlayer()


def make_mcts(
    game: Game,
    *,
    rollouts: Annotated[int, Between(1, MOST_ROLLOUTS)] | None = None,
    seconds: Seconds | None = None,
    exploration: Annotated[float, Between(0, 1000)] = MctsSettings.exploration,
    memory: Mebibytes = MctsSettings.memory >> 20,
) -> Player:
    """UCT with a number of rollouts or seconds per action (default: 1,000 rollouts); `memory` is in MiB."""
    searcher = Mcts(game, MctsSettings(exploration, memory << 20))
    others = {"exploration": exploration, "memory": memory}
    return _rollout_player("mcts", partial(make_mcts, game), searcher, rollouts, seconds, others)


def make_rave(
    game: Game,
    *,
    rollouts: Annotated[int, Between(1, MOST_ROLLOUTS)] | None = None,
    seconds: Seconds | None = None,
    exploration: Annotated[float, Between(0, 1000)] = RaveSettings.exploration,
    equivalence: Annotated[float, Between(1e-6, 1e9)] = RaveSettings.equivalence,
    informed: bool = RaveSettings.informed,
    network: str = "",
    memory: Mebibytes = RaveSettings.memory >> 20,
) -> Player:
    """Like `make_mcts`, with RAVE (`search.monte_carlo.rave`); if `informed`, the game says what rollouts play.

    `network` is athenan or a run, whose network says in advance what actions are worth (`search.monte_carlo.prior`).
    """
    network, prior = named_prior(network, game) if network else ("", None)
    searcher = Rave(game, RaveSettings(exploration, memory << 20, equivalence, informed), prior=prior)
    others: dict[str, float | bool | str] = {
        "exploration": exploration, "equivalence": equivalence, "informed": informed, "network": network,
        "memory": memory,
    }  # fmt: skip
    return _rollout_player("rave", partial(make_rave, game), searcher, rollouts, seconds, others)


def _rollout_player(
    name: str,
    maker: Callable[..., Player],
    searcher: Mcts,
    rollouts: int | None,
    seconds: float | None,
    others: Mapping[str, float | bool | str],
) -> Player:
    """A player with its own limit, which comes first in its name."""
    if rollouts is None and seconds is None:
        rollouts = 1000
    first, more = (f"{settings.written(seconds)}s", None) if rollouts is None else (str(rollouts), seconds)
    rest = settings.write("", maker, {"seconds": more, **others}).replace(":", ",", 1)
    return SearchPlayer(f"{name}:{first}{rest}", searcher, Budget(seconds=seconds, iterations=rollouts))


def make_evaluation(
    game: Game,
    evaluation: str = "",
    *,
    search: str = "alphabeta",
    seconds: Seconds | None = None,
    iterations: Count | None = None,
    evaluations: Count | None = None,
    memory: Mebibytes = PLAYER_MEMORY >> 20,
) -> Player:
    """A search with a hand-written evaluation of the game (default: the first), or one of a user's file.

    `memory` is in MiB.
    """
    from athenan.play.evaluated import evaluated_search

    how, own = known_search(search), OWN_EVALUATION.own_code(evaluation)
    evaluation = OWN_EVALUATION.known(evaluation).text if own else evaluation
    searcher = evaluated_search(game, evaluation, how, memory << 20)
    given = {
        "evaluation": in_parentheses(evaluation) or next(iter(game.evaluations)), "search": as_setting(how),
        "seconds": seconds, "iterations": iterations, "evaluations": evaluations, "memory": memory,
    }  # fmt: skip
    name = settings.write("evaluation", partial(make_evaluation, game), given)
    limits = seconds, iterations, evaluations
    return SearchPlayer(name, searcher, Budget(*limits) if any(limits) else None)


def make_gnubg(game: Game, *, plies: Annotated[int, Between(0, 4)] = 0, timeout: Seconds = 60.0) -> Player:
    """GNU Backgammon, looking `plies` plies ahead. An answer that takes more than `timeout` seconds is an error."""
    from athenan.engines import gnubg

    name = settings.write("gnubg", partial(make_gnubg, game), {"plies": plies, "timeout": timeout})
    return gnubg.start(game, name, plies, timeout)


def make_commanded(
    protocol: ProtocolName, game: Game, command: str, *, timeout: Seconds = 10.0, setup: str = ""
) -> Player:
    """A program that speaks a protocol. `timeout` is in seconds, in addition to the limit of an action.

    `setup` lists lines to send before the first match, such as (ONE; ANOTHER).
    """
    from athenan.engines.starting import start_program

    return start_program(game, protocol, command, timeout, setup)


def make_optioned(
    protocol: ProtocolName, game: Game, command: str, *, timeout: Seconds = 10.0, options: str = ""
) -> Player:
    """Like `make_commanded`, for programs that have options, such as (Threads=1; Skill Level=3)."""
    from athenan.engines.starting import start_program

    return start_program(game, protocol, command, timeout, options=options)


def make_gtp(game: Game, command: str, *, timeout: Seconds = 10.0, setup: str = "", passes: bool = True) -> Player:
    """A program that speaks GTP. If `passes` is false, it is neither told of forced passes nor asked for them."""
    from athenan.engines.starting import start_program

    return start_program(game, "gtp", command, timeout, setup, passes=passes)
