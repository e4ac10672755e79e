"""Writes a match as a tree of SGF. The first player is black."""

from collections.abc import Iterator

from athenan.files.file_match import FileMatch
from athenan.files.notes import tagged
from athenan.files.sgf.results import FACTS, write_result
from athenan.files.sgf.rules import sgf_of
from athenan.files.sgf.tree import SgfError, SgfNode
from athenan.files.turns import Turn, require_depth, turns
from athenan.games.catalogue import points, settings_of
from athenan.play.records import Plies
from athenan.rules.game import Game, State

_CHARACTERS = "UTF-8"


def tree(match: FileMatch, game: Game) -> SgfNode:
    """The tree of a match.

    Raises SgfError if SGF does not know the game or the match ends within a turn.
    """
    sgf = sgf_of(game)
    root = SgfNode({"FF": ["4"], "CA": [_CHARACTERS]})
    if sgf.number is not None:
        root.properties["GM"] = [str(sgf.number)]
    if sgf.size:
        root.properties["SZ"] = [str(settings_of(game)[sgf.size])]
    if sgf.komi:
        root.properties["KM"] = [f"{settings_of(game)[sgf.komi]:g}"]
    root.properties["RU"] = [_rules(match, game)]
    facts = {"PB": match.players[0], "PW": match.players[1], "C": match.comment}
    facts |= {key: match.about.get(fact, "") for fact, key in FACTS.items()}
    root.properties |= {key: [text] for key, text in facts.items() if text}
    root.properties["RE"] = [_result(match, game)]
    root.properties |= _set_up(match, game)
    _Writer(game, match).write(root)
    return root


def _set_up(match: FileMatch, game: Game) -> dict[str, list[str]]:
    """The stones of the first position and the side to move, if it is not the initial one.

    Raises SgfError if SGF cannot set them up in this game.
    """
    if (start := match.start(game)) is None:
        return {}
    sgf, board = sgf_of(game), game.board
    if sgf.set_up is None or board is None:
        raise SgfError(f"SGF has no place for the first position of this match of {game.name}")
    stones: dict[str, list[str]] = {"AB": [], "AW": []}
    for piece in board.scene(start).pieces:
        stones["AW" if piece.owner else "AB"].append(sgf.point(board.places[piece.place].name))
    return {name: points for name, points in stones.items() if points} | {"PL": ["BW"[game.player(start)]]}


def _rules(match: FileMatch, game: Game) -> str:
    """The game or, if it may have a doubling cube, whether there is one, which programs read."""
    if not game.ruleset.cube:
        return game.name
    return ("Jacoby" if match.cube.jacoby else "Cube") if match.cube else "NoCube"


def _result(match: FileMatch, game: Game) -> str:
    state = game.replay(match.actions, match.start(game))
    outcome = game.outcome(state) if match.outcome is None else match.outcome
    over = game.outcome(state) is not None or (match.cube is not None and match.cube.dropped)
    score: float | None = None
    if game.max_score is not None and over:
        score = match.cube.points(game, state) if match.cube else points(game, state)
        if (score > 0) - (score < 0) != outcome:  # the players agreed on another one, as on dead stones in Go
            score = None
    return write_result(outcome, match.ending, score)


class _Writer:
    """Writes the moves of one match."""

    def __init__(self, game: Game, match: FileMatch) -> None:
        self._game, self._match = game, match
        self._sgf = sgf_of(game)

    def write(self, root: SgfNode) -> None:
        """Adds the moves after the root."""
        cube = self._match.cube
        offers = {offer.ply: offer for offer in cube.offers} if cube else {}
        node, plies = root, 0
        for turn in [*self._units(self._match.plies, self._game.position(self._match.start(self._game))), None]:
            if offer := offers.get(plies):
                colours = "BW"[offer.side], "WB"[offer.side]
                for colour, text in zip(colours, ("double", "take" if offer.taken else "drop"), strict=True):
                    node.children.append(SgfNode({colour: [text]}))
                    node = node.children[0]
            if turn:
                node = self._add(node, turn, 0)
                plies += len(turn.plies)

    def _line(self, node: SgfNode, line: Plies, state: State, depth: int) -> None:
        """Adds the whole turns of a variation after a node."""
        require_depth(depth)
        for turn in self._units(line, state):
            if turn.whole:
                node = self._add(node, turn, depth)

    def _units(self, line: Plies, state: State) -> Iterator[Turn]:
        """What the nodes of a line play: turns or, where each action has a node, single actions."""
        if not self._sgf.by_action:
            yield from turns(self._game, line, state)
            return
        for ply in line:
            yield Turn(state, self._game.player(state), (ply,), whole=True)
            state = self._game.play(state, ply.action)

    def _add(self, node: SgfNode, turn: Turn, depth: int) -> SgfNode:
        """Adds a turn and its variations after a node; returns the turn's node."""
        node.children.append(own := self._node(turn))
        for variation in turn.alternatives:
            self._line(node, variation, turn.state, depth + 1)
        return own

    def _node(self, turn: Turn) -> SgfNode:
        if not turn.whole:
            raise SgfError("the match ends within a turn, but SGF has only whole turns")
        notes, colour = turn.notes, "BW"[turn.side]
        node = SgfNode({colour: [self._sgf.turns.write(self._game, turn.state, turn.actions)]})
        if (value := notes[0].value) is not None:
            node.properties["V"] = [f"{value:.6g}"]
        if text := tagged(notes):
            node.properties["C"] = [text]
        return node
