"""Long trainings whose networks play against other programs: 003, sections 9 to 12."""

from collections.abc import Mapping

from athenan.experiments.catalogue.shared import LONG_NOTES
from athenan.experiments.catalogue.stated import Stated
from athenan.experiments.catalogue.stated_long import ARIMAA, HEX_11, HEX_13, MORPION, OTHELLO
from athenan.experiments.catalogue.stated_players import UBFM_S
from athenan.experiments.description import ALL, NOBODY, Combination, Experiment, Printed, Procedure, Round
from athenan.experiments.matches import matches_key

_MOHEX = 'MoHex 3HNN, a program that speaks GTP, such as --opponents "gtp:mohex"'
_EDAX = 'Edax 4.4, a program that speaks GTP, such as --opponents "gtp:edax -gtp"'
_SHARP = 'Sharp, a program that speaks AEI, such as --opponents "aei:sharp aei"'
_MORPION = ("morpion:5D,size=16,win=84",)
"""003, section 12.4: a score of 84 wins; 9,989,285 weights fit 16 x 16 cells with five planes."""
_LENGTH = "The paper states the length of the training in matches, {:,}; here it is their time at {} actions each. "


def _days(matches: int, actions: int, seconds: float) -> float:
    """The minutes that this number of matches of typical length takes."""
    return round(matches * actions * seconds / 60, -2)


def _against(
    scale: str, name: str, title: str, source: str, rival: str, game: str, small: str, minutes: float,
    stated: Stated, rounds: tuple[Round, ...], notes: str, published: Mapping[str, Printed],
) -> Experiment:  # fmt: skip
    """One training and the matches of its network against a program that the user names."""
    if scale == "paper":
        settings = stated.settings
        procedure = Procedure(
            games=(game,), repetitions=1, minutes=minutes, cores=10, opponents=NOBODY, pairs=rounds[0].pairs,
            seconds=rounds[0].seconds,
        )  # fmt: skip
    else:
        settings = {"run": {"heuristic": stated.told["run"]["heuristic"]}}
        procedure = Procedure(
            games=(small,), repetitions=1, minutes=5.0, opponents=NOBODY, pairs=10, random_opening=1, seconds=1.0
        )  # fmt: skip
        notes = (
            "Laptop scale: minutes, the recipe of short runs, a second per action (GTP and AEI count in whole "
            "seconds), few matches, each after a random action."
        )
    return Experiment(
        name=name, title=title, source=source, procedure=procedure, players={"": UBFM_S}, rival=rival, notes=notes,
        combinations={"Athénan": Combination(settings)},
        rounds=rounds if scale == "paper" else (), published=published,
    )  # fmt: skip


def _table(game: str, rows: Mapping[str, tuple[float | None, ...]], *columns: str) -> dict[str, Printed]:
    """The rows of a table, by search time."""
    return {
        matches_key(limit): {
            game: {column: number for column, number in zip(columns, numbers, strict=True) if number is not None}
        }
        for limit, numbers in rows.items()
    }


_COLOURS = ("first", "second", "points", "interval", "matches", "p")


def hex_11(scale: str) -> Experiment:
    """Hex 11x11 against MoHex."""
    rows = {"2.5 s": (98, 84, 91, 2, 1000, 1.12e-171), "10 s": (91, 86, 88, 2, 1600, 7.38e-229)}
    return _against(
        scale, "003-table-8", "Hex 11x11 against MoHex", "003, section 9.3, Table 8", _MOHEX, "hex:11", "hex:5",
        _days(34_321, 60, 2.0), HEX_11, (Round(2.5, 500), Round(10.0, 800)),
        _LENGTH.format(34_321, 60) + LONG_NOTES, _table("hex", rows, *_COLOURS),
    )  # fmt: skip


def hex_13(scale: str) -> Experiment:
    """Hex 13x13 against MoHex."""
    rows = {"2.5 s": (100, 100, 100, 0, 1200, 0), "10 s": (100, 100, 100, 0, 800, 1.5e-241)}
    return _against(
        scale, "003-table-9", "Hex 13x13 against MoHex", "003, section 9.4, Table 9", _MOHEX, "hex:13", "hex:6",
        _days(5_288, 84, 5.0), HEX_13, (Round(2.5, 600), Round(10.0, 400)),
        _LENGTH.format(5_288, 84) + LONG_NOTES, _table("hex", rows, *_COLOURS),
    )  # fmt: skip


def othello(scale: str) -> Experiment:
    """Othello against Edax."""
    rows = {
        "1.5 s": (39.37, 41.25, 19.37, 3.4, 800, 8.76e-14), "15 s": (25.37, 61.5, 13.12, 3.4, 800, 1.39e-25),
    }  # fmt: skip
    return _against(
        scale, "003-table-10", "Othello against Edax", "003, section 10, Table 10", _EDAX, "othello:8", "othello:8",
        _days(52_470, 60, 5.0), OTHELLO, (Round(1.5, 400), Round(15.0, 400)),
        _LENGTH.format(52_470, 60) + "Adam's ε of 0.00001 is left out. The interval of the paper is of wins minus "
        f"losses. {LONG_NOTES}",
        _table("othello", rows, "win", "draw", "loss", "interval", "matches", "p"),
    )  # fmt: skip


def arimaa(scale: str) -> Experiment:
    """Arimaa against Sharp."""
    rows = {"2.5 s": (90.33, 9.66, 4, 600, 8.32e-99), "10 s": (92.5, 7.5, 4, 600, 4.19e-113)}
    return _against(
        scale, "003-table-11", "Arimaa against Sharp", "003, section 11, Table 11", _SHARP, "arimaa", "arimaa",
        _days(6_317, 340, 5.0), ARIMAA, (Round(2.5, 300), Round(10.0, 300)),
        _LENGTH.format(6_317, 340) + f"Adam's β2 of 0.99 is left out. {LONG_NOTES}",
        _table("arimaa", rows, "win", "loss", "interval", "matches", "p"),
    )  # fmt: skip


def morpion(scale: str) -> Experiment:
    """Morpion Solitaire: scores during training."""
    paper = scale == "paper"
    procedure = Procedure(
        games=_MORPION, repetitions=1, minutes=_days(58_971, 60, 1.0), cores=10, points=50, pairs=10, opponents=ALL,
        seconds=0.1,
    ) if paper else Procedure(
        games=_MORPION, repetitions=1, minutes=5.0, points=5, pairs=5, opponents=ALL, seconds=0.02,
    )  # fmt: skip
    notes = (
        f"{_LENGTH.format(58_971, 60)}Its last match reached a score of 82. The paper does not say how often it "
        f"evaluated the network, or in how many matches. Adam's β2 of 0.99 and ε are left out. {LONG_NOTES}"
        if paper
        else "Laptop scale: minutes, and the recipe of short runs."
    )
    return Experiment(
        name="003-figure-8", title="Morpion Solitaire: the score during training",
        source="003, section 12, Figure 8", procedure=procedure, players={"": UBFM_S}, notes=notes,
        combinations={"Athénan": Combination(MORPION.settings if paper else {})},
    )  # fmt: skip
