"""Variants of Fairy-Stockfish: its own library has the same legal moves, and follows matches as its program would."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from sizes import size

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.engines.uci.variants import written
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer

SAME = ["ataxx:7", "othello:8", "othello:10"]


@pytest.mark.parametrize("name", SAME)
def test_legal_moves_are_those_of_the_variant(name: str) -> None:
    """In all states of random matches, to their ends and results."""
    library = pytest.importorskip("pyffish", reason="pyffish is not installed")
    game, random = make(name), np.random.default_rng(7)
    variant = game.forms.uci
    assert variant
    start, passes = library.start_fen(variant.name), 0
    for _ in range(3):
        state, moves = game.initial(), list[str]()
        while (outcome := game.outcome(state)) is None:
            names = [game.action_name(state, int(action)) for action in game.actions(state)]
            ours = [written(variant, game, state, one) for one in names]
            assert sorted(ours) == sorted(library.legal_moves(variant.name, start, moves))
            passes += names == ["pass"]
            chosen = int(random.integers(len(ours)))
            state = game.play(state, game.parse_action(state, names[chosen]))
            moves.append(ours[chosen])
        assert not library.legal_moves(variant.name, start, moves)
        gain = (1, -1)[len(moves) % 2] * np.sign(library.game_result(variant.name, start, moves))
        assert gain == outcome
    assert passes


FISH = """
import sys, random
import pyffish
variant, fen, moves = "chess", "", []
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("option name UCI_Variant type combo default chess var chess var", " var ".join(pyffish.variants()))
        print("uciok", flush=True)
    elif words[0] == "setoption":
        variant = words[-1]
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        assert words[1] == "startpos"
        told = words[3:]
        moves = moves if told[: len(moves)] == moves else []
        for move in told[len(moves) :]:
            assert move in pyffish.legal_moves(variant, pyffish.start_fen(variant), moves), move
            moves.append(move)
    elif words[0] == "go":
        print("bestmove", random.choice(pyffish.legal_moves(variant, pyffish.start_fen(variant), moves)), flush=True)
"""


@pytest.mark.parametrize("name", SAME)
def test_a_program_of_the_variant_plays_whole_matches(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyffish", reason="pyffish is not installed")
    (tmp_path / "fish.py").write_text(FISH)
    game = make(name)
    player = make_player(f"uci:{shlex.join([sys.executable, str(tmp_path / 'fish.py')])}", game)
    try:
        pairs = [(player, RandomPlayer()), (RandomPlayer(), player)] * size(1, 2)
        records = [play_match(game, pair, seed=seed, limit=Budget(seconds=0.1)) for seed, pair in enumerate(pairs)]
    finally:
        player.close()
    assert [record.forfeit for record in records] == len(pairs) * [None]


def test_a_game_that_no_variant_is_the_same_as_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "fish.py").write_text(FISH.replace("import pyffish", "class pyffish: variants = lambda: ['clobber']"))
    with pytest.raises(PlayerError, match="but clobber:5x6 declares none that it is"):
        make_player(f"uci:{shlex.join([sys.executable, str(tmp_path / 'fish.py')])}", make("clobber:5x6"))
