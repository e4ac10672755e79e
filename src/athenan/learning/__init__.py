"""Self-play and learning: targets, replay, the training loop, checkpoints and what is shown of them."""
