"""Tables of games made by hand, with kernels of tic-tac-toe where a test gives no others."""

from typing import Any

from athenan import make
from athenan.games import tictactoe


def tables(**kernels: Any) -> dict[str, Any]:
    return {
        name: tictactoe.KERNELS.kernels[name] for name in ("initial", "actions", "play", "outcome", "encode")
    } | kernels


TICTACTOE = make("tictactoe")
