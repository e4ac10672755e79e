"""Evaluation of states: reinforcement heuristics, networks, and their evaluation in batches."""
