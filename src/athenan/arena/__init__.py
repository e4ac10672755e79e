"""Contests: players by their names, pairs and series of matches, tournaments, and the results they leave."""
