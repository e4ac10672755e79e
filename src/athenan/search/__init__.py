"""Trees and the search algorithms on them; compiled by numba, without torch.

One walk (`walking`) through the records of a tree (`trees`) serves all `algorithms` but two: `advance` takes every tree
to its next unexpanded state and writes the states to evaluate into one batch, the evaluator answers with `Leaves`, and
`receive` stores them. Algorithms are tables of small kernels that see a node and its edges: which edge to follow,
whether the iteration goes on after an expansion, how edges and nodes are backed up. They also say what to ask of the
evaluator (the values of the children, the value of the state, a policy, action values, nothing) and which action to
play. With one slot the walk is the sequential algorithm of the papers, state for state: the tests compare it with a
literal transcription of their pseudocode.

Alpha-beta has a walk of its own through the same trees (`alpha_beta`), UCT with rollouts a loop of its own
(`monte_carlo`). Several threads may search one tree of UBFM, and one root by alpha-beta, each in its tree.

The settings of a search are a frozen dataclass beside its kernels, `Puct(exploration=1.4)`. What several searches share
is in their base classes (`settings`), so that a setting without a meaning for a search cannot be written. The dataclass
gives the algorithm, says which heads of a network it needs, and how a network that was trained with it plays. `named`
has all searches by their names, and their text is the same wherever it is written.

Sessions and players know only the protocol `searcher.Searcher`. A value that is not finite becomes 0 in the tree, and
the search raises an error, so that no comparison and no proof depends on it.
"""
