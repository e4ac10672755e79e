"""Evaluates batches of encoded states by a network: values, and the answers of other heads.

A search asks for the values of a few to some hundred states at a time. In between, the rules run on the same CPU.

    >>> import numpy as np
    >>> from athenan.evaluation.architectures import parse_architecture
    >>> from athenan.evaluation.networks import build_network
    >>> network = build_network(parse_architecture("c"), planes=(3, 9, 9), scale=25.5, bounded=False)
    >>> evaluate = Evaluator(network, device="cpu", precision="float32")
    >>> evaluate(np.zeros((45, 3, 9, 9), np.int8)).values.shape
    (45,)
"""

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
import torch
from numpy.typing import NDArray

from athenan.evaluation.devices import choose_device, faster, fastest_device, random_states
from athenan.evaluation.few import few_states
from athenan.evaluation.inference import PRECISIONS, copy_weights, inference_copy
from athenan.evaluation.networks import Network
from athenan.rules.heads import VALUES
from athenan.rules.leaves import Leaves
from athenan.settings import Threads, check_value

_LARGEST_BATCH = {"cpu": 1024, "cuda": 16384}
_USUAL_BATCH = 64


class Evaluator:
    """Evaluates states by some heads of a network on one device in one precision.

    It uses a copy of the network's weights, taken at its creation and at each `refresh`. Another thread may call
    `refresh`: no batch mixes the weights of two networks.
    """

    def __init__(
        self,
        network: Network,
        device: str = "auto",
        precision: str = "auto",
        threads: int = 1,
        heads: Sequence[str] = VALUES,
        usual: int = _USUAL_BATCH,
    ) -> None:
        """Copies the network to a device.

        `device`: cpu, cuda, cuda:1, ..., or auto: a GPU if it evaluates `usual` states together clearly faster than the
        CPU. `usual`: how many states are usually asked for together; trials ask for as many. `precision`: float32,
        bfloat16, or auto (bfloat16 if a short trial finds it clearly faster); the attribute `precision` holds the
        choice, so that another evaluator can repeat the results exactly. `threads`: PyTorch's threads on a CPU, set by
        each evaluation for the calling thread; several are faster only while no other process needs the cores. `heads`:
        the heads to evaluate; `Algorithm.asked` gives the heads that an algorithm needs. On a CPU, compiled code
        (`few`) evaluates a few states in float32, unless only values are asked for: searches ask for the values of many
        states at a time. With a small dense network it evaluates any number of states. Raises ValueError if the device
        or precision does not exist, or the network lacks a head.
        """
        check_value("threads", Threads, threads)
        self.threads = threads
        self._lock = Lock()
        if missing := [name for name in heads if name not in network.heads]:
            raise ValueError(f"the network has no head {missing[0]!r}; its heads are {', '.join(network.heads)}")
        self.heads = tuple(heads)
        self._network, self._planes, self._usual = network, network.planes, usual
        self.device = choose_device(self._fastest_device() if device == "auto" else device)
        self._largest = _LARGEST_BATCH[self.device.type]
        on_gpu = self.device.type == "cuda"
        self._batch = torch.zeros((self._largest, *self._planes), dtype=torch.int8, pin_memory=on_gpu)
        self._batch_array = self._batch.numpy()
        self._few = few_states(network, self.heads) if not on_gpu else None
        coarse = network.own  # values of a user's module would be coarse in bfloat16
        self.precision = check_precision(precision, auto=lambda: "float32" if coarse else self._faster())
        self._model = self._copy(self.precision)

    def __call__(self, planes: NDArray[np.int8]) -> Leaves:
        """Evaluates encoded states, int8[n, planes, rows, columns] or flattened to [n, ...], for a search.

        The answers are from the first player's point of view. Heads that are not fields of `Leaves` are left out.
        Raises ValueError if a state has another size.
        """
        answers = zip(self.heads, self._answers(planes), strict=True)
        return Leaves(**{name: answer for name, answer in answers if name in Leaves._fields})

    def answers(self, planes: NDArray[np.int8]) -> dict[str, NDArray[np.float32]]:
        """The answers of all evaluated heads by name, each float32[n, ...]."""
        return dict(zip(self.heads, self._answers(planes), strict=True))

    def _answers(self, planes: NDArray[np.int8]) -> list[NDArray[np.float32]]:
        count = len(planes)
        states = np.asarray(planes, np.int8).reshape(count, -1 if count else self._batch[0].numel())
        if states.shape[1] != self._batch[0].numel():
            raise ValueError(f"a state has {states.shape[1]} numbers here, but the network sees {self._planes}")
        parts = [
            self._evaluate(states[start : start + self._largest].reshape(-1, *self._planes))
            for start in range(0, max(1, count), self._largest)
        ]
        return parts[0] if len(parts) == 1 else [np.concatenate(answer) for answer in zip(*parts, strict=True)]

    def usual_planes(self) -> NDArray[np.int8]:
        """Random planes for trials, as many as are usually asked for together."""
        return random_states(self._usual, self._planes)

    def refresh(self) -> None:
        """Copies the current weights of the network; this takes some milliseconds."""
        with self._lock, torch.inference_mode():
            copy_weights(self._network, self._model)
            if self._few:
                self._few.refresh()

    def _evaluate(self, planes: NDArray[np.int8]) -> list[NDArray[np.float32]]:
        """The answers of the heads for at most `_largest` states."""
        count = len(planes)
        if self._few and self._few.suits(count):
            with self._lock:
                return self._few(planes.reshape(count, self._batch[0].numel()))
        use_threads(self.threads)
        with self._lock, torch.inference_mode():
            self._batch_array[:count] = planes
            batch = self._batch[: rounded_batch(max(1, count))].to(self.device, non_blocking=True)
            batch = batch.to(PRECISIONS[self.precision], memory_format=torch.channels_last)
            answers = self._model.answers(batch, self.heads)
            if self.device.type == "cuda":  # all copies, then one wait for them
                answers = [answer.to("cpu", non_blocking=True) for answer in answers]
                torch.cuda.current_stream(self.device).synchronize()
            return [answer[:count].cpu().numpy() for answer in answers]

    def _copy(self, precision: str) -> Network:
        with torch.inference_mode():
            return inference_copy(self._network, self.device, precision)

    def _fastest_device(self) -> str:
        """The device that evaluates random planes fastest."""
        planes = self.usual_planes()

        def trial(device: str) -> Callable[[], object]:
            tried = Evaluator(self._network, device, "float32", self.threads, self.heads, self._usual)
            return lambda: tried.answers(planes)

        return fastest_device(trial)

    def _faster(self) -> str:
        """The precision that evaluates random planes fastest."""
        planes = self.usual_planes()

        def trial(precision: str) -> Callable[[], object]:
            self.precision, self._model = precision, self._copy(precision)
            model = self._model

            def run() -> object:
                self.precision, self._model = precision, model
                return self._evaluate(planes)

            return run

        return faster({precision: trial(precision) for precision in PRECISIONS})


def rounded_batch(count: int) -> int:
    """The batch size for evaluating `count` states: at most 1/16 more.

    oneDNN prepares code for each batch size and keeps about a thousand such preparations.
    """
    step = 1 << max(0, count.bit_length() - 5)
    return -(-count // step) * step


def use_threads(number: int) -> None:
    """Sets the number of PyTorch's threads for the calling thread.

    A thread's first computation, or its first question for the number, takes the one that any thread has set last. So
    it has to ask before it sets its own.
    """
    torch.get_num_threads()
    torch.set_num_threads(number)


def check_precision(name: str, auto: Callable[[], str]) -> str:
    """The name of the precision to use. Raises ValueError for an unknown name."""
    if name == "auto":
        return auto()
    if name not in PRECISIONS:
        raise ValueError(f"precision must be auto, {' or '.join(PRECISIONS)}, not {name!r}")
    return name
