"""python-chess drives the engine by UCI: a match from start to end, and analyses."""

import asyncio
import os
import sys
from typing import Any

import chess
import chess.engine

from athenan import make
from athenan.engines.uci.dialect import DIALECTS

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "athenan", "engine", "breakthrough", "--protocol", "uci", *arguments]


async def ended(transport: asyncio.SubprocessTransport, engine: chess.engine.Protocol) -> None:
    await engine.quit()
    await asyncio.wait_for(engine.returncode, 20)
    transport.close()


class Breakthrough(chess.Board):
    """What python-chess needs of a board to speak with an engine, for Breakthrough on 8 x 8 squares."""

    uci_variant = "breakthrough"

    def __init__(self) -> None:
        super().__init__()
        self.game = make("breakthrough")
        self.states = [self.game.initial()]

    def root(self) -> "Breakthrough":
        return Breakthrough()

    def fen(self, **_: Any) -> str:
        return self.game.write_fen(self.states[-1])

    def uci(self, move: chess.Move, *, chess960: bool | None = None) -> str:
        return move.uci()

    def parse_uci(self, uci: str) -> chess.Move:
        DIALECTS["uci"].read(self.game, self.states[-1], uci)
        return chess.Move.from_uci(uci)

    def copy(self, *, stack: bool | int = True) -> Any:
        board = Breakthrough()
        board.states, board.move_stack, board.turn = list(self.states), list(self.move_stack), self.turn
        return board

    def push(self, move: chess.Move) -> None:
        state = self.states[-1]
        self.states.append(self.game.play(state, DIALECTS["uci"].read(self.game, state, move.uci())))
        self.move_stack.append(move)
        self.turn = not self.turn

    def pop(self) -> chess.Move:
        self.states.pop()
        self.turn = not self.turn
        return self.move_stack.pop()

    def push_uci(self, uci: str) -> chess.Move:
        move = self.parse_uci(uci)
        self.push(move)
        return move

    @property
    def outcome_by_rules(self) -> int | None:
        return self.game.outcome(self.states[-1])


def test_python_chess_plays_and_analyses() -> None:
    async def drive() -> None:
        transport, engine = await chess.engine.popen_uci(command("--margin", "0.02"), env=ENVIRONMENT)
        assert engine.id["name"].startswith("athenan")
        await engine.configure({"Move Overhead": 30})
        board = Breakthrough()
        for limit in (
            chess.engine.Limit(time=0.1),
            chess.engine.Limit(white_clock=2, black_clock=2),
            chess.engine.Limit(nodes=50),
        ):
            played = await engine.play(board, limit, info=chess.engine.INFO_ALL)
            assert played.move
            assert played.info["pv"][0] == played.move
            board.push(played.move)
        with await engine.analysis(board) as analysis:  # until it is stopped
            async for found in analysis:
                if "pv" in found:
                    break
            analysis.stop()
            assert (await analysis.wait()).move
        await engine.ping()
        await ended(transport, engine)

    asyncio.run(asyncio.wait_for(drive(), 120))


def test_python_chess_plays_a_match_from_start_to_end() -> None:
    async def drive() -> Breakthrough:
        transport, engine = await chess.engine.popen_uci(command("--player", "mcts:100"), env=ENVIRONMENT)
        board = Breakthrough()
        while board.outcome_by_rules is None:
            played = await engine.play(board, chess.engine.Limit(white_clock=60, black_clock=60), game="one")
            assert played.move
            board.push(played.move)
        await ended(transport, engine)
        return board

    board = asyncio.run(asyncio.wait_for(drive(), 120))
    assert board.outcome_by_rules in (-1, 1)
    assert len(board.move_stack) > 15
