"""Plays some random matches of an OpenSpiel game, and prints measurements or the error as JSON.

This file runs in a separate process and does not import athenan: OpenSpiel may answer bad parameters by ending the
process or taking all memory, instead of refusing them.
"""

import json
import random
import sys
from time import monotonic

try:
    import resource
except ImportError:  # Windows, which does not bound a process's memory this way
    resource = None  # type: ignore[assignment]

MEMORY = 8 << 30
MATCHES, SECONDS = 20, 3.0


def tried(text: str) -> dict[str, object]:
    """Measurements of random matches of a game. Passes on OpenSpiel's exceptions."""
    import pyspiel

    game, chance = pyspiel.load_game(text), random.Random(0)
    lengths, most, largest, whole, began = list[int](), 1, 0.0, True, monotonic()
    while not lengths or (len(lengths) < MATCHES and monotonic() - began < SECONDS):
        state, length = game.new_initial_state(), 0
        while True:
            observed = state.observation_tensor(0)
            largest = max([largest, *map(abs, observed)])
            whole = whole and all(number == int(number) for number in observed)
            str(state)
            if state.is_terminal():
                break
            if state.is_chance_node():
                actions = [outcome for outcome, _ in state.chance_outcomes()]
            else:
                actions = state.legal_actions()
                most = max(most, len(actions))
            if not actions:
                raise ValueError(f"nobody can move after {length} actions, but the match is not over")
            for action in actions[:300]:
                state.action_to_string(state.current_player(), action)
            state.apply_action(chance.choice(actions))
            length += 1
        state.returns()
        lengths.append(length)
    return {"length": sum(lengths) / len(lengths), "most_actions": most, "largest": largest, "whole": whole}


if __name__ == "__main__":
    if resource:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        found = tried(sys.argv[1])
    except Exception as error:
        found = {"error": " ".join(str(error).split())[:300] or type(error).__name__}
    print(json.dumps(found))
