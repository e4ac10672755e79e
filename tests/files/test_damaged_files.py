"""Files of matches with pieces cut out, doubled or replaced: each is read, and can be written, or is refused."""

import pytest
from file_matches import LITTLE_GOLEM_HEX, OTHERS, QUICK, random_file_match
from fuzzing import damaged, require_read_or_refused

from athenan import make
from athenan.files.formats import FORMATS, as_text, matches_in

SIGNS = {
    ".sgf": b"()[];\\BWCV:\n\x00\xff09", ".pdn": '(){}[]"x-.:;0$\0é'.encode(), ".jsonl": b'{}[]":,0-e\\\n\x00\xff',
    ".txt": b" #:\n\x00\xffab19", ".ggf": b"()[];/*-OBWPA:.\n\x00\xff",
    ".mat": b"0123456789:/*)(;\t \n\x00\xff", ".html": b"<>&;{}[]\",:\n\x00\xff", ".svg": b"<>&;{}[]\",:\n\x00\xff",
}  # fmt: skip
OF_OTHERS = {
    ".sgf": [
        LITTLE_GOLEM_HEX,
        "(;AP[HexGui:0.9]GM[11]SZ[5];B[b2];W[swap];W[d3](;B[c4];W[resign])(;B[a1];W[e5]))",
        "(PB[a]RU[Standard]GM[4]SZ[6]B[aa]W[bb]B[cc](W[dd];B[ee])(;W[ff]))(;GM[1]SZ[5]RE[B+2]C[é];B[];W[];B[aa])",
    ],
    ".pdn": [
        '[Result "4-6"] 1. 32 – 28 18×23 2. 33-29! 2332 (1. 31-27) 3. 37x28 {a {b}} 4-6\n[Event "x"]\n1. 31-26* 2-0',
    ],
}


GAMES = {".pdn": ("draughts",), ".ggf": ("othello:4", "othello:6"), ".mat": ("backgammon",)}
"""The games of formats that do not hold all games."""


def fuzz(kind: str, games: tuple[str, ...], count: int, seed: int) -> None:
    texts = [as_text([random_file_match(make(name), one, plies=12)], kind) for name in games for one in range(3)]

    def read(content: bytes) -> None:
        for match in matches_in(content, kind):
            assert as_text([match], kind)

    contents = damaged([text.encode() for text in texts + OF_OTHERS.get(kind, [])], SIGNS[kind], count, seed)
    require_read_or_refused(read, contents)


@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_files_are_read_or_refused(kind: str) -> None:
    fuzz(kind, GAMES.get(kind, ("hex:3", "go:5")), 150, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
def test_10_000_damaged_files_are_read_or_refused(kind: str) -> None:
    fuzz(kind, GAMES.get(kind, (*QUICK, *OTHERS)), 500 if kind in (".html", ".svg") else 10_000, 2)
