"""Self-play: how matches are played, one after the other or side by side, by one thread or many."""
