"""The search of mctx, the library of the authors of Gumbel AlphaZero, on trees of `bush`.

A module of its own for a process of its own: JAX, once imported, warns at every fork.
"""

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest
import wide_game
from evaluators import hash_leaves


def by_mctx(count, states, noise, candidates, iterations):
    """What mctx finds for states of `count` actions: the actions, the visits of all actions, the improved policies.

    `noise` is the Gumbel noise of their actions, float[states, count].
    """
    game = wide_game.make(count)

    def leaves(states):
        """Logits and values of the side to move."""
        planes = np.stack([game.encode(state).reshape(-1) for state in states])
        found, players = hash_leaves(game, planes), np.array([game.player(state) for state in states])
        return found.policies, (found.values * (1 - 2 * players)).astype(np.float32)

    def step(states, actions):
        following = np.stack(
            [game.play(state, int(action)) for state, action in zip(np.asarray(states), actions, strict=True)]
        )
        return following, *leaves(following)

    def recurrent(params, key, actions, states):
        shapes = (
            jax.ShapeDtypeStruct(states.shape, np.int8),
            jax.ShapeDtypeStruct((len(states), game.action_count), np.float32),
            jax.ShapeDtypeStruct((len(states),), np.float32),
        )
        following, logits, values = jax.pure_callback(step, shapes, states, actions)
        rewards = jnp.zeros(len(states))
        found = mctx.RecurrentFnOutput(reward=rewards, discount=rewards - 1, prior_logits=logits, value=values)
        return found, following

    logits, values = leaves(states)
    root = mctx.RootFnOutput(prior_logits=jnp.array(logits), value=jnp.array(values), embedding=jnp.array(states))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jax.random, "gumbel", lambda *_, **__: jnp.array(noise, np.float32))
        found = mctx.gumbel_muzero_policy(
            (), jax.random.PRNGKey(0), root, recurrent, iterations, max_num_considered_actions=candidates
        )
    visits = found.search_tree.summary().visit_counts
    return np.array(found.action), np.array(visits, int), np.array(found.action_weights)
