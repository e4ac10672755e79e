"""Reads a match from a tree of SGF.

An illegal action among the played ones is an error. A variation is read as far as it is legal. Unknown properties, such
as marks on the board, are ignored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from athenan.files.file_match import Ending, FileMatch, after
from athenan.files.notes import Notes, line_of, number, text_of, untagged
from athenan.files.sgf.notation import NOTATIONS, Notation, points
from athenan.files.sgf.results import FACTS, read_result
from athenan.files.sgf.tree import SgfError, SgfNode
from athenan.files.turns import noted, require_depth
from athenan.games.catalogue import make, settings_of
from athenan.play.cube import CubeRecord, Offer
from athenan.play.records import Plies, Ply, plies_of
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE, FIRST, SECOND
from athenan.settings import split

_SETUP = ("AB", "AW", "AE", "AA", "PL")
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


def game_of(root: SgfNode, wanted: Game | None = None) -> Game:
    """The game of a tree. Raises SgfError if it is unknown or not `wanted`."""
    name = _kind(root, wanted)
    told = _told(root, name)
    try:
        if wanted is None:
            return make(told) if isinstance(told, str) else _made(name, {**NOTATIONS[name].usual, **told})
        same = told == wanted.name if isinstance(told, str) else split(wanted.name)[0] == name and all(
            settings_of(wanted).get(key) == value for key, value in told.items()
        )  # fmt: skip
        found = wanted.name if same else told if isinstance(told, str) else _made(name, told).name
    except GameError as error:
        raise SgfError(str(error)) from None
    if not same:
        raise SgfError(f"it is a match of {found}, not of {wanted.name}")
    return wanted


def _made(name: str, settings: dict[str, Any]) -> Game:
    """The game with settings. Raises GameError if it cannot have them."""
    return make(f"{name}:" + ",".join(f"{key}={_text(value)}" for key, value in settings.items()) if settings else name)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _kind(root: SgfNode, wanted: Game | None) -> str:
    """The name of the game without settings. Raises SgfError if it is unknown."""
    text = root.fact("GM")
    if text is None:
        event = (root.first("EV") or "").lower()
        names = [name for name in NOTATIONS if event.startswith(f"{name}.")]  # Little Golem's form
        told = split(root.first("RU") or "")[0]
        usual = split(wanted.name)[0] if wanted else "go"
        return (names or [told if told in NOTATIONS else usual if usual in NOTATIONS else "go"])[0]
    for name, notation in NOTATIONS.items():
        if notation.number is not None and text.strip() == str(notation.number):
            return name
    known = ", ".join(f"{notation.number} {name}" for name, notation in NOTATIONS.items() if notation.number)
    raise SgfError(f"its game, GM[{_start(text)}], is unknown: expected {known}")


def _told(root: SgfNode, name: str) -> str | dict[str, Any]:
    """What the file says about its game: the game itself (in RU), or some settings. Raises SgfError for bad ones."""
    notation, rules = NOTATIONS[name], (root.first("RU") or "").strip()
    if split(rules)[0] == name and ":" in rules:
        return rules
    told = dict[str, Any]()
    size = root.fact("SZ")
    if size is not None and notation.size:
        columns, _, rows = size.strip().partition(":")
        if not columns.isdecimal() or rows not in ("", columns) or len(columns) > 3:
            raise SgfError(f"unknown board size SZ[{_start(size)}]: expected one number (a square board)")
        told[notation.size] = int(columns)
    komi = root.fact("KM")
    if name == "go" and komi is not None:
        value = number(komi.replace(",", "."))
        if value is None:
            raise SgfError(f"its komi, KM[{_start(komi)}], must be a number")
        told["komi"] = value
    return told


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

    def finished(self) -> Plies:
        """The plies with all comments."""
        for count, comments in self.remarks.items():
            if count:
                last = self.plies[count - 1]
                self.plies[count - 1] = replace(last, comment="\n".join(filter(None, (last.comment, *comments))))
        return tuple(self.plies)


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
        start = self._start()
        comment = "\n".join(filter(None, (notes.comment for notes in untagged(text_of(root.first("C") or "")))))
        first = root
        if "B" in root.properties or "W" in root.properties:  # bad style, but a move
            kept: dict[str, list[str]] = {
                key: root.properties[key] for key in ("B", "W", "C", "V") if key in root.properties
            }
            first, comment = SgfNode(children=[SgfNode(kept, root.children)]), ""
        line = self._line(first, after(game, start), 0, main=True, made=len(start))
        outcome, ending = read_result(root.first("RE") or "", self._first)
        colours = ("PB", "PW") if self._first == "B" else ("PW", "PB")
        players = tuple(line_of(root.first(name) or "") for name in colours)
        about = {fact: text for fact, name in FACTS.items() if (text := line_of(root.first(name) or ""))}
        rules = (root.first("RU") or "").lower()
        cube = CubeRecord("jacoby" in rules, tuple(self._offers)) if self._offers or "jacoby" in rules else None
        whole = (*plies_of(game, start), *line)
        return FileMatch(game.name, players, whole, outcome, ending or self._ending, comment, about, cube)

    def _start(self) -> list[int]:
        """The stones before the match, as moves with passes between. Raises SgfError if moves cannot put them."""
        stones = {
            name: sorted(point for text in self._root.properties[name] for point in points(text))
            for name in _SETUP if name in self._root.properties
        }  # fmt: skip
        stones.pop("PL", None)
        if not stones or stones == _stones_of(self._game, self._notation):
            return []
        if not self._notation.setup or set(stones) != {"AB"}:
            raise SgfError(f"the match begins with stones that {self._game.name} does not have at the start")
        game, state, actions = self._game, self._game.initial(), list[int]()
        for point in stones["AB"]:
            if actions:
                actions.append(game.parse_action(state, "pass"))
                state = game.play(state, actions[-1])
            actions += self._notation.read(game, state, point)
            state = game.play(state, actions[-1])
        return actions

    def _line(self, node: SgfNode, state: State, depth: int, *, main: bool = False, made: int = 0) -> Plies:
        """The line after a node, along first children; `made` is the number of actions played before."""
        require_depth(depth)
        line = _Line()
        while node.children:
            following, others = _one_by_one(node.children[0]), node.children[1:]
            line.waiting += [found for other in others if (found := self._variation(other, state, depth + 1))]
            try:
                state = self._turn(following, state, line, main, made + len(line.plies))
            except (GameError, SgfError) as error:
                if main:
                    raise SgfError(f"action {made + len(line.plies) + 1}: {error}") from None
                break
            node = following
        return line.finished()

    def _variation(self, node: SgfNode, state: State, depth: int) -> Plies:
        return self._line(SgfNode(children=[node]), state, depth)

    def _turn(self, node: SgfNode, state: State, line: _Line, main: bool, made: int) -> State:
        """Adds what a node plays to a line, and returns the state after it."""
        if any(name in node.properties for name in _SETUP):
            raise SgfError("the file puts stones on the board within the match, which moves cannot do")
        notes = self._notes(node)
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
                self._double(text.lower(), colour, made)
            line.say(notes)
            return state
        side = FIRST if colour == self._first else SECOND
        if self._first == "W" and self._notation.exchanged:
            text = self._notation.exchanged(text)
        before = plies_of(self._game, self._passed(state, side), state)
        state = after(self._game, [ply.action for ply in before], state)
        actions = self._notation.read(self._game, state, text)
        at = len(before) + (self._game.player(state) == CHANCE)
        line.add((*before, *plies_of(self._game, actions, state)), notes, at)
        return after(self._game, actions, state)

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
    """A node; one with moves of both sides, as old files have them, becomes two nodes, of which this is the first."""
    moves = [name for name in node.properties if name in ("B", "W")]
    if len(moves) < 2:
        return node
    second = SgfNode({moves[1]: node.properties[moves[1]]}, node.children)
    return SgfNode({name: found for name, found in node.properties.items() if name != moves[1]}, [second])


def _first_colour(root: SgfNode) -> str:
    """The colour that begins."""
    node = root
    while node.children:
        node = node.children[0]
        for colour in "BW":
            if node.properties.get(colour, [""])[0][:1].isdecimal():
                return colour
    return "B"


def _stones_of(game: Game, notation: Notation) -> dict[str, Sequence[str]]:
    """The stones at the beginning of a match, in SGF's form."""
    if game.board is None:
        return {}
    stones = dict[str, list[str]]()
    for piece in game.board.scene(game.initial()).pieces:
        stones.setdefault("AB" if piece.owner == FIRST else "AW", []).append(
            notation.point(game, game.board.places[piece.place].name)
        )
    return {colour: sorted(names) for colour, names in stones.items()}


def _start(value: str) -> str:
    """The first signs of a value for a message, without those that could control a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in value[:20])
