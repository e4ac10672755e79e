"""Which of several GPUs a process takes, so that processes of one machine do not all take the first."""

_share = [0]


def take_share(number: int) -> None:
    """Makes this process take the GPU of this number, modulo the number of GPUs, unless another is named."""
    _share[0] = number


def own_gpu(count: int) -> int:
    """The number of the GPU that this process takes of `count`."""
    return _share[0] % count
