"""Self-play and learning: targets, replay, learning steps, the training loop and its display.

To see what `train` does, read from the top down: `training` (begin, or go on), `trainer` (the loop),
`self_play.by_search` (a match), `examples.targets` (what is learnt from it), `learner.native_learner` or
`learner.torch_learner` (a step).

| room | what happens there |
| --- | --- |
| `self_play` | matches are played: by a search, by the policy, by whole turns, or as deterministic games |
| `examples` | a target selects what is learnt from a match and its trees: values, policies, action values |
| `replay` | examples are remembered, and drawn as minibatches |
| `learner` | minibatches change the network; their interface is arrays, not PyTorch |
| `observers` | the display, curves, kept networks, latest matches and measurements of strength watch the loop |

The configuration is a tree of frozen dataclasses (`config`): the annotation of a field says what values it may have,
and the command line, the checks of saved runs and the errors follow from it. The default is a function of the game, the
length of the run and the algorithm (`recipe`, `algorithms`); `train --algorithm` only names a set of defaults, and a
run records its components.

Actors play in several threads, as the kernels and PyTorch's operators release Python's lock. Networks that compiled
code evaluates are learnt by the same threads (`workers`), others by one learner (`self_play.actors`). On many machines
actors play in other processes for one learner (`self_play.remote_actors`), or learn there and exchange what they have
learnt (`exchange`). Time that a thread spends on learning is not search time (`search.clock`). After every phase the
checkpoint is replaced atomically, while learning continues; the data of a match is written once, to its own file. A
resumed run equals an uninterrupted one exactly if its budget is counted in iterations or evaluations and `actors` and
`parallel_matches` are 1. With more parallel matches it restarts the matches in play.
"""
