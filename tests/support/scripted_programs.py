"""A transport without a program: it expects lines, and answers each with lines; and matches against it."""

from collections.abc import Sequence

from athenan.engines.program import ProgramPlayer
from athenan.play.limit import Limit
from athenan.play.player import Forfeit
from athenan.rules.game import Game


class Scripted:
    """Expects the lines of a conversation in their order; `None` as an answer is a program that has ended."""

    def __init__(self, *script: tuple[str, *tuple[str | None, ...]]) -> None:
        self.name = "it"
        self.script, self.waiting, self.closed = list(script), list[str | None](), False

    def send(self, line: str) -> None:
        assert self.script, f"nothing more was expected, not {line!r}"
        expected, *answers = self.script.pop(0)
        assert line == expected
        self.waiting += answers

    def receive(self, seconds: float) -> str:
        assert seconds >= 0
        if not self.waiting:
            raise Forfeit(f"it did not answer within {seconds:g} s")
        if (line := self.waiting.pop(0)) is None:
            raise Forfeit("it has ended")
        return line

    def close(self) -> None:
        self.closed = True


def match_with(player: ProgramPlayer, game: Game, plies: Sequence[str | Limit]) -> str:
    """The moves of a match of these plies: a move of the opponent, or the limit within which the player chooses one."""
    player.new_match(game, 1)
    state, actions = game.initial(), list[int]()
    for ply in plies:
        actions.append(game.parse_action(state, ply) if isinstance(ply, str) else player.select(state, ply).action)
        state = game.play(state, actions[-1])
        player.observe(actions[-1], state)
    return game.moves(actions)
