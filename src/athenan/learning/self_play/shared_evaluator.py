"""One evaluator for the actors of a process: it evaluates the states that they wait for in one batch.

A batch begins when all actors that play wait for it. If some keep the others waiting for as long as the batch before
took, it begins without them, since waiting longer would cost more than it saves. The actor that completes a batch
evaluates it in its own thread. So an actor that ends, fails or is interrupted leaves nothing behind that others wait
for. KataGo and MiniZero also let the threads that play share an evaluator.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Condition
from time import perf_counter
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from athenan.learning.learner.protocol import PlayingEvaluator
from athenan.rules.leaves import Leaves


class _Request:
    """The states for which one actor waits, int8[n, numbers of a state], and their answer or the error of its batch."""

    def __init__(self, planes: NDArray[np.int8]) -> None:
        self.planes = planes
        self.asked = perf_counter()
        self.answer: Leaves | BaseException | None = None


class SharedEvaluator:
    """A `PlayingEvaluator` that evaluates the states of several actors together.

    Actors play inside its `with`, so that batches wait for them. Observers may ask as well, and no batch waits for
    them. While one actor plays alone, each of its requests is a batch of its own, with the answers of the evaluator
    below, bit for bit.
    """

    def __init__(self, evaluator: PlayingEvaluator, patience: float | None = None) -> None:
        """`patience`: the most seconds that a batch waits for the actors that are still searching, while the evaluator
        is free. By default as many as the batch before took.
        """
        self._evaluator, self._patience = evaluator, patience
        self._change = Condition()
        """The lock of all that follows. It is notified when a batch has ended and when an actor has left."""
        self._playing, self._waiting = 0, list[_Request]()
        self._leader: _Request | None = None
        """The request whose thread evaluates the batch; None while nothing is evaluated."""
        self._batch = list[_Request]()
        self._began = self._free_since = self._last_took = 0.0
        self.batches = 0
        """Batches evaluated."""
        self.states = 0
        """States in them."""

    @property
    def precision(self) -> str:
        """The precision of its evaluations, float32 or bfloat16."""
        return self._evaluator.precision

    @property
    def threads(self) -> int:
        """The threads that an evaluation may use."""
        return self._evaluator.threads

    def __enter__(self) -> Self:
        with self._change:
            self._playing += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._change:
            self._playing -= 1
            self._change.notify_all()

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes * rows * columns], with those for which other actors wait.

        Raises the error of the evaluation in all threads whose states were in the batch.
        """
        request = _Request(planes)
        try:
            if batch := self._join(request):
                self._end(_answers(self._evaluator, [one.planes for one in batch]))
        except BaseException as error:  # an interruption as well: nobody may wait for this thread any longer
            self._give_up(request, error)
            raise
        if isinstance(request.answer, BaseException):
            raise request.answer
        assert request.answer is not None
        return request.answer

    def refresh(self) -> None:
        """Takes the present weights of the learner; a batch in evaluation ends with the weights before."""
        with self._change:
            self._change.wait_for(lambda: self._leader is None)
            self._evaluator.refresh()

    def _join(self, request: _Request) -> list[_Request]:
        """Waits until a request is answered, or until the calling thread must evaluate the batch that has it.

        Returns this batch; an empty one if there is an answer.
        """
        with self._change:
            self._waiting.append(request)
            while request.answer is None:
                left = self._left(request)
                if left is not None and left <= 0:
                    self._leader, self._batch, self._waiting = request, self._waiting, []
                    self._began = perf_counter()
                    return self._batch
                self._change.wait(left)
            return []

    def _left(self, request: _Request) -> float | None:
        """Seconds until the batch of a request begins if nothing changes; None while a batch is being evaluated."""
        if self._leader:
            return None
        if len(self._waiting) >= self._playing:
            return 0.0
        patience = self._last_took if self._patience is None else self._patience
        return max(request.asked, self._free_since) + patience - perf_counter()

    def _end(self, answers: Sequence[Leaves | BaseException]) -> None:
        """Hands out the answers of the batch, each to its request."""
        with self._change:
            for request, answer in zip(self._batch, answers, strict=True):
                request.answer = answer
            self.batches, self.states = self.batches + 1, self.states + sum(len(one.planes) for one in self._batch)
            self._leader, self._batch, self._free_since = None, [], perf_counter()
            self._last_took = self._free_since - self._began
            self._change.notify_all()

    def _give_up(self, request: _Request, error: BaseException) -> None:
        """Takes back a request whose thread has an error; if it evaluates the batch, all in this have the error."""
        with self._change:
            if self._leader is request:
                self._end([error] * len(self._batch))
            elif request in self._waiting:
                self._waiting.remove(request)


def _answers(evaluate: PlayingEvaluator, parts: Sequence[NDArray[np.int8]]) -> list[Leaves]:
    """The answers for the states of each part, which are evaluated together."""
    if len(parts) == 1:
        return [evaluate(parts[0])]
    whole, ends = evaluate(np.concatenate(parts)), np.cumsum([len(part) for part in parts])
    return [
        Leaves(*(numbers[end - len(part) : end] for numbers in whole)) for part, end in zip(parts, ends, strict=True)
    ]


def gains_by_sharing(evaluators: Sequence[PlayingEvaluator], planes: NDArray[np.int8]) -> bool:
    """Whether actors that all ask for these states get them clearly faster if they share the first evaluator.

    It tries both ways, with a thread for each evaluator. PyTorch is loaded.
    """
    from athenan.evaluation.devices import faster

    shared = SharedEvaluator(evaluators[0])
    with ThreadPoolExecutor(len(evaluators)) as threads, ExitStack() as playing:
        for _ in evaluators:
            playing.enter_context(shared)

        def trial(asked: Sequence[PlayingEvaluator]) -> Callable[[], object]:
            return lambda: list(threads.map(lambda evaluate: evaluate(planes), asked))

        return faster({"own": trial(evaluators), "shared": trial([shared] * len(evaluators))}) == "shared"
