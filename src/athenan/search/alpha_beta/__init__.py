"""Alpha-beta, which has a walk of its own through the trees.

`search` is the search from Python, with its settings. `deepening` is the compiled state machine, whose stack and bounds
are in `stack`. Windows are pairs of `keys`. `ordering` says which edges come first, and how deep late ones are
searched; `proving` says what is proven. Several threads search one root in `accompanied`, and share a table of bounds.
"""
