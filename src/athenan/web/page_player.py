"""The player that a page plays against, and what it has seen of the match."""

import numpy as np

from athenan.engines.program import ProgramPlayer
from athenan.play.player import Player
from athenan.web.position import Position


class PagePlayer:
    """At most one player: it is kept while the page names it and takes nothing back."""

    def __init__(self, dice: np.random.Generator) -> None:
        self._dice = dice
        self._held: tuple[str, Player, list[str]] | None = None

    def held(self, name: str, position: Position) -> Player | None:
        """The player of this name, after it has seen the whole match.

        None if the page has no such player, or if that player saw moves that were taken back.
        """
        if self._held is None:
            return None
        of, player, seen = self._held
        if of != name or position.names[: len(seen)] != seen:
            return None
        for number in range(len(seen), len(position.actions)):
            if not position.fen or isinstance(player, ProgramPlayer):  # others take each position independently
                player.observe(position.actions[number], position.states[number + 1])
        self._held = name, player, list(position.names)
        return player

    def enter(self, name: str, player: Player, position: Position) -> None:
        """Begins a match with a player instead of the one before."""
        self.leave()
        self._held, seed = (name, player, []), int(self._dice.integers(1 << 62))
        if isinstance(player, ProgramPlayer):
            player.new_match(position.game, seed, position.states[0] if position.fen else None)
        else:
            player.new_match(position.game, seed)

    def leave(self) -> None:
        """Closes the player."""
        if self._held:
            self._held[1].close()
        self._held = None
