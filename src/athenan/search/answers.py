"""What the edges of a node take from the evaluator's answer."""

import numpy as np

from athenan.rules.compiler import helper
from athenan.search.algorithm import Asks

_STATE, _POLICY, _ACTION_VALUES = int(Asks.STATE), int(Asks.POLICY), int(Asks.ACTION_VALUES)


@helper
def take_values_of_children(edges, values, row):
    """Sets the values of the edges without a child from the rows beginning at `row`; returns the row after them."""
    for number in range(len(edges)):
        if edges[number].child < 0:
            edges[number].value = values[row]
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
def take_value(node, value, rollouts):
    """Sets the value of the state itself, in which the rollout that the node has may have a share."""
    node.value = rollouts * node.value + (1.0 - rollouts) * value if rollouts else value


@helper
def take_leaf(node, edges, leaves, row, asks, rollouts):
    """Stores the answer for the state itself."""
    if asks & _STATE:
        take_value(node, leaves.values[row], rollouts)
    if asks & _POLICY:
        _take_priors(edges, leaves.policies[row])
    if asks & _ACTION_VALUES:
        for number in range(len(edges)):
            if edges[number].child < 0:
                edges[number].value = leaves.action_values[row, edges[number].action]
