"""A person at the terminal."""

from collections.abc import Callable

from athenan.play.limit import Limit
from athenan.play.player import Move, Quit, Resign, Undo
from athenan.rules.game import Game, GameError, State

HELP = """Type an action, or one of
  ?       the legal actions
  undo    take back your last action
  resign  give up the match
  quit    leave
  help    this text"""


class HumanPlayer:
    """Asks for actions in the game's notation. The end of the input means `quit`.

    `ask` shows a prompt and returns a line; `show` prints.
    """

    name = "human"

    def __init__(self, ask: Callable[[str], str] = input, show: Callable[[str], None] = print) -> None:
        self._ask, self._show = ask, show

    def new_match(self, game: Game, seed: int) -> None:
        self._game, self._state = game, game.initial()

    def observe(self, action: int, following: State) -> None:
        side, name = self._game.side(self._state), self._game.action_name(self._state, action)
        self._show(f"{self._game.length(following)}. {side}: {name}")
        self._state = following

    def select(self, state: State, limit: Limit) -> Move:
        self._show("")
        self._show(self._game.text(state))
        side = "" if self._game.players == 1 else f"{self._game.side(state)}; "
        while True:
            try:
                text = self._ask(f"your action ({side}? lists, help explains): ").strip()
            except EOFError:
                raise Quit from None
            match text.lower():
                case "undo":
                    raise Undo
                case "resign":
                    raise Resign
                case "quit":
                    raise Quit
                case "help":
                    self._show(HELP)
                case "?":
                    self._show(" ".join(self._game.action_name(state, int(a)) for a in self._game.actions(state)))
                case _:
                    try:
                        return Move(self._game.parse_action(state, text))
                    except GameError as error:
                        self._show(str(error))

    def close(self) -> None:
        pass
