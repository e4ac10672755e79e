"""The networks in the package: one file a game in `shipped`, with a card that says where it comes from.

A file is a checkpoint in few bytes (`runs.checkpoint.packing`), so it can be given wherever a run can. `catalogue`
finds the network of a game, `card` is what a file says of itself, `fingerprint` says whether the rules are still the
ones that it has learnt, `shipping` makes a file from a run.
"""
