"""A transport without a program: it expects lines, and answers each with lines."""

from athenan.play.player import Forfeit


class Scripted:
    """Expects the lines of a conversation in their order; `None` as an answer is a program that has ended."""

    def __init__(self, *script: tuple[str, *tuple[str | None, ...]]) -> None:
        self.name = "it"
        self.script, self.waiting, self.closed = list(script), list[str | None](), False

    def send(self, line: str) -> None:
        assert self.script, f"nothing more was expected, not {line!r}"
        expected, *answers = self.script.pop(0)
        assert line == expected
        self.waiting += answers

    def receive(self, seconds: float) -> str:
        assert seconds >= 0
        if not self.waiting:
            raise Forfeit(f"it did not answer within {seconds:g} s")
        if (line := self.waiting.pop(0)) is None:
            raise Forfeit("it has ended")
        return line

    def close(self) -> None:
        self.closed = True
