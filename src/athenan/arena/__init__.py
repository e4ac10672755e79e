"""Contests: players by name, pairs and series of matches, tournaments, and their results.

The unit of measurement is a pair: one opening, played with both colours (`pairs`). Plain values describe it, the names
of the players among them, so that any process can play it. Which opening and which seeds belong to its number follows
from the conditions of the series alone.

Results are kept in two ways. A `Recording` is a file of JSON lines that any program reads; one process writes to it,
and a series that was killed goes on from it. A `Store` is a database that several processes fill at once: each claims a
pair before it plays it, and stores its records in one transaction. What pairs say of two players is a `PairTally`, for
a `Duel`, which has its matches, and for the `DuelStandings` of a tournament, which have only their results.
"""
