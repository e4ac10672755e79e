"""Which search plays best with one network: 2505.04525 and 2505.09639, with the networks of the package.

2505.04525 (*On some improvements to Unbounded Minimax*) takes one part of the search away at a time; 2505.09639 (*Study
and improvement of search algorithms in two-players perfect information games*) compares searches at a short and a
medium time, over 22 games. Only their abstracts and openings were at hand, so times, games and numbers are ours.
"""

from typing import Any

from athenan.experiments.catalogue.stated_players import ID, UBFM, UBFM_S
from athenan.experiments.description import Combination, Experiment, Procedure, Round

GAMES = (
    "hex:7", "othello:6", "othello:8", "breakthrough:6x6", "connect_four", "clobber:6", "amazons:6", "ataxx:5",
    "gomoku:9", "lines_of_action", "surakarta", "santorini", "havannah:5", "draughts:brazilian",
)  # fmt: skip
"""Games of two players without chance in which the package's network plays a match in seconds."""
_UNBOUNDED = {
    "UBFM_s": UBFM_S,
    "no transpositions": "search=(ubfm:play=safest,transpositions=false)",
    "backed up as far as values change": "search=korf_chickering:play=safest",
    "learnt ends": "search=(ubfm:play=safest,learnt_ends=true)",
    "no completion": "search=(ubfm:play=safest,completion=false)",
}
_SEARCHES = {
    "UBFM_s": UBFM_S,
    "UBFM": UBFM,
    "ID": ID,
    "MCTS": "search=uct",
    "the package's own": "",
}
_NOTES = (
    "Both sides have the package's network of the game. The papers' texts were not at hand: times and games are ours. "
)


def _experiment(players: dict[str, str], rounds: tuple[Round, ...], **rest: Any) -> Experiment:
    """Each player against UBFM_s, all with the package's network of the game."""
    procedure = Procedure(
        games=GAMES, repetitions=1, opponents="UBFM_s", pairs=rounds[0].pairs, seconds=rounds[0].seconds,
        random_opening=4, clock="processor",
    )  # fmt: skip
    return Experiment(
        procedure=procedure, combinations={"network": Combination(shipped=True)}, players=players, rounds=rounds, **rest
    )


def unbounded(scale: str) -> Experiment:
    """UBFM_s without each of its parts."""
    paper = scale == "paper"
    return _experiment(
        _UNBOUNDED, (Round(1.0, 200), Round(None, 200, 20_000)) if paper else (Round(None, 10, 2_000),),
        name="sequel-unbounded", title="Unbounded Minimax without each of its parts", source="2505.04525",
        notes=_NOTES + "Ours backs up to the root; Korf and Chickering's own stops where a value does not change.",
    )  # fmt: skip


def searches(scale: str) -> Experiment:
    """Searches for play at a short and a medium time, and at equal evaluations."""
    paper = scale == "paper"
    small = Round(0.01, 6), Round(0.05, 3), Round(None, 6, 2_000)
    return _experiment(
        _SEARCHES, (Round(1.0, 200), Round(10.0, 200), Round(None, 200, 20_000)) if paper else small,
        name="sequel-searches", title="which search plays best with one network", source="2505.09639, 2603.24572",
        notes=_NOTES + "2603.24572 reports +6.34% for completion over 22 games.",
    )  # fmt: skip
