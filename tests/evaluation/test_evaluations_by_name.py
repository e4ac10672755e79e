"""Evaluations by their names: as players, in the command, on the page, in a file of one's own; and their strength."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from athenan import GameError, check_game, make, make_player, play_series
from athenan.arena.roster import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.search.alpha_beta.search import AlphaBetaSearch
from athenan.search.budget import Budget
from athenan.web.choices import Choices, read_players

GUIDE = Path(__file__).parents[2] / "docs" / "games" / "own_game.md"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("evaluation:material", "evaluation:material"),
        ("evaluation", "evaluation:material"),
        ("evaluation:material,search=alphabeta,seconds=0.5", "evaluation:material,seconds=0.5"),
        ("evaluation:material,search=(ubfm:play=best,exact=true)",
         "evaluation:material,search=(ubfm:exact=true,play=best)"),
        ("evaluation:material,memory=64,search=alphabeta:3",
         "evaluation:material,search=alphabeta:depth=3,memory=64"),
    ],
)  # fmt: skip
def test_an_evaluation_is_a_player(text, name):
    game = make("breakthrough:5x5")
    player = make_player(text, game, named=False)
    assert player.name == name == make_player(name, game).name
    player.new_match(game, 1)
    assert player.select(game.initial(), Budget(evaluations=50)).action in game.actions(game.initial())
    assert isinstance(player, SearchPlayer)
    assert isinstance(player.searcher, AlphaBetaSearch) == ("ubfm" not in text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("evaluation:materiel", "breakthrough:5x5 has no evaluation 'materiel': did you mean material"),
        ("evaluation:material,search=puct", "search puct asks for policies, which a hand-written evaluation does"),
        ("evaluation:material,serch=ubfm", "there is no option 'serch': did you mean search"),
        ("evaluation:material,search=./own.py", "may not load by itself"),
        ("evalution:material", "there is no player 'evalution:material': did you mean evaluation"),
    ],
)  # fmt: skip
def test_a_player_that_is_none(text, message):
    with pytest.raises(PlayerError, match=message):
        make_player(text, make("breakthrough:5x5"), named=False)


def test_a_game_without_evaluations():
    with pytest.raises(PlayerError, match="'evaluation:material': hex:5 has no evaluation: its file can declare one"):
        make_player("evaluation:material", make("hex:5"))


def test_analyze(command, as_json):
    arguments = ("analyze", "breakthrough:5x5", "--evaluations", "400")
    found = as_json(*arguments, "--evaluation", "material", "--search", "alphabeta")
    values = [action["value"] for action in found["actions"]]
    assert found["proven"] is None and 0 < max(map(abs, values)) < 1
    assert all(action["value"] in (-1, 0, 1) for action in as_json(*arguments)["actions"])
    assert "an estimate" in command(*arguments, "--evaluation", "material")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--evaluation", "mobility"], "breakthrough:5x5 has no evaluation 'mobility'; its evaluations are material"),
        (["--evaluation", "material", "--search", "puct"], "search puct asks for policies"),
        (["--evaluation", "material", "--heuristic", "presence"], "--heuristic does not go with --evaluation"),
        (["--evaluation", "material", "--network", "runs/x"], "--evaluation replaces a network"),
    ],
)
def test_analyze_refuses_in_a_sentence(command, arguments, message):
    status, output, errors = command("analyze", "breakthrough:5x5", "--iterations", "2", *arguments)
    assert (status, output) == (2, "")
    assert message in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_match_of_an_evaluation(as_json):
    found = as_json("match", "breakthrough:5x5", "evaluation:material,evaluations=100", "random", "--games", "8")
    assert found["wins"] >= 7


def test_games_tells_the_evaluations(command):
    assert "\n  material: Pieces, each worth 1, and up to 1 more" in command("games", "breakthrough")[1]
    assert "Evaluations" not in command("games", "hex")[1]
    assert list(json.loads(command("games", "othello", "--json")[1])["evaluations"]) == ["squares"]


def test_the_page_offers_evaluations():
    choices, game = Choices("othello:6", memory=8 << 20), make("othello:6")
    assert choices.players_of(game, [])[-1] == choices.searches_of(game, [])[-1] == "evaluation:squares"
    assert choices.searches_of(make("hex:5"), []) == ["rollouts", "proof"]
    player = choices.make_player("evaluation:squares", game)
    player.new_match(game, 0)
    assert player.select(game.initial(), Budget(evaluations=30)).action in game.actions(game.initial())
    session = choices.make_session("evaluation:squares", game)
    session.position(game.initial())
    assert 0 < abs(session.think(Budget(evaluations=100)).actions[0].value) < 1
    for other in ("evaluation:material", "evaluation", "evaluation:squares,search=./own.py"):
        with pytest.raises(ValueError, match="there is no player"):
            choices.make_player(other, game)
        with pytest.raises(ValueError, match="cannot be analysed with"):
            choices.make_session(other, game)
    with pytest.raises(ValueError, match="is taken"):
        read_players(("evaluation:squares=mcts",))


@pytest.fixture
def nim(tmp_path):
    """The file of the documentation, with the evaluation that stands beside it."""
    page = GUIDE.read_text()
    file, own = (
        re.findall(rf"<!-- {which} -->\n```python\n(.*?)```", page, re.DOTALL)[0]
        for which in ("the file nim.py", "the evaluation of nim.py")
    )
    declared = 'carries_over=("misere",),\n'
    assert file.count(declared) == 1
    file = file.replace(declared, declared + '            evaluations={"nim_sum": nim_sum},\n')
    path = tmp_path / "nim.py"
    path.write_text(file.replace("def make(", f"{own}\n\ndef make(", 1))
    return path


def test_an_evaluation_of_a_file_of_ones_own(nim, command, as_json):
    game = make(f"{nim}:4")
    check_game(game)
    assert "nim_sum: " in command("games", str(nim))[1]
    found = as_json("analyze", f"{nim}:5", "--evaluation", "nim_sum", "--evaluations", "15", "--search", "alphabeta")
    heaps = [1, 2, 3, 4, 5]
    for action in found["actions"]:
        heap, taken = "abcde".index(action["action"][0]), int(action["action"][1:])
        left = [size - taken * (number == heap) for number, size in enumerate(heaps)]
        won = np.bitwise_xor.reduce(left) == 0  # for the first player, who leaves it
        assert action["value"] == pytest.approx(0.9 if won else -0.9)
    won = as_json("match", f"{nim}:4", "evaluation:nim_sum,search=alphabeta:depth=1", "random", "--games", "4")
    assert won["wins"] >= 2


def test_a_file_whose_evaluation_is_none(nim):
    nim.write_text(nim.read_text().replace("rules.STATE_VALUE", "rules.OUTCOME"))
    with pytest.raises(GameError, match="the evaluation nim_sum must be a function decorated with"):
        make(str(nim))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "player", "opponent", "least"),
    [
        ("breakthrough:6x6", "evaluation:material,evaluations=200", "random", 0.9),
        ("breakthrough:6x6", "evaluation:material,evaluations=200", "mcts:200", 0.7),
        ("connect_four", "evaluation:lines,evaluations=200", "random", 0.9),
        ("connect_four", "evaluation:lines,evaluations=200", "mcts:200", 0.5),
    ],
)
def test_alpha_beta_with_an_evaluation_beats_random_rollouts(game, player, opponent, least):
    """By as many states as the opponent has rollouts, each of which goes through many states; both colours."""
    made = make(game)
    found = play_series(made, [make_player(name, made) for name in (player, opponent)], games=60, seed=1)
    low, high = found.interval()
    assert low > least, f"{found.score:.1%}, 95% interval {low:.1%} to {high:.1%}"
