"""Players, matches and series: pairing, colours, determinism, records, people at the terminal, errors."""

import json
from dataclasses import replace
from typing import Annotated

import pytest
from scripted_players import Scripted, typist

from athenan.arena.results import Duel
from athenan.arena.roster import PLAYERS, known_game, make_player
from athenan.arena.series import play_series
from athenan.games.catalogue import make
from athenan.play.limit import Clock, Limit, budget_of
from athenan.play.match import play_match
from athenan.play.player import Move, Player, PlayerError, Quit, RandomPlayer
from athenan.play.records import MatchRecord
from athenan.rules.game import Game, GameError, State
from athenan.search.budget import Budget
from athenan.settings import Between


def uct(rollouts: int = 1000) -> Player:
    return make_player(f"mcts:{rollouts}", make("tictactoe"))


def test_a_match_is_what_its_record_says() -> None:
    game, players = make("connect_four:4x4"), (Scripted(), Scripted(highest=True))
    record = play_match(game, players, opening=[2])
    state = game.initial()
    for number, action in enumerate(record.actions):
        for player in players:
            assert player.seen[number] == (action, game.play(state, action).tobytes())
        assert record.plies[number].side == game.player(state)
        state = game.play(state, action)
    assert game.outcome(state) == record.outcome
    assert record.opening == record.actions[:1] == (2,)
    assert len(record.selected(0)) + len(record.selected(1)) == len(record.actions) - 1
    for ply in record.plies[1:]:
        assert (bool(ply.seconds), ply.value, ply.proven) == (True, 0.25, 0)
    assert record.plies[0].value is None
    assert (record.game, record.players, record.score) == (game.name, ("scripted", "scripted"), None)
    assert not record.resigned
    assert players[0].seed != players[1].seed


def test_one_player_may_play_both_sides() -> None:
    player = Scripted()
    record = play_match(make("tictactoe"), (player, player))
    assert [action for action, _ in player.seen] == list(record.actions)


def test_errors_of_players_and_openings() -> None:
    game, player = make("tictactoe"), Scripted()
    with pytest.raises(GameError, match="not legal"):
        play_match(game, (player, player), opening=[4, 4])
    player.select = lambda state, limit: Move(99)  # type: ignore[method-assign]
    with pytest.raises(PlayerError, match="player scripted made an illegal move"):
        play_match(game, (player, player))


def test_pairs_share_the_opening_and_exchange_colours() -> None:
    game = make("hex:3")
    result = play_series(game, [Scripted(), Scripted(highest=True)], games=12, random_opening=2)
    assert isinstance(result, Duel)
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


def test_the_same_seed_plays_the_same_matches() -> None:
    game = make("tictactoe")

    def actions(seed: int) -> list[tuple[int, ...]]:
        return [match.actions for match in play_series(game, (uct(30), RandomPlayer()), games=30, seed=seed).matches]

    assert actions(1) == actions(1) != actions(2)


def test_report() -> None:
    steps: list[int] = []
    result = play_series(
        make("tictactoe"), (uct(), RandomPlayer()), games=40, progress=lambda so_far: steps.append(so_far.games)
    )
    assert steps == list(range(2, 41, 2))
    data = json.loads(json.dumps(result.report(), allow_nan=False))
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


def of_scores(*scores: int | None) -> Duel:
    """A duel whose matches have these final scores."""
    records = [MatchRecord("g", ("x", "y")[:: 1 - 2 * (n % 2)], (), 1, score) for n, score in enumerate(scores)]
    return Duel("g", ("x", "y"), 0, tuple(records))


def test_one_of_a_kind_is_singular_in_a_summary() -> None:
    assert " in g: 1 win, 0 draws, 1 loss in 2 games; " in of_scores(None, None).summary()


def test_points_are_final_scores_of_pairs() -> None:
    """The pairs' means are 2, 0.5 and -1: mean 0.5, standard error sqrt(2.25 / 3), t(2) = 4.303."""
    duel = of_scores(3, -1, 2, 1, 1, 3)
    assert duel.tally.final_scores == [2, 0.5, -1]
    assert duel.points
    mean, interval = duel.points
    assert mean == 0.5
    assert interval == pytest.approx((0.5 - 4.3027 * 0.75**0.5, 0.5 + 4.3027 * 0.75**0.5), abs=1e-3)
    assert of_scores().points is None
    assert of_scores(2, 1, None, 1).points is None


def test_points_in_reports() -> None:
    game = make("backgammon")
    for games in (2, 6):
        data = play_series(game, (RandomPlayer(), RandomPlayer()), games=games).report()
        assert abs(data["points"]) <= 3
        assert data["points_interval"] == [None, None] or games > 2
    assert data["points_interval"][0] < data["points"] < data["points_interval"][1]
    data = play_series(make("tictactoe"), (RandomPlayer(), RandomPlayer()), games=2).report()
    assert (data["points"], data["points_interval"]) == (None, None)


def test_equal_players_score_about_half() -> None:
    result = play_series(make("tictactoe"), (RandomPlayer(), RandomPlayer()), games=300)
    low, high = result.interval(0.999)
    assert low < 0.5 < high


@pytest.mark.parametrize(("games", "message"), [(0, "at least 1"), (1, "must be even"), (7, "even"), (-2, "at least")])
def test_impossible_numbers_of_games_are_refused(games: int, message: str) -> None:
    with pytest.raises(GameError, match=message):
        play_series(make("tictactoe"), (RandomPlayer(), RandomPlayer()), games=games)


def test_given_openings_are_used_in_turn() -> None:
    openings = [(0,), (4,), (8,)]
    result = play_series(make("tictactoe"), (RandomPlayer(), RandomPlayer()), games=10, openings=openings)
    assert [match.actions[0] for match in result.matches[::2]] == [0, 4, 8, 0, 4]
    with pytest.raises(GameError, match="empty"):
        play_series(make("tictactoe"), (RandomPlayer(), RandomPlayer()), openings=[])


# -- Players ---------------------------------------------------------------------------------------------------------


def test_names_of_players() -> None:
    game = make("tictactoe")
    for text in ("random", "human", "mcts:1000", "mcts:7", "mcts:0.5s", "mcts:50,exploration=1.4", "mcts:9,seconds=1"):
        player: Player = make_player(text, game)
        assert player.name == text
        assert known_game(text) is None
        player.close()
    assert make_player("mcts", game).name == "mcts:1000"
    assert make_player("mcts:rollouts=70,exploration=1.4", game).name == "mcts:70,exploration=1.4"
    for text in ("mcts:0", "mcts:x", "mcts:-5", "mcts:0s", "mcts:1e3", "mcts:9999999999", "mcts:."):
        with pytest.raises(PlayerError, match=f"'{text}': (rollouts|seconds) must be a .*number from"):
            make_player(text, game)
    for text in ("random:3", "human:1", "mcts:3,colour=red"):
        with pytest.raises(PlayerError, match=f"'{text}': there is no option '.*'; it"):
            make_player(text, game)
    with pytest.raises(PlayerError, match="'mcts:3,memory': memory needs a value: memory=VALUE"):
        make_player("mcts:3,memory", game)
    for text in ("", "somebody", "no/such/run"):
        with pytest.raises(PlayerError, match=r"there is no player .*; players are random, mcts"):
            make_player(text, game)


class Greedy(RandomPlayer):
    """A player of one's own: plays what a little search likes best."""

    def __init__(self, game: Game, rollouts: Annotated[int, Between(1, 100)] = 10, boast: bool = False) -> None:
        self.name = f"greedy:{rollouts}"
        self.inner, self.boast = make_player(f"mcts:{rollouts}", game), boast

    def new_match(self, game: Game, seed: int) -> None:
        self.inner.new_match(game, seed)

    def select(self, state: State, limit: Limit) -> Move:
        return replace(self.inner.select(state, limit), proven=1 if self.boast else None)


def test_a_player_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAYERS, "greedy", Greedy)
    game = make("tictactoe")
    result = play_series(game, [make_player("greedy:90,boast=true", game), make_player("random", game)], games=10)
    assert result.players == ("greedy:90", "random")
    assert result.score > 0.6
    assert {ply.proven for ply in result.matches[0].selected(0)} == {1}
    with pytest.raises(PlayerError, match="'greedy:101': rollouts must be from 1 to 100, not 101"):
        make_player("greedy:101", game)
    with pytest.raises(PlayerError, match="there is no option 'colour'; its options are rollouts, boast"):
        make_player("greedy:colour=red", game)
    with pytest.raises(PlayerError, match=r"there is no player 'bob'; players are random, .*, greedy, athenan, a run"):
        make_player("bob", game)


def test_a_limit_is_for_each_action() -> None:
    players = Scripted(), Scripted()
    play_match(make("tictactoe"), players, limit=Budget(iterations=7))
    assert set(players[0].limits + players[1].limits) == {Budget(iterations=7)}


def test_clocks_run_in_a_match() -> None:
    players = Scripted(), Scripted()
    play_match(make("tictactoe"), players, limit=Clock(left=5, increment=1))
    for player in players:
        first, *_, last = player.limits
        assert isinstance(first, Clock)
        assert isinstance(last, Clock)
        assert first.left == 5
        assert len(player.limits) + 3 < last.left < len(player.limits) + 4  # little was used


def test_the_time_that_a_clock_allows() -> None:
    game = make("hex:7")
    late = game.after("a1 a2 a3 a4 a5 a6 a7 b1 b2 b3 b4 b5 b6 b7 c1 c2 c3 c4 c5 c6 c7 d1 d2 d3 d4 d5")
    for clock, state, seconds in (
        (Clock(120), game.initial(), 120 * 2 / game.typical_length),
        (Clock(120, 3), late, 15),
        (Clock(1, 3), late, 0.5),
        (Clock(0), late, 0.001),
    ):
        assert budget_of(clock, game, state) == Budget(seconds=seconds)
    for bad in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"left must be .*from 0"):
            Clock(bad)
    assert Clock(5, 2).after(1) == Clock(6, 2)
    assert Clock(5, 2).after(7) == Clock(2, 2)


def test_a_person_plays() -> None:
    game = make("hex:3,swap=false")
    person, shown = typist("?", "help", "z9", " B2 ", "moves", "quit")
    with pytest.raises(Quit):
        play_match(game, (person, Scripted()))
    text = "\n".join(shown)
    assert game.text(game.initial()) in text
    assert "a1 b1 c1" in text
    assert "undo" in text
    assert "'z9' is not a legal action" in text
    assert shown[-1] == "b2 a1"


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
    assert [action for action, _ in other.seen] == list(record.actions)
