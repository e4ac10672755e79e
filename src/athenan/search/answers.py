"""What the edges of a node take from the evaluator's answer."""

import numpy as np

from athenan.rules.compiler import helper
from athenan.search.algorithm import Asks

_STATE, _POLICY, _ACTION_VALUES = int(Asks.STATE), int(Asks.POLICY), int(Asks.ACTION_VALUES)


@helper
def take_values_of_children(edges, leaves, row):
    """Sets the values of the edges without a child from the rows beginning at `row`; returns the row after them."""
    for number in range(len(edges)):
        if edges[number].child < 0:
            edges[number].value = leaves.values[row]
            edges[number].evaluated = 1
            row += 1
    return row


@helper
def _take_priors(edges, logits):
    """Sets the priors of the edges to the softmax of their actions' logits."""
    most, total = np.float32(-np.inf), np.float32(0)
    for number in range(len(edges)):
        most = max(most, logits[edges[number].action])
    for number in range(len(edges)):
        edges[number].prior = np.exp(logits[edges[number].action] - most)
        total += edges[number].prior
    for number in range(len(edges)):
        edges[number].prior /= total


@helper
def take_leaf(node, edges, leaves, row, asks, rollouts):
    """Stores the answer for the state itself; its value may have a share of that of a rollout, which the node has."""
    if asks & _STATE:
        if rollouts:
            node.value = rollouts * node.value + (1.0 - rollouts) * leaves.values[row]
        else:
            node.value = leaves.values[row]
    if asks & _POLICY:
        _take_priors(edges, leaves.policies[row])
    if asks & _ACTION_VALUES:
        for number in range(len(edges)):
            if edges[number].child < 0:
                edges[number].value = leaves.action_values[row, edges[number].action]
