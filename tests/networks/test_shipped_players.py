"""Networks in the package as players: their names and levels, and the games that they play."""

from dataclasses import replace
from pathlib import Path

import pytest
from shipped_network import GAME, saved, shipped

from athenan import Budget, make, make_player, play_match
from athenan.arena.learnt_players import labelled
from athenan.arena.roster import default_opponent
from athenan.cli import main
from athenan.networks.card import Rated
from athenan.networks.catalogue import NoNetworkError, find, network_of
from athenan.networks.shipping import change_card
from athenan.play.levels import LEVELS
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.search.monte_carlo.rave import Rave
from athenan.search.walking.walk_search import Search


def test_the_player_is_named_by_its_network(file: Path) -> None:
    game = make(GAME)
    player = make_player("athenan,seconds=0.5", game)
    digest = network_of(game).digest
    assert player.name == f"athenan@{digest},seconds=0.5"
    assert make_player(player.name, game).name == player.name
    beginner = make_player("athenan:beginner", game)
    assert beginner.name == f"athenan@{digest},evaluations=1,temperature=7,sight=0.7"
    assert make_player(beginner.name, game).name == beginner.name
    assert isinstance(beginner, SearchPlayer) and beginner.limit == Budget(evaluations=1)
    longer = make_player("athenan:club,evaluations=9", game)
    assert isinstance(longer, SearchPlayer) and longer.limit == Budget(evaluations=9)
    between = make_player("athenan:club,temperature=0.7", game)
    assert isinstance(between, SearchPlayer) and between.level == replace(LEVELS["club"], temperature=0.7)
    assert play_match(game, (player, beginner), seed=1, limit=Budget(iterations=5)).outcome in (-1, 0, 1)


@pytest.mark.parametrize(
    ("settings", "written"),
    [
        ("level=club", "evaluations=100,temperature=0.65,sight=0.98"),
        ("seconds=0.5,level=club", "seconds=0.5,temperature=0.65,sight=0.98"),
        ("level=club,temperature=0.7", "temperature=0.7,evaluations=100,sight=0.98"),
        ("level=club,sight=0.5", "sight=0.5,evaluations=100,temperature=0.65"),
        ("level=expert", "evaluations=1000,temperature=0.45"),
        ("level=club,iterations=4,temperature=0", "iterations=4,temperature=0"),
        ("level=strongest,search=(ubfm:play=best,exact=true)", "search=(ubfm:play=best,exact=true)"),
    ],
)
def test_the_name_of_a_player_has_the_settings_of_its_level(file: Path, settings: str, written: str) -> None:
    game = make(GAME)
    run, package = str(saved(file.parent / "runs" / "x")), network_of(game).name
    for network in (run, package):
        player = make_player(f"{network},{settings}", game)
        again = make_player(player.name, game)
        assert player.name == again.name == f"{network},{written}"
        assert isinstance(player, SearchPlayer) and isinstance(again, SearchPlayer)
        assert player.level and again.level and player.level.errors == again.level.errors
        assert player.limit == again.limit


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        (":club", " (club)"),
        (",temperature=0.65,evaluations=100,sight=0.98", " (club)"),
        ("", ""),
        (",evaluations=100", ""),
        (",level=club,temperature=0.7", ""),
        (",level=club,search=(ubfm:play=best)", ""),
        (",level=club,seconds=0.5", ""),
    ],
)
def test_a_level_is_shown_beside_the_name_of_a_player(file: Path, settings: str, level: str) -> None:
    game = make(GAME)
    name = make_player(f"athenan{settings}", game).name
    assert labelled(name, game) == f"{name}{level}"


def test_players_without_a_level_are_shown_by_their_names(file: Path) -> None:
    for name in ("random", "mcts:1000", "gtp:gnugo --level 1", "athenan@00000000,evaluations=100,temperature=0.65"):
        assert labelled(name, make(GAME)) == name


def test_commands_show_levels_and_store_settings(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = [GAME, "athenan:beginner", "random", "--games", "2"]
    name = make_player("athenan:beginner", make(GAME)).name
    for command in ("match", "tournament"):
        assert main([command, *line]) == 0
        assert f"{name} (beginner)" in capsys.readouterr().out
        assert main([command, *line, "--json"]) == 0
        told = capsys.readouterr().out
        assert name in told and "beginner" not in told


def test_a_level_that_is_set_anew_is_another_player(file: Path) -> None:
    game = make(GAME)
    before = make_player("athenan:club", game)
    change_card(file, ratings=(Rated("club", 50, 0.7, 0.9, 900.0, 850.0, 950.0, 40),), measured="40 games")
    after, again = make_player("athenan:club", game), make_player(before.name, game)
    assert (
        after.name == f"{network_of(game).name},evaluations=50,temperature=0.7,sight=0.9" != before.name == again.name
    )
    assert isinstance(again, SearchPlayer) and again.limit == Budget(evaluations=100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("athenan@00000000", r"athenan@00000000 is not the package's network of connect_four:5x4, which is athenan@"),
        ("athenan:master", "level must be beginner, casual, club, expert or strongest, not 'master'"),
        ("athenan,nonsense=1", "there is no option 'nonsense'"),
        ("athenan,search=uct,level=club", "has no levels: its search uct does not value all actions"),
        ("athenan,search=uct,temperature=0.5", "has no levels: its search uct does not value all actions"),
        ("athenan,temperature=-1", "temperature must be a number from 0 to 100"),
        ("athenan,sight=2", "sight must be a number from 0 to 1"),
        ("athenan,exploitation=0.5", "there is no option 'exploitation'"),
        ("athenann", "did you mean athenan"),
    ],
)
def test_other_names_are_refused(file: Path, text: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        make_player(text, make(GAME))


def test_a_name_with_an_empty_digest_is_no_network(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", GAME, "--from", "athenan@", "--run", str(file.parent / "new"), "--matches", "1"]) == 2
    assert f"athenan@ is not the package's network of {GAME}, which is athenan@" in capsys.readouterr().err


def test_a_game_without_a_network(file: Path) -> None:
    with pytest.raises(PlayerError, match=r"no network of hex:3: train one with `athenan train hex:3 --minutes 5`"):
        make_player("athenan", make("hex:3"))
    with pytest.raises(NoNetworkError, match=r"no network of connect_four:5x5 \(it has connect_four:5x4\)"):
        network_of(make("connect_four:5x5"))
    assert find(make("hex:3")) is None and default_opponent(make("hex:3")) == "mcts:100"


def test_a_network_plays_the_games_that_it_carries_over_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped(tmp_path, monkeypatch, "hex:3")
    assert network_of(make("hex:3,swap=false")).card.game == "hex:3"


def test_messages_call_a_network_of_the_package_by_its_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    shipped(tmp_path, monkeypatch, "hex:4")
    needs = "the network of athenan has no policies, which this search needs"
    for line in ("match hex:4 athenan,search=puct random", "analyze hex:4 --search puct"):
        assert main(line.split()) == 2
        assert needs in capsys.readouterr().err
    with pytest.raises(PlayerError, match=r"athenan has no levels: its search uct does not value all actions"):
        make_player("athenan:club,search=uct", make("hex:4"))
    make_player("athenan", make("hex:4,swap=false"))
    assert "athenan has learnt hex:4: its network plays hex:4,swap=false" in caplog.text


def test_a_match_in_the_terminal_shows_players_by_the_names_given(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = make_player("athenan:beginner", make(GAME)).name
    assert main(["play", GAME, "--first", "athenan:beginner", "--second", "athenan"]) == 0
    shown = capsys.readouterr().out
    assert f"Red, x: {name} (beginner)\n" in shown
    assert "\nathenan:beginner (Red, x) plays " in shown and "\nathenan (Yellow, o) plays " in shown
    assert shown.count(name) == 1


def test_at_full_strength_go_is_played_by_rollouts_with_the_network() -> None:
    game = make("go:7")
    for name in ("athenan", "athenan:strongest", "athenan,seconds=0.5", network_of(game).name):
        player = make_player(name, game)
        assert isinstance(player, SearchPlayer) and isinstance(player.searcher, Rave)
        assert make_player(player.name, game).name == player.name
        assert 0 <= player.select(game.initial(), Budget(iterations=20)).action < game.action_count
    others = ("athenan:club", "athenan,search=ubfm", "athenan,evaluations=100", str(network_of(game).file))
    for player in (make_player(name, game) for name in others):
        assert isinstance(player, SearchPlayer) and isinstance(player.searcher, Search)
