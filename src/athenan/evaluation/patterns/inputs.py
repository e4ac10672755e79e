"""What compiled code sees of a state: its encoded planes and, behind them, the features that its game declares."""

from athenan.evaluation.patterns.header import INPUTS
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
