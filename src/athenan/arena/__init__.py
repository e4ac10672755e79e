"""Contests: players by name, pairs and series of matches, tournaments, and their results.

The unit of measurement is a pair: one opening, played with both colours (`pairs`). Plain values describe it,
including the names of the players, so any process can play it. The conditions of the series and the number of the pair
determine its opening and its seeds.

Results are kept in two ways. A `Recording` is a file of JSON lines that any program reads; one process writes to it,
and a series that was killed goes on from it. A `Store` is a database that several processes fill at once: each claims a
pair before it plays it, and stores its records in one transaction. A `PairTally` holds the
statistics of pairs between two players. A `Duel`, which has its matches, makes one, and so do the `DuelStandings` of a
tournament, which have only results.
"""
