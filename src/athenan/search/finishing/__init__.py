"""Finishing what is won, or nearly over: the exact solving of ends, and the search for the margin after a proof.

`stack` has the arrays of an exact solver and `solver` its compiled code. `ends` solves one root after the other,
`knowledge` is what is known about a root, and `finishing_search` is the search that uses both.
"""
