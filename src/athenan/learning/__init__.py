"""Self-play and learning: targets, replay, learning steps, the training loop and its display."""
