"""Reads and writes files of matches: JSON lines, SGF, PDN, GGF, .mat and plain moves.

A `FileMatch` is a match as a file holds it, after the rules have replayed it; `play.records.MatchRecord` is a finished
match that counts. Each format has two halves: its text as data, without rules (`sgf.tree`, `pdn.text`), and matches by
the rules (`sgf.reading`, `sgf.writing`, `pdn.matches`). `formats` has them by the name of a file. SGF is read by our
own code: only its grammar is needed, and the libraries for it know only Go.
"""
