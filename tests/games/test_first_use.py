"""A user's game is checked before its first use, so that no fault ends the process; a right one is checked once."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from athenan import Budget, Game, GameError, analyze, check_game, make
from athenan.games import first_use
from athenan.rules import conformance
from athenan.rules.conformance import passed

PAGE = Path(__file__).parents[2] / "docs" / "games" / "own_game.md"
FOUND = re.search(r"<!-- the file nim.py -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
NIM = FOUND[1] if FOUND else ""
FAULTS = (
    NIM.replace("def make(", "def right(")
    + """

from athenan.rules.facts import altered


@rules.kernel(rules.ACTIONS)
def none(params, state, actions):
    return 0


@rules.kernel(rules.OUTCOME)
def never(params, state):
    return rules.ONGOING


@rules.kernel(rules.ACTIONS)
def out_of_range(params, state, actions):
    actions[0] = 1_000_000
    return 1


@rules.kernel(rules.ACTIONS)
def unsorted(params, state, actions):
    actions[0], actions[1] = 5, 0
    return 2


@rules.kernel(rules.ACTIONS)
def too_many(params, state, actions):
    for action in range(1000):
        actions[action] = action
    return 1000


@rules.kernel(rules.PLAY)
def far_away(params, state, action, following):
    following[params[0] + (1 << 44)] = 7


@rules.kernel(rules.PLAY)
def beyond(params, state, action, following):
    for place in range(100):
        following[place] = 0


@rules.kernel(rules.PLAY)
def endless(params, state, action, following):
    while params[0] < 1000:
        following[0] += 1


@rules.kernel(rules.PLAY)
def waiting(params, state, action, following):
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - state[0])


@rules.kernel(rules.PLAY)
def raising(params, state, action, following):
    raise ValueError("no such heap")


@rules.kernel(rules.ENCODE)
def dividing(params, state, planes):
    planes[0] = 1 // (params[0] - params[0])


@rules.kernel(rules.OUTCOME)
def seven(params, state):
    return rules.ONGOING if state[rules.HEADER :].any() else 7


@rules.kernel(rules.OUTCOME)
def not_a_number(params, state):
    return np.int64(np.nan)


@rules.kernel(rules.ENCODE)
def half(params, state, planes):
    planes[0] = 1


@rules.kernel(rules.SCORE)
def large(params, state):
    return 5 * rules.mover_lost(state)


@rules.kernel(rules.SCORE)
def opposite(params, state):
    return -rules.mover_lost(state)


@rules.kernel(rules.STATE_VALUE)
def no_value(game, state):
    return np.nan


@rules.kernel(rules.SAMPLE)
def foreign(params, state, random):
    return 77


KERNELS = dict(initial=initial, actions=actions, play=play, outcome=outcome, encode=encode)
TABLES = dict(
    none=dict(actions=none), never=dict(outcome=never), out_of_range=dict(actions=out_of_range),
    unsorted=dict(actions=unsorted), too_many=dict(actions=too_many), far_away=dict(play=far_away),
    beyond=dict(play=beyond), endless=dict(play=endless), waiting=dict(play=waiting), raising=dict(play=raising),
    dividing=dict(encode=dividing), seven=dict(outcome=seven), not_a_number=dict(outcome=not_a_number),
    half=dict(encode=half), large=dict(score=large), opposite=dict(score=opposite), foreign=dict(sample=foreign),
)
OTHERS = dict(
    large=dict(max_score=4), opposite=dict(max_score=4),
    few_planes=dict(planes=(1, 3, 3), plane_symmetries=np.zeros((0, 0), np.int32)),
    no_value=dict(evaluations={"no_value": no_value}), few_actions=dict(max_actions=3), short=dict(max_length=2),
    symmetries=dict(
        plane_symmetries=np.stack([np.arange(18), np.arange(18)[::-1]]).astype(np.int32),
        action_symmetries=np.stack([np.arange(9), np.arange(9)]).astype(np.int32), action_planes=0, action_places=None,
    ),
    params=dict(params=np.array([3, 0], np.int32)), name=dict(action_name=lambda state, action: {}[action]),
    small_state=dict(state_size=16),
)


def make(fault: str = "nothing") -> rules.Game:
    table = rules.table(**{**KERNELS, **TABLES.get(fault, {})})
    return altered(right(3), table=table, carries_over=(), **OTHERS.get(fault, {}))
"""
)
SAID = {
    "none": "actions and outcome disagree on the end of the match",
    "never": "actions and outcome disagree on the end of the match",
    "out_of_range": "an action is out of range",
    "unsorted": "the legal actions do not ascend",
    "too_many": "actions writes beyond max_actions|actions returns 1000",
    "far_away": "SIG(SEGV|BUS) in play: this kernel, or one called before it",
    "beyond": "play writes beyond state_size",
    "endless": "play did not return within 0.5 s: is there an endless loop",
    "waiting": "a match is longer than max_length = 6",
    "raising": "play raised ValueError: no such heap",
    "dividing": "encode leaves some of its output unwritten",
    "seven": "the outcome must be 1, 0, -1 or ongoing, not 7",
    "not_a_number": "actions and outcome disagree|the outcome must be",
    "half": "encode leaves some of its output unwritten",
    "large": "the score -?5 is larger than max_score = 4",
    "opposite": "the score -?1 does not have the sign of the gain",
    "foreign": "sample draws other actions than the legal ones",
    "few_planes": "encode writes beyond planes",
    "no_value": "the evaluation no_value gives a state nan, no finite number",
    "few_actions": "actions writes beyond max_actions",
    "short": "a match is longer than max_length = 2",
    "symmetries": "symmetry 1 does not map matches to matches",
    "params": "params must be a vector of int64",
    "name": "its action_name raised KeyError",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for what has passed; compiled code stays where it is."""
    monkeypatch.setattr(passed, "_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file with a kernel for each fault, so that the right kernels are compiled once."""
    file = tmp_path_factory.mktemp("faults") / "faults.py"
    file.write_text(FAULTS)
    return file


@pytest.mark.one_of(3)
@pytest.mark.parametrize("fault", SAID)
def test_the_first_use_of_a_wrong_game_is_an_error(
    fault: str, faults: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "endless":
        monkeypatch.setattr(conformance, "QUICK_SECONDS", 0.5)
    game = make(f"{faults}:{fault}")
    for use in (game.initial, lambda: analyze(game, budget=Budget(iterations=1))):
        with pytest.raises(GameError, match=SAID[fault]) as error:
            use()
        assert str(faults) in str(error.value)
        assert "\n" not in str(error.value)
    assert not cache.exists()


def test_a_right_game_is_checked_once(faults: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = list[str]()
    check = first_use.check_quickly

    def checking(game: Game) -> None:
        checked.append(game.name)
        check(game)

    monkeypatch.setattr(first_use, "check_quickly", checking)
    monkeypatch.setattr(passed, "_passed", set())
    name = str(faults)
    for _ in range(3):
        make(name).initial()
    passed._passed.clear()  # as in the next process
    make(name).initial()
    assert checked == [make(name).name]
    assert len(list(cache.iterdir())) == 1
    assert make("hex:3").before_use is None
    monkeypatch.setattr(passed, "_folder", lambda: Path(os.devnull) / "no folder")
    passed._passed.clear()
    for _ in range(2):
        make(name).initial()
    assert len(checked) == 2


def test_the_digest_follows_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file, beside = tmp_path / "game_of_two_files.py", tmp_path / "beside_the_game.py"
    beside.write_text("number = 3\n")
    file.write_text("import beside_the_game\n" + NIM)
    make(str(file))
    module = sys.modules[str(file)]
    digests = {passed.digest_of(module, "a"), passed.digest_of(module, "b")}
    beside.write_text("number = 4\n")
    digests.add(passed.digest_of(module, "a"))
    file.write_text("import beside_the_game\n\n" + NIM)
    digests.add(passed.digest_of(module, "a"))
    assert len(digests) == 4
    (tmp_path / "not_imported.py").write_text("")
    assert passed.digest_of(module, "a") in digests


def test_what_is_declared_and_not_used_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "scored.py"
    score = "\n\n@rules.kernel(rules.SCORE)\ndef score(params, state):\n    return 0\n\n\ndef make("
    file.write_text(NIM.replace("\n\ndef make(", score).replace("outcome, encode)", "outcome, encode, score)"))
    with pytest.raises(GameError, match="its table has the kernel score, but the game declares no max_score"):
        make(str(file))
    other = tmp_path / "carried.py"
    other.write_text(NIM.replace('carries_over=("misere",)', 'carries_over=("mizere",)'))
    with pytest.raises(GameError, match="carries_over names mizere, which is no option of its make"):
        make(str(other))


def test_no_command_ends_by_a_signal(tmp_path: Path, faults: Path) -> None:
    name = f"{faults}:never"
    commands: list[tuple[str, ...]] = [
        ("match", name, "mcts:50", "random", "--games", "2"),
        ("analyze", name), ("perft", name), ("check", name),
        ("train", name, "--matches", "3", "--run", str(tmp_path / "run")), ("engine", name), ("play", name),
    ]  # fmt: skip
    script = "import sys; from athenan.cli import main; sys.exit(max(main(one.split()) for one in sys.argv[1:]))"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", script, *map(" ".join, commands)],
        env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    errors = [line for line in ran.stderr.splitlines() if "error" in line]
    assert ran.returncode == 2
    assert len(errors) == len(commands), ran.stderr
    assert all(f"{name}: actions and outcome disagree on the end of the match" in line for line in errors)


def test_check_says_how_much_it_has_checked(command: Callable[..., tuple[int, str, str]], faults: Path) -> None:
    status, output, errors = command("check", str(faults), "--matches", "2")
    assert (status, errors) == (0, "")
    assert re.fullmatch(
        rf"{faults}:nothing: no fault in 2 random matches, [\d,]+ calls of its kernels, [\d.]+ s\n", output
    )
    status, output, errors = command("check", f"{faults}:raising")
    assert (status, output) == (2, "")
    assert errors == f"athenan: error: {faults}:raising: play raised ValueError: no such heap\n"
    check_game(make(str(faults)), matches=1)
