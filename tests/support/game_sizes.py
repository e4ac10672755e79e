"""The sizes and options of every game that tests of all games try, and how thoroughly they check it."""

from sizes import size

from athenan import Game, check_game

SIZES = {
    "amazons": ["6", "8", "10"],
    "arimaa": ["33", "200", "900", "2000"],
    "ataxx": ["3", "4", "7", "8", "7,blocked=c3+e5", "6,blocked=b3"],
    "backgammon": ["", "hyper", "standard,length=40"],
    "breakthrough": ["2x2,piece_rows=1", "3x7,piece_rows=1", "5x5", "8x8", "6x9,piece_rows=4", "16x16"],
    "connect6": ["6", "9", "19", "13"],
    "clobber": ["2x1", "1x9", "3x3", "6x5", "10x10", "16x13"],
    "connect_four": ["2x2,connect=2", "4x5", "7x6", "8x7", "9x7", "3x20", "20x3,connect=5"],
    "draughts": ["", "international", "brazilian", "canadian"],
    "einstein": [
        "5", "5,nearest=false", "5,placement=alternate", "5,placement=random", "2,pieces=1", "3,pieces=3",
        "4,nearest=false", "3,pieces=3,placement=alternate", "8,placement=random",
    ],
    "gomoku": ["5", "6,opening=free", "9,exact=true", "15", "19,opening=free"],
    "havannah": ["4", "5,swap=false", "8", "10"],
    "go": ["2", "3,superko=situational", "5,komi=-1", "5,komi=1.5", "9", "19", "9,superko=simple"],
    "hex": ["2", "3,swap=false", "5", "11", "19"],
    "lines_of_action": ["", "draw"],
    "morpion": ["", "5T", "5T,size=10", "4D", "4T,size=9", "5D,size=16,win=50"],
    "othello": ["4", "6", "8", "10", "16"],
    "outer_open_gomoku": ["7", "15"],
    "pig": ["", "2,sides=2,length=2", "10,length=20", "30,sides=12"],
    "santorini": [""],
    "shobu": ["", "draw"],
    "surakarta": [""],
    "tictactoe": [""],
    "xiangqi": ["", "40", "250"],
}  # fmt: skip
"""The largest boards, which take long, are not among every third size."""
SPECIFICATIONS = [
    f"{name}:{option}".rstrip(":") for name, options in SIZES.items() for option in options[:: size(3, 1)]
]


def check_some(game: Game) -> None:
    """`check_game` with a few matches, fewer where they are long."""
    least, most, actions = size((1, 3, 100), (2, 10, 300))
    check_game(game, matches=max(least, min(most, actions // game.typical_length)))
