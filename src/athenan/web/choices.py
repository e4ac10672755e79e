"""The choices of a page: games of the table, players, searches to analyse with, and the runs of one folder.

A page names runs and players by their names in lists that the server makes. No text of a page is used as a path or
starts a program: only players that the command has named start programs.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from athenan import settings
from athenan.arena.learnt_players import is_shipped, prior_with, rolls_out
from athenan.arena.roster import PLAYERS, is_path, make_player, require_command
from athenan.engines.names import PROTOCOLS
from athenan.evaluation.chances import OF_RESULTS, Chances
from athenan.games.about import titled
from athenan.games.catalogue import GAMES, carries_over, known
from athenan.networks.catalogue import NAME, available, find, levels_of, name_in_messages
from athenan.play.levels import ROLLOUT_LEVELS, level_name
from athenan.play.player import Player, PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.play.session import Session
from athenan.rules.compiler import NotCompiledError, only_compiled
from athenan.rules.game import Game, GameError
from athenan.rules.terminal import Gain, TerminalValue
from athenan.runs.checkpoint import kept
from athenan.runs.run import usual_threads
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.monte_carlo.mcts import Mcts, MctsSettings
from athenan.search.monte_carlo.rave import Rave, rollout_search, usual_rave
from athenan.search.named import make_search
from athenan.search.searcher import Searcher
from athenan.system.memory import of_machine
from athenan.web.trainings import game_of, runs_of
from athenan.web.tree_memory import MACHINE_SHARE, TreeMemory

EVALUATION = "evaluation:"
"""The prefix of the name of the game's evaluations among the names of players and searches."""
RUN = "run:"
"""The prefix of a run's or a kept network's name among the names of players and searches."""
LEVEL = ",level="
"""The separator between the name of a network and the level at which it plays."""
SEARCHES = ("rollouts", "proof")
"""The searches that can analyse any game."""


@dataclass(frozen=True)
class Choices:
    """The choices of one server's pages."""

    game: str
    """The game shown first."""
    named: Mapping[str, Path] = field(default_factory=dict)
    """The runs that the command named."""
    folder: Path | None = None
    """A folder whose runs can also be chosen, including runs that begin later."""
    players: Mapping[str, str] = field(default_factory=dict)
    """Players that the command named: name in the page -> player of any kind, including programs."""
    memory: int = 512 << 20
    """Most bytes of a tree; a page has one tree to analyse and one to play. See `TreeMemory` for all of them."""
    threads: int | None = None
    """Number of threads of a search, or of its network on PyTorch; None: the usual number for a person, and 1."""

    @cached_property
    def _trees(self) -> TreeMemory:
        return TreeMemory(self.memory, of_machine() // MACHINE_SHARE)

    @property
    def _searching(self) -> int:
        """The number of threads of a search in compiled code; by default one core is left to the browser."""
        return self.threads or usual_threads(spared=1)

    @property
    def runs(self) -> dict[str, Path]:
        """The current runs by name; runs that the command named come first."""
        found = runs_of(self.folder)
        return {**self.named, **{name: path for name, path in found.items() if name not in self.named}}

    def make_game(self, name: str) -> Game:
        """A game of the table, or the server's own. Raises GameError for any other: a page cannot name a file."""
        kind = settings.split(name)[0].lower()
        if name != self.game and kind not in GAMES:
            raise GameError(f"there is no game {name!r} here; the games are {', '.join(GAMES)}")
        return known(name)

    def networks_of(self, game: Game) -> dict[str, str]:
        """The networks for a game: name -> path. The package's network comes first, as athenan; each run's network is
        followed by its kept networks, NAME@MINUTES.

        Runs of the same game with other options are included if their networks carry over.
        """
        found = {NAME: str(file)} if (file := _of_package(game)) else {}
        for name, path in self.runs.items():
            if _plays(game_of(path), game.name):
                found[f"{RUN}{name}"] = str(path)
                found |= {f"{RUN}{name}@{minutes:g}": str(file) for minutes, file in kept(path).items()}
        return found

    def carried_to(self, game: Game, networks: Mapping[str, str]) -> dict[str, str]:
        """The networks among them that have learnt the game with other options: name -> title of that game."""
        learnt = {name: game_of(Path(path)) or game.name for name, path in networks.items()}
        return {name: titled(known(other)) for name, other in learnt.items() if other != game.name}

    def players_of(self, game: Game, networks: Iterable[str]) -> list[str]:
        """The players of a game except a person: its networks first, then players that the command named."""
        others = [name for name in PLAYERS if name not in ("human", "evaluation", *PROTOCOLS)]  # no page names commands
        others += [f"{EVALUATION}{name}" for name in game.evaluations]
        if "gnubg" not in game.forms.programs:
            others.remove("gnubg")
        if game.players == 1:
            others.remove("naive")
        return [*networks, *self.players, *others]

    def opponent_of(self, networks: Container[str]) -> str:
        """The default opponent of a person: a run that the command named, the package's network, or MCTS."""
        package = NAME if NAME in networks else "mcts"
        return next((run for name in self.named if (run := f"{RUN}{name}") in networks), package)

    def computer_of(self, game: Game) -> str:
        """Like `opponent_of`, but by the names of networks alone, which compiles nothing.

        Whether the package's network can be used shows only when it plays.
        """
        runs = [f"{RUN}{name}" for name, path in self.named.items() if _plays(game_of(path), game.name)]
        return self.opponent_of([*runs, NAME] if find(game) else runs)

    def make_player(self, name: str, game: Game) -> Player:
        """A player, one of `players_of`; networks and mcts also at a level, as NAME,level=club.

        Raises ValueError for any other. Players that the command has not named have no limits of their own, and share
        the memory of the server.
        """
        if name in self.players:
            return make_player(self.players[name], game, self.threads, people=False)
        networks = self.networks_of(game)
        plain, _, level = (name, "", "") if name in networks else name.partition(LEVEL)
        if plain in networks:
            return self._with_network(name, plain, networks[plain], game, level)
        if plain == "mcts":
            uct = self._trees.lend(lambda memory: Mcts(game, MctsSettings(memory=memory)))
            own_level = level_name(level or "strongest")
            return SearchPlayer(name, uct, None, _chances_of_rollouts(game), ROLLOUT_LEVELS, own_level)
        if name not in self.players_of(game, networks):
            raise ValueError(f"there is no player {name!r} of {game.name} here")
        if name == "rave":
            rave = self._trees.lend(lambda memory: usual_rave(game, memory))
            return SearchPlayer(name, rave, chances=OF_RESULTS)

        def of_roster(settings: str = "") -> Player:
            return make_player(name + settings, game, people=False, named=False)

        own = name.startswith(EVALUATION)
        return self._trees.lend(lambda memory: of_roster(f",memory={memory >> 20}")) if own else of_roster()

    def _with_network(self, name: str, network: str, path: str, game: Game, level: str) -> SearchPlayer:
        """The player of a network, at a level if it is given; the package's may search by rollouts (`rolls_out`)."""
        if network == NAME and level in ("", "strongest") and rolls_out(game):
            return SearchPlayer(name, self._rave_of(path, game), chances=OF_RESULTS)
        searcher, chances = self._search_of(path, game, tracked=False)
        if not level:
            return SearchPlayer(name, searcher, chances=chances)
        return SearchPlayer(name, searcher, None, chances, levels_of(path), level_name(level))

    def searches_of(self, game: Game, networks: Iterable[str]) -> list[str]:
        """The searches that can analyse a game here: its networks, `SEARCHES`, and its own evaluations."""
        return [*networks, *SEARCHES, *(f"{EVALUATION}{name}" for name in game.evaluations)]

    def make_session(self, name: str, game: Game) -> Session:
        """A session that analyses with one of `searches_of`. Raises ValueError for any other."""
        if name == "rollouts":
            searcher = self._trees.lend(lambda memory: rollout_search(game, memory))
            return Session(searcher, _chances_of_rollouts(game))
        if name == "proof":
            terminal: TerminalValue = Gain()
            if game.players == 1:
                from athenan.evaluation.heuristics import make_heuristic

                heuristic = make_heuristic("score", game)
                game, terminal = heuristic.tracked(game), heuristic
            return Session(self._trees.lend(lambda memory: make_search(game, None, terminal, memory=memory)))
        if name in (f"{EVALUATION}{one}" for one in game.evaluations):
            from athenan.play.evaluated import evaluated_search

            own = name.removeprefix(EVALUATION)
            return Session(
                self._trees.lend(lambda memory: evaluated_search(game, own, Ubfm(), memory, self._searching))
            )
        if (path := self.networks_of(game).get(name)) is None:
            raise ValueError(f"{game.name} cannot be analysed with {name!r} here")
        if name == NAME and rolls_out(game):
            return Session(self._rave_of(path, game), OF_RESULTS)
        return Session(*self._search_of(path, game, tracked=True))

    def _rave_of(self, path: str, game: Game) -> Rave:
        """RAVE with what a network says in advance."""
        prior = prior_with(path, game)
        return self._trees.lend(lambda memory: usual_rave(game, memory, prior))

    def _search_of(self, path: str, game: Game, tracked: bool) -> tuple[Searcher, Chances | None]:
        """The search of a network and what its values mean as win chances.

        `tracked`: in states that hold what its heuristic needs, unlike a match's states.
        """
        from athenan.runs.learnt import learnt_network, playing_search

        search, called = playing_search(path), name_in_messages(path)
        heads = search.heads(game.stochastic)
        learnt = learnt_network(path, threads=self.threads or 1, heads=heads, game=game, called=called)
        searched = learnt.game if tracked else game
        found = self._trees.lend(
            lambda memory: make_search(
                searched, learnt.evaluate, learnt.heuristic, search, memory=memory, threads=self._searching
            )
        )
        return found, learnt.chances


def _chances_of_rollouts(game: Game) -> Chances | None:
    """What values of a search by rollouts mean as win chances; with one player they are scores."""
    return OF_RESULTS if game.players == 2 else None


def _of_package(game: Game) -> Path | None:
    """The file of the package's network, unless its rules differ. If comparing them would compile, this is left out."""
    try:
        with only_compiled():
            package = available(game)
    except NotCompiledError:
        return find(game)
    return package.file if package else None


@lru_cache(maxsize=4096)
def _plays(trained: str | None, played: str) -> bool:
    """Whether a network of one game plays the other, by their names; None stands for a run that cannot be read."""
    return trained is not None and carries_over(known(trained), known(played))


def read_players(texts: tuple[str, ...]) -> dict[str, str]:
    """The players of texts NAME=PLAYER on a command line.

    Raises ValueError for a bad name, an unknown player, or a program that does not exist.
    """
    found = dict[str, str]()
    for text in texts:
        name, _, player = text.partition("=")
        kind = settings.split(player)[0]
        if not name.strip() or not player.strip():
            raise ValueError(f"--player must be NAME=PLAYER, such as fish=uci:stockfish, not {text!r}")
        if name in PLAYERS or name == NAME or name.startswith((RUN, EVALUATION)) or name in found:
            raise ValueError(f"--player: the name {name!r} is taken; choose another")
        if kind == "human" or not (kind in PLAYERS or is_path(player) or is_shipped(player)):
            raise ValueError(f"--player {name}: there is no player {player!r}; athenan match --help lists them")
        try:
            require_command(player)
        except PlayerError as error:
            raise ValueError(f"--player {name}: {error}") from None
        found[name] = player
    return found
