"""Tournaments: who plays whom, playing the matches into a store of results, and what the results say."""
