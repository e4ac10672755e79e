"""The trainings of the papers' experiments."""

import torch

from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.heuristics import make_heuristic
from athenan.evaluation.networks import build_network
from athenan.experiments.catalogue import EXPERIMENTS
from athenan.experiments.trainings import training_config
from athenan.games.catalogue import make

OURS = ("graded", "action-values", "ablation", "sequel-unbounded", "sequel-searches")


PAPERS = [name for name in EXPERIMENTS if name not in OURS]


def config_of(name, game, combination):
    return training_config(EXPERIMENTS[name]("paper"), combination, make(game).name, 1)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def weights(name, game, combination):
    config = config_of(name, game, combination)
    rules = make(game)
    heuristic = make_heuristic(config.run.heuristic, rules)
    with torch.device("meta"):  # the weights are counted, not drawn
        network = build_network(
            parse_architecture(config.run.network), heuristic.tracked(rules).planes, heuristic.scale, heuristic.bounded,
            config.heads, ActionSpace.of(rules),
        )  # fmt: skip
    return sum(parameter.numel() for parameter in network.parameters())
