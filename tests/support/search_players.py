"""Players whose search a test looks into."""

from athenan import Game
from athenan.arena.roster import make_player
from athenan.play.search_player import SearchPlayer


def search_player(text: str, game: Game) -> SearchPlayer:
    """The player that a text names, which must search."""
    player = make_player(text, game)
    assert isinstance(player, SearchPlayer)
    return player
