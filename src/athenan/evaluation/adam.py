"""Steps of Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015), for kernels that learn."""

import numpy as np

from athenan.rules.compiler import helper

DECAYS, LEAST_ROOT = (0.9, 0.999), 1e-8
"""The decays of the two moments, and what is added to the root of the second: the paper's."""
WEIGHT, FIRST, SECOND, AVERAGE, PARTS = range(5)
"""The rows of what is learnt: the weights, the two moments of their gradients, the average that plays."""
_MANY_STEPS = 1_000_000  # after which the correction of the moments is 1


@helper
def adam_step(learnt, gradient, items, steps, rate):
    """Moves the weights of `learnt` (float32[PARTS, weights]) along the mean gradient of some items.

    `gradient` is a float32 vector, the sum over the items, and may be longer; it is set to 0. `steps` (int64[1]) counts
    the steps. `rate` is Adam's step size.
    """
    weights, first, second = learnt[WEIGHT], learnt[FIRST], learnt[SECOND]
    steps[0] += 1
    count = np.float64(min(steps[0], _MANY_STEPS))
    size = np.float32(rate * np.sqrt(1 - DECAYS[1] ** count) / (1 - DECAYS[0] ** count))
    kept, squared = np.float32(DECAYS[0]), np.float32(DECAYS[1])
    fresh, new, share = np.float32(1 - DECAYS[0]), np.float32(1 - DECAYS[1]), np.float32(1 / items)
    for number in range(len(weights)):
        slope = share * gradient[number]
        gradient[number] = 0
        mean = kept * first[number] + fresh * slope
        square = squared * second[number] + new * slope * slope
        first[number], second[number] = mean, square
        weights[number] += size * mean / (np.sqrt(square) + np.float32(LEAST_ROOT))
