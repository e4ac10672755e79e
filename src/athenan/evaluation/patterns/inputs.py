"""What compiled code sees of a state: its encoded planes and, behind them, the features that its game declares."""

from athenan.evaluation.patterns.header import AT
from athenan.rules import calls
from athenan.rules.compiler import helper

_SIZE, _FEATURES = AT.size, AT.features


@helper
def complete(rules, numbers, inputs):
    """Writes the features behind the planes that `inputs` begins with, if the network reads any."""
    if numbers[_FEATURES]:
        size = numbers[_SIZE]
        calls.features(rules, inputs[:size], inputs[size : size + numbers[_FEATURES]])


@helper
def inputs_of(rules, numbers, planes, room):
    """The encoded state with its features, in `room` if the network reads any."""
    if not numbers[_FEATURES]:
        return planes
    for number in range(numbers[_SIZE]):
        room[number] = planes[number]
    complete(rules, numbers, room)
    return room
