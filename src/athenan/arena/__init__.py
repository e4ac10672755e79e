"""Contests: players by name, pairs and series of matches, tournaments, and their results."""
