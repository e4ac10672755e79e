"""A person at the terminal."""

from collections.abc import Callable
from os.path import expanduser
from typing import NoReturn

from athenan.files.file_match import FileMatch
from athenan.files.formats import read_match, write_matches
from athenan.files.moves import unfinished
from athenan.play import words
from athenan.play.analysis import ActionAnalysis, Analysis
from athenan.play.limit import Limit
from athenan.play.player import Load, Move, Quit, Resign, Undo
from athenan.play.records import plies_of
from athenan.report.tables import Table, as_text
from athenan.rules.game import Game, IllegalAction, State
from athenan.settings import counted, shown

HELP = """Type an action, or one of
  ?          the legal actions
  hint       the action that a search would play, and the line that it expects
  values     the values of the best actions
  moves      the moves so far
  save FILE  write the moves to a new file; FILE.sgf and FILE.pdn are for other programs
  load FILE  continue with the moves of such a file
  rules      how the game is played
  undo       take back your last action
  resign     give up the match
  quit       leave
  help       this text"""
_ROWS = 12
"""Actions that `values` shows."""


class HumanPlayer:
    """Asks a person for actions in the game's notation. The end of the input means `quit`.

    `ask` shows a prompt and returns a line; `show` prints; `picture` shows a state, by default as the game's text.
    `advise` analyses a state for `hint` and `values`, and `width` gives the characters of a line of `rules`. The player
    must observe all actions, for `moves` and `save`.
    """

    name = "human"

    def __init__(
        self,
        ask: Callable[[str], str] = input,
        show: Callable[[str], None] = print,
        picture: Callable[[State], None] | None = None,
        advise: Callable[[State], Analysis] | None = None,
        width: Callable[[], int] = lambda: words.WIDTH,
    ) -> None:
        self._ask, self._show, self._advise, self._width = ask, show, advise, width
        self._undone: int | None = None
        """The number of actions of the match at the last `undo`."""
        self._picture = picture or (lambda state: show(f"\n{self._game.text(state)}"))

    def new_match(self, game: Game, seed: int) -> None:
        self._game, self._actions = game, list[int]()

    def observe(self, action: int, following: State) -> None:
        self._actions.append(action)

    def select(self, state: State, limit: Limit) -> Move:
        self._picture(state)
        self._tell_of_undo()
        side = "" if self._game.players == 1 else f"{self._game.sides[self._game.player(state)]}; "
        while True:
            text = self._line(f"your action ({side}? lists, help explains): ")
            command, _, argument = text.partition(" ")
            match command.lower(), argument.strip():
                case "undo", "":
                    self._undone = len(self._actions)
                    raise Undo
                case "resign", "":
                    raise Resign
                case "quit", "":
                    raise Quit
                case "help", "":
                    self._show(HELP)
                case "?", "":
                    self._show(" ".join(self._game.named_actions(state)))
                case "rules", "":
                    self._show(words.rules(self._game, self._width()))
                case ("hint" | "values") as asked, "":
                    self._tell(asked, state)
                case "moves", "":
                    self._show(self._game.moves(self._actions) or "No action has been played.")
                case ("save" | "load") as asked, file:
                    self._file(asked, file)
                case _:
                    try:
                        return Move(self._game.parse_action(state, text))
                    except IllegalAction as error:
                        legal = ", ".join(error.legal)
                        self._show(f"{shown(text)} is not a legal action here; legal are {legal}")

    def _tell_of_undo(self) -> None:
        """Says if an `undo` has taken back nothing."""
        if self._undone is not None and len(self._actions) >= self._undone:
            self._show("You have played nothing that could be taken back.")
        self._undone = None

    def _line(self, prompt: str) -> str:
        """The line that was typed. Raises Quit at the end of the input."""
        try:
            return self._ask(prompt).strip()
        except EOFError:
            self._show("")
            raise Quit from None
        except KeyboardInterrupt:
            self._show("")
            raise

    def _tell(self, asked: str, state: State) -> None:
        """Shows what a search finds in a state."""
        if self._advise is None:
            self._show("No search is available here.")
            return
        try:
            found = self._advise(state)
        except ValueError as error:
            self._show(str(error))
            return
        self._show(hint(found) if asked == "hint" else values(found))

    def _file(self, asked: str, file: str) -> None:
        """Saves the moves, or raises Load with the moves of a file; errors are shown."""
        if not file:
            self._show(f"Name a file: {asked} FILE")
            return
        file = expanduser(file)  # no shell does it here
        try:
            if asked == "load":
                self._load(file)
            names, plies = ("",) * self._game.players, plies_of(self._game, self._actions)
            write_matches(file, [FileMatch(self._game.name, names, plies)])
            self._show(f"The moves are in {file}.")
        except FileExistsError:
            self._show(f"{file} already exists: name another file.")
        except OSError as error:
            self._show(f"{file}: {error.strerror}")
        except ValueError as error:
            self._show(str(error))

    def _load(self, file: str) -> NoReturn:
        match = read_match(file, self._game)
        if match.fen:
            raise ValueError(f"{file} begins from another position: athenan analyze --match reads it")
        for notice in match.notices:
            self._show(f"{file}: {notice}")
        raise Load(unfinished(self._game, match.actions))

    def close(self) -> None:
        pass


def hint(found: Analysis) -> str:
    """The best action of an analysis, with its value and the line that follows."""
    best = next((one for one in found.actions if one.action == found.best), None)
    if best is None:
        return "There is nothing to play here."
    return f"{best.action}: {_value(found, best)}; best line: {' '.join(found.line)}"


def values(found: Analysis) -> str:
    """The best actions of an analysis with their values, as a table."""
    rows = [
        ("*" * (one.action == found.best) + one.action, f"{one.value:+.3f}", f"{one.visits:,}", _proof(found, one))
        for one in found.actions[:_ROWS]
    ]
    more = len(found.actions) - len(rows)
    of_whom = "" if found.game.players == 1 else f", for {found.game.sides[0]}"
    note = "* is the best action." + (f" Not shown: {counted(more, 'more action')}." if more else "")
    return as_text(Table(f"Values{of_whom}", ("action", "value", "visits", "proven"), tuple(rows), note))


def _value(found: Analysis, one: ActionAnalysis) -> str:
    if found.game.players == 1:
        return f"expected score {one.value:.1f}{', exactly' if one.exact else ''}"
    proof = _proof(found, one)
    return f"value for {found.game.sides[0]} {one.value:+.3f}{f', {proof}' if proof else ''}"


def _proof(found: Analysis, one: ActionAnalysis) -> str:
    if one.proven is None or found.game.players == 1:
        return "yes" if one.exact and found.game.players == 1 else ""
    return words.proof(one.proven, found.game.stochastic, found.game.sides)
