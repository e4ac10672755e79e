"""Learning steps: they move the answers of the network's heads towards the targets (003, Algorithm 7).

`learning.examples.targets` selects what is learnt from a match, `learning.replay` how often.

    >>> from athenan.evaluation.architectures import parse_architecture
    >>> from athenan.evaluation.networks import build_network
    >>> network = build_network(parse_architecture("c"), planes=(3, 9, 9), scale=25.5, bounded=False)
    >>> learner = TorchLearner(network, precision="float32")
    >>> loss = learner.step(Batch(np.zeros((128, 3, 9, 9), np.int8), np.full(128, 20, np.float32)))
"""

import copy
from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from athenan.evaluation.architectures import OwnNetwork, TorchArchitecture
from athenan.evaluation.devices import choose_device, faster, fastest_device, gpus, moved, random_states
from athenan.evaluation.evaluator import Evaluator, check_precision, use_threads
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import Heuristic
from athenan.evaluation.networks import Network, build_network, initialise, load_weights
from athenan.evaluation.torch_parts import move_towards
from athenan.learning.config import TrainingConfig
from athenan.learning.examples.examples import Batch
from athenan.learning.learner.adam import Adam
from athenan.learning.learner.losses import LossWeights
from athenan.rules.game import Game
from athenan.rules.playouts import mean_actions
from athenan.runs.checkpoint import LEARNER_PREFIX, NETWORK_PREFIX, Tensors, weights_of

OPTIMIZER_PREFIX = "optimizer."
_USUAL_ITEMS, _USUAL_STATES = 128, 64


class TorchLearner:
    """A `Learner` of a PyTorch network: Adam with L2 regularization on the sum of the heads' losses.

    `network` is changed in place, on its device. `precision` is the trunk's, forward and backward (weights and sums
    stay in float32): float32, bfloat16, or auto, which is bfloat16 if a short trial finds it clearly faster. The
    attribute `precision` holds the choice, so that another learner can repeat the results exactly.
    """

    def __init__(
        self,
        network: Network,
        learning_rate: float = 0.001,
        l2: float = 0.001,
        precision: str = "auto",
        averaging: float = 0.0,
        weights: LossWeights = LossWeights(),
        trained: bool = False,
        threads: int = 1,
        items: int = _USUAL_ITEMS,
        states: int = _USUAL_STATES,
    ) -> None:
        """Starts with a new optimizer.

        `l2`: the papers' penalty l2 * sum(w²), on all weights except biases, added to the squared error of values;
        for the error of value / scale it is l2 / scale².
        `averaging`: the decay of the running average of the weights, per step; 0: no average, as in the papers.
        `weights`: the weights of the heads' losses; they may change between steps.
        `threads`: PyTorch's on a CPU, which `begin_phase` sets for the thread that learns.
        `items`: the usual size of a minibatch, with which precisions are tried.
        `states`: how many states its evaluators are usually asked for together.
        `trained`: whether the network has learnt before, so that its average moves slowly from the first step on.
        Adam has the papers' parameters β1 = 0.9, β2 = 0.999, ε = 1e-7. Raises ValueError if there is no such precision,
        or values are learnt by divergence in a network that is not bounded.
        """
        if weights.values_by == "divergence" and not network.bounded:
            raise ValueError("values_by must be squares: divergence is for the heuristic classic, of wins and losses")
        self.network = network
        self.weights = weights
        self.averaging = averaging
        self.trained = trained
        self._threads, self._items, self._states = threads, items, states
        self._steps, self.rate_left = 0, 1.0
        self.average = copy.deepcopy(network).requires_grad_(False) if averaging else network
        """The network with averaged weights, which are steadier than the last step's."""
        self._device = next(network.parameters()).device
        matrices = [parameter for parameter in network.parameters() if parameter.ndim > 1]
        biases = [parameter for parameter in network.parameters() if parameter.ndim == 1]
        # it adds decay * w to the gradient; the penalty's gradient is 2 * l2 / scale² * w
        self._optimizer = Adam([(matrices, 2 * l2 / network.scale**2), (biases, 0.0)], learning_rate)
        self.precision = check_precision(precision, auto=lambda: "float32" if network.own else self._faster())

    def begin_phase(self) -> None:
        """Prepares the calling thread for steps; an evaluation in it may have had fewer threads."""
        use_threads(self._threads)

    def end_phase(self) -> None:
        """Raises ValueError if the weights are no longer finite."""
        if not all(torch.isfinite(weights).all() for weights in self.network.parameters()):
            raise ValueError("the network's weights are no longer finite: begin anew with a lower learning_rate")

    def evaluator(self, heads: tuple[str, ...], precision: str, threads: int) -> Evaluator:
        """An evaluator with the weights that play, on the same device."""
        return Evaluator(self.average, str(self._device), precision, threads, heads, self._states)

    def playing_weights(self) -> dict[str, NDArray[np.float32]]:
        """A copy of the weights that play."""
        return _arrays(self.average.state_dict())

    def plays_with(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Changes the weights that play. Raises ValueError if they do not fit, or are not finite."""
        load_weights(self.average, weights)

    def as_arrays(self) -> dict[str, NDArray[np.float32]]:
        """The weights that play, the weights that learning steps change if they differ, and the optimizer's state."""
        tensors = {NETWORK_PREFIX + name: tensor for name, tensor in self.average.state_dict().items()}
        if self.averaging:
            tensors |= {LEARNER_PREFIX + name: tensor for name, tensor in self.network.state_dict().items()}
        return _arrays(tensors | {OPTIMIZER_PREFIX + name: tensor for name, tensor in self.state_dict().items()})

    def restore(self, tensors: Tensors) -> None:
        """Takes what `as_arrays` gave. Raises ValueError if it is of another network, or not finite."""
        load_weights(self.average, weights_of(tensors, NETWORK_PREFIX))
        if self.averaging:
            load_weights(self.network, weights_of(tensors, LEARNER_PREFIX))
        optimizer = weights_of(tensors, OPTIMIZER_PREFIX)
        self.load_state_dict({name: torch.from_numpy(array) for name, array in optimizer.items()})

    def step(self, batch: Batch) -> float | Tensor:
        """One step of the optimizer; it skips heads without targets in the batch, or with weight 0.

        Returns the loss before the step, without the penalty. On a GPU it is a tensor, and reading it by `float` waits
        for the step. Raises ValueError if the batch has nothing to learn.
        """
        loss = self._loss(self.network, batch)
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step(self.rate_left)
        self._steps += 1
        if self.averaging:
            self._update_average()
        return loss.item() if self._device.type == "cpu" else loss.detach()

    def loss(self, batch: Batch) -> float:
        """The loss of the network that plays, without the penalty and without learning."""
        with torch.inference_mode():
            return self._loss(self.average, batch).item()

    def _loss(self, network: Network, batch: Batch) -> Tensor:
        targets, heads = batch.targets(), network.heads
        learnt = [name for name in heads if name in targets and self.weights.of(name)]
        if not learnt:
            raise ValueError(f"the batch has {', '.join(targets)}, and the heads to learn are {', '.join(heads)}")
        states = moved(batch.planes.reshape(-1, *network.planes), self._device)
        planes = states.to(torch.float32, memory_format=torch.channels_last)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self.precision == "bfloat16"):
            neurons = network.neurons(planes, learnt)
        losses = [
            self.weights.of(name)
            * self._loss_of(network, name)(heads[name](neurons), moved(targets[name], self._device))
            for name in learnt
        ]
        return sum(losses[1:], losses[0])

    def _loss_of(self, network: Network, head: str) -> Callable[[Tensor, Tensor], Tensor]:
        if head == "values" and self.weights.values_by == "divergence":
            return network.last.divergence
        return network.heads[head].loss

    def restart(self, seed: int) -> None:
        """Begins anew: random weights, a new optimizer. Heads with weight 0, which are not learnt, answer 0."""
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            initialise(self.network)
        for name, head in self.network.heads.items():
            for parameter in head.parameters() if not self.weights.of(name) else ():
                torch.nn.init.zeros_(parameter)
        self._forget_steps()
        if self.averaging:
            self.average.load_state_dict(self.network.state_dict())

    def weights_now(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """A copy of the weights of the network, and of those that play."""
        network, average = (copy.deepcopy(network.state_dict()) for network in (self.network, self.average))
        return network, average

    def load_weights(self, weights: tuple[dict[str, Tensor], dict[str, Tensor]]) -> None:
        """Goes back to weights of `weights_now`, with a new optimizer."""
        self.network.load_state_dict(weights[0])
        self.average.load_state_dict(weights[1])
        self._forget_steps()

    def _forget_steps(self) -> None:
        self._optimizer.state.clear()
        self._steps = 0

    def _update_average(self) -> None:
        """Moves the average towards the weights; faster in the beginning if it is still random."""
        weights: list[Tensor] = list(self.network.parameters())
        decay = self.averaging if self.trained else min(self.averaging, self._steps / (self._steps + 10))
        with torch.no_grad():
            move_towards([*self.average.parameters()], weights, 1 - decay)

    def state_dict(self) -> dict[str, Tensor]:
        """The optimizer's state as tensors by name, without the network's; empty before the first step."""
        return {
            f"{name}.{part}": self._optimizer.state[parameter][part].detach().clone()
            for name, parameter in self.network.named_parameters()
            if parameter in self._optimizer.state
            for part in Adam.PARTS
        }

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Loads a state of `state_dict`. Raises ValueError, without any change, if it is another network's."""
        shapes = {name: tuple(tensor.shape) for name, tensor in state.items()}
        parameters = {
            name: parameter
            for name, parameter in self.network.named_parameters()
            if f"{name}.step" in state  # weights that have not been trained have no step
        }
        expected = {
            f"{name}.{part}": () if part == "step" else tuple(parameter.shape)
            for name, parameter in parameters.items()
            for part in Adam.PARTS
        }
        if shapes and shapes != expected:
            wrong = sorted(set(shapes.items()) ^ set(expected.items()))[0][0]
            raise ValueError(f"the optimizer's state is not of this network: see {wrong!r}")
        self._forget_steps()
        for name, parameter in parameters.items() if shapes else ():
            self._optimizer.state[parameter] = {
                part: state[f"{name}.{part}"].to(self._device, torch.float32, copy=True) for part in Adam.PARTS
            }
            self._steps = max(self._steps, int(state[f"{name}.step"]))

    def _faster(self) -> str:
        """The precision whose steps are faster, tried on a copy of the network."""

        def trial(precision: str) -> Callable[[], object]:
            learner = TorchLearner(copy.deepcopy(self.network), precision=precision)
            batch = _trial_batch(self._items, self.network)
            return lambda: float(learner.step(batch))

        return faster({precision: trial(precision) for precision in ("float32", "bfloat16")}, seconds=0.2)


def _trial_batch(items: int, network: Network) -> Batch:
    return Batch(random_states(items, network.planes), np.zeros(items, np.float32))


def _fastest_device(network: Network, items: int, states: int) -> str:
    """The device on which an evaluation of so many states and a step with so many items are fastest together."""

    def trial(name: str) -> Callable[[], object]:
        learner = TorchLearner(copy.deepcopy(network).to(choose_device(name)), precision="float32")
        evaluate, planes = learner.evaluator(("values",), "float32", 1), random_states(states, network.planes)
        batch = _trial_batch(items, network)
        return lambda: (evaluate(planes), float(learner.step(batch)))

    return fastest_device(trial)


def torch_learner(
    config: TrainingConfig,
    game: Game,
    heuristic: Heuristic,
    architecture: TorchArchitecture | OwnNetwork,
    saved: Tensors | None,
) -> TorchLearner:
    """A learner of a network with random weights, which follow from the seed of the training.

    `saved` is what it will restore, if anything. Raises ValueError as `build_network` does.
    """
    run, learning = config.run, config.learning
    torch.set_num_threads(run.threads)
    network = build_network(
        architecture, game.planes, heuristic.scale, heuristic.bounded, config.heads, ActionSpace.of(game), run.seed,
        None if saved is None else weights_of(saved, NETWORK_PREFIX),
    )  # fmt: skip
    items, states = _USUAL_ITEMS, _USUAL_STATES
    if gpus():  # there the size of a batch decides; a CPU would take long to try large ones
        items, states = config.replay.batch_size, round(mean_actions(game)) * config.playing.parallel_matches
    device = _fastest_device(network, items, states) if learning.device == "auto" else learning.device
    return TorchLearner(
        network.to(choose_device(device)), learning.learning_rate, learning.l2, learning.learning_precision,
        learning.averaging, config.losses, run.initial is not None, run.threads, items, states,
    )  # fmt: skip


def _arrays(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[np.float32]]:
    return {name: np.array(tensor.cpu().numpy()) for name, tensor in tensors.items()}
