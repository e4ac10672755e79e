"""Going on after our end of a match: other programs may have other rules for repetitions and for long matches."""

from athenan.rules.game import Game, GameError, State


def resumed(game: Game, state: State) -> State | None:
    """The position of a finished match as the start of another one.

    None if the position itself is final, as after checkmate, or if the game has no FEN. Otherwise only the actions
    before it, which a FEN leaves out, had ended the match.
    """
    if game.outcome(state) is None or game.forms.fen is None:
        return None
    fen = game.write_fen(state)
    for text in (fen, " ".join(fen.split()[:2])):  # without the counters of moves
        try:
            start = game.read_fen(text)
        except GameError:
            continue
        if game.outcome(start) is None:
            return start
    return None
