"""Grading: solved positions, and the share of them in which a player keeps the game value."""
