"""Matches of .mat files, read and written by the rules: each game of such a match is a match here, with its cube.

The file says how long the match is and how it stands; these are facts about each game. The player who makes the first
move of a game is its first player, on whichever side the file has them. Beavers and other variations are refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from athenan.files.file_match import Ending, FileMatch
from athenan.files.mat.text import MatAct, MatError, MatGame
from athenan.files.mat.text import write as text_of
from athenan.files.notes import line_of
from athenan.files.turns import turns
from athenan.games.catalogue import GAMES, known
from athenan.play.cube import CubeRecord, Offer, roller
from athenan.play.records import Ply, plies_of
from athenan.rules.forms import Mat
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE, sign
from athenan.settings import counted

_FACTS = {"event": "Event", "place": "Site", "date": "EventDate", "round": "Round"}
"""Our facts and the tags that have them."""


class MatGameError(MatError):
    """A match is of another game than the one that was expected."""


def replayed(written: MatGame, wanted: Game | None = None) -> FileMatch:
    """A game by the rules. Raises MatError if it is not `wanted`, and for what the rules do not allow."""
    game, mat = _game_of(written, wanted)
    first = next((act.side for act in written.acts if act.kind != "win"), 0)
    reader = _Reader(game, mat, first)
    for number, act in enumerate(written.acts, 1):
        try:
            reader.take(act, last=number == len(written.acts) or written.acts[number].kind == "win")
        except (GameError, MatError) as error:
            raise MatError(f"game {written.number}, {act.text!r}, act {number}: {error}") from None
    own = (written.players[first], written.players[1 - first])
    return reader.match(tuple("" if (name := line_of(one)) == "?" else name for one in own), _about(written, first))


def _game_of(written: MatGame, wanted: Game | None) -> tuple[Game, Mat]:
    """The game of a file and how files write it. Raises MatError if it is unknown or not `wanted`."""
    called = written.tags.get("variation", "")
    games = [game for name in GAMES if (game := known(name)).forms.mat]
    if wanted and wanted.forms.mat:
        games.insert(0, wanted)
    for game in games:
        mat = game.forms.mat
        if mat and called.lower() in ("", mat.variation.lower()):
            if wanted and game is not wanted:
                raise MatGameError(f"it is a match of {game.name}, not of {wanted.name}")
            return game, mat
    raise MatError(f"its variation, {line_of(called, 20)}, is not played here")


def _about(written: MatGame, first: int) -> dict[str, str]:
    told = {fact: line_of(written.tags.get(tag.lower(), "")) for fact, tag in _FACTS.items()}
    scores = written.scores if not first else written.scores[::-1]
    told |= {"game": str(written.number), "length": str(written.length), "score": "{}-{}".format(*scores)}
    if tags := [f"{name}={value}" for name, value in written.tags.items() if name in ("jacoby", "cubelimit")]:
        told["cube"] = ",".join(tags).lower()
    return {fact: text for fact, text in told.items() if text}


@dataclass
class _Reader:
    """A game while it is read."""

    game: Game
    mat: Mat
    first: int
    """The column of the first player."""
    plies: list[Ply] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    asked: bool = False
    """Whether a double waits for its answer."""
    winner: int | None = None
    """Who has won, according to the file."""
    late: int = 0
    """Acts after the end."""

    def __post_init__(self) -> None:
        self.states.append(self.game.initial())

    @property
    def _over(self) -> bool:
        dropped = bool(self.offers) and not self.offers[-1].taken
        return dropped or self.game.outcome(self.states[-1]) is not None or self.winner is not None

    def take(self, act: MatAct, last: bool) -> None:
        """Takes what a player does; `last`: nothing is played after it. Raises GameError and MatError."""
        side = act.side ^ self.first
        if act.kind == "win":
            self.winner = side if self.winner is None else self.winner
        elif self._over:
            self.late += 1
        elif self.asked != (act.kind in ("take", "drop")):
            raise MatError("a double is answered by Takes or Drops" if self.asked else "nobody has doubled")
        elif act.kind == "resign":
            self.winner = 1 - side
        elif act.kind in ("take", "drop"):
            self.asked, offer = False, self.offers[-1]
            self.offers[-1] = Offer(offer.ply, offer.side, act.kind == "take")
        else:
            self._require_turn(side)
            if act.kind == "double":
                self.asked = True
                self.offers.append(Offer(len(self.plies), side, taken=True))
            else:
                self._play(act.text, last)

    def _require_turn(self, side: int) -> None:
        state = self.states[-1]
        if self.game.player(state) != CHANCE or roller(self.game, state) != side:
            raise MatError("it is the other player's turn")

    def _play(self, text: str, last: bool) -> None:
        state = self.states[-1]
        try:
            actions = self.mat.turns.read(self.game, state, text)
        except GameError:
            dice, _, moves = text.partition(":")
            if moves.strip() or not last:
                raise
            high, low = sorted(sign for sign in dice if sign.isdecimal())[::-1]  # a player has resigned after the roll
            actions = [self.game.parse_action(state, f"{high}-{low}")]
        for ply in plies_of(self.game, actions, state):
            self.plies.append(ply)
            self.states.append(self.game.play(self.states[-1], ply.action))

    def match(self, players: tuple[str, ...], about: Mapping[str, str]) -> FileMatch:
        """The match that was read. Raises MatError if its doubles are not possible."""
        notices = [f"{counted(self.late, 'act')} left out: the game is over"] if self.late else []
        offers = self.offers[:-1] if self.asked else self.offers
        notices += ["a double at its end is left out: nobody has answered it"] * self.asked
        told = about.get("cube", "")
        cube = None if "cubelimit=1" in told.split(",") else CubeRecord("jacoby=on" in told, tuple(offers))
        if offers and cube is None:
            raise MatError("it has a double, but CubeLimit says that there is no cube")
        if cube:
            try:
                cube.check_offers(self.game, self.states)
            except ValueError as error:
                raise MatError(str(error)) from None
        outcome, ending = self._result(notices, sign(offers[-1].side) if cube and cube.dropped else None)
        facts = {fact: text for fact, text in about.items() if fact != "cube"}
        return FileMatch(
            self.game.name, players, tuple(self.plies), outcome, ending, about=facts, cube=cube, notices=tuple(notices)
        )

    def _result(self, notices: list[str], dropped: int | None) -> tuple[int | None, Ending]:
        """The outcome by the rules, a drop or the file, and how the game ended; adds to the notices."""
        claimed = None if self.winner is None else sign(self.winner)
        by_rules = self.game.outcome(self.states[-1]) if dropped is None else dropped
        if by_rules is None:
            return claimed, "resigned" if claimed else ""
        if claimed not in (None, by_rules):
            notices.append("its winner is not the one by the rules, who was taken")
        return by_rules, ""


def write(matches: Sequence[tuple[FileMatch, Game]]) -> str:
    """Matches as one file. Consecutive ones of the same players, length and event are games of one match.

    Raises MatError for another game than backgammon, and for a match that ends within a turn.
    """
    return text_of(list(_games(matches)))


def _games(matches: Sequence[tuple[FileMatch, Game]]) -> Iterator[MatGame]:
    before: MatGame | None = None
    for match, game in matches:
        mat = game.forms.mat
        if mat is None:
            raise MatError(f"files that end with .mat are for backgammon, not for {game.name}")
        names, tags = tuple(map(_name, match.players)), _tags(match, mat)
        length = int(told) if (told := match.about.get("length", "")).isdecimal() else 0
        if before and (set(before.players), before.length, before.tags) == (set(names), length, tags):
            one = MatGame(tags, length, before.number + 1, before.players, _after(before))
        else:
            one = MatGame(tags, length, 1, (names[0], names[1]), (0, 0))
        first = int(names[0] != one.players[0])
        if found := _score(match):
            one.scores = (found[first], found[1 - first])
        one.acts = [act._replace(side=act.side ^ first) for act in _acts(match, game, mat)]
        if (points := _points(match, game)) is not None and points:
            side = int(points < 0) ^ first
            wins = length and one.scores[side] + abs(points) >= length
            text = f"Wins {counted(abs(points), 'point')}{' and the match' if wins else ''}"
            one.acts.append(MatAct(side, "win", text))
        yield one
        before = one


def _name(text: str) -> str:
    """The name of a player without the signs that separate it from others."""
    return line_of(text).replace(":", " ").replace(";", ",").strip() or "?"


def _tags(match: FileMatch, mat: Mat) -> dict[str, str]:
    told = {tag: match.about.get(fact, "") for fact, tag in _FACTS.items()}
    told["Variation"] = mat.variation
    told["CubeLimit"] = "" if match.cube else "1"
    told["Jacoby"] = "On" if match.cube and match.cube.jacoby else ""
    return {name: line_of(text).replace('"', "'") for name, text in told.items() if text}


def _score(match: FileMatch) -> tuple[int, int] | None:
    """How the match stood before a game, for its first and its second player."""
    first, _, second = match.about.get("score", "").partition("-")
    return (int(first), int(second)) if first.isdecimal() and second.isdecimal() else None


def _after(game: MatGame) -> tuple[int, int]:
    """The points after a game."""
    scores = list(game.scores)
    for act in game.acts:
        if act.kind == "win":
            scores[act.side] += int(act.text.split()[1])
    return scores[0], scores[1]


def _points(match: FileMatch, game: Game) -> int | None:
    """The first player's points; None if nobody has won yet."""
    end, cube = game.replay(match.actions), match.cube or CubeRecord()
    if cube.dropped or game.outcome(end) is not None:
        return cube.points(game, end)
    return None if match.outcome is None else match.outcome * cube.cube.value


def _acts(match: FileMatch, game: Game, mat: Mat) -> Iterator[MatAct]:
    """What the first player, 0, and the second one, 1, do. Raises MatError if the match ends within a turn."""
    offers = {offer.ply: offer for offer in match.cube.offers} if match.cube else {}
    count, value = 0, 1
    for turn in [*turns(game, match.plies, game.initial()), None]:
        if offer := offers.get(count):
            value *= 2
            yield MatAct(offer.side, "double", f"Doubles => {value}")
            yield MatAct(1 - offer.side, "take" if offer.taken else "drop", "Takes" if offer.taken else "Drops")
        if turn:
            if not turn.whole and len(turn.plies) > 1:
                raise MatError("the match ends within a turn, but .mat files have only whole turns")
            yield MatAct(turn.side, "roll", mat.turns.write(game, turn.state, turn.actions))
            count += len(turn.plies)
