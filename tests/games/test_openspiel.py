"""OpenSpiel's games here, compared with OpenSpiel itself, and athenan's players as its bots."""

import pickle
import sys
from pathlib import Path
from threading import Thread, Timer

import numpy as np
import pytest
from sizes import size

from athenan import Budget, Search, analyze, check_game, make, perft
from athenan.arena.roster import make_player
from athenan.cli import main
from athenan.games.catalogue import known
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer
from athenan.rules.game import GameError
from athenan.rules.playouts import random_ends
from athenan.rules.state import CHANCE

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
OpenSpielBot = pytest.importorskip("athenan.engines.openspiel").OpenSpielBot

DICE = "openspiel:pig(horizon=40,winscore=10)"
GAMES = ["openspiel:tic_tac_toe", "openspiel:hex(board_size=5)", DICE, "openspiel:misere(game=tic_tac_toe())"]


def compare(game, theirs, seed):
    """Plays a random match in both, and compares all that there is to compare."""
    random, state, there = np.random.default_rng(seed), game.initial(), theirs.new_initial_state()
    while True:
        outcome = game.outcome(state)
        assert (outcome is not None) == there.is_terminal()
        if there.is_terminal():
            assert outcome == np.sign(there.returns()[0])
            return
        actions = game.actions(state).tolist()
        if [game.action_name(state, action) for action in actions] == ["go_on"]:
            assert there.is_chance_node()
            state = game.play(state, actions[0])
            continue
        if there.is_chance_node():
            assert game.player(state) == CHANCE
            outcomes = sorted(there.chance_outcomes())
            events = dict(zip(actions, [event for event, _ in outcomes], strict=True))
            assert np.allclose(game.probabilities(state), [chance for _, chance in outcomes])
        else:
            assert game.player(state) == there.current_player()
            events = {action: action for action in there.legal_actions()}
            assert actions == list(events)
            planes = game.encode(state)
            turn = len(planes) - 1 - game.stochastic
            assert (planes[turn] == (there.current_player() == 0)).all()
            observed = np.array(there.observation_tensor(0))
            if (observed == np.rint(observed)).all() and abs(planes[:turn]).max() <= 1:
                assert np.array_equal(planes[:turn].ravel(), observed)
        assert game.text(state) == (str(there).rstrip() or "(empty)")
        action = int(random.choice(actions))
        state = game.play(state, action)
        there.apply_action(events[action])


@pytest.mark.parametrize("name", GAMES)
def test_matches_are_those_of_openspiel(name):
    game = make(name)
    for seed in range(10):
        compare(game, pyspiel.load_game(name.partition(":")[2]), seed)
    check_game(game, matches=4)


PLAYABLE = [
    "amazons(board_size=6)", "antichess", "backgammon", "banqi", "breakthrough(rows=5,columns=5)", "checkers", "chess",
    "clobber", "connect_four", "crazyhouse", "dots_and_boxes", "go(board_size=5)", "gomoku(size=9)",
    "havannah(board_size=4)", "hive", "lines_of_action", "maedn", "mancala", "mnk(m=4,n=4,k=3)", "nim",
    "nine_mens_morris", "othello", "oware", "pentago", "pig", "quoridor(board_size=5)", "shogi", "twixt",
    "ultimate_tic_tac_toe", "xiangqi", "y(board_size=5)",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYABLE)
def test_other_games(name):
    game = make(f"openspiel:{name}")
    for seed in range(2):
        compare(game, pyspiel.load_game(name), seed)
    check_game(game, matches=1)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("tic_tac_toe", "tictactoe"), ("connect_four", "connect_four"), ("hex(board_size=4)", "hex:4,swap=false")],
)
def test_perft_is_that_of_the_same_game_here(theirs, ours):
    assert perft(make(f"openspiel:{theirs}"), 3) == perft(make(ours), 3)


def test_a_proof_is_that_of_the_same_game_here():
    found = analyze("openspiel:tic_tac_toe", "x(1,1) o(0,1)", Budget(iterations=10_000))
    assert found.proven == analyze("tictactoe", "b2 b1", Budget(iterations=10_000)).proven == 1


def test_names():
    game = make("openspiel:hex(board_size=5,num_cols=4)")
    assert game.name == "openspiel:hex(board_size=5,num_cols=4)" and make(game.name).name == game.name
    assert make("openspiel").name == "openspiel:tic_tac_toe" == known("openspiel:tic_tac_toe").name
    assert make("openspiel:nim,max_actions=20").name == "openspiel:nim,max_actions=20"
    copy = pickle.loads(pickle.dumps(game))
    assert copy.name == game.name and perft(copy, 2) == perft(game, 2)


def test_names_of_actions_that_differ_in_case_only():
    """Chess writes `bxc3` for a pawn and `Bxc3` for a bishop."""
    game = make("openspiel:chess")
    state = game.after("a4 a5 b4 axb4 Ba3 d6")
    names = [game.action_name(state, int(action)) for action in game.actions(state)]
    assert len({name.lower() for name in names}) == len(names)
    for action in game.actions(state):
        assert game.parse_action(state, game.action_name(state, int(action))) == action


_FORM = "write NAME or NAME(PARAMETER=VALUE,...)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nosuch", "has no game 'nosuch'"), ("hex(foo=1)", "has no parameter 'foo=1'; its parameters are board_size"),
        ("hex(board_size=", _FORM), ("hex(board_size=5", _FORM), ("hex)", _FORM), ("x" * 1000, _FORM),
        ("h\u00e9x", _FORM),
        ("efg_game(filename=/etc/passwd)", _FORM), ("tic_tac_toe(x)", "has no parameter 'x'; it has none"),
        ("hex(board_size=abc)", "refuses hex"), ("hex(board_size=-1)", "refuses hex"),
        ("connect_four(rows=0)", "ended with status"), ("kuhn_poker", "perfect information"),
        ("goofspiel(imp_info=false)", "players who move in turn"), ("chinese_checkers(players=3)", "two players"),
        ("cursor_go", "matches of cursor_go may have 72,922 actions"), ("einstein_wurfelt_nicht", "720 outcomes"),
        ("hex,board_size=5", "there is no option 'board_size'"),
    ],
)  # fmt: skip
def test_bad_names_get_one_sentence(name, message):
    with pytest.raises(GameError) as raised:
        make(f"openspiel:{name}")
    assert message in str(raised.value) and "\n" not in str(raised.value) and len(str(raised.value)) < 500


def test_a_game_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr("athenan.games.openspiel.specification._PATIENCE", 0.01)
    with pytest.raises(GameError, match=r"did not finish a match of hex\(board_size=7\) within 0.01 s"):
        make("openspiel:hex(board_size=7)")


def test_without_openspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(GameError, match=r"pip install 'athenan\[openspiel\]'"):
        make("openspiel:hex(board_size=2)")


def test_too_many_actions_are_told():
    game = make("openspiel:tic_tac_toe,max_actions=8")
    with pytest.raises(GameError, match="9 legal actions, more than 8: name the game with max_actions=9"):
        game.actions(game.initial())
    search = Search(game)
    search.reset(game.initial())
    with pytest.raises(GameError, match="9 legal actions"):  # through compiled code
        search.run(Budget(iterations=10))


def test_threads_search_at_once():
    """Compiled code releases Python's lock, and takes it for each callback."""
    game, found = make("openspiel:tic_tac_toe"), []

    def prove():
        found.append(analyze(game, "x(1,1) o(0,1)", Budget(iterations=10_000)).proven)

    threads = [Thread(target=prove) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1, 1, 1]


def test_ctrl_c_gets_through_callbacks(ctrl_c):
    game = make("openspiel:connect_four")
    random_ends(game, 1)

    def interrupted():
        Timer(0.1, ctrl_c).start()
        random_ends(game, 1_000_000)

    with pytest.raises(KeyboardInterrupt):
        interrupted()


def test_matches_with_dice():
    game = make(DICE)
    record = play_match(game, (make_player("mcts:50", game), RandomPlayer()), seed=1)
    assert record.outcome in (-1, 0, 1) and any(ply.side == CHANCE for ply in record.plies)


def test_a_training_and_a_match(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    game = "openspiel:hex(board_size=3)"
    settings = {"matches": 3, "action.evaluations": 20, "network": "c:filters=8,dense=16", "strength.seconds": 0}
    train = [f"--{name}={value}" for name, value in settings.items()]
    assert main(["train", game, *train]) == 0
    assert Path("runs/openspiel-hex-board_size-3").is_dir()
    assert f"athenan match '{game}'" in capsys.readouterr().out
    run = "runs/openspiel-hex-board_size-3"
    match = ["match", game, run, "random", "--games", "2", "--evaluations", "20", "--json"]
    assert main(match) == 0
    assert main(["perft", game, "--depth", "2"]) == 0
    assert main(["games", game]) == 0


def bots(game, *names):
    return [
        OpenSpielBot(make_player(name, make(game)), make(game), number, Budget(iterations=100))
        for number, name in enumerate(names)
    ]


def test_a_bot_wins_openspiels_own_matches():
    """The strong one plays each side in turn, against OpenSpiel's own random bot."""
    theirs = pyspiel.load_game("connect_four")
    for own, game in enumerate(["openspiel:connect_four", "connect_four"]):
        pair = bots(game, "mcts:500", "mcts:500")
        pair[1 - own] = pyspiel.make_uniform_random_bot(1 - own, 7)
        returns = [pyspiel.evaluate_bots(theirs.new_initial_state(), pair, seed)[own] for seed in range(size(1, 3))]
        assert returns == [1.0] * len(returns)


def test_bots_with_dice():
    theirs = pyspiel.load_game(DICE.partition(":")[2])
    returns = [pyspiel.evaluate_bots(theirs.new_initial_state(), bots(DICE, "mcts:50", "random"), s) for s in range(4)]
    assert all(one == -other for one, other in returns)


def test_a_bot_follows_a_match_that_begins_anew():
    (bot,) = bots("openspiel:tic_tac_toe", "mcts:200")
    there = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (4, 1, 0, 2):
        there.apply_action(action)
    assert bot.step(there) == 8  # wins
    other = pyspiel.load_game("tic_tac_toe").new_initial_state()
    assert bot.step(other) in range(9)
    bot.restart_at(there)
    assert bot.player_id() == 0 and bot.step(there) == 8


def test_a_bot_of_another_game_is_refused():
    (bot,) = bots("hex:4", "mcts:10")
    there = pyspiel.load_game("hex(board_size=4)").new_initial_state()
    bot.step(there)
    there.apply_action(5)
    with pytest.raises(PlayerError, match="has other actions here"):  # the swap
        bot.step(there)
    with pytest.raises(PlayerError, match="other numbers in OpenSpiel"):
        bots("pig:10,length=12", "mcts:10")


def test_names_have_no_sign_of_a_comment() -> None:
    game = make("openspiel:chess")
    mated = game.after("f3 e5 g4 Qh4")
    assert game.outcome(mated) is not None
    before = game.after("f3 e5 g4")
    assert not any("#" in game.action_name(before, int(action)) for action in game.actions(before))


@pytest.mark.parametrize("scoring", ["winloss_scoring", "enable_gammons", "full_scoring"])
def test_its_hypergammon_has_no_winner_as_its_page_says(scoring):
    """If this fails, OpenSpiel has mended it: docs/openspiel.md must no longer warn of it."""
    game = make(f"openspiel:backgammon(hyper_backgammon=true,scoring_type={scoring})")
    assert [game.outcome(end) for end in random_ends(game, 8, 1)] == [0] * 8
    own = make("backgammon:hyper")
    assert all(own.outcome(end) for end in random_ends(own, 8, 1))
