"""UCT with random rollouts, without a network: opponents that need no learning. `rave` is UCT with RAVE."""
