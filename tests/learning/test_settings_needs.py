"""No setting is ignored in silence: each of every part gets a wrong value, and one where it would do nothing."""

import dataclasses
import inspect
import re
from typing import Any

import pytest
from small_trainings import changed

from athenan.cli.arguments import items
from athenan.cli.train import Train, naming_options
from athenan.cli.train import run as train
from athenan.evaluation import architectures, heuristics
from athenan.learning.config import TrainingConfig
from athenan.learning.examples import targets
from athenan.learning.recipe import recommended
from athenan.learning.replay import methods
from athenan.search import named as searches
from athenan.settings import Kind, UnmetError, allowed, unmet, within
from athenan.settings.needs import needs_of

SILENT = {
    "--selection ordinal:temperature=5": "there is no option 'temperature'; it has no options",
    "--learner adam:l2=9": ": l2 needs a network of PyTorch",
    "--replay stratified:growth=3": "there is no option 'growth'; its options are memory, duplication, ",
    "--exit.rollouts 7": " needs --matches-by policy",
    "--replay none:memory=5": "there is no option 'memory'; its options are batch_size, ",
    "--selection ordinal:drawn_actions=3": "there is no option 'drawn_actions'",
    "--renewal 9": " needs --workers or --ray",
    "--replay stratified:sampling_rate=0.9": "there is no option 'sampling_rate'",
    "--replay stratified:patience=9": "there is no option 'patience'",
    "--exit.warm-start 0.5": " needs --matches-by policy",
    "--selection visits:temperature=0.1": "there is no option 'temperature'; its options are drawn_actions",
    "--selection softmax:temperature=0.1 --matches-by turns --target root": " needs --matches-by search, and",
    "--no-completed-selection --algorithm exit": " needs --matches-by search",
    "--target tree:trace=0.5": ": trace needs a target that takes a trace",
    "--target=tree:policy=visits": ": policy needs a target that takes a policy",
}
"""Options of a default Othello -> what is wrong; a value that is the default is refused as well."""


@pytest.mark.parametrize("options", SILENT)
def test_an_option_that_would_do_nothing_is_refused_by_name(options, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    status, _, errors = command("train", "othello:6", *options.split(), "--matches", "1")
    option = re.split("[ =]", options)[0].replace("--no-", "--")
    assert (status, errors.count("\n")) == (2, 1)
    assert errors.startswith(f"athenan: error: {option}") and SILENT[options] in errors
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
        changed(CONFIGS[0], **{component: {name: object()}})


def test_every_setting_with_a_need_is_refused_where_it_is_not_met_and_taken_where_it_is():
    of_component = {of: need for of, need in needs_of(TrainingConfig).items() if need}
    of_part = {(of, name) for of, one in COMPONENTS.items() for name, note in within(one.__class__).items() if note.of}
    wanted = of_part | {
        (of, name) for of, name in settings() if of in of_component or needs_of(COMPONENTS[of].__class__)[name]
    }
    refused, taken = set[tuple[str, str]](), set[tuple[str, str]]()
    for config in CONFIGS:
        silent = {(error.component, error.name) for error in unmet(TrainingConfig, config.components)}
        taken |= wanted - silent
        for of, name in silent:
            hints = inspect.get_annotations(type(COMPONENTS[of]), eval_str=True)
            value = other(hints[name], getattr(config.components[of], name))
            with pytest.raises(UnmetError, match=f"^{name} needs ") as raised:
                changed(config, **{of: {name: value}})
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


REPLAYS = "batch_size augmentation pairs_limit mebibytes colours share"
TAKEN = {
    "replay.method stratified": f"memory duplication {REPLAYS}",
    "replay.method games": f"memory sampling_rate {REPLAYS}",
    "replay.method pairs": f"memory sampling_rate {REPLAYS}",
    "replay.method none": REPLAYS,
    "replay.method all": f"growth patience {REPLAYS}",
    "learning.learner adam": "rate cooldown averaging l2 precision threads",
    "learning.target tree": "trace policy",
    "learning.target tree_with_leaves": "trace policy",
    "learning.target root": "trace policy",
    "learning.target terminal": "trace policy",
    "playing.selection ordinal": "",
    "playing.selection epsilon_greedy": "",
    "playing.selection softmax": "temperature",
    "playing.selection visits": "drawn_actions",
}
"""Setting and part -> what its text takes. Targets without a trace or a policy refuse it afterwards (`SILENT`)."""


@pytest.mark.parametrize("part", TAKEN)
def test_the_text_of_a_part_refuses_wrong_values_and_foreign_settings_by_name(part):
    place, name = part.split()
    component, setting = place.split(".")
    (option,) = (item.option for item in items(Train) if (item.component, item.field) == (component, setting))
    every = {note.name for note in within(COMPONENTS[component].__class__).values() if note.part == setting}
    assert set(TAKEN[part].split()) <= every
    for one in (*every, "foreign"):
        for value in ("()", ""):
            text = f"{name}:{one}={value}"
            wrong = f"{one} must be " if one in TAKEN[part].split() else f"there is no option '{one}'"
            with naming_options(), pytest.raises(ValueError, match=re.escape(f"'{text}': {wrong}")):
                changed(CONFIGS[0], **{component: {setting: text}})
        with pytest.raises(ValueError, match=f"^{option} '{name}:"):
            train(["othello:6", option, text, "--matches", "1"])


def test_every_part_of_the_tables_is_tried():
    parts = {one.split()[1] for one in TAKEN}
    assert {*methods.METHODS, *targets.TARGETS} <= parts
    hints = inspect.get_annotations(type(COMPONENTS["playing"]), eval_str=True)
    assert {str(way) for way in allowed(hints["selection"]).ways} <= parts


def test_the_text_of_a_part_says_what_its_settings_say():
    config = CONFIGS[1]
    for component, texts, settings in (
        ("replay", {"method": "pairs:memory=7,sampling_rate=0.5,mebibytes=3"},
         {"method": "pairs", "memory_pairs": 7, "sampling_rate": 0.5, "memory": 3}),
        ("replay", {"method": "games:memory=7"}, {"method": "games", "memory_matches": 7}),
        ("learning", {"target": "root:policy=visits,trace=0.5", "learner": "adam:rate=0.5,averaging=0.25,l2=2"},
         {"target": "root", "policy_target": "visits", "trace": 0.5, "learning_rate": 0.5, "averaging": 0.25, "l2": 2}),
        ("playing", {"selection": "softmax:temperature=5"}, {"selection": "softmax", "temperature": 5.0}),
    ):  # fmt: skip
        written, said = changed(config, **{component: texts}), changed(config, **{component: settings})
        assert written == said != config
        assert written == TrainingConfig.from_json(written.as_json())
        own = type(COMPONENTS[component])
        assert own(**texts) == own(**settings)


def test_what_a_text_leaves_out_stays_and_what_it_repeats_is_refused():
    recipe = CONFIGS[4]
    assert recipe.replay.duplication == 16
    changed = recipe.changed(replay={"method": "stratified:memory=7"})
    assert (changed.replay.memory_matches, changed.replay.duplication) == (7, 16)
    with pytest.raises(ValueError, match=r"^duplication is given twice: by itself and within method 'stratified:"):
        recipe.changed(replay={"method": "stratified:duplication=3", "duplication": 3.0})
    with pytest.raises(ValueError, match="method 'stratified:memory=3,memory=3': option memory is given twice"):
        recipe.changed(replay={"method": "stratified:memory=3,memory=3"})


GONE = {
    "--learning-rate": "--learner NAME:rate=VALUE", "--replay.memory_matches": "--replay NAME:memory=VALUE",
    "--replay.memory": "--replay NAME:mebibytes=VALUE", "--l2": "--learner NAME:l2=VALUE",
    "--temperature": "--selection NAME:temperature=VALUE", "--policy-target": "--target NAME:policy=VALUE",
}  # fmt: skip


@pytest.mark.parametrize("option", GONE)
def test_a_setting_of_a_part_is_no_option_and_the_error_says_where_it_is_written(option, command):
    assert command("train", "othello:6", option, "3")[::2] == (
        2, f"athenan: error: there is no option {option.replace('_', '-')}: write {GONE[option]}\n",
    )  # fmt: skip


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
