"""What compiled code sees of a state: its encoded planes and, behind them, the features that its game declares."""

import numpy as np

from athenan.evaluation.patterns.header import HEADER, INPUTS
from athenan.rules import calls
from athenan.rules.compiler import helper
from athenan.rules.memory import record_at


@helper
def complete(rules, numbers, inputs):
    """Writes the features behind the planes that `inputs` begins with, if the network reads any."""
    header = record_at(numbers, 0, INPUTS)
    if header.features:
        calls.features(rules, inputs[: header.size], inputs[header.size : header.size + header.features])


@helper
def inputs_of(rules, numbers, planes, room):
    """The encoded state with its features, in `room` if the network reads any."""
    header = record_at(numbers, 0, INPUTS)
    if not header.features:
        return planes
    for number in range(header.size):
        room[number] = planes[number]
    complete(rules, numbers, room)
    return room


@helper
def estimate(numbers, inputs, view):
    """The game's estimate of a state as a part of the network's output, in this view; 0 if the network adds none."""
    at = record_at(numbers, 0, HEADER).estimate_at
    found = np.float32(0.01) * np.float32(inputs[at]) if at else np.float32(0)
    return found if view == 0 else -found
