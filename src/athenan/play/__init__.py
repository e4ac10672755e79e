"""Using what was learnt: players, matches between them, and what the results mean."""
