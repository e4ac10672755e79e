"""Experiments: trainings of several kinds repeated on several games, and what their networks are worth."""
