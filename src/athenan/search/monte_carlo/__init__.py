"""UCT with rollouts: opponents that need no learning. `rave` is UCT with RAVE, and a network may give it a `prior`."""
