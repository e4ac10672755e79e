"""The walk through the trees, compiled once for all algorithms that are tables of kernels.

`walk` takes every tree to its next state to expand, and `walk_search` is the search from Python. Several leaves of a
tree can be evaluated in one batch (`leaf_batches`) or expanded by several threads (`shared_walk`). Until then they wait
(`waiting_leaves`). `turns` lists what a turn can lead to, and `turn_leaf` evaluates a state by the ends of its turn.
`refinement` is the walk of searches that evaluate the best children by action values. `acting` searches and plays the
actions of a match without leaving compiled code.
"""
