"""Times environments in batches beside other libraries: random legal steps with masks and observations.

    python benchmarks/environments.py
    python benchmarks/environments.py --games othello:8 --batch 1024 --threads 1 2 --peers none --json
    python benchmarks/environments.py --games othello:8 --batch 1024 --peers none --opponent athenan:casual

A step is one action of one match. After each, the mask of legal actions and the observation of the side to move are
there, and a finished match is followed by a new one. Peers, where they have the game and are installed: `pyspiel`
(OpenSpiel's games from Python), `vector` (its SyncVectorEnv), `pettingzoo` (its classic games) and `pgx` (JAX on the
CPU). `docs/environments.md` says what each counts, and where the comparison is unfair.

Prints steps a second of processor time, of all threads together, and of wall-clock time: the best of three times.
"""

import argparse
import json
import random
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

GAMES = ("connect_four", "othello:8", "hex:11,swap=false", "go:9")
BATCHES, THREADS = (1, 64, 1024, 16384), (1, 2)
OPENSPIEL = {
    "connect_four": "connect_four", "othello:8": "othello", "hex:11,swap=false": "hex(board_size=11)",
    "go:9": "go(board_size=9)",
}  # fmt: skip
PGX = {"connect_four": "connect_four", "othello:8": "othello", "hex:11,swap=false": "hex", "go:9": "go_9x9"}
LARGEST_VECTOR = 1024
"""Environments of OpenSpiel's vector environment, which are Python objects."""


class Stepping(NamedTuple):
    """Something to time: a call makes `steps` steps."""

    library: str
    batch: int
    threads: int | None
    """None: as many as the library likes."""
    call: Callable[[], object]
    steps: int


def ours(game: str, batch: int, threads: int) -> Stepping:
    """A batch of this package."""
    from athenan import make
    from athenan.environments import StateBatch

    states = StateBatch(make(game), batch, threads=threads)
    states.reset(seed=1)
    times = max(1, 512 // batch)

    def call() -> None:
        for _ in range(times):
            states.step(states.sample())

    return Stepping("athenan", batch, threads, call, batch * times)


def against(game: str, batch: int, threads: int, opponent: str) -> Stepping:
    """A batch against an opponent; a step is an action of the learner with the opponent's answer."""
    from athenan import make
    from athenan.environments import OpponentBatch

    matches = OpponentBatch(make(game), batch, opponent, threads=threads)
    matches.reset(seed=1)
    return Stepping(f"athenan, against {opponent}", batch, threads, lambda: matches.step(matches.sample()), batch)


def pyspiel_states(game: str) -> Stepping:
    """OpenSpiel's states, stepped from Python one at a time."""
    import pyspiel

    played = pyspiel.load_game(OPENSPIEL[game])
    now = [played.new_initial_state()]

    def call() -> None:
        for _ in range(64):
            state = now[0]
            legal = state.legal_actions()
            state.apply_action(legal[int(random.random() * len(legal))])
            if state.is_terminal():
                state = now[0] = played.new_initial_state()
            state.legal_actions_mask()
            np.array(state.observation_tensor(state.current_player()), np.float32)

    return Stepping("pyspiel", 1, 1, call, 64)


def openspiel_vector(game: str, batch: int) -> Stepping:
    """OpenSpiel's vector environment."""
    from open_spiel.python import rl_environment
    from open_spiel.python.rl_agent import StepOutput
    from open_spiel.python.vector_env import SyncVectorEnv

    environments = SyncVectorEnv([rl_environment.Environment(OPENSPIEL[game]) for _ in range(batch)])
    now = [environments.reset()]

    def call() -> None:
        actions = []
        for one in now[0]:
            legal = one.observations["legal_actions"][one.observations["current_player"]]
            actions.append(StepOutput(action=legal[int(random.random() * len(legal))], probs=None))
        now[0] = environments.step(actions, reset_if_done=True)[0]

    return Stepping("OpenSpiel SyncVectorEnv", batch, 1, call, batch)


def pettingzoo_classic(game: str) -> Stepping | None:
    """PettingZoo's own Connect Four and Go."""
    from pettingzoo.classic import connect_four_v3, go_v5

    if game == "connect_four":
        environment = connect_four_v3.env()
    elif game == "go:9":
        environment = go_v5.env(board_size=9)
    else:
        return None
    environment.reset(seed=1)

    def call() -> None:
        made = 0
        while made < 16:
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            environment.step(int(legal[int(random.random() * len(legal))]))
            made += 1

    return Stepping("PettingZoo classic", 1, 1, call, 16)


def pgx_batch(game: str, batch: int) -> Stepping:
    """The environments of pgx, compiled by JAX for the CPU, with automatic resets."""
    import jax
    import pgx
    from jax import numpy as jnp
    from pgx.experimental import auto_reset

    environment = pgx.make(PGX[game])
    step = jax.vmap(auto_reset(environment.step, environment.init))

    def one(carry: Any) -> Any:
        state, key = carry
        key, drawn, resets = jax.random.split(key, 3)
        actions = jax.random.categorical(drawn, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return step(state, actions, jax.random.split(resets, batch)), key

    compiled = jax.jit(one, donate_argnums=0)
    first = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.PRNGKey(0), batch))
    now = [(first, jax.random.PRNGKey(1))]

    def call() -> None:
        now[0] = compiled(now[0])
        jax.block_until_ready(now[0][0].observation)

    return Stepping("pgx", batch, None, call, batch)


PEERS = ("pyspiel", "vector", "pettingzoo", "pgx")
_PACKAGES = {"pyspiel": "pyspiel", "vector": "open_spiel", "pettingzoo": "pettingzoo", "pgx": "pgx"}


def steppings(given: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Stepping | None]]]:
    """All that is timed, with the name of the game; each is made when its turn comes."""
    for game in given.games:
        for batch in given.batch:
            for threads in given.threads if batch > 1 else given.threads[:1]:
                yield game, lambda game=game, batch=batch, threads=threads: ours(game, batch, threads)
                if given.opponent:
                    yield (
                        game,
                        lambda game=game, batch=batch, threads=threads: against(game, batch, threads, given.opponent),
                    )
        if game not in OPENSPIEL:
            continue
        if "pyspiel" in given.peers:
            yield game, lambda game=game: pyspiel_states(game)
        if "pettingzoo" in given.peers:
            yield game, lambda game=game: pettingzoo_classic(game)
        for batch in given.batch:
            if "vector" in given.peers and batch <= LARGEST_VECTOR:
                yield game, lambda game=game, batch=batch: openspiel_vector(game, batch)
            if "pgx" in given.peers:
                yield game, lambda game=game, batch=batch: pgx_batch(game, batch)


def rates(stepping: Stepping, seconds: float) -> tuple[float, float]:
    """Steps a second of processor time and of wall-clock time: the best of three."""
    stepping.call()
    found = [0.0, 0.0]
    for _ in range(3):
        processor, wall, calls = time.process_time(), time.perf_counter(), 0
        while time.process_time() - processor < seconds / 3:
            stepping.call()
            calls += 1
        spent = time.process_time() - processor, time.perf_counter() - wall
        found = [max(best, calls * stepping.steps / one) for best, one in zip(found, spent, strict=True)]
    return found[0], found[1]


def options() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=GAMES, help="names of games")
    parser.add_argument("--batch", nargs="+", type=int, default=BATCHES, help="numbers of rows")
    parser.add_argument("--threads", nargs="+", type=int, default=THREADS, help="threads of this package")
    parser.add_argument("--peers", nargs="+", choices=(*PEERS, "all", "none"), default=["all"])
    parser.add_argument("--opponent", help="also time matches against this player")
    parser.add_argument("--seconds", type=float, default=0.6, help="processor time of each measurement")
    parser.add_argument("--json", action="store_true", help='print {"rows": [...]}')
    given = parser.parse_args()
    given.peers = [one for one in PEERS if one in given.peers or "all" in given.peers]
    for peer in [one for one in given.peers if find_spec(_PACKAGES[one]) is None]:
        given.peers.remove(peer)
        if not given.json:
            print(f"{peer}: {_PACKAGES[peer]} is not installed")
    return given


def main() -> None:
    """Times everything and prints it."""
    given, rows = options(), []
    warnings.filterwarnings("ignore")  # of other libraries
    for game, make_stepping in steppings(given):
        if (stepping := make_stepping()) is None:
            continue
        processor, wall = rates(stepping, given.seconds)
        rows.append({
            "game": game, "library": stepping.library, "batch": stepping.batch, "threads": stepping.threads,
            "steps_per_second": round(processor), "wall_steps_per_second": round(wall),
        })  # fmt: skip
        if not given.json:
            threads = "any" if stepping.threads is None else stepping.threads
            print(f"{game:18} {stepping.library:32} batch {stepping.batch:6,} threads {threads!s:>3}  "
                  f"{processor:12,.0f} /s of processor time {wall:12,.0f} /s", flush=True)  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
