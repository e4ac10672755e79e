"""Runs: the files of a training, and their use."""
