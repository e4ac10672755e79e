"""Evaluation of states: reinforcement heuristics, and networks evaluated in batches."""
