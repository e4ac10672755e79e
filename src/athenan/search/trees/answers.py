"""Gives a node and its edges what the evaluator answers: to a batch, or by its kernel."""

import numpy as np

from athenan.rules.compiler import helper
from athenan.rules.leaf import call_leaf, call_policy, keep_finite, keep_finite_logits
from athenan.rules.state import copy_state
from athenan.search.trees.algorithm import Asks

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
def take_priors(edges, logits):
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
    """Sets the value of the state itself, to which the node's rollout may contribute a share."""
    node.value = rollouts * node.value + (1.0 - rollouts) * value if rollouts else value


@helper
def take_leaf(node, edges, leaves, row, asks, rollouts):
    """Stores the answer for the state itself."""
    if asks & _STATE:
        take_value(node, leaves.values[row], rollouts)
    if asks & _POLICY:
        take_priors(edges, leaves.policies[row])
    if asks & _ACTION_VALUES:
        for number in range(len(edges)):
            if edges[number].child < 0:
                edges[number].value = leaves.action_values[row, edges[number].action]


@helper
def evaluate_inside(forest, slot, subject, steps, asks, pending):
    """Stores the leaf evaluation of the current node's unfinished children, or of its state with any policy."""
    record, leaf = forest.slots[slot], subject.leaf
    node, state = forest.nodes[slot, record.current], forest.states[slot, record.current]
    edges = forest.edges[slot][node.first_edge : node.first_edge + node.edges]
    if asks & _POLICY:
        actions, value = forest.actions[: len(edges)], leaf.values[:1]
        value[0] = call_policy(leaf.policy, (subject.rules, state, actions, leaf.numbers, leaf.weights, leaf.logits))
        keep_finite(value, leaf.counts)
        keep_finite_logits(leaf.logits, actions, leaf.counts)
        record.evaluations += 1
        take_value(node, value[0], steps.rollouts)
        take_priors(edges, leaf.logits)
        return
    if asks == _STATE:
        copy_state(state, leaf.states[0])
        pending = 1
    states, values = leaf.states[:pending], leaf.values[:pending]
    call_leaf(leaf.address, (subject.rules, state, states, leaf.numbers, leaf.weights, values))
    keep_finite(values, leaf.counts)
    record.evaluations += pending
    if asks == _STATE:
        take_value(node, values[0], steps.rollouts)
    else:
        take_values_of_children(edges, values, 0)
