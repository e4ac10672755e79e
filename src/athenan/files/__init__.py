"""Reads and writes files of matches: JSON lines, SGF, PDN and plain moves."""
