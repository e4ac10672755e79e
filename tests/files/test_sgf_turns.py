"""SGF: the notes on the actions of a turn, and variations of a later one."""

from dataclasses import replace
from typing import Any

import pytest
from file_matches import random_file_match, read_sgf, whole_turns

from athenan import make
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text
from athenan.play.records import Ply, plies_of
from athenan.rules.state import CHANCE


def test_values_before_and_after_the_dice_stay_apart() -> None:
    """An annotated match has both: before the roll, and after it for the player who uses it."""
    game = make("backgammon")
    plies = plies_of(game, [game.parse_action(game.initial(), "3-1")])
    for name in ("8/5", "6/5"):
        state = game.replay([ply.action for ply in plies])
        plies += plies_of(game, [game.parse_action(state, name)], state)
    values = replace(plies[0], value=0.125), replace(plies[1], value=0.5, proven=1, seconds=0.25, comment="the point")
    told = FileMatch(game.name, ("Ann", "Ben"), (*values, plies[2]))
    for match in (
        told,
        replace(told, plies=(plies[0], values[1], plies[2])),
        replace(told, plies=(values[0], *plies[1:])),
    ):
        assert read_sgf(as_text([match], ".sgf")) == match
    assert ";B[31qtst]V[0.5]C[[%before +0.125\\] [%eval +0.5\\] [%proven win\\]" in as_text([told], ".sgf")


@pytest.mark.parametrize("name", ["backgammon", pytest.param("amazons:6", marks=pytest.mark.slow)])
def test_every_action_of_a_turn_keeps_its_notes(name: str) -> None:
    """Also those that only some of the actions have."""
    game = make(name)
    played = random_file_match(game, 2).plies[:12]
    plies = [Ply(ply.action, ply.side) for ply in whole_turns(game, game.initial(), played)]
    noted = [
        replace(ply, value=number / 16, **({} if ply.side == CHANCE else told(number)))
        for number, ply in enumerate(plies)
    ]
    some = [noted[number] if number % 2 else ply for number, ply in enumerate(plies)]
    for line in (noted, some):
        match = FileMatch(game.name, ("", ""), tuple(line))
        assert read_sgf(as_text([match], ".sgf")) == match


def told(number: int) -> dict[str, Any]:
    """Notes that differ from number to number."""
    return {"seconds": number / 8, "proven": number % 3 - 1, "comment": f"remark {number}" * (number % 5 > 0)}


@pytest.mark.parametrize("name", ["backgammon", pytest.param("amazons:6", marks=pytest.mark.slow)])
def test_variations_stay_at_the_action_that_they_replace(name: str) -> None:
    game = make(name)
    state, line, places = game.initial(), list[Ply](), list[int]()
    for ply in whole_turns(game, state, random_file_match(game, 2).plies[:12]):
        others = [int(action) for action in game.actions(state) if action != ply.action and ply.side != CHANCE]
        instead = [whole_turns(game, state, (Ply(other, ply.side),)) for other in others[:2]]
        line.append(Ply(ply.action, ply.side, variations=tuple(instead)))
        places += [len(line)] * bool(instead)
        state = game.play(state, ply.action)
    match = FileMatch(game.name, ("", ""), tuple(line))
    assert len(places) > 4 and read_sgf(as_text([match], ".sgf")) == match


def test_the_notes_of_a_turn_stand_in_the_order_of_its_actions() -> None:
    text = "(;GM[6];B[31qtst]V[0.5]C[[%eval 0.5\\] the point [%then\\] [%eval 0.25\\] [%proven win\\] made];C[a pity])"
    roll, first, second = read_sgf(text).plies
    assert (roll.value, roll.comment) == (None, "")
    assert (first.value, first.proven, first.comment) == (0.5, None, "the point")
    assert (second.value, second.proven, second.comment) == (0.25, 1, "made\na pity")
    [only] = read_sgf("(;GM[1]SZ[5];B[cc]C[one [%then\\] two])").plies
    assert only.comment == "one\ntwo"
