"""The chance to win at a value of a search, for kernels; `evaluation.chances` has the same for Python."""

from athenan.rules.compiler import helper


@helper
def chance_at(value, values, chances):
    """The first player's chance at a value; `values` ascend, and between them the `chances` are interpolated."""
    if value <= values[0]:
        return chances[0]
    for after in range(1, len(values)):
        if value <= values[after]:
            width = values[after] - values[after - 1]
            share = (value - values[after - 1]) / width if width > 0 else 1.0
            return chances[after - 1] + share * (chances[after] - chances[after - 1])
    return chances[len(chances) - 1]
