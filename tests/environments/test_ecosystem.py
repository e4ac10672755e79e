"""The suites of PettingZoo and Gymnasium pass, and their environments say the same as the batches."""

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import athenan.environments.registration as registered
from athenan import GAMES, make
from athenan.environments import OpponentBatch, OpponentEnv, OpponentVectorEnv
from athenan.environments.aec import env
from athenan.rules.game import GameError

with warnings.catch_warnings():  # of PettingZoo about its own games
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
TWO, ONE = ["connect_four", "othello:6", "einstein", "go:5,komi=0"], ["pig:20,length=30", "morpion:5D"]


@pytest.mark.parametrize("name", [*TWO, *ONE])
def test_pettingzoo_suites(name, capsys):
    api_test(env(name), num_cycles=100)
    seed_test(lambda: env(name), 30)
    render_test(lambda render_mode=None: env(name, render_mode))


@pytest.mark.parametrize("name", ["tictactoe", "einstein", "morpion:5D"])
def test_gymnasium_checks_environments(name):
    made = gymnasium.make("athenan/match-v0", game=name, illegal="loses")
    check_env(made.unwrapped, skip_render_check=True)
    made.close()


def test_every_game_is_registered():
    names = registered.names()
    assert names["athenan/othello-8-v0"] == "othello:8" and names["athenan/hex-7-v0"] == "hex:7"
    assert {f"athenan/{name}-v0" for name in GAMES} <= set(names) <= set(gymnasium.registry)
    registered.register()  # nothing is registered twice, which Gymnasium would warn of
    made = gymnasium.make("athenan.environments.registration:athenan/tictactoe-v0", opponent="mcts:10", side="first")
    made.reset(seed=1)
    assert made.step(4)[4]["side"] == 0


def test_one_environment_equals_a_row():
    single, rows = OpponentEnv("einstein", "random", side="second"), OpponentBatch(make("einstein"), 1, "random")
    rows._side = "second"
    observation, _ = single.reset(seed=4)
    random = np.random.default_rng(1)
    rows.reset(seed=4)
    for _ in range(100):
        assert np.array_equal(observation["observation"], rows.observations[0])
        assert np.array_equal(observation["action_mask"], rows.masks[0]) and single.action_masks().any()
        action = int(random.choice(rows.legal(0)))
        observation, reward, terminated, _, _ = single.step(action)
        rows.step([action])
        assert (reward, terminated) == (rows.rewards[0], rows.ends[0])
        if terminated:
            assert np.array_equal(observation["observation"], rows.final_observations[0])
            with pytest.raises(GameError, match="call reset"):
                single.step(0)
            return
    raise AssertionError("no match has ended")


def test_an_illegal_action_raises_or_loses():
    single = OpponentEnv("tictactoe", side="first")
    single.reset(seed=1)
    with pytest.raises(GameError, match="action 9 is not legal"):
        single.step(9)
    _, reward, terminated, _, info = OpponentEnv("tictactoe", side="first", illegal="loses").step(9)
    assert (reward, terminated, info["illegal"]) == (-1.0, True, True)


@pytest.mark.parametrize("name", ["othello:6", "pig:20,length=30"])
def test_vector_environments_keep_last_observations(name):
    many = gymnasium.make_vec("athenan/match-v0", num_envs=6, game=name)
    assert many.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    observations, infos = many.reset(seed=3)
    game, ended = make(name), 0
    for _ in range(80):
        assert observations in many.observation_space and not infos.get("_final_obs", np.zeros(1)).all()
        actions = many.unwrapped.sample()
        assert actions in many.action_space
        observations, rewards, terminations, truncations, infos = many.step(actions)
        assert rewards.shape == (6,) and not truncations.any()
        for row in terminations.nonzero()[0]:
            last = infos["final_obs"][row]
            assert last["observation"].shape == game.planes and not last["action_mask"].any()
            ended += 1
        assert ("final_obs" in infos) == terminations.any()
        if terminations.any():
            assert infos["_final_obs"].tolist() == terminations.tolist()
    assert ended > 5
    many.close()


def test_observations_are_copies_unless_asked_otherwise():
    for copy in (True, False):
        many = OpponentVectorEnv("tictactoe", 3, copy=copy)
        before, _ = many.reset(seed=1)
        after, *_ = many.step(many.sample())
        assert np.shares_memory(before["observation"], after["observation"]) != copy


def test_wrong_names_and_modes_are_refused():
    with pytest.raises(GameError, match="nogame"):
        OpponentEnv("nogame")
    for maker in (OpponentEnv, env, OpponentVectorEnv):
        with pytest.raises(ValueError, match="render_mode must be ansi, human or None, not 'rgb'"):
            maker("tictactoe", render_mode="rgb")


def test_adapters_name_the_extra_that_is_missing():
    code = (
        "import sys, importlib.util as util\nfind = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name in ('gymnasium', 'pettingzoo') else find(name, *more)\n"
        "import athenan.extras; athenan.extras.find_spec = util.find_spec\n"
        "from athenan.environments import StateBatch\n"
        "for name in ('aec', 'single', 'vector', 'registration'):\n"
        "    try: __import__(f'athenan.environments.{name}')\n"
        "    except athenan.extras.MissingError as error: print(error)\n"
        "assert 'gymnasium' not in sys.modules and 'pettingzoo' not in sys.modules and 'torch' not in sys.modules\n"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(said) == 4 and all("pip install 'athenan[environments]'" in line for line in said)
