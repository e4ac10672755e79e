"""Chance nodes: their edges are the outcomes, with their probabilities P(s, a) as `prior`."""

import numpy as np

from athenan.rules import calls
from athenan.rules.compiler import helper
from athenan.rules.memory import scratch
from athenan.rules.randomness import MOST_OUTCOMES


@helper
def take_probabilities(rules, state, edges):
    """Sets the priors of the edges of a chance node to the probabilities of its outcomes."""
    probabilities = scratch(MOST_OUTCOMES, np.float64)
    calls.probabilities(rules, state, probabilities)
    for number in range(len(edges)):
        edges[number].prior = probabilities[number]


@helper
def expect(node, edges, sampled):
    """Updates a chance node from its edges: v(s) is the sum of P(s, a) v(s, a), in float64."""
    total, share, all_resolved, completion = 0.0, 0.0, True, edges[0].completion
    for number in range(len(edges)):
        edge = edges[number]
        if edge.completion != completion:
            completion = 0
        all_resolved = all_resolved and edge.resolution != 0
        total += np.float64(edge.prior) * np.float64(edge.value)
        share += edge.prior
    node.completion = completion
    node.resolution = all_resolved
    node.value = total / share
