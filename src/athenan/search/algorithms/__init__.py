"""The algorithms that the walk runs: a few kernels each, and a dataclass with the settings beside them.

`best_first` has UBFM and Descent. `bandits` has UCT and PUCT with a network, and `visits` the self-play of AlphaZero.
"""
