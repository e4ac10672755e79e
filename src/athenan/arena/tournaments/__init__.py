"""Tournaments: who plays whom, the matches, which fill a store of results, and what the results say."""
