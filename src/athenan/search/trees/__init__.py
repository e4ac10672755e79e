"""Search trees as records, and what all searches of them share.

`forest` has the records of nodes and edges, one tree per slot, and `planting` says how many fit into the memory.
`subject` says what is searched. `algorithm` has the signatures of the kernels that make an algorithm, `answers` stores
what an evaluator says, `chance` takes expectations, and `selection` chooses the action to play. `forest_search` is the
base class of searches from Python: `asking` says what it asks of an evaluator, `readable` reads its trees, and `node`
is what it shows of a state.
"""
