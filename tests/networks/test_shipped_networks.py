"""Networks in the package: their files and cards, how commands use them, and what is refused."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from shipped_network import GAME, saved

from athenan import Budget, make, make_player
from athenan.arena.roster import default_opponent
from athenan.cli import main
from athenan.cli.analyze import run as analyze
from athenan.cli.networks import run as networks
from athenan.games.catalogue import GAMES
from athenan.networks import catalogue
from athenan.networks.card import Rated, read_card
from athenan.networks.catalogue import NoNetworkError, available, every, first_choice, network_of, path_of
from athenan.networks.fingerprint import fingerprint
from athenan.networks.shipping import change_card, ship
from athenan.play.levels import LEVELS, Level
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.declared import Features
from athenan.rules.facts import altered
from athenan.rules.heads import VALUES_AND_POLICIES
from athenan.rules.kernels import KernelTable
from athenan.rules.playouts import encoded_states, random_states
from athenan.runs.checkpoint import CheckpointError, RunDirectory, load, load_document, load_network
from athenan.runs.learnt import playing_search, saved_network
from athenan.search.algorithms.best_first import Ubfm
from athenan.search.alpha_beta.search import AlphaBeta
from athenan.web.choices import Choices

TOGETHER = 30_000_000
"""Bytes that all networks of the package may take."""


def test_the_networks_of_the_package_are_whole_and_small() -> None:
    found = dict(every())
    assert len(found) >= 2
    for name, one in found.items():
        assert isinstance(one, catalogue.Shipped), f"{name.name}: {one}"
        assert name.name == catalogue.file_name(one.card.game) and one.card.minutes > 0 and one.card.command
        assert network_of(make(one.card.game)) == one
    assert sum(name.stat().st_size for name in found) <= TOGETHER


def test_the_list_of_networks_compiles_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "athenan", "networks"], env=environment, capture_output=True, text=True, check=True
    )
    assert "hex:7" in done.stdout and not done.stderr
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_pattern_network_plays_without_torch() -> None:
    check = (
        "import sys\nfrom athenan import make\nfrom athenan.arena.roster import make_player\n"
        "player = make_player('athenan', make('connect_four'))\nassert 'torch' not in sys.modules, player.name"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_a_network_is_stored_with_its_card(file: Path) -> None:
    network = network_of(make(GAME))
    card = network.card
    assert (card.game, card.minutes, card.matches, card.commit) == (GAME, 1.0, 7, "abc123")
    assert card.rules == fingerprint(make(GAME)) and 0 < card.error < 0.01 and card.strength == "not measured"
    before, after = (load_network(path).tensors["weights"] for path in (file.parent / "run", file))
    np.testing.assert_allclose(after, before, atol=np.abs(before).max() / 1000)
    assert file.stat().st_size < 200_000


@pytest.mark.parametrize("hidden", [16, 64])
def test_a_network_of_vectors_is_stored(tmp_path: Path, hidden: int) -> None:
    """The dense part is kept finely however coarse the entries are; more bytes keep values better."""
    network, lines = f"patterns:walks=6,entries=256,vector=64,hidden={hidden}", list[str]()
    run, errors = saved(tmp_path / "run", network_name=network), []
    for most_bytes in (40_000, 100_000):
        file = ship(run, "", "", "", most_bytes=most_bytes, folder=tmp_path, report=lines.append)
        before, after = (load_network(path).tensors for path in (run, file))
        assert before["weights"].shape == after["weights"].shape and file.stat().st_size <= most_bytes
        np.testing.assert_allclose(after["dense"], before["dense"], rtol=1e-3, atol=1e-6)
        assert lines[-1].endswith(f" bytes of {most_bytes:,}")
        errors.append(read_card(load_document(file)["card"]).error)
    assert errors[1] < errors[0] / 2 < 0.02


def test_a_shallow_network_is_stored_and_plays_without_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, run = make("einstein"), saved(tmp_path / "run", "einstein", network_name="shallow:hidden=32")
    file = ship(run, "", "", "", most_bytes=20_000, folder=tmp_path)
    assert file.stat().st_size <= 20_000
    planes = encoded_states(game, random_states(game, 100))
    before, after = (saved_network(path).network(planes).values for path in (run, file))
    assert 0 < np.abs(before - after).max() < 0.05 < np.abs(before).max()
    check = (
        "import sys\nfrom pathlib import Path\nfrom athenan import make\nfrom athenan.networks import catalogue\n"
        f"catalogue.SHIPPED = Path({str(tmp_path)!r})\nfrom athenan.arena.roster import make_player\n"
        "player = make_player('athenan', make('einstein'))\nassert 'torch' not in sys.modules, player.name"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_the_error_is_of_states_that_the_last_matches_have_learnt(tmp_path: Path) -> None:
    """The first state is the only one that is not terminal: the error is the difference of its two values."""
    game, run = make(GAME), saved(tmp_path / "run")
    first, over = game.initial(), game.initial()
    while game.outcome(over) is None:
        over = game.play(over, int(game.actions(over)[0]))
    checkpoint = load(run)
    run = tmp_path / "with matches"
    with RunDirectory(run) as directory:
        matches = {1: {"states": np.stack([over, first])}, 2: {"states": first[None]}}
        directory.save(checkpoint.tensors, checkpoint.document, matches)
        directory.keep(checkpoint, 0.5)
    planes = encoded_states(game, first[None])
    for path in (run, f"{run}@0.5"):
        file = ship(path, "", "", "", most_bytes=100_000, folder=tmp_path)
        before, after = (saved_network(one).network(planes).values[0] for one in (path, file))
        error = read_card(load_document(file)["card"]).error
        assert 0 < error == pytest.approx(abs(after - before) / saved_network(run).heuristic.scale, abs=1e-6)


@pytest.mark.slow
def test_a_policy_of_a_network_of_vectors_is_stored_within_the_bytes(tmp_path: Path) -> None:
    """Its levels are chosen with the steps of the entries."""
    name = "patterns:walks=6,entries=256,vector=8"
    run = saved(tmp_path / "run", network_name=name, heads=VALUES_AND_POLICIES)
    file = ship(run, "", "", "", most_bytes=400_000, folder=tmp_path)
    assert file.stat().st_size <= 400_000
    before, after = (load_network(path).tensors["policy"] for path in (run, file))
    assert 0.5 < np.corrcoef(after, before)[0, 1] < 0.9999


def test_large_weights_are_stored(tmp_path: Path) -> None:
    network = "patterns:walks=6,entries=256,vector=8"
    run = saved(tmp_path / "run", network_name=network)
    checkpoint = load(run)
    large = tmp_path / "large"
    with RunDirectory(large) as directory:
        weights = {"network.weights": 1000 * checkpoint.tensors["network.weights"]}
        directory.save({**checkpoint.tensors, **weights}, checkpoint.document, {})
    assert ship(large, "", "", "", most_bytes=15_000, folder=tmp_path).stat().st_size <= 15_000


def test_matches_of_other_states_are_refused(tmp_path: Path) -> None:
    checkpoint, run = load(saved(tmp_path / "run")), tmp_path / "other"
    with RunDirectory(run) as directory:
        directory.save(checkpoint.tensors, checkpoint.document, {1: {"states": np.zeros((3, 2), np.int8)}})
    with pytest.raises(CheckpointError, match=r"do not hold states of connect_four:5x4: restore the run from a copy$"):
        ship(run, "", "", "", folder=tmp_path)


def test_a_card_counts_the_minutes_of_the_networks_before_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A training that began with a network that is gone is refused, as nothing knows its minutes."""
    first = network_of(make(GAME)).name
    run = saved(file.parent / "next", seed=1, initial=first)
    for earlier in (1.0, 2.0):
        ship(run, "", "", "", folder=file.parent)
        card = network_of(make(GAME)).card
        assert (card.minutes, card.earlier_minutes, card.total_minutes) == (1.0, earlier, 1.0 + earlier)
        run = saved(file.parent / f"after {earlier}", seed=2, initial="athenan")
    networks([GAME])
    assert (
        "trained             1 minute (wall clock), 7 matches, after 2 minutes of the network before it"
        in capsys.readouterr().out
    )
    run = saved(file.parent / "late", seed=3, initial=first)
    with pytest.raises(NoNetworkError, match=rf"^{first} is not the package's network of connect_four:5x4, which is"):
        ship(run, "", "", "", folder=file.parent)


def test_as_few_bytes_as_are_asked_for(file: Path) -> None:
    size = file.stat().st_size
    ship(file.parent / "run", "", "", "", most_bytes=size * 3 // 4, folder=file.parent)
    assert file.stat().st_size <= size * 3 // 4
    with pytest.raises(CheckpointError, match="however coarsely"):
        ship(file.parent / "run", "", "", "", most_bytes=1000, folder=file.parent)
    assert file.stat().st_size <= size * 3 // 4 and not list(file.parent.glob("*.tmp"))


def test_a_changed_card_leaves_the_network_as_it_is(file: Path) -> None:
    before = network_of(make(GAME))
    ratings = (
        Rated("club", 50, 0.7, 0.9, 900.0, 850.0, 950.0, 40),
        Rated("strongest", None, 0.0, 1.0, 880.0, 830.0, 930.0, 40),
    )
    change_card(file, ratings=ratings, measured="80 games")
    after = network_of(make(GAME))
    assert after.digest == before.digest and after.card.strength == "880 (830 to 930, 40 games)"
    assert read_card(after.card.as_json() | {"ratings": [vars(one) for one in ratings]}) == after.card
    player = make_player("athenan:club", make(GAME))
    assert isinstance(player, SearchPlayer) and player.levels and player.level == Level(50, 0.7, 0.9)
    assert player.levels.ratings == {"club": 900, "strongest": 880}
    assert player.levels.settings["casual"] == LEVELS["casual"]  # not in the card
    wrong = {"ratings": [vars(ratings[0]) | {"level": "master"}]}
    with pytest.raises(ValueError, match="level"):
        read_card(after.card.as_json() | wrong)


def test_a_network_of_the_package_is_no_run_to_show(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["networks", GAME]) in (0, None)
    assert str(file) in capsys.readouterr().out
    assert main(["info", str(file)]) == 2
    assert f"{file} is a network without its training" in capsys.readouterr().err


def test_a_damaged_network_is_refused_and_the_rest_goes_on(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ship(saved(file.parent / "other", "hex:3"), "", "", "", folder=file.parent)
    data = bytearray(file.read_bytes())
    data[-10] ^= 1
    file.write_bytes(data)
    with pytest.raises(PlayerError, match=r"connect_four_5x4\.safetensors is damaged"):
        make_player("athenan", make(GAME))
    assert available(make(GAME)) is None and "damaged" in caplog.text
    assert default_opponent(make(GAME)) == "mcts:100" and default_opponent(make("hex:3")) == "athenan:casual"
    assert [isinstance(one, ValueError) for _, one in every()] == [True, False]


def test_a_network_of_other_rules_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_card(file, rules="0" * 16)
    with pytest.raises(PlayerError, match="has learnt another version of its rules"):
        make_player("athenan", make(GAME))


def test_a_file_without_a_card_is_refused(file: Path) -> None:
    file.write_bytes((file.parent / "run" / "checkpoint.safetensors").read_bytes())
    with pytest.raises(CheckpointError, match="is not a network of the package: it has no card"):
        network_of(make(GAME))


def test_the_fingerprint_is_of_the_rules() -> None:
    game = make("hex:3")
    assert fingerprint(game) == fingerprint(replace(game, name="other")) != fingerprint(make("hex:3,swap=false"))
    kernels = {name: one for name, one in game.table.kernels.items() if name != "features"}
    plain = altered(game, table=KernelTable(kernels), features=Features())
    assert fingerprint(game, features=False) == fingerprint(plain) != fingerprint(game)
    assert fingerprint(make("pig:10,length=20")) == fingerprint(make("pig:10,length=20"))


def test_analyze_uses_the_network_unless_told_otherwise(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    analyze([GAME, "--iterations", "3"])
    assert "the package's network (--network none searches for a proof)" in (found := capsys.readouterr().out)
    assert "an estimate" in found
    analyze([GAME, "--network", "athenan", "--iterations", "3"])
    assert "an estimate" in capsys.readouterr().out
    for other in (["--network", "none"], ["--heuristic", "additive_depth"]):
        analyze([GAME, *other, "--iterations", "3"])
        assert "estimate with" in (found := capsys.readouterr().out) and "package" not in found


def test_the_page_offers_the_network_first(file: Path) -> None:
    choices, game = Choices(GAME), make(GAME)
    networks = choices.networks_of(game)
    assert list(networks) == ["athenan"] and choices.opponent_of(networks) == "athenan"
    player = choices.make_player("athenan,level=club", game)
    assert isinstance(player, SearchPlayer) and player.limit == Budget(evaluations=100)
    for wrong in ("athenan,level=master", "random,level=club"):
        with pytest.raises(ValueError, match="there is no"):
            choices.make_player(wrong, game)


def test_networks_are_listed(file: Path, command, as_json) -> None:
    status, output, _ = command("networks")
    assert status == 0 and GAME in output and "not measured" in output
    status, output, _ = command("networks", GAME)
    assert status == 0 and "athenan train connect_four:5x4 --minutes 1" in output and "random" in output
    assert as_json("networks", GAME)["minutes"] == 1.0 and as_json("networks")[0]["game"] == GAME
    status, _, errors = command("networks", "hex:3")
    assert status == 2 and "the package has no network of hex:3" in errors
    file.write_bytes(b"nonsense")
    status, output, _ = command("networks")
    assert status == 0 and "damaged" in output


@pytest.mark.parametrize("name", GAMES)
def test_a_network_is_never_taken_for_that_of_a_game_with_a_similar_name(name):
    """Such as Gomoku's for Go's."""
    assert first_choice(make(name)).family == make(name).family


@pytest.mark.parametrize(
    ("game", "search"),
    [
        ("connect_four:5x4", Ubfm(exploration=0.05)),
        ("hex:4", Ubfm(exploration=0.02)),
        ("othello:6", Ubfm(exploration=0.02, ends=24)),
        ("go:5", Ubfm()),
        ("morpion:5D", Ubfm()),
        ("draughts:brazilian", AlphaBeta(reductions=True)),
    ],
)
def test_alpha_beta_plays_draughts_and_ubfm_explores_against_opponents(tmp_path, game, search):
    assert (
        playing_search(saved(tmp_path / "x", game, network_name="patterns:walks=6,windows=false,entries=27")) == search
    )


def test_players_that_have_learnt_the_score_go_on_for_the_margin():
    assert playing_search(path_of("athenan", make("othello:6"))) == Ubfm(exploration=0.02, ends=24, margin=True)
    search = playing_search(path_of("athenan", make("hex:7")))
    assert isinstance(search, Ubfm) and not search.margin


def test_alpha_beta_plays_backgammon_by_whole_turns():
    assert playing_search(path_of("athenan", make("backgammon"))) == AlphaBeta(turns=True)
