"""Experiments: several kinds of training, repeated on several games, and the strength of their networks."""
