"""No setting is ignored in silence: each of every part gets a wrong value, and one where it would do nothing."""

import dataclasses
import inspect
from typing import Any

import pytest

from athenan.evaluation import architectures, heuristics
from athenan.learning.config import TrainingConfig
from athenan.learning.examples import targets
from athenan.learning.recipe import recommended
from athenan.learning.replay import methods
from athenan.search import named as searches
from athenan.settings import Kind, UnmetError, allowed, unmet
from athenan.settings.needs import needs_of

SILENT = {
    "--temperature 5": "--selection softmax", "--l2 9": "a network of PyTorch",
    "--replay.growth 3": "--replay.method all",
    "--exit.rollouts 7": "--matches-by policy", "--replay.memory-pairs 5": "--replay.method pairs",
    "--drawn-actions 3": "--selection visits", "--renewal 9": "--workers or --ray",
    "--replay.sampling-rate 0.9": "--replay.method games or pairs", "--replay.patience 9": "--replay.method all",
    "--exit.warm-start 0.5": "--matches-by policy", "--temperature 0.1": "--selection softmax",
    "--no-completed-selection --algorithm exit": "--matches-by search", "--trace 0.5": "a target that takes a trace",
}  # fmt: skip
"""Options of a default Othello -> what they need; a value that is the default is refused as well."""


@pytest.mark.parametrize("options", SILENT)
def test_an_option_that_would_do_nothing_is_refused_by_name(options, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    status, _, errors = command("train", "othello:6", *options.split(), "--matches", "1")
    option = options.split()[0].replace("--no-", "--")
    assert (status, errors.count("\n")) == (2, 1)
    assert errors.startswith(f"athenan: error: {option} needs {SILENT[options]}")
    assert not list(tmp_path.iterdir())


CONFIGS = [
    recommended("othello:6", 5), recommended("othello:6", 5, network="c"), recommended("backgammon", 5),
    recommended("othello:6", 5, algorithm="exit"), recommended("othello:6", 5, algorithm="alphazero"),
    recommended("othello:6", 5, network="c").changed(playing={"selection": "softmax"}, strength={"seconds": 0}),
    recommended("othello:6", 5).changed(replay={"method": "pairs"}),
]  # fmt: skip
COMPONENTS = {name: of for name, of in CONFIGS[0].components.items() if name != "search"}


def other(annotation: Any, value: Any) -> Any:
    """Another allowed value of a setting."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str) and not isinstance(value, float):
        ways = [way.value for way in allowed(annotation).ways if hasattr(way, "value")]
        return next((way for way in ways if way != value), "random")
    return next(one for one in (2, 4, 0.5, 7) if one != value and allowed(annotation).holds(one))


def settings() -> list[tuple[str, str]]:
    return [(of, one.name) for of, component in COMPONENTS.items() for one in dataclasses.fields(component)]


@pytest.mark.parametrize(("component", "name"), settings())
def test_every_setting_refuses_a_value_of_another_type(component, name):
    with pytest.raises(ValueError, match=f"^{name} must be "):
        CONFIGS[0].changed(**{component: {name: object()}})


def test_every_setting_with_a_need_is_refused_where_it_is_not_met_and_taken_where_it_is():
    of_component = {of: need for of, need in needs_of(TrainingConfig).items() if need}
    wanted = {(of, name) for of, name in settings() if of in of_component or needs_of(type(COMPONENTS[of]))[name]}
    refused, taken = set[tuple[str, str]](), set[tuple[str, str]]()
    for config in CONFIGS:
        silent = {(error.component, error.name) for error in unmet(TrainingConfig, config.components)}
        taken |= wanted - silent
        for of, name in silent:
            hints = inspect.get_annotations(type(COMPONENTS[of]), eval_str=True)
            value = other(hints[name], getattr(config.components[of], name))
            with pytest.raises(UnmetError, match=f"^{name} needs ") as raised:
                config.changed(**{of: {name: value}})
            assert (raised.value.component, raised.value.name) == (of, name)
            refused.add((of, name))
    assert refused == wanted
    assert taken == wanted


KINDS: list[Kind] = [architectures.KIND, heuristics.KIND, targets.KIND, methods.KIND, searches.KIND]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.what)
def test_every_part_refuses_a_foreign_setting_and_a_wrong_value_by_name(kind):
    for name, definition in kind.table.items():
        with pytest.raises(ValueError, match=f"{kind.what} '{name}:foreign=1': there is no option 'foreign'"):
            kind.named(f"{name}:foreign=1")
        for setting, annotation in kind.settings(definition).items() if kind is not heuristics.KIND else ():
            if any(getattr(way, "type", None) is str for way in allowed(annotation).ways):
                continue  # any text is allowed
            with pytest.raises(ValueError, match=f"{setting} must be "):
                kind.named(f"{name}:{setting}=()")


def test_settings_that_no_longer_do_anything_go_back_to_their_defaults():
    config = CONFIGS[4]
    assert config.playing.drawn_actions != 30
    changed = config.changed(playing={"selection": "ordinal"})
    assert changed.playing.drawn_actions == 30


def test_runs_of_before_that_kept_silent_settings_are_read():
    data = CONFIGS[0].as_json()
    data["learning"] |= {"l2": 1e-7, "trace": 0.0}
    data["playing"] |= {"temperature": 5.0, "drawn_actions": 9}
    data["replay"] |= {"growth": 3.0, "memory_pairs": 7}
    data["exit"] |= {"rollouts": 7}
    assert TrainingConfig.from_json(data) == CONFIGS[0]
