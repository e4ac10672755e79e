"""Proximal policy optimisation in self-play: Connect Four learnt by PyTorch from a batch of environments, in one file.

    python examples/ppo_connect_four.py --minutes 10 --folder ppo

The network plays both sides of 512 matches at once, with masks of legal actions, and learns from every state for the
side to move. It is kept each minute; `--measure` plays the kept networks against players of the package:

    python examples/ppo_connect_four.py --measure --folder ppo

In the manner of CleanRL: read it from top to bottom, and change what you like. Source of the algorithm: J. Schulman et
al., "Proximal policy optimization algorithms" (2017).
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

from athenan import make
from athenan.environments import OpponentBatch, StateBatch
from athenan.play.player import Move, RandomPlayer

GAME = make("connect_four")
ROWS, STEPS, EPOCHS, MINIBATCHES, MIRROR = 512, 32, 3, 8, 0.5
RATE, CLIP, DISCOUNT, TRACE, ENTROPY, VALUE_WEIGHT = 1e-3, 0.2, 1.0, 0.9, 0.02, 0.5
OPPONENTS = ("athenan:beginner", "athenan:casual", "athenan:club")


class Agent(nn.Module):
    """Logits of all actions, and the expected gain of the side to move."""

    def __init__(self) -> None:
        super().__init__()
        cells = int(np.prod(GAME.planes[1:]))
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(2 * cells, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
        )  # fmt: skip
        self.policy, self.value = nn.Linear(256, GAME.action_count), nn.Linear(256, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, own: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(own)
        return self.policy(hidden).masked_fill(~masks, -1e9), torch.tanh(self.value(hidden))[:, 0]


def own_view(observations: np.ndarray, players: np.ndarray) -> torch.Tensor:
    """The pieces of the side to move, then the opponent's; float32[n, 2, rows, columns], a copy."""
    first = (players == 0)[:, None, None, None]
    return torch.from_numpy(np.where(first, observations[:, :2], observations[:, 1::-1])).float()


def collect(agent: Agent, batch: StateBatch) -> dict[str, torch.Tensor]:
    """Plays some steps in every row; what happened, with the advantages, each [STEPS * ROWS, ...]."""
    kept = []
    for _ in range(STEPS):
        own, masks = own_view(batch.observations, batch.players), torch.from_numpy(batch.masks.copy())
        movers = torch.from_numpy(batch.players.astype(np.int64))
        mirrored = torch.rand(ROWS) < MIRROR  # the mirror image of the board has the mirrored actions
        own = torch.where(mirrored[:, None, None, None], own.flip(3), own)
        masks = torch.where(mirrored[:, None], masks.flip(1), masks)
        with torch.inference_mode():
            logits, values = agent(own, masks)
        logs = functional.log_softmax(logits, 1)
        actions = torch.multinomial(logs.exp(), 1)[:, 0]
        batch.step(torch.where(mirrored, GAME.action_count - 1 - actions, actions).numpy())
        rewards = torch.from_numpy(batch.rewards).gather(1, movers[:, None])[:, 0]
        ends = torch.from_numpy(batch.ends.copy())
        kept.append((own, masks, movers, actions, logs.gather(1, actions[:, None])[:, 0], values, rewards, ends))
    own, masks, movers, actions, logs, values, rewards, ends = (torch.stack(one) for one in zip(*kept, strict=True))
    with torch.inference_mode():
        _, after = agent(own_view(batch.observations, batch.players), torch.from_numpy(batch.masks))
    advantages, found = torch.zeros_like(values), torch.zeros(ROWS)
    mover_after = torch.from_numpy(batch.players.astype(np.int64))
    for step in reversed(range(STEPS)):
        # what the other side gains, this one loses
        sign = torch.where(movers[step] == mover_after, 1.0, -1.0) * (~ends[step])
        delta = rewards[step] + DISCOUNT * sign * after - values[step]
        advantages[step] = found = delta + DISCOUNT * TRACE * sign * found
        after, mover_after = values[step], movers[step]
    named = {"own": own, "masks": masks, "actions": actions, "logs": logs, "values": values, "advantages": advantages}
    return {name: one.flatten(0, 1) for name, one in named.items()}


def learn(agent: Agent, optimiser: torch.optim.Optimizer, seen: dict[str, torch.Tensor]) -> float:
    """A few passes over what was seen; returns the mean entropy of the policy."""
    targets, size = seen["values"] + seen["advantages"], len(seen["actions"]) // MINIBATCHES
    entropies = []
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(targets)).split(size):
            own, masks, actions = seen["own"][rows], seen["masks"][rows], seen["actions"][rows]
            logits, values = agent(own, masks)
            logs = functional.log_softmax(logits, 1)
            ratio = (logs.gather(1, actions[:, None])[:, 0] - seen["logs"][rows]).exp()
            gain = seen["advantages"][rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            entropy = -(logs.exp() * logs.clamp(min=-50)).sum(1).mean()
            loss = policy_loss + VALUE_WEIGHT * functional.mse_loss(values, targets[rows]) - ENTROPY * entropy
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()
            entropies.append(float(entropy.detach()))
    return float(np.mean(entropies))


def train(folder: Path, minutes: float, seed: int, threads: int) -> None:
    """Trains for minutes of processor time, which other programs do not change, and keeps the network each minute."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    batch, agent = StateBatch(GAME, ROWS, threads=threads), Agent()
    batch.reset(seed=seed)
    optimiser = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    began, wall, steps, minute = time.process_time(), time.perf_counter(), 0, 1
    while minute <= minutes:
        spent = (time.process_time() - began) / 60
        for group in optimiser.param_groups:
            group["lr"] = RATE * max(0.05, 1 - spent / minutes)
        entropy = learn(agent, optimiser, collect(agent, batch))
        steps += ROWS * STEPS
        if (time.process_time() - began) / 60 >= minute:
            save_file(agent.state_dict(), folder / f"{minute}.safetensors")
            line = {"minutes": minute, "wall_minutes": round((time.perf_counter() - wall) / 60, 2), "steps": steps}
            print(json.dumps({**line, "entropy": round(entropy, 3)}), flush=True)
            minute += 1


def loaded(file: Path) -> Agent:
    """The network of a file."""
    agent = Agent()
    agent.load_state_dict(load_file(file))
    return agent.eval()


@torch.inference_mode()
def best(agent: Agent, observations: np.ndarray, masks: np.ndarray, players: np.ndarray) -> np.ndarray:
    """The most likely action of each state."""
    logits, _ = agent(own_view(observations, players), torch.from_numpy(masks))
    return logits.argmax(1).numpy()


def measure(agent: Agent, opponent: str, matches: int = 200) -> float:
    """The share of points against a player, half of the matches with each side; a draw is half a point."""
    batch = OpponentBatch(GAME, matches, opponent, side="both")
    batch.reset(seed=1)
    points, open_rows = 0.0, np.ones(matches, bool)
    while open_rows.any():  # the first match of each row, so that short ones count no more than long ones
        batch.step(best(agent, batch.observations, batch.masks, batch.players))
        over = batch.ends & open_rows
        points += float((batch.rewards[over] + 1).sum() / 2)
        open_rows &= ~over
    return points / matches


class PpoPlayer(RandomPlayer):
    """The network as a player of the package, for matches, tournaments and analyses: `ppo:FILE`."""

    def __init__(self, game: object, file: str) -> None:
        self.name, self.agent = f"ppo:{file}", loaded(Path(file))

    def select(self, state: np.ndarray, limit: object) -> Move:
        masks = np.zeros((1, GAME.action_count), bool)
        masks[0, GAME.actions(state)] = True
        return Move(int(best(self.agent, GAME.encode(state)[None], masks, state[:1])[0]))


def main() -> None:
    """Trains, or measures what was kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("ppo"), help="where the networks are kept")
    parser.add_argument("--minutes", type=float, default=10, help="minutes of processor time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="threads of PyTorch and of the environments")
    parser.add_argument("--measure", action="store_true", help="play the kept networks against players of the package")
    given = parser.parse_args()
    if not given.measure:
        return train(given.folder, given.minutes, given.seed, given.threads)
    for file in sorted(given.folder.glob("*.safetensors"), key=lambda one: float(one.stem)):
        points = {opponent: round(measure(loaded(file), opponent), 3) for opponent in OPPONENTS}
        print(json.dumps({"minutes": float(file.stem), **points}), flush=True)
    return None


if __name__ == "__main__":
    main()
