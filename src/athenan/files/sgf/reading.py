"""Reads a match from a tree of SGF.

An illegal action among the played ones is an error. What is played after the match is over is left out, and a variation
is read as far as it is legal: the notices of the match say so. Unknown properties, such as marks on the board, are
ignored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from athenan.files.file_match import Ending, FileMatch
from athenan.files.notes import Notes, joined, line_of, number, text_of, untagged
from athenan.files.sgf.games import LITTLE_GOLEM, game_of
from athenan.files.sgf.nodes import SETUP, main_moves, one_by_one, set_points, set_up_at_once
from athenan.files.sgf.results import FACTS, is_stated, points_of, read_result
from athenan.files.sgf.rules import sgf_of, start
from athenan.files.sgf.swapping import with_swapped_pieces
from athenan.files.sgf.tree import SgfError, SgfNode
from athenan.files.turns import noted, require_depth
from athenan.games.catalogue import points
from athenan.play.cube import CubeRecord, Offer
from athenan.play.records import Plies, Ply, plies_of
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE, FIRST, SECOND, sign
from athenan.settings import counted

_CUBE = ("double", "take", "drop")
_GIVEN_UP: dict[str, Ending] = {
    "resign": "resigned", "resigns": "resigned", "resigned": "resigned", "forfeit": "forfeit", "timeout": "time",
}  # fmt: skip
"""What stands in place of the move of a player who gives up, in small letters."""


def replayed(root: SgfNode, wanted: Game | None = None) -> FileMatch:
    """The match of a tree; `wanted` supplies what the file does not say about its game.

    Raises SgfError if the game is unknown or not `wanted`, and for actions that the rules do not allow.
    """
    game, notice = game_of(root, wanted)
    try:
        return _Reader(root, game, notice).match()
    except GameError as error:
        raise SgfError(str(error)) from None


@dataclass
class _Line:
    """A line while it is read."""

    plies: list[Ply] = field(default_factory=list)
    waiting: list[Plies] = field(default_factory=list)
    """Variations of the next turn."""
    remarks: dict[int, list[str]] = field(default_factory=dict)
    """Comments of nodes that play nothing, by the number of plies before them."""

    def add(self, turn: Plies, notes: Sequence[Notes], at: int) -> None:
        """Adds a turn with `notes` on its actions from number `at` on, and with the waiting variations."""
        self.plies += noted(turn, notes, at, self.waiting)
        self.waiting = []

    def say(self, notes: Sequence[Notes]) -> None:
        """Adds comments on what was played last."""
        if comments := [one.comment for one in notes if one.comment]:
            self.remarks.setdefault(len(self.plies), []).extend(comments)

    def finished(self) -> tuple[str, Plies]:
        """The comment before the first ply, and the plies with the comments after them."""
        before = "\n".join(self.remarks.pop(0, ()))
        for count, comments in self.remarks.items():
            last = self.plies[count - 1]
            self.plies[count - 1] = replace(last, comment=joined(last.comment, *comments))
        return before, tuple(self.plies)


class _Reader:
    """Follows one tree."""

    def __init__(self, root: SgfNode, game: Game, notice: str) -> None:
        self._root, self._game = root, game
        self._sgf = sgf_of(game)
        self._free = LITTLE_GOLEM in (root.first("SO") or "")  # it calls the first player W in nodes, B elsewhere
        self._first = "B" if self._free or self._sgf.exchanged is None else _first_colour(root)
        self._offers = list[Offer]()
        self._ending: Ending = ""
        self._loser: int | None = None
        """Who has given up."""
        self._notices = [notice] if notice else []
        self._late, self._cut, self._passes = 0, list[str](), 0
        """The moves after the end, why variations were cut short, and the passes that the file leaves out."""

    def match(self) -> FileMatch:
        root, game = self._root, self._game
        comment = joined(*(notes.comment for notes in untagged(text_of(root.first("C") or ""))))
        played = [name for name in (*SETUP, "B", "W") if name in root.properties]
        first = root
        if "B" in played or "W" in played:  # bad style, but a move
            played, comment = [*played, "C", "V"], ""
        if played:
            first = SgfNode(children=[_part(root, played)])
        turned = False
        if self._sgf.swap:
            first, turned = with_swapped_pieces(first)
        start, first, said = self._begun(first)
        before, line = self._line(first, start, 0, main=True)
        outcome, ending = self._result(turned, game.replay([ply.action for ply in line], start))
        self._report(turned, len(line))
        colours = ("PB", "PW") if self._first == "B" else ("PW", "PB")
        players = tuple(line_of(root.first(name) or "") for name in colours)
        about = {fact: text for fact, name in FACTS.items() if (text := line_of(root.first(name) or ""))}
        rules = (root.first("RU") or "").lower()
        cube = CubeRecord("jacoby" in rules, tuple(self._offers)) if self._offers or "jacoby" in rules else None
        return FileMatch(
            game.name, players, line, outcome, ending, joined(comment, said, before), about, cube,
            tuple(self._notices), fen="" if start.tobytes() == game.initial().tobytes() else game.write_fen(start),
        )  # fmt: skip

    def _begun(self, root: SgfNode) -> tuple[State, SgfNode, str]:
        """The first state, the node before the first move, and the comment on stones that are set up there.

        The stones become moves if moves can put them in turn; otherwise the match begins with them. Raises SgfError.
        """
        game, start = self._game, self._game.initial()
        if self._sgf.set_up is None or len(root.children) != 1:
            return start, root, ""
        node = set_up_at_once(one_by_one(root.children[0]))
        stones = {point: name for point, name in set_points(node).items() if name in ("AB", "AW")}
        if not stones:
            return start, root, ""
        side = self._side_after(node, stones)
        try:
            if game.player(game.replay(self._set_up(node, start), start)) == side:
                return start, root, ""
        except (GameError, SgfError):
            pass  # no moves lead there
        cells = {self._cell(point): int(name == "AW") for point, name in stones.items()}
        comment = "\n".join(notes.comment for notes in self._notes(node))
        return self._sgf.set_up(game, cells, side), SgfNode(children=node.children), comment

    def _cell(self, point: str) -> str:
        """The name of a cell on which a file sets up a stone. Raises GameError."""
        start = self._game.initial()
        return self._game.action_name(start, self._sgf.turns.read(self._game, start, point)[0])

    def _side_after(self, node: SgfNode, stones: Mapping[str, str]) -> int:
        """The side to move after stones are set up: as PL or the first move says, or else by their numbers."""
        told = self._root.first("PL") or node.first("PL") or next((colour for colour, _ in main_moves(node)), "")
        if told[:1].upper() in ("B", "W"):
            return int(told[:1].upper() == "W")
        put = list(stones.values())
        return int(put.count("AB") > put.count("AW"))

    def _result(self, turned: bool, final: State) -> tuple[int | None, Ending]:
        """The outcome of the file and the end of the match: as RE says, or as the player who gave up decides.

        If the players swapped sides, RE has the colours after the swap.
        """
        text, game = self._root.first("RE") or "", self._game
        first = {"B": "W", "W": "B"}[self._first] if turned else self._first
        outcome, ending = read_result(text, first)
        by_rules = game.outcome(final)
        if outcome is None and is_stated(text):
            self._notices.append(f"its result, RE[{start(line_of(text))}], is not known")
        if turned and by_rules is not None and outcome not in (None, by_rules):
            self._notices.append(f"its result, RE[{start(line_of(text))}], differs from the board's, which was taken")
            outcome, ending = by_rules, ""
        told = points_of(text)
        if told is not None and outcome and by_rules is not None and game.max_score is not None and not self._offers:
            score = points(game, final)
            if score != outcome * told:
                self._notices.append(f"its score, RE[{start(line_of(text))}], is {score:+g} for the first player here")
        if outcome is None and self._loser is not None:
            outcome = -sign(self._loser)
        return outcome, ending or self._ending

    def _report(self, turned: bool, count: int) -> None:
        """Adds what the match lacks to its notices."""
        if turned:
            self._notices.append("its players swap sides: read as a swap of the pieces, later cells are mirrored")
        if self._passes:
            self._notices.append(f"{counted(self._passes, 'pass')} added where a side moves twice")
        if self._late:
            self._notices.append(f"{counted(self._late, 'move')} left out: the match is over after action {count}")
        if self._cut:
            self._notices.append(f"{counted(len(self._cut), 'variation')} cut short or left out: {self._cut[0]}")

    def _line(self, node: SgfNode, state: State, depth: int, *, main: bool = False) -> tuple[str, Plies]:
        """The line after a node, along first children, and the comment before its first ply."""
        require_depth(depth)
        line = _Line()
        while node.children:
            following, others = set_up_at_once(one_by_one(node.children[0])), node.children[1:]
            line.waiting += [found for other in others if (found := self._variation(other, state, depth + 1))]
            try:
                if self._is_over(state, main) and (following.moves or set_points(following)):
                    if not main:
                        raise SgfError("the match is over")
                    self._late += 1
                    line.say(self._notes(following))
                else:
                    state = self._turn(following, state, line, main)
            except (GameError, SgfError) as error:
                reason = f"action {len(line.plies) + 1}: {error}"
                if main:
                    raise SgfError(reason) from None
                self._cut.append(reason)
                break
            node = following
        self._cut += ["they are instead of what is not played"] * len(line.waiting)
        return line.finished()

    def _is_over(self, state: State, main: bool) -> bool:
        """Whether nothing more is played after a state of the main line or of a variation."""
        return (main and self._loser is not None) or self._game.outcome(state) is not None

    def _variation(self, node: SgfNode, state: State, depth: int) -> Plies:
        before, line = self._line(SgfNode(children=[node]), state, depth)
        return (replace(line[0], comment=joined(before, line[0].comment)), *line[1:]) if line and before else line

    def _turn(self, node: SgfNode, state: State, line: _Line, main: bool) -> State:
        """Adds what a node plays to a line, and returns the state after it."""
        notes = self._notes(node)
        if put := self._set_up(node, state):
            line.add(plies_of(self._game, put, state), [], 0)
            state = self._game.replay(put, state)
        text = node.first("B", "W")
        if text is None:
            line.say(notes)
            return state
        text, colour = text.strip(), "B" if "B" in node.properties else "W"
        side = FIRST if colour == self._first else SECOND
        if text.lower() in _GIVEN_UP:
            if main:
                self._give_up(text.lower(), colour)
            line.say(notes)
            return state
        if text.lower() in _CUBE:
            if main:
                self._double(text.lower(), colour, len(line.plies))
            line.say(notes)
            return state
        if self._first == "W" and self._sgf.exchanged:
            text = self._sgf.exchanged(text)
        before = plies_of(self._game, self._passed(state, side), state)
        self._passes += len(before) if main and self._game.forms.free_passes else 0
        state = self._game.replay([ply.action for ply in before], state)
        actions = self._sgf.turns.read(self._game, state, text)
        at = len(before) + (self._game.player(state) == CHANCE)
        line.add((*before, *plies_of(self._game, actions, state)), notes, at)
        return self._game.replay(actions, state)

    def _give_up(self, word: str, colour: str) -> None:
        """Ends the match: the side of a colour has given up."""
        first = next(main_moves(self._root))[0] if self._free else self._first
        self._ending, self._loser = _GIVEN_UP[word], FIRST if colour == first else SECOND

    def _set_up(self, node: SgfNode, state: State) -> list[int]:
        """The actions that put the stones of a node, with passes where a side puts several.

        Raises SgfError if actions cannot put them.
        """
        if not (told := set_points(node)):
            return []
        game, board = self._game, self._stones(state)
        if {"AB", "AW"} & set(told.values()) and state.tobytes() == game.initial().tobytes():
            told = {**dict.fromkeys(board, "AE"), **told}  # it is the whole position
        new = {point: name for point, name in told.items() if board.get(point, "AE") != name}
        if any(point in board for point in new):
            raise SgfError(f"the file takes stones off the board, which moves of {game.name} cannot do")
        try:
            actions = self._put(new, state)
            if Counter(self._stones(game.replay(actions, state)).values()) != Counter((board | new).values()):
                raise SgfError("other stones would change")
        except (GameError, SgfError) as error:
            raise SgfError(f"moves of {game.name} cannot put the stones that the file sets up: {error}") from None
        return actions

    def _put(self, stones: Mapping[str, str], state: State) -> list[int]:
        """The actions that put stones in turn, by their points and what sets them up. Raises GameError and SgfError."""
        actions = list[int]()
        black, white = (sorted(point for point in stones if stones[point] == name) for name in ("AB", "AW"))
        for pair in zip_longest(black, white):
            for side, point in enumerate(pair):
                if point is None:
                    continue
                passes = self._passed(state, side)
                state = self._game.replay(passes, state)
                own = self._sgf.turns.read(self._game, state, point)
                state = self._game.replay(own, state)
                actions += [*passes, *own]
        return actions

    def _stones(self, state: State) -> dict[str, str]:
        """The stones of a state: their points and what sets them up."""
        if not (board := self._game.board):
            return {}
        names = {FIRST: "AB", SECOND: "AW"}
        return {
            self._sgf.point(board.places[piece.place].name): names.get(piece.owner, "AA")
            for piece in board.scene(state).pieces
        }

    def _passed(self, state: State, side: int) -> list[int]:
        """The passes before a turn of a side. Raises SgfError if the side is not to move."""
        player = self._game.player(state)
        if self._free or player in (side, CHANCE):
            return []
        names = self._game.named_actions(state)
        if "pass" in names and (self._game.forms.free_passes or len(names) == 1):
            return [names["pass"]]
        raise SgfError(f"the {self._game.side(state)} is to move, not the other")

    def _double(self, text: str, colour: str, made: int) -> None:
        if text == "double":
            self._offers.append(Offer(made, int(colour != self._first), taken=True))
        elif self._offers:
            last = self._offers[-1]
            self._offers[-1] = Offer(last.ply, last.side, text == "take")

    def _notes(self, node: SgfNode) -> list[Notes]:
        first, *rest = untagged(text_of(node.first("C") or ""))
        value = number(node.first("V") or "")
        if first.value is None and value is not None:
            first = first._replace(value=value if self._first == "B" else -value)
        return [first, *rest]


def _part(node: SgfNode, names: Sequence[str]) -> SgfNode:
    """A node with some properties of another one, and the nodes after it."""
    properties = {name: node.properties[name] for name in names if name in node.properties}
    return SgfNode(properties, node.children, [name for name in node.order if name in properties])


def _first_colour(root: SgfNode) -> str:
    """The colour that begins."""
    node = root
    while node.children:
        node = node.children[0]
        for colour in "BW":
            if node.properties.get(colour, [""])[0][:1].isdecimal():
                return colour
    return "B"
