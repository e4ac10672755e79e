"""OpenSpiel's AlphaZero in a process of its own: trains, and answers requests, one JSON object a line.

Run by `openspiel_alphazero.py` in any Python with `pip install open_spiel jax flax optax chex orbax-checkpoint`; this
file does not import athenan. What learns, searches and plays is OpenSpiel's code. With `compiled`, the network is
compiled once instead of being run operation by operation, and gives the search plain numbers: the same results.
"""

import argparse
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

# One thread a process: two actors and the learner share two cores. Actors inherit this.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

PACKAGES = "open_spiel jax flax optax chex orbax-checkpoint"
DEFAULTS = {
    "uct_c": 1.41, "max_simulations": 40, "train_batch_size": 2**7, "replay_buffer_size": 2**13,
    "replay_buffer_reuse": 4, "learning_rate": 1e-3, "weight_decay": 1e-4, "decouple_weight_decay": False,
    "policy_epsilon": 0.25, "policy_alpha": 1.0, "temperature": 1.0, "temperature_drop": 2,
    "nn_model": "resnet", "nn_width": 2**8, "nn_depth": 2, "nn_api_version": "linen", "actors": 2,
}  # fmt: skip
"""The settings of OpenSpiel's example, open_spiel/python/examples/alpha_zero.py, 2.0.2."""
UNPLAYED = {
    "evaluators": 0, "evaluation_window": 50, "eval_levels": 7, "max_steps": 0, "checkpoint_freq": 1,
    "quiet": True, "verbose": False, "observation_shape": None, "output_size": None,
}  # fmt: skip
"""No evaluators, who take time from learning; a checkpoint of every step; training ends by time."""


def compile_inference():
    """Compiles the inference of OpenSpiel's models, once for all checkpoints."""
    import jax
    import numpy as np
    from open_spiel.python.algorithms.alpha_zero import evaluator, model_linen, model_nnx

    def compiled(operations):
        function = jax.jit(lambda state, *inputs: operations(argparse.Namespace(_state=state), *inputs))

        def inference(model, observation, mask):
            value, policy = function(model._state, np.float32(observation), np.asarray(mask, bool))
            return float(value), policy.tolist()

        return inference

    for library in (model_linen, model_nnx):
        library.Model.inference = compiled(library.Model.inference)
    # Its own version also forgets what is compiled.
    evaluator.AlphaZeroEvaluator.clear_cache = lambda self: self._cache.clear()


def compiled_actor(**arguments):
    """An actor of OpenSpiel with compiled inference; actors are new processes."""
    from open_spiel.python.algorithms.alpha_zero import alpha_zero

    compile_inference()
    alpha_zero.actor(**arguments)


def train(game, folder, minutes, settings, compiled):
    """Trains until the time is over, counted from the learner's start; each step leaves a checkpoint in the folder."""
    from open_spiel.python.algorithms.alpha_zero import alpha_zero

    if unknown := sorted(set(settings) - set(DEFAULTS)):
        raise ValueError(f"there are no settings {', '.join(unknown)}; settings are {', '.join(DEFAULTS)}")
    if Path(folder).exists() and any(Path(folder).iterdir()):
        raise ValueError(f"{folder} is not empty: a training needs a folder of its own")
    if compiled:
        alpha_zero.actor = compiled_actor
    config = alpha_zero.Config(game=game, path=str(Path(folder).resolve()), **DEFAULTS | UNPLAYED | settings)

    def stop(*_):
        raise KeyboardInterrupt  # OpenSpiel's way to end a training

    def learner(**arguments):
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 60 * minutes)
        own_learner(**arguments)

    own_learner, alpha_zero.learner = alpha_zero.learner, learner
    alpha_zero.alpha_zero(config)
    steps = (Path(folder) / "learner.jsonl").read_text().splitlines()
    if not steps:
        raise TimeoutError(f"no learning step was finished in {minutes} minutes")
    last = json.loads(steps[-1])
    print(
        f"{last['step']} steps, {last['total_trajectories']} matches, {last['total_states']} states, "
        f"losses {last['loss']}"
    )


def network(game, folder, compiled):
    """The evaluator with the network of a folder's last checkpoint, and the uct_c that it was trained with."""
    import pyspiel
    from open_spiel.python.algorithms.alpha_zero import evaluator, utils

    if compiled:
        compile_inference()
    folder = Path(folder).resolve()
    config = json.loads((folder / "config.json").read_text())
    if str(pyspiel.load_game(config["game"])) != str(game):
        raise ValueError(f"the network of {folder} is of {config['game']}, not of {game}")
    model = utils.api_selector(config["nn_api_version"]).Model.build_model(
        config["nn_model"], config["observation_shape"], config["output_size"], config["nn_width"], config["nn_depth"],
        config["weight_decay"], config["learning_rate"], str(folder),
        decouple_weight_decay=config["decouple_weight_decay"],
    )  # fmt: skip
    steps = [name.name.removeprefix("checkpoint-") for name in folder.glob("checkpoint-*")]
    model.load_checkpoint(max(int(step) for step in steps if step.isdigit()))
    found = evaluator.AlphaZeroEvaluator(game, model)
    found.evaluate(game.new_initial_state())
    return found, config["uct_c"]


def make_bot_class():
    """OpenSpiel's MCTSBot, which counts simulations, with a limit in seconds."""
    from open_spiel.python.algorithms import mcts

    class TimedBot(mcts.MCTSBot):
        def until(self, end):
            self._end = end
            return self

        def _apply_tree_policy(self, root, state):
            if root.children and time.perf_counter() >= self._end:
                root.outcome = ()  # ends the search, as a proof does
            return super()._apply_tree_policy(root, state)

    return TimedBot


class Answers:
    """Answers requests about one game."""

    def __init__(self, game, evaluator, exploration, selection, solve):
        self.game, self.evaluator, self.bot_class = game, evaluator, make_bot_class()
        self.arguments = (exploration, selection, solve)

    def state(self, actions):
        state = self.game.new_initial_state()
        for action in actions:
            state.apply_action(action)
        return state

    def select(self, actions, seed, seconds=None, simulations=None):
        """The action of a position, its value for the first player, and the simulations made."""
        import numpy as np

        state, (exploration, selection, solve) = self.state(actions), self.arguments
        bot = self.bot_class(
            self.game, exploration, simulations or 10**9, self.evaluator, solve=solve, child_selection_fn=selection,
            random_state=np.random.RandomState(seed), dont_return_chance_node=True,
        )  # fmt: skip
        root = bot.until(time.perf_counter() + (seconds or float("inf"))).mcts_search(state)
        value = root.total_reward / root.explore_count
        return {
            "action": root.best_child().action,
            "value": float(value if state.current_player() == 0 else -value),
            "simulations": root.explore_count,
        }

    def matches(self, count, seed):
        """Random matches: actions, the legal actions and the player before each, and the first player's gain."""
        chance, found = random.Random(seed), []
        for _ in range(count):
            state, legal, players = self.game.new_initial_state(), [], []
            while not state.is_terminal():
                legal.append(state.legal_actions())
                players.append(state.current_player())
                state.apply_action(chance.choice(legal[-1]))
            found.append({"actions": state.history(), "legal": legal, "players": players, "gain": state.returns()[0]})
        return {"matches": found}


def answers(options):
    """The answering side with a trained network, or with random rollouts if no folder is given."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    game, node = pyspiel.load_game(options.game), mcts.SearchNode
    if options.folder:
        (found, exploration), selection = network(game, options.folder, options.compiled), node.puct_value
    else:
        rollouts = mcts.RandomRolloutEvaluator(random_state=np.random.RandomState(1))
        found, exploration, selection = rollouts, DEFAULTS["uct_c"], node.uct_value
    return Answers(game, found, exploration, selection, options.solve)


def serve(options):
    """Answers each line of standard input by a line; whatever else is printed goes to the error stream."""
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    sys.stdout = sys.stderr
    try:
        answering = answers(options)
    except ImportError as error:
        reason = f"{error}: {sys.executable} needs OpenSpiel: pip install {PACKAGES}"
        print(json.dumps({"error": reason}), file=replies)
        return
    except (ValueError, OSError) as error:
        print(json.dumps({"error": str(error)}), file=replies)
        return
    print(json.dumps({"ready": True}), file=replies)
    requests = {"select": answering.select, "matches": answering.matches}
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(requests[request.pop("do")](**request)), file=replies)


def main():
    """Trains or answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("train", "answer"))
    parser.add_argument("game", help="OpenSpiel's name, such as hex(board_size=5)")
    parser.add_argument("--folder", help="of the training; none: random rollouts in place of a network")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--settings", type=json.loads, default={}, help="JSON, over OpenSpiel's example's")
    parser.add_argument("--no-solve", dest="solve", action="store_false")
    parser.add_argument("--not-compiled", dest="compiled", action="store_false")
    options = parser.parse_args()
    if options.task == "answer":
        serve(options)
        return
    try:
        train(options.game, options.folder, options.minutes, options.settings, options.compiled)
    except ImportError as error:
        sys.exit(f"{error}: {sys.executable} needs OpenSpiel: pip install {PACKAGES}")
    except (TimeoutError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
