"""Every game against data of independent implementations, and the conformance check."""

import json
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from game_sizes import SIZES, SPECIFICATIONS, check_some
from sizes import size

from athenan import GAMES, Game, GameError, make, perft
from athenan.rules import calls
from athenan.rules.game import State
from athenan.rules.playouts import random_ends, random_match, random_play
from athenan.rules.randomness import streams
from athenan.rules.state import CHANCE, ONGOING

DATA = Path(__file__).parents[1] / "data"
PERFT = json.loads((DATA / "perft.json").read_text())
PLAYOUTS = sorted((DATA / "playouts").glob("*.jsonl"))
PERFT_PLAYS = size(200_000, 2_000_000)
"""Perft goes as deep as the counts of one depth less stay below this: its last actions are counted, not played."""


def kind(specification: str) -> str:
    return specification.partition(":")[0]


def test_every_game_has_data() -> None:
    assert set(GAMES) == {kind(group["game"]) for group in PERFT}
    records = [json.loads(path.read_text().splitlines()[0]) for path in PLAYOUTS]
    assert set(GAMES) == {kind(record["game"]) for record in records}
    assert set(GAMES) == set(SIZES)


@pytest.mark.parametrize("group", PERFT, ids=lambda group: group["game"])
def test_perft_of_other_implementations(group: dict[str, Any]) -> None:
    counts = [1, *group["perft"]]
    depth = max(depth for depth in range(1, len(counts)) if counts[depth - 1] <= PERFT_PLAYS)
    assert perft(make(group["game"]), depth) == group["perft"][:depth]


@pytest.mark.parametrize(
    ("specification", "depth", "count"),
    [("othello:8", 10, 24571056), ("tictactoe", 9, 127872), ("connect_four:7x6", 8, 5673234)],
)
def test_published_perft(specification: str, depth: int, count: int) -> None:
    """Othello: the published 24571284 counts again the 228 matches that are over before; OpenSpiel does not."""
    assert perft(make(specification), depth)[-1] == count


@pytest.mark.parametrize(
    ("specification", "counts"),
    [("3x3", [12, 88, 376, 928, 1840, 1048, 616]), ("5x5", [40, 1372, 40020, 979872]), ("7x7", [84, 6544, 471776])],
)
def test_perft_of_clobber_with_the_other_start(specification: str, counts: list[int]) -> None:
    """Ludii 1.3.13 gives a1 to the second player, which differs on boards with an odd number of cells."""
    game = make(f"clobber:{specification}")
    state = game.initial()
    state[0] = 1
    assert perft(game, len(counts), state) == counts


def test_perft_of_surakarta_beyond_the_first_repetitions() -> None:
    """Polygames, Ludii 1.3.13 and surakarta-core go on where both sides take their first steps back."""
    assert perft(make("surakarta"), 5)[-1] == 2572484 - 16 * 16 * 16


@pytest.mark.parametrize(
    ("placement", "counts"),
    [("a1 e5 a5 e1", [36, 1296, 69468]), ("b3 d3 c2 c4", [68, 5156, 350208]), ("c3 b2 d4 c4", [70, 4285, 308927])],
)
def test_whole_turns_of_santorini(placement: str, counts: list[int]) -> None:
    """Counts of a reference generator; no match can be won within three turns."""
    game = make("santorini")
    assert perft(game, 6, game.after(placement))[1::2] == counts


def test_whole_turns_of_santorini_from_the_start() -> None:
    """The reference generator counts a pair of workers once, in whichever order they are put."""
    game = make("santorini")
    counts = perft(game, 6)
    assert [counts[1] // 2, counts[3] // 4, counts[5] // 4] == [300, 75900, 4313232]
    assert [len(level) for level in positions(game, 2)] == [1, 25, 300]


@pytest.mark.parametrize(
    ("specification", "played"),
    [("hex:3", 1), ("havannah:4", 15), ("gomoku:6", 0), ("connect6:6", 25), ("go:4", 20), ("amazons:6", 12),
     ("amazons:6", 13)],
)  # fmt: skip
def test_drawn_actions_are_equally_likely(specification: str, played: int) -> None:
    """Pearson's test: the statistic of n actions has mean n - 1 and variance 2 (n - 1)."""
    game, state = make(specification), make(specification).initial()
    for action in random_match(game, seed=1)[:played]:
        state = game.play(state, action)
    random, legal = streams(0, 1), game.actions(state)
    assert len(legal) > 3
    drawn = [calls.sample(game.rules, state, random) for _ in range(200 * len(legal))]
    counts = np.array([drawn.count(int(action)) for action in legal])
    assert counts.sum() == len(drawn)
    assert ((counts - 200) ** 2 / 200).sum() < len(legal) - 1 + 5 * np.sqrt(2 * (len(legal) - 1))


def read(data: bytes) -> State:
    return np.frombuffer(data, np.int8).copy()


def positions(game: Game, length: int) -> list[set[bytes]]:
    """The distinct states of each length."""
    levels = [{game.initial().tobytes()}]
    for _ in range(length):
        following: set[bytes] = set()
        for data in levels[-1]:
            state = read(data)
            following.update(game.play(state, int(action)).tobytes() for action in game.actions(state))
        levels.append(following)
    return levels


def test_published_numbers_of_positions() -> None:
    """Connect Four: OEIS A212693 (J. Tromp); tic-tac-toe: 5478 positions, 765 up to symmetry."""
    assert [len(level) for level in positions(make("connect_four"), 6)] == [1, 7, 49, 238, 1120, 4263, 16422]
    game = make("tictactoe")
    states = [read(data) for level in positions(game, 9) for data in level]
    assert len(states) == 5478
    images = game.plane_symmetries
    assert len({min(game.encode(state).reshape(-1)[image].tobytes() for image in images) for state in states}) == 765


@pytest.mark.parametrize(
    ("specification", "length"),
    [("hex:3", 5), ("connect_four:4x4", 6), ("connect_four:9x7", 4), ("breakthrough:4x5", 4), ("othello:6", 5),
     ("othello:10", 4), ("connect6:6", 3), ("gomoku:5", 3), ("havannah:4", 3),
     ("clobber:4x3", 6), ("amazons:6", 2), ("amazons:10", 2), ("santorini", 3), ("shobu", 3)],
)  # fmt: skip
def test_equal_positions_are_equal_states(specification: str, length: int) -> None:
    game = make(specification)
    for level in positions(game, length):
        encoded = {game.encode(read(data)).tobytes() for data in level}
        assert len(encoded) == len(level)


def turns(game: Game, state: State) -> int:
    """In how many ways the side to move can play its turn."""
    count, mover, following = 0, game.player(state), np.empty_like(state)
    for action in game.actions(state):
        calls.play(game.rules, state, action, following)  # legal as it is: not looked up again
        ended = game.player(following) != mover or calls.outcome(game.rules, following) != ONGOING
        count += 1 if ended else turns(game, following)
    return count


@pytest.mark.parametrize("path", PLAYOUTS, ids=lambda path: path.stem)
def test_recorded_matches(path: Path) -> None:
    """Numbers of legal actions are ? where the source does not tell them; `turn_counts` are numbers of whole turns.

    A record `differs` from its source, for the reason it gives, where one of the two ends a match and the other does
    not: if the source does, there is no result; if we do, the rest is cut.
    """
    make_once = cache(make)
    for line in path.read_text().splitlines()[:: size(2, 1)]:
        record = json.loads(line)
        game = make_once(record["game"])
        state, mover, turn_counts = game.initial(), 1, record.get("turn_counts", "").split()
        for move, count in zip(record["moves"].split(), record["legal_counts"].split(), strict=True):
            assert game.outcome(state) is None
            assert count in (str(len(game.actions(state))), "?")
            if turn_counts and game.player(state) not in (mover, CHANCE):
                wanted = int(turn_counts.pop(0))
                assert len(turn_counts) % size(8, 1) or turns(game, state) == wanted
            mover = game.player(state)
            state = game.play(state, game.parse_action(state, move))
        assert not turn_counts
        assert game.outcome(state) == record["result"]
        assert ("differs" in record) == (record["result"] is None or record.get("differs", "").startswith("cut: "))
        assert "score" not in record or game.score(state) == record["score"]


@pytest.mark.parametrize("specification", SPECIFICATIONS)
def test_conformance(specification: str) -> None:
    game = make(specification)
    check_some(game)
    assert make(game.name).name == game.name


@pytest.mark.parametrize("specification", SPECIFICATIONS)
def test_numbers_of_a_match(specification: str) -> None:
    """The typical length is within a factor of three of random matches; scores and pieces agree with the planes."""
    game = make(specification)
    matches = random_play(game, streams(1, 1), 20_000)
    assert 1 / 3 <= game.typical_length * matches / 20_000 <= 3
    assert 1 <= game.typical_length <= game.max_length
    state = game.after(" ".join(names(game, random_match(game, seed=3))))
    each = {"shobu": 4, "einstein": (game.planes[0] - 2) // 2}.get(kind(specification), 1)  # planes a player
    counts = [int((game.encode(state)[each * player :][:each] == 1).sum()) for player in range(2)]
    if "pieces" in game.table and kind(specification) != "backgammon":  # planes do not add up checkers
        assert [calls.pieces(game.rules, state, player) for player in range(2)] == counts
    if game.max_score is not None:
        other = ("amazons", "backgammon", "go", "morpion")  # no difference of pieces
        if kind(specification) not in other:
            assert game.score(state) == counts[0] - counts[1]
        if game.players == 2:
            assert np.sign(game.score(state)) == game.outcome(state)


def names(game: Game, actions: list[int]) -> list[str]:
    state, result = game.initial(), []
    for action in actions:
        result.append(game.action_name(state, action))
        state = game.play(state, action)
    return result


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ("chess", f"there is no game 'chess'; the games are {', '.join(GAMES)}"),
        ("hex:1", "hex: size must be from 2 to 19, not 1"),
        ("hex:20", "hex: size must be from 2 to 19, not 20"),
        ("hex:big", "hex: size must be a whole number from 2 to 19, not 'big'"),
        ("hex:7,swap=maybe", "hex: swap must be true or false, not 'maybe'"),
        ("hex:7,sawp=true", "hex: there is no option 'sawp': did you mean swap?"),
        ("hex:7,size=9", "hex: option size is given twice"),
        ("draughts:russian", "draughts: variant must be international, brazilian or canadian, not 'russian'"),
        ("draughts:canadian,size=8", "draughts: there is no option 'size'; its options are variant"),
        ("santorini:5", "santorini: there is no option '5'; it has no options"),
        ("surakarta:6", "surakarta: there is no option '6'; it has no options"),
        ("tictactoe:3", "tictactoe: there is no option '3'; it has no options"),
        ("connect_four:1x6", "connect_four: size must be from 2 to 20, not 1x6"),
        ("connect_four:7x21", "connect_four: size must be from 2 to 20, not 7x21"),
        ("connect_four:3x3", "connect_four: on a 3x3 board, connect must be from 2 to 3, not 4"),
        ("connect_four:7by6", "connect_four: size must be a number or WIDTHxHEIGHT from 2 to 20, not '7by6'"),
        ("go:9,komi=7.3", "go: komi must be a multiple of a half, such as 7 or 7.5, not 7.3"),
        ("go:9,komi=many", "go: komi must be a number, not 'many'"),
        ("go:9,komi=nan", "go: komi must be a number, not 'nan'"),
        ("go:9,komi=81.5", "go: komi must be from -81 to 81, not 81.5"),
        ("go:9,komi=-82", "go: komi must be from -81 to 81, not -82"),
        ("gomoku:4", "gomoku: size must be from 5 to 19, not 4"),
        ("gomoku:20", "gomoku: size must be from 5 to 19, not 20"),
        ("gomoku:15,opening=swap2", "gomoku: opening must be outer or free, not 'swap2'"),
        ("connect6:5", "connect6: size must be from 6 to 19, not 5"),
        ("connect6:20", "connect6: size must be from 6 to 19, not 20"),
        ("havannah:3", "havannah: side must be from 4 to 10, not 3"),
        ("havannah:11", "havannah: side must be from 4 to 10, not 11"),
        ("arimaa:32", "arimaa: limit must be from 33 to 65,535, not 32"),
        ("amazons:7", "amazons: size must be 6, 8 or 10, not 7"),
        ("morpion:6D", "morpion: variant must be 5D, 5T, 4D or 4T, not '6D'"),
        ("morpion:5D,size=8", "morpion: size must be from 10 to 32, not 8"),
        ("morpion:5D,size=17", "morpion: with the cross in the middle, size is even, not 17"),
        ("morpion:4D,win=-1", "morpion: win must be from 0 to 999, not -1"),
        ("clobber:1x1", "clobber: the board must have at least 2 cells, not 1x1"),
        ("clobber:17x2", "clobber: size must be from 1 to 16, not 17x2"),
        ("othello:7", "othello: size must be even, not 7"),
        ("othello:2", "othello: size must be from 4 to 16, not 2"),
        ("othello:18", "othello: size must be from 4 to 16, not 18"),
        ("breakthrough:17x8", "breakthrough: size must be from 2 to 16, not 17x8"),
        ("breakthrough:8x1", "breakthrough: size must be from 2 to 16, not 8x1"),
        ("breakthrough:8x3", "breakthrough: piece_rows must be from 1 to 1, not 2"),
        ("backgammon:nack", "backgammon: start must be standard or hyper, not 'nack'"),
        ("backgammon:hyper,length=65536", "backgammon: length must be from 1 to 65,535, not 65536"),
    ],
)
def test_bad_specifications_are_refused(specification: str, message: str) -> None:
    with pytest.raises(GameError) as error:
        make(specification)
    assert str(error.value) == message


def test_illegal_actions_and_moves_are_refused() -> None:
    game = make("tictactoe")
    state = game.play(game.initial(), 4)
    with pytest.raises(GameError, match="tictactoe: action 4 is not legal here"):
        game.play(state, 4)
    with pytest.raises(
        GameError, match=r"'b2' is not a legal action of tictactoe here; legal are a1, b1, c1, a2, \.\.\."
    ):
        game.parse_action(state, "b2")
    with pytest.raises(GameError, match="move 6: 'c2' cannot be played: the match is over"):
        game.after("a1 a2 b1 b2 c1 c2")


@pytest.mark.parametrize("specification", ["tictactoe", "breakthrough:4x5", "go:3"])
def test_random_ends_are_those_of_random_matches(specification: str) -> None:
    game = make(specification)
    ends = random_ends(game, 400, seed=1)
    assert np.array_equal(ends[:100], random_ends(game, 100, seed=1))
    assert all(game.outcome(end) is not None for end in ends)
    lengths, others = [game.length(end) for end in ends], [len(random_match(game, seed)) for seed in range(400)]
    error = np.sqrt((np.var(lengths) + np.var(others)) / 400)
    assert abs(np.mean(lengths) - np.mean(others)) < 5 * error
    assert len({end.tobytes() for end in ends}) > 50


PAGES = Path(__file__).parents[2] / "docs" / "games"
PICTURES = [
    (page.stem, *found)
    for page in sorted(PAGES.glob("*.md"))
    for found in re.findall(r'<!-- picture: (\S+)(?: after "(.*?)")? -->\n+```text\n(.*?)\n```', page.read_text(), re.S)
]


def test_every_game_has_a_page_with_a_picture() -> None:
    assert {page for page, *_ in PICTURES} == set(GAMES)


def test_the_generated_parts_of_the_pages_are_up_to_date() -> None:
    """If this fails, run scripts/game_pages.py: it writes the docstrings of the games into their pages."""
    script = runpy.run_path(str(PAGES.parent.parent / "scripts" / "game_pages.py"))
    texts = script["texts"]()
    assert {page.stem for page in texts} == {*GAMES, "README", "own_game"}
    for page, text in texts.items():
        assert page.read_text() == text, f"{page.name}: run scripts/game_pages.py"


@pytest.mark.parametrize(("page", "specification", "moves", "picture"), PICTURES)
def test_pictures_of_the_pages(page: str, specification: str, moves: str, picture: str) -> None:
    assert kind(specification) == page
    game = make(specification)
    assert game.text(game.after(moves)) == picture


@pytest.mark.parametrize("name", ["draughts:brazilian", "xiangqi"])
def test_a_fen_is_what_is_seen(name):
    game, random = make(name), np.random.default_rng(1)
    state = game.initial()
    for _ in range(60):
        again = game.read_fen(game.write_fen(state))
        assert (game.text(again), game.player(again)) == (game.text(state), game.player(state))
        assert game.length(again) == 0
        state = game.play(state, game.draw(state, random))
        if game.outcome(state) is not None:
            break
    with pytest.raises(GameError, match="tictactoe has no FEN"):
        make("tictactoe").write_fen(make("tictactoe").initial())
