"""The networks of the package, by their games.

>>> from athenan import make
>>> find(make("connect_four")).name
'connect_four_7x6.safetensors'
>>> find(make("tictactoe")) is None
True
"""

import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from athenan.games.catalogue import carries_over, known
from athenan.networks.card import CARD, Card, read_card
from athenan.networks.fingerprint import fingerprint
from athenan.play.levels import Levels
from athenan.rules.game import Game, family_of
from athenan.runs.checkpoint import CheckpointError, load_header

NAME = "athenan"
"""The player that is the package's network of a game, and what `train --from` begins with."""
_log = logging.getLogger("athenan")
SHIPPED = Path(__file__).parent / "shipped"
_DIGITS = 8
"""Hexadecimal digits that tell two networks of a game apart."""


class NoNetworkError(ValueError):
    """The package has no network of a game; the message says what to do."""


@dataclass(frozen=True)
class Shipped:
    """A network of the package."""

    file: Path
    card: Card
    digest: str
    """The first digits of the SHA-256 of its weights."""

    @property
    def name(self) -> str:
        """The player that is this network and no other."""
        return f"{NAME}@{self.digest}"

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.file.stat().st_size


def file_name(game: str) -> str:
    """The name of the file of a game's network.

    >>> file_name("othello:8"), file_name("hex:7,swap=false")
    ('othello_8.safetensors', 'hex_7_swap_false.safetensors')
    """
    return re.sub(r"[^a-z0-9]+", "_", game.lower()) + ".safetensors"


def files() -> list[Path]:
    """The files of all networks of the package, by name."""
    return sorted(SHIPPED.glob("*.safetensors"))


def find(game: Game) -> Path | None:
    """The file of the game's network, or else of one that carries over to the game; None without one.

    Files are chosen by their names, and not opened.
    """
    own = SHIPPED / file_name(game.name)
    if own.is_file():
        return own
    return next((file for file in files() if _of_family(file, game) and _carries_over(file, game)), None)


def first_choice(game: Game) -> Game:
    """The game itself, unless the package has networks only of other games of its family: then the first of these."""
    others = [] if find(game) else similar(game)
    return known(others[0]) if others else game


def similar(game: Game) -> list[str]:
    """The games of the same family for which the package has networks, small ones first.

    >>> from athenan import make
    >>> similar(make("hex:5"))
    ['hex:7', 'hex:9', 'hex:11']
    """
    found = list[str]()
    for file in files():
        if _of_family(file, game):
            with suppress(CheckpointError):
                found.append(shipped(file).card.game)
    return sorted(found, key=lambda name: (len(name), name))


def _of_family(file: Path, game: Game) -> bool:
    """Whether a network is of the game's family, by its file's name: gomoku_15 is not of go."""
    family = re.sub(r"[^a-z0-9]+", "_", family_of(game.name).lower())
    return f"{file.stem}_".startswith(f"{family}_")


def _carries_over(file: Path, game: Game) -> bool:
    try:
        return carries_over(known(shipped(file).card.game), game)
    except ValueError:  # a damaged file does not hide the others
        return False


def network_of(game: Game, digest: str | None = None) -> Shipped:
    """The network of a game. Its file is whole, and it has learnt this version of the rules.

    Raises NoNetworkError, which says what to do, if the package has no network, or not the one with the given digest,
    and CheckpointError if it cannot be used.
    """
    found = unchecked_network_of(game)
    _require_rules(found, known(found.card.game))
    if digest not in (None, found.digest):
        raise NoNetworkError(f"{NAME}@{digest} is not the package's network of {game.name}, which is {found.name}")
    return found


def unchecked_network_of(game: Game) -> Shipped:
    """Like `network_of`, but the rules that it has learnt are not compared, which would compile the game's."""
    if (file := find(game)) is not None:
        return shipped(file)
    others = f" (it has {', '.join(same)})" if (same := similar(game)) else ""
    raise NoNetworkError(
        f"the package has no network of {game.name}{others}: train one with `athenan train {game.name} "
        "--minutes 5`, and name its run"
    )


def named(text: str, game: Game) -> Shipped | None:
    """The game's network if a text is `athenan` or athenan@DIGEST, else None. Raises as `network_of` does."""
    name, sign, digest = text.partition("@")
    return network_of(game, digest if sign else None) if name == NAME else None


def path_of(text: str, game: Game) -> str:
    """The path of a run that a text names, or of the game's network (see `named`)."""
    return str(found.file) if (found := named(text, game)) else text


def name_in_messages(path: str | Path) -> str:
    """The name of a network in messages: athenan for a file of the package, otherwise its path."""
    return NAME if Path(path).parent == SHIPPED else str(path)


def levels_of(path: str | Path) -> Levels:
    """The levels of a player with the network of a run or file: the levels of its card, if the package has it."""
    return shipped(Path(path)).card.levels if Path(path).parent == SHIPPED else Levels()


def shipped(file: Path) -> Shipped:
    """A network of the package by its file. Raises CheckpointError if the file is damaged."""
    stamp = file.stat() if file.is_file() else None
    return _read(file, stamp and stamp.st_mtime_ns)


@lru_cache(maxsize=256)
def _read(file: Path, stamp: int | None) -> Shipped:
    document, digest = load_header(file)
    try:
        card = read_card(document.get(CARD))
    except ValueError as error:
        raise CheckpointError(f"{file} is not a network of the package: {error}") from None
    return Shipped(file, card, digest[:_DIGITS])


@lru_cache(maxsize=256)
def _fingerprint(name: str, features: bool) -> str:
    return fingerprint(known(name), features)


def _require_rules(found: Shipped, game: Game) -> None:
    """Raises CheckpointError for other rules. A network made before the game declared features reads none of them."""
    if all(found.card.rules != _fingerprint(game.name, features) for features in (True, False)):
        raise CheckpointError(
            f"the package's network of {game.name} has learnt another version of its rules and is not used: "
            f"train one with `athenan train {game.name} --minutes 5`, and name its run"
        )


def available(game: Game) -> Shipped | None:
    """The network of a game; None without a usable one. A warning says why a network cannot be used."""
    try:
        return network_of(game) if find(game) else None
    except CheckpointError as error:
        _log.warning(str(error))
        return None


def every() -> Iterator[tuple[Path, Shipped | ValueError]]:
    """All files, each with its network or why it cannot be read.

    The rules that a network has learnt are not compared here, as in `network_of`: this would compile every game.
    """
    for file in files():
        try:
            yield file, shipped(file)
        except ValueError as error:
            yield file, error
