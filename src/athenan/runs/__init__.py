"""Runs: what a training leaves on disk, and how it is used."""
