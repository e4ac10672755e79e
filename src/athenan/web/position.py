"""The position of a page, and its form for the page."""

import re
from copy import copy
from itertools import pairwise
from typing import Any

from athenan.drawing.svg import draw, lone_piece
from athenan.files.typed import MoveError, actions_of
from athenan.games.catalogue import points
from athenan.play.session import Session
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE
from athenan.settings import one_line
from athenan.web.refusals import Refusal, of_move
from athenan.web.turns import TurnMove, turn_move

MOST_MOVES = 10_000


class Position:
    """A game and the moves from its start. Going to a position that shares moves with this one is quick."""

    def __init__(self, game: Game, fen: str = "") -> None:
        """`fen`: the first position of the match if it is not the initial one. Raises Refusal for a wrong FEN."""
        self.game, self.fen = game, fen
        try:
            start = game.read_fen(fen) if fen else game.initial()
            game.outcome(start)
        except GameError as error:
            raise Refusal("refused.fen", message=one_line(error)) from None
        self.states, self.actions, self.names = [start], list[int](), list[str]()
        self._moves = list[TurnMove]()  # as far as they were told
        self._pieces = list[tuple[int, int]]()  # on the boards of the states, for as many as they were counted for

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def over(self) -> bool:
        return self.game.outcome(self.state) is not None

    @property
    def side(self) -> int:
        """The side to move: 0, 1, or 2 for chance."""
        return self.game.player(self.state)

    def go(self, moves: str) -> None:
        """Goes to the position after moves, however they are typed (`files.typed`).

        Raises Refusal for the first illegal move; the position is then unchanged.
        """
        words = list(re.finditer(r"\S+", moves))
        if len(words) > MOST_MOVES:
            raise Refusal("refused.many", most=f"{MOST_MOVES}", count=f"{len(words)}")
        shared = 0
        while shared < min(len(words), len(self.names)) and words[shared][0].lower() == self.names[shared].lower():
            shared += 1
        rest = moves[words[shared - 1].end() :] if shared else moves
        states, actions, names = self.states[: shared + 1], self.actions[:shared], self.names[:shared]
        try:
            played = actions_of(self.game, rest, states[-1], shared)
        except MoveError as error:
            raise of_move(error, self.game) from None
        for action in played:
            names.append(self.game.action_name(states[-1], action))
            states.append(self.game.play(states[-1], action))
            actions.append(action)
        self.states, self.actions, self.names = states, actions, names
        self._moves, self._pieces = self._moves[:shared], self._pieces[: shared + 1]

    def elsewhere(self, moves: str) -> "Position":
        """The position after other moves from the same start. Raises Refusal for the first illegal move."""
        other = copy(self)
        other.go(moves)
        return other

    def play(self, action: int) -> None:
        """Plays an action. Raises GameError if it is not legal."""
        following, name = self.game.play(self.state, action), self.game.action_name(self.state, action)
        self.states.append(following)
        self.actions.append(action)
        self.names.append(name)  # last: another thread may go elsewhere from here, by the names

    def take(self, session: Session, moves: int | None = None) -> None:
        """Takes a session to the position after the first `moves` moves (default: all); it keeps what it can of its
        tree.

        Actions have the same numbers in the session's game, whose states may hold more.
        """
        session.position(session.game.read_fen(self.fen) if self.fen else None)
        for action in self.actions[:moves]:
            session.play(action)

    def view(self) -> dict[str, Any]:
        """The position in the form that the page shows."""
        game, state, over, board = self.game, self.state, self.over, self.game.board
        before, last = (self.states[-2], self.actions[-1]) if self.actions else (None, None)
        legal = [] if over else [int(action) for action in game.actions(state)]
        return {
            "game": game.name, "players": game.players, "stochastic": game.stochastic, "side": self.side, "over": over,
            "outcome": game.outcome(state), "family": game.family, "cube": game.ruleset.cube,
            "score": points(game, state) if over and game.max_score is not None else None,
            "sides": board.colours if board else None, "text": game.text(state),
            "moves": self._told_moves(),
            "svg": draw(game, state, before=before, last=last, clickable=True).svg,
            "actions": [
                {"id": action, "name": game.action_name(state, action), "path": game.places(state, action)}
                for action in (legal if self.side != CHANCE else [])
            ],
            "looks": board.looks if board else (), "facing": bool(board and board.facing),
            "slots": board.slots if board else (), "path": self._path(),
            "counted": board.counted if board else "", "counts": self._counts(),
            "awaited": self._awaited(), "decided": self._decided(),
            "tray": [] if over else self._tray(), "setups": [] if over else self._setups(),
            "start": self.fen, "fen": game.write_fen(state) if game.forms.fen else None,
            "fen_name": game.forms.fen.name if game.forms.fen else "",
        }  # fmt: skip

    def _told_moves(self) -> list[dict[str, Any]]:
        for state, following in pairwise(self.states[len(self._moves) :]):
            before = self._moves[-1] if self._moves else None
            self._moves.append(turn_move(self.game, state, following, before))
        return [move.told(name) for move, name in zip(self._moves, self.names, strict=True)]

    def _tray(self) -> list[dict[str, Any]]:
        """The pieces that the side to move has still to put on the board."""
        if (board := self.game.board) is None or board.tray is None:
            return []
        return [
            {
                "colour": board.colours[one.piece.owner], "shape": one.piece.shape, "text": one.piece.text,
                "svg": lone_piece(board, one.piece), "count": one.number, "actions": one.actions,
            }
            for one in board.tray(self.state)
        ]  # fmt: skip

    def _awaited(self) -> dict[str, Any] | None:
        """The kind of action that is awaited, if the game says it."""
        board = self.game.board
        found = board.awaited(self.state) if board and board.awaited and not self.over else None
        return found and found._asdict()

    def _decided(self) -> str | None:
        """What decided the match, if somebody has won it and the game says it."""
        board, outcome = self.game.board, self.game.outcome(self.state)
        return board.decided(self.state, int(outcome < 0)) if board and board.decided and outcome else None

    def _setups(self) -> list[dict[str, Any]]:
        """The usual ways to put these pieces on the board."""
        if (board := self.game.board) is None or board.setups is None:
            return []
        return [{"name": one.name, "moves": one.moves.split()} for one in board.setups(self.state)]

    def _counts(self) -> tuple[int, int] | None:
        """The board's count for each player; captures are counted over the actions of the match.

        An action captures as many pieces as the opponent then has fewer.
        """
        if (board := self.game.board) is None:
            return None
        if board.counted != "captures":
            return board.count(self.state)
        self._pieces += [board.count(state) for state in self.states[len(self._pieces) :]]
        lost = [sum(max(0, one[side] - two[side]) for one, two in pairwise(self._pieces)) for side in (0, 1)]
        return lost[1], lost[0]

    def _path(self) -> tuple[int, ...]:
        """The places that the last action touched; empty before the first action."""
        return self.game.places(self.states[-2], self.actions[-1]) if self.actions else ()
