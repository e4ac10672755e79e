"""A network as an opponent before its code is compiled: another process compiles it, and rollouts reply meanwhile.

What a search with a network needs takes half a minute to compile, and plain UCT a few seconds. So a person who plays
for the first time plays against UCT until the network is ready. Only `athenan play` does this, and only where seconds
limit the search: results that can be repeated never depend on what is compiled.

>>> from athenan import make
>>> smaller("athenan:beginner", make("connect_four")).name
'mcts:10'
"""

import logging
import os
import sys
from subprocess import DEVNULL

from athenan.arena.learnt_players import is_shipped, level_of, split_path
from athenan.arena.makers import make_mcts
from athenan.arena.roster import make_player
from athenan.games.catalogue import known
from athenan.play.levels import ROLLOUT_LEVELS
from athenan.play.limit import Limit
from athenan.play.player import Move, Player, PlayerError
from athenan.rules.compiler import NotCompiledError, only_compiled, prepare
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE
from athenan.runs.checkpoint import CheckpointError
from athenan.search.budget import Budget
from athenan.system.processes import Group

_log = logging.getLogger("athenan")
_MOMENT = Budget(seconds=0.01)
_ROLLOUTS = 1000


class PreparedPlayer:
    """A player that another process prepares. A `smaller` one plays until `take_over` finds that it is ready."""

    def __init__(self, text: str, game: Game, threads: int | None) -> None:
        self.name = text
        self._of = text, game, threads
        command = [sys.executable, "-m", __name__, game.name, text, *([] if threads is None else [str(threads)])]
        self._process = Group(command, os.environ, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
        self.smaller = self.playing = smaller(text, game)
        """The player that plays before the prepared one, and the one that plays now."""
        self._preparing = True

    def take_over(self) -> bool:
        """Lets the prepared player play from now on if it has just become ready; returns whether it has.

        If it cannot play, a warning says why, and the smaller one goes on.
        """
        if not self._preparing or self._process.popen.poll() is None:
            return False
        self._preparing = False
        try:
            ready = make_player(*self._of)
        except (PlayerError, CheckpointError) as error:
            _log.warning(str(error))
            self.name = self.playing.name
            return False
        self.playing.close()
        self.playing = ready
        ready.new_match(*self._match)
        for action, following in self._seen:
            ready.observe(action, following)
        return True

    def new_match(self, game: Game, seed: int) -> None:
        self._match, self._seen = (game, seed), list[tuple[int, State]]()
        self.playing.new_match(game, seed)

    def observe(self, action: int, following: State) -> None:
        self._seen.append((action, following))
        self.playing.observe(action, following)

    def select(self, state: State, limit: Limit) -> Move:
        return self.playing.select(state, limit)

    def close(self) -> None:
        """Ends the preparation; what it has compiled is kept."""
        self._process.end()
        self.playing.close()


def prepared_player(text: str, game: Game, threads: int | None) -> Player:
    """The player that a text names, at once if its code is compiled, or if it has no network to prepare.

    Raises PlayerError as `make_player` does.
    """
    if game.before_use or not (is_shipped(text) or split_path(text)):
        return make_player(text, game, threads)
    try:
        with only_compiled():
            return make_player(text, game, threads)
    except NotCompiledError:
        return PreparedPlayer(text, game, threads)


def smaller(text: str, game: Game) -> Player:
    """The player that replies before the player of a text is ready, at its level if that has a number of rollouts."""
    return make_mcts(game, rollouts=ROLLOUT_LEVELS.settings[level_of(text)].evaluations or _ROLLOUTS)


def compile_all(text: str, game: Game, threads: int | None) -> None:
    """Compiles all that a player needs for its first action.

    It begins with the last kernels of the rules, since the process that waits for it begins with the first ones.
    """
    prepare(*reversed(list(game.table.kernels.values())))
    answer(make_player(text, game, threads), game)


def answer(player: Player, game: Game, limit: Limit = _MOMENT) -> None:
    """Lets a player choose two actions, so that all that it needs is compiled, and closes it."""
    player.new_match(game, 0)
    for state in first_states(game):
        player.select(state, limit)
    player.close()


def first_states(game: Game) -> list[State]:
    """Two first states of a match, where players are to move: the second search finds a tree."""
    found, state = list[State](), game.initial()
    while len(found) < 2 and game.outcome(state) is None:
        if game.player(state) != CHANCE:
            found.append(state)
        state = game.play(state, int(game.actions(state)[0]))
    return found


if __name__ == "__main__":
    name, text, *threads = sys.argv[1:]
    compile_all(text, known(name), int(threads[0]) if threads else None)
