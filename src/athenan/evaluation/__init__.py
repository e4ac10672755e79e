"""What a state is worth: reinforcement heuristics, networks, and their evaluation in batches."""
