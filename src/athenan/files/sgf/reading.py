"""Reads a match from a tree of SGF.

An illegal action among the played ones is an error. A variation is read as far as it is legal. Unknown properties, such
as marks on the board, are ignored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from athenan.files.file_match import Ending, FileMatch
from athenan.files.notes import Notes, line_of, number, text_of, untagged
from athenan.files.sgf.games import game_of
from athenan.files.sgf.notation import NOTATIONS, Notation, points
from athenan.files.sgf.results import FACTS, read_result
from athenan.files.sgf.tree import SgfError, SgfNode
from athenan.files.turns import noted, require_depth
from athenan.play.cube import CubeRecord, Offer
from athenan.play.records import Plies, Ply, plies_of
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE, FIRST, SECOND

_SETUP = ("AE", "AB", "AW", "AA")
_CUBE = ("double", "take", "drop")
_GIVEN_UP: dict[str, Ending] = {"resign": "resigned", "forfeit": "forfeit"}
_LITTLE_GOLEM = "littlegolem"


def replayed(root: SgfNode, wanted: Game | None = None) -> FileMatch:
    """The match of a tree; `wanted` supplies what the file does not say about its game.

    Raises SgfError if the game is unknown or not `wanted`, and for actions that the rules do not allow.
    """
    game = game_of(root, wanted)
    try:
        return _Reader(root, game).match()
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
            self.plies[count - 1] = replace(last, comment=_joined(last.comment, *comments))
        return before, tuple(self.plies)


class _Reader:
    """Follows one tree."""

    def __init__(self, root: SgfNode, game: Game) -> None:
        self._root, self._game = root, game
        self._notation: Notation = NOTATIONS[game.family]
        self._free = _LITTLE_GOLEM in (root.first("SO") or "")  # it calls the first player W in nodes, B elsewhere
        self._first = "B" if self._free or self._notation.exchanged is None else _first_colour(root)
        self._offers = list[Offer]()
        self._ending: Ending = ""

    def match(self) -> FileMatch:
        root, game = self._root, self._game
        comment = _joined(*(notes.comment for notes in untagged(text_of(root.first("C") or ""))))
        played = [name for name in (*_SETUP, "B", "W") if name in root.properties]
        first = root
        if "B" in played or "W" in played:  # bad style, but a move
            played, comment = [*played, "C", "V"], ""
        if played:
            first = SgfNode(children=[_part(root, played, root.children)])
        before, line = self._line(first, game.initial(), 0, main=True)
        comment = _joined(comment, before)
        outcome, ending = read_result(root.first("RE") or "", self._first)
        colours = ("PB", "PW") if self._first == "B" else ("PW", "PB")
        players = tuple(line_of(root.first(name) or "") for name in colours)
        about = {fact: text for fact, name in FACTS.items() if (text := line_of(root.first(name) or ""))}
        rules = (root.first("RU") or "").lower()
        cube = CubeRecord("jacoby" in rules, tuple(self._offers)) if self._offers or "jacoby" in rules else None
        return FileMatch(game.name, players, line, outcome, ending or self._ending, comment, about, cube)

    def _line(self, node: SgfNode, state: State, depth: int, *, main: bool = False) -> tuple[str, Plies]:
        """The line after a node, along first children, and the comment before its first ply."""
        require_depth(depth)
        line = _Line()
        while node.children:
            following, others = _set_up_at_once(_one_by_one(node.children[0])), node.children[1:]
            line.waiting += [found for other in others if (found := self._variation(other, state, depth + 1))]
            try:
                state = self._turn(following, state, line, main)
            except (GameError, SgfError) as error:
                if main:
                    raise SgfError(f"action {len(line.plies) + 1}: {error}") from None
                break
            node = following
        return line.finished()

    def _variation(self, node: SgfNode, state: State, depth: int) -> Plies:
        before, line = self._line(SgfNode(children=[node]), state, depth)
        return (replace(line[0], comment=_joined(before, line[0].comment)), *line[1:]) if line and before else line

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
        if text.lower() in _GIVEN_UP:
            self._ending = _GIVEN_UP[text.lower()] if main else self._ending
            line.say(notes)
            return state
        if text.lower() in _CUBE:
            if main:
                self._double(text.lower(), colour, len(line.plies))
            line.say(notes)
            return state
        side = FIRST if colour == self._first else SECOND
        if self._first == "W" and self._notation.exchanged:
            text = self._notation.exchanged(text)
        before = plies_of(self._game, self._passed(state, side), state)
        state = self._game.replay([ply.action for ply in before], state)
        actions = self._notation.read(self._game, state, text)
        at = len(before) + (self._game.player(state) == CHANCE)
        line.add((*before, *plies_of(self._game, actions, state)), notes, at)
        return self._game.replay(actions, state)

    def _set_up(self, node: SgfNode, state: State) -> list[int]:
        """The actions that put the stones of a node, with passes where a side puts several.

        Raises SgfError if actions cannot put them.
        """
        if not (told := _set_points(node)):
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
                own = self._notation.read(self._game, state, point)
                state = self._game.replay(own, state)
                actions += [*passes, *own]
        return actions

    def _stones(self, state: State) -> dict[str, str]:
        """The stones of a state: their points and what sets them up."""
        if not (board := self._game.board):
            return {}
        names = {FIRST: "AB", SECOND: "AW"}
        return {
            self._notation.point(self._game, board.places[piece.place].name): names.get(piece.owner, "AA")
            for piece in board.scene(state).pieces
        }

    def _passed(self, state: State, side: int) -> list[int]:
        """The passes before a turn of a side. Raises SgfError if the side is not to move."""
        player = self._game.player(state)
        if self._free or player in (side, CHANCE):
            return []
        names = {self._game.action_name(state, int(action)): int(action) for action in self._game.actions(state)}
        if "pass" in names and (self._notation.setup or len(names) == 1):
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


def _one_by_one(node: SgfNode) -> SgfNode:
    """A node; one with stones to set up and a move, or with moves of both sides, as old files have them, becomes two
    nodes, of which this is the first.
    """
    setup = [name for name in node.properties if name in _SETUP]
    moves = [name for name in node.properties if name in ("B", "W")]
    if len(moves) + bool(setup) < 2:
        return node
    later = moves[1:] if not setup else [name for name in node.properties if name not in setup]
    sooner = [name for name in node.properties if name not in later]
    return _part(node, sooner, [_part(node, later, node.children)])


def _set_up_at_once(node: SgfNode) -> SgfNode:
    """A node, together with what the nodes after it set up before anything is played.

    Moves put the stones that are left in the end: a later node may take some off the board.
    """
    while _only_sets_up(node) and len(node.children) == 1 and _only_sets_up(child := _one_by_one(node.children[0])):
        told = _set_points(node) | _set_points(child)
        put = {name: [point for point, one in told.items() if one == name] for name in _SETUP}
        comment = _joined(*(text for one in (node, child) if (text := one.first("C"))))
        properties = {name: found for name, found in {**put, "C": [comment] * bool(comment)}.items() if found}
        node = SgfNode(properties, child.children)
    return node


def _only_sets_up(node: SgfNode) -> bool:
    return any(name in node.properties for name in _SETUP) and not {"B", "W"} & set(node.properties)


def _set_points(node: SgfNode) -> dict[str, str]:
    """The points that a node sets, each with the property that sets it."""
    named = [(point.strip(), name) for name in _SETUP for point in node.properties.get(name, ())]
    return {point: name for text, name in named for point in points(text) if point}


def _part(node: SgfNode, names: Sequence[str], children: list[SgfNode]) -> SgfNode:
    """A node with some properties of another one."""
    return SgfNode({name: node.properties[name] for name in names if name in node.properties}, children)


def _joined(*comments: str) -> str:
    return "\n".join(filter(None, comments))


def _first_colour(root: SgfNode) -> str:
    """The colour that begins."""
    node = root
    while node.children:
        node = node.children[0]
        for colour in "BW":
            if node.properties.get(colour, [""])[0][:1].isdecimal():
                return colour
    return "B"
