"""Players and matches: pairing, colours, determinism, people at the terminal, errors."""

import json
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from athenan.games.catalogue import make
from athenan.play.human import HumanPlayer
from athenan.play.match import MatchResult, play_match, play_matches
from athenan.play.openings import random_openings
from athenan.play.player import MctsPlayer, Player, PlayerError, Quit, RandomPlayer, known_game, parse_player
from athenan.rules.game import Game, GameError, State
from athenan.search.mcts import MctsSettings


class Scripted:
    """Plays the lowest (or highest) legal action and notes what it is told."""

    def __init__(self, highest: bool = False) -> None:
        self.name = "scripted"
        self.highest = highest
        self.seen: list[tuple[bytes, int]] = []

    def new_match(self, game: Game, seed: int) -> None:
        self.game, self.seed, self.seen = game, seed, []

    def select(self, state: State) -> int:
        if self.seen:  # it was told of every action that led here
            before, action = self.seen[-1]
            assert (self.game.play(np.frombuffer(before, np.int8).copy(), action) == state).all()
        return int(self.game.actions(state)[-1 if self.highest else 0])

    def observe(self, state: State, action: int) -> None:
        self.seen.append((state.tobytes(), action))

    def close(self) -> None:
        pass


def typist(*lines: str) -> tuple[HumanPlayer, list[str]]:
    """A human player who types these lines and then ends the input, and what is shown."""
    shown: list[str] = []
    typed: Iterator[str] = iter(lines)

    def ask(prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    return HumanPlayer(ask, shown.append), shown


def test_a_match_is_what_its_record_says() -> None:
    game, players = make("connect_four:4x4"), (Scripted(), Scripted(highest=True))
    record = play_match(game, players, opening=[2])
    state = game.initial()
    for number, action in enumerate(record.actions):
        for player in players:
            assert player.seen[number] == (state.tobytes(), action)
        state = game.play(state, action)
    assert game.outcome(state) == record.outcome
    assert record.actions[0] == 2
    assert record.opening == 1
    assert sum(record.selected) == len(record.actions) - 1
    assert min(record.seconds) > 0
    assert not record.resigned
    assert players[0].seed != players[1].seed


def test_one_player_may_play_both_sides() -> None:
    player = Scripted()
    record = play_match(make("tictactoe"), (player, player))
    assert [action for _, action in player.seen] == list(record.actions)


def test_errors_of_players_and_openings() -> None:
    game, player = make("tictactoe"), Scripted()
    with pytest.raises(GameError, match="not legal"):
        play_match(game, (player, player), opening=[4, 4])
    player.select = lambda state: 99  # type: ignore[method-assign]
    with pytest.raises(PlayerError, match="player scripted made an illegal move"):
        play_match(game, (player, player))


def test_pairs_share_the_opening_and_exchange_colours() -> None:
    game = make("hex:3")
    result = play_matches(game, Scripted(), Scripted(highest=True), games=12, random_opening=2)
    assert result.games == 12 == sum(result.counts())
    for first, second in result.pairs:
        assert first.actions[:2] == second.actions[:2]
    openings = [first.actions[:2] for first, _ in result.pairs]
    assert len(set(openings)) == 6
    lowest = [0] * 3
    for first, second in result.pairs:
        for gain in (first.outcome, -second.outcome):
            lowest[1 - gain] += 1
    assert result.counts() == tuple(lowest)
    assert tuple(map(sum, zip(result.counts(0), result.counts(1), strict=True))) == result.counts()


def test_deterministic_and_independent_of_threads() -> None:
    game, few = make("tictactoe"), MctsSettings(rollouts=30)

    def play(seed: int, threads: int = 1) -> MatchResult:
        more = [(MctsPlayer(few), RandomPlayer()) for _ in range(threads - 1)]
        return play_matches(game, MctsPlayer(few), RandomPlayer(), games=30, seed=seed, more=more)

    def actions(result: MatchResult) -> list[tuple[int, ...]]:
        return [match.actions for pair in result.pairs for match in pair]

    assert actions(play(1)) == actions(play(1)) == actions(play(1, threads=3))
    assert actions(play(1)) != actions(play(2))


def test_json() -> None:
    steps: list[int] = []
    result = play_matches(
        make("tictactoe"), MctsPlayer(), RandomPlayer(), games=40, progress=lambda so_far: steps.append(so_far.games)
    )
    assert steps == list(range(2, 41, 2))
    data = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert data["games"] == 40 == data["wins"] + data["draws"] + data["losses"]
    assert data["score"] == (data["wins"] + data["draws"] / 2) / 40 > 0.8
    low, high = data["interval"]
    assert low < data["score"] <= high
    assert data["p_value"] < 0.001
    assert (data["player"], data["opponent"], data["game"]) == ("mcts:1000", "random", "tictactoe")
    assert data["openings"] == 9
    assert 20 <= data["distinct_games"] <= 40
    assert 5 <= data["length"]["least"] <= data["length"]["mean"] <= data["length"]["most"] <= 9
    assert data["seconds_per_move"]["player"] > data["seconds_per_move"]["opponent"] > 0
    assert f"{data['wins']} wins" in result.summary()


def test_equal_players_score_about_half() -> None:
    result = play_matches(make("tictactoe"), RandomPlayer(), RandomPlayer(), games=300)
    low, high = result.interval(0.999)
    assert low < 0.5 < high


@pytest.mark.parametrize("games", [0, 1, 7, -2])
def test_odd_numbers_of_games(games: int) -> None:
    with pytest.raises(GameError, match="must be even"):
        play_matches(make("tictactoe"), RandomPlayer(), RandomPlayer(), games=games)


def test_given_openings_are_used_in_turn() -> None:
    openings = [(0,), (4,), (8,)]
    result = play_matches(make("tictactoe"), RandomPlayer(), RandomPlayer(), games=10, openings=openings)
    assert [pair[0].actions[0] for pair in result.pairs] == [0, 4, 8, 0, 4]
    with pytest.raises(GameError, match="empty"):
        play_matches(make("tictactoe"), RandomPlayer(), RandomPlayer(), openings=[])


@pytest.mark.parametrize(("name", "plies"), [("hex:3", 1), ("tictactoe", 2), ("connect_four", 3), ("othello:6", 4)])
def test_openings_are_legal_and_distinct_before_they_repeat(name: str, plies: int) -> None:
    game = make(name)
    every = {(): game.initial()}
    for _ in range(plies):
        every = {(*o, int(a)): game.play(s, int(a)) for o, s in every.items() for a in game.actions(s)}
    states = len({state.tobytes() for state in every.values()})
    for count in (3, 2 * states):
        openings = random_openings(game, plies, count, seed=1)
        assert len(openings) == count
        assert all(opening in every for opening in openings)
        used = Counter(every[opening].tobytes() for opening in openings)
        assert len(used) == min(count, states)
        assert max(used.values()) == max(1, count // states)
    assert random_openings(game, plies, 3, seed=1) != random_openings(game, plies, 3, seed=2)


def test_openings_at_the_limits() -> None:
    game = make("tictactoe")
    assert random_openings(game, 0, 2, 0) == [(), ()]
    assert all(game.outcome(_after(game, opening)) is None for opening in random_openings(game, 7, 50, 0))
    for plies in (9, 20):
        with pytest.raises(GameError, match=r"openings? of"):
            random_openings(game, plies, 5, 0)
    with pytest.raises(GameError, match="0 or more"):
        random_openings(game, -1, 5, 0)


def _after(game: Game, actions: tuple[int, ...]) -> State:
    state = game.initial()
    for action in actions:
        state = game.play(state, action)
    return state


def test_names_of_players() -> None:
    game = make("tictactoe")
    for text in ("random", "human", "mcts:1000", "mcts:7", "mcts:0.5s"):
        player: Player = parse_player(text, game)
        assert player.name == text
        assert known_game(text) is None
        player.close()
    assert parse_player("mcts", game).name == "mcts:1000"
    for text in ("mcts:0", "mcts:x", "mcts:-5", "mcts:0s", "mcts:1e3", "mcts:9999999999", "mcts:."):
        with pytest.raises(PlayerError, match="number of rollouts"):
            parse_player(text, game)
    for text in ("", "alice", "random:3", "human:1", "no/such/run"):
        with pytest.raises(PlayerError, match=r"there is no player .*; players are random, mcts"):
            parse_player(text, game)


def test_a_person_plays() -> None:
    game = make("hex:3,swap=false")
    person, shown = typist("?", "help", "z9", " B2 ", "quit")
    with pytest.raises(Quit):
        play_match(game, (person, Scripted()))
    text = "\n".join(shown)
    assert game.text(game.initial()) in text
    assert "a1 b1 c1" in text
    assert "undo" in text
    assert "'z9' is not a legal action" in text
    assert "1. first player: b2" in text
    assert "2. second player: a1" in text


def test_the_end_of_the_input_quits() -> None:
    with pytest.raises(Quit):
        play_match(make("tictactoe"), (typist()[0], Scripted()))


@pytest.mark.parametrize("side", [0, 1])
def test_resigning_loses(side: int) -> None:
    person = typist("resign")[0]
    record = play_match(make("tictactoe"), (person, Scripted()) if side == 0 else (Scripted(), person))
    assert record.outcome == 2 * side - 1
    assert record.resigned


def test_undo() -> None:
    """Takes back to before one's own last action, not into the opening; at the beginning it does nothing."""
    game = make("tictactoe")
    person, _ = typist("undo", "c3", "undo", "b2", "c2", "undo", "a2", "resign")
    other = Scripted()
    record = play_match(game, (person, other), opening=[0, 1])
    state, names = game.initial(), []
    for action in record.actions:
        names.append(game.action_name(state, action))
        state = game.play(state, action)
    assert names[2] == "b2"
    assert names[4] == "a2"
    assert len(names) == 6
    assert [action for _, action in other.seen] == list(record.actions)
