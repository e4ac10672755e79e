"""Lines as a program with faults sends them: words of a protocol in any order, cut, doubled, and with what is none."""

from collections.abc import Iterator, Sequence

import numpy as np


def lines_like(words: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """So many lines made of these words, the first of which is more often a word of the first half."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        picked = [words[random.integers(max(1, len(words) // 2))]] if random.random() < 0.7 else []
        picked += [words[number] for number in random.integers(len(words), size=random.integers(5))]
        line = " ".join(picked)
        if random.random() < 0.1:
            at = int(random.integers(len(line) + 1))
            line = line[:at] + chr(int(random.integers(1, 0x250))) + line[at + int(random.integers(3)) :]
        yield f"{random.integers(100)} {line}" if random.random() < 0.2 else line
