"""Grading: solved positions, and the share in which a player keeps the game value."""
