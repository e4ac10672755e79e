"""An experiment of a few seconds, as a file."""

SMALL = """
title = "A small one"
games = ["tictactoe"]
repetitions = 2
minutes = 0.004
clock = "processor"
points = 3
positions = 3
baseline = "UBFM"
[common]
run.network = "c:filters=4,dense=8"
action.seconds = 0.001
[combinations.Descent]
[combinations.UBFM]
algorithm = "ubfm"
"""
