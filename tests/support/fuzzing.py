"""Input as programs and files with faults have it, and what all who take it promise."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from athenan.engines.serving import Server


def faulty(text: str, random: np.random.Generator) -> str:
    """The text with one character in the place of up to two."""
    at = int(random.integers(len(text) + 1))
    return text[:at] + chr(int(random.integers(1, 0x250))) + text[at + int(random.integers(3)) :]


def lines_like(words: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Lines made of these words, in any order, some with a fault; the first is more often of the first half."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        picked = [words[int(random.integers(max(1, len(words) // 2)))]] if random.random() < 0.7 else []
        picked += [words[number] for number in random.integers(len(words), size=random.integers(5))]
        line = " ".join(picked)
        if random.random() < 0.1:
            line = faulty(line, random)
        yield f"{random.integers(100)} {line}" if random.random() < 0.2 else line


def damaged(sources: Sequence[bytes], signs: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Contents of files like these sources, with up to four pieces cut out, doubled, or replaced by signs."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        data = bytearray(sources[int(random.integers(len(sources)))])
        for _ in range(random.integers(1, 5)):
            at, other = (int(number) for number in random.integers(len(data) + 1, size=2))
            length = int(random.integers(12))
            strange = bytes(random.choice(list(signs), 2).astype(np.uint8))
            data[at : at + length] = [b"", strange, bytes(data[other : other + length])][random.integers(3)]
        yield bytes(data)


def require_sentence(reason: str) -> None:
    """A reason is one line that can be shown."""
    assert 0 < len(reason) < 500
    assert reason.isprintable()


def require_taken(server: Server, lines: Iterator[str]) -> None:
    """A server takes every line without an exception and goes on, and ends what it was doing when no more come."""
    for line in lines:
        assert server.handle(line) in (True, False)
    server.close()


def require_read_or_refused(read: Callable[[bytes], object], contents: Iterator[bytes]) -> None:
    """Every content is read, or refused with a sentence, and there are enough of both."""
    outcomes = list[bool]()
    for content in contents:
        try:
            read(content)
        except ValueError as error:
            require_sentence(str(error))
            outcomes.append(False)
        else:
            outcomes.append(True)
    refused = outcomes.count(False)
    assert len(outcomes) / 20 < refused < len(outcomes)
