"""Matches in files: JSON lines, SGF, PDN, and plain moves; they are read from others and written for others."""
