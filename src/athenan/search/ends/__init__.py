"""The exact solving of ends beside a search.

`stack` has the arrays of a solver, `solver` its compiled code, `end` the solving of one root, from Python, and
`knowledge` what is known about a root and how its node shows it.
"""
