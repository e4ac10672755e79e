"""Bad input of the command gets one line that says what is right, and nothing is lost."""

import socket
from pathlib import Path

import pytest
from small_trainings import quiet, small

from athenan.learning.training import train
from athenan.runs.checkpoint import CHECKPOINT


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The directory of a little training."""
    return str(train(small("tictactoe", matches=3), tmp_path_factory.mktemp("runs") / "little", quiet()))


BAD = {
    "runs nowhere": "there is no folder nowhere: name the one that holds the runs",
    "info": "which run? For example: athenan info runs/hex-7",
    "info runs/none": "there is no file runs/none: give a run directory, or its checkpoint.safetensors",
    "nonsense": "there is no command 'nonsense'; commands are games, rules, train",
    "perft nogame": "there is no game 'nogame'; the games are ",
    "perft hex:99": "size must be from 2 to 19, not 99",
    "perft hex:x": "size must be a whole number from 2 to 19, not x",
    "perft hex:5,swap=maybe": "swap must be true or false, not 'maybe'",
    "perft hex:5,colour=red": "hex: there is no option 'colour'; its options are size, swap",
    "perft othello:5": "even",
    "perft hex:5 --depth 0": "--depth must be from 1 to 1,000, not 0",
    "perft hex:5 --depth deep": "--depth must be a whole number from 1 to 1,000, not 'deep'",
    "perft hex:5 --depht 3": "there is no option --depht",
    "play hex:3 --secons 1": "there is no option --secons: did you mean --seconds?",
    "perft hex:5 hex:6": "unexpected argument 'hex:6'",
    "play hex:3 --xyz": "there is no option --xyz",
    "analyze hex:3 --game hex:3": "there is no option --game: give its value alone, without --game",
    "engine hex:3 --protocol chess": "must be gtp, uci, ugi, uai, ucci, aei, gomocup or hub, not 'chess'",
    "engine breakthrough --protocol xboard": "--protocol: xboard is no longer spoken; use uci",
    "engine breakthrough --protocol=cecp": "--protocol: cecp is no longer spoken; use uci",
    "match breakthrough random cecp:fairy-stockfish": "cecp is no longer spoken; use uci",
    "analyze hex:3 --search ubfm:evaluate=all": "evaluate must be children or action_values, not 'all'",
    "experiment 003-table-3 --html page": "there is no option --html",
    "experiment 003-table-3 show": "action must be run or report, not 'show'",
    "perft": "which game? For example: athenan perft hex:7; `athenan games` lists the games",
    "play": "which game or run? For example: athenan play hex:7; `athenan games` lists the games",
    "export": "RUN is missing; see athenan export --help",
    "match tictactoe --nope": "there is no option --nope",
    "match tictactoe --seconds 1 --random_opening 3 --game 3": "there is no option --game: give its value alone",
    "match --nope=3": "there is no option --nope",
    "match tictactoe -x": "there is no option -x",
    "match tictactoe": "PLAYER is missing; see athenan match --help",
    "perft --dept": "there is no option --dept: did you mean --depth?",
    "perft hex:3 --depth": "--depth needs a value",
    "perft hex:3 --json=true": "--json takes no value; see athenan perft --help",
    "trian hex:3": "there is no command 'trian': did you mean train?",
    "perft otello": "there is no game 'otello': did you mean othello?",
    "play connect4": "'connect4': did you mean connect_four?",
    "perft hex:5,swp=false": "hex: there is no option 'swp': did you mean swap?",
    "match hex:3 random mtcs:10": "there is no player 'mtcs:10': did you mean mcts?",
    "match hex:3 random mcts:rolouts=10": "there is no option 'rolouts': did you mean rollouts?",
    "train hex:3 --batch-size 8": "there is no option --batch-size: write --replay NAME:batch_size=VALUE",
    "perft hex:5 --moves z9": "move 1: 'z9' is not a legal action of hex:5 here; legal are a1, b1",
    "perft tictactoe --moves a1,a1": "move 1: 'a1,a1' is not a legal action",
    "analyze nogame": "there is no game and no run directory or checkpoint 'nogame'",
    "analyze runs/none": "there is no game and no run directory or checkpoint 'runs/none'",
    "analyze hex:3 --seconds 0": "--seconds must be from 1e-05 to 1,000,000,000, not 0",
    "analyze hex:3 --seconds nan": "--seconds must be a number from 1e-05 to 1,000,000,000, not 'nan'",
    "analyze hex:3 --seconds x": "--seconds must be a number from 1e-05 to 1,000,000,000, not x",
    "analyze hex:3 --iterations -5": "--iterations must be from 1 to ",
    "analyze hex:3 --search minimax": "--search 'minimax' does not exist: choose one of descent, ubfm, korf_chickering",
    "bench hex:3 --search minimax": "--search 'minimax' does not exist: choose one of descent, ubfm, korf_chickering",
    "train hex:3 --search minimax": "--search 'minimax' does not exist: choose one of descent, ubfm, korf_chickering",
    "train hex:3 --search alphabeta:exact=true": "--search 'alphabeta:exact=true': there is no option 'exact'; its",
    "train hex:3 --search descent:depth=3": "--search 'descent:depth=3': there is no option 'depth'; its options are",
    "train hex:3 --search descent:false": "--search 'descent:false': evaluate must be children or action_values",
    "train hex:3 --search ./none.py": "none.py",
    "analyze hex:3 --algorithm uct": "there is no option --algorithm",
    "analyze hex:3 --search puct": "Puct needs a network with policies, and there is no network",
    "analyze hex:3 --search alphabeta --exact": "--exact does not go with --search alphabeta, which ends",
    "analyze hex:3 --search alphabeta --heuristic score": "--heuristic does not go with --search alphabeta, which ends",
    "analyze hex:3 --search ubfm:completion=false --exact": "--exact: exact must be false without completion",
    "analyze hex:3 --search uct:exploration=-1": "exploration must be from 0 to 1,000, not -1",
    "analyze hex:3 --memory 0": "--memory must be from 1 to 16,777,216, not 0",
    "analyze hex:3 --seed -1": "--seed must be from 0 to ",
    "match hex:3 random nobody": "there is no player 'nobody'; players are random, mcts:",
    "match hex:3 random mcts:many": "'mcts:many': rollouts must be a whole number from 1 to ",
    "match hex:3 random:3 random": "'random:3': there is no option '3'; it has no options",
    "match hex:3 random human": "a person plays with `athenan play`",
    "match hex:3 random random --games 3": "--games must be even",
    "match hex:3 random random --sprt 5 1": "--sprt: elo0 must be below elo1, not 5 and 1",
    "match hex:3 random random --sprt 5 a": "--sprt must be 2 numbers, not '5', 'a'",
    "match hex:3 random random --sprt 5": "--sprt needs 2 values; see athenan match --help",
    "match hex:3 random random --openings no/file": "no/file: No such file",
    "match hex:3 random random --openings /dev/zero": "/dev/zero has more than 256 MiB",
    "match hex:3 random random --resign -1": "--resign must be",
    "match hex:3 random random --records no/file": "no/file: No such file",
    "match hex:3 random random --records new --ray 127.0.0.1:1": "no Ray cluster answers at 127.0.0.1:1",
    "match morpion:4D,size=9 random --sprt 0 5": "--sprt compares two players",
    "match hex:3 random random --random-opening -1": "--random-opening must be from 0 to ",
    "match hex:3 random random --openings every --random-opening 3": (
        "--random-opening counts the actions of random openings: leave --openings every out"
    ),
    "tournament hex:3 random mcts:1 --html .": ".: it is a folder: name a file in it",
    "tournament hex:3 random mcts:1 --html /proc/page.html": "/proc/page.html: ",
    "experiment 003-table-3 --report no/page.html": "no/page.html: there is no folder no",
    "convert none.sgf no/match.sgf": "no/match.sgf: there is no folder no",
    "train hex:4 --matches 0": "from 1 to 1,000,000,000,000",
    "match hex:3 random random --workers 0": "--workers must be from 1 to 1,024, not 0",
    "match hex:3 random random --evaluations 0": "--evaluations must be from 1 to ",
    "match hex:3 random random --threads 0": "--threads must be from 1 to 1,024, not 0",
    "analyze hex:3 --threads 0": "--threads must be from 1 to 1,024, not 0",
    "play hex:3 --threads -1": "--threads must be from 1 to 1,024, not -1",
    "play tictactoe --moves a1,a1": "move 2: 'a1' is not a legal action",
    "play tictactoe --first nobody": "there is no player 'nobody'",
    "train": "which game?",
    "train nogame": "there is no game 'nogame'",
    "train hex:3 --minutes 0": "--minutes must be from 1e-06 to 10,000,000, not 0",
    "train hex:3 --minutes -1": "--minutes must be",
    "train hex:3 --minutes nan": "--minutes must be",
    "train hex:3 --seconds 5": "there is no option --seconds: did you mean --action.seconds?",
    "train hex:3 --network d": "'d'",
    "train hex:3 --heuristic score": "hex:3 has no score",
    "train hex:3 --parallel-matches 0": "--parallel-matches must be",
    "train hex:3 --exploitation warm": "--exploitation must be uniform, annealed or a number from 0 to 1, not 'warm'",
    "train hex:3 --exploitation 2": "--exploitation must be uniform, annealed or a number from 0 to 1, not 2",
    "train hex:3 --exploitation annealed": "--exploitation can be annealed only if minutes or matches say",
    "train hex:3 --target leaves": "'leaves'",
    "train hex:3 --strength.games 3": "--strength.games must be even, two for each opening, not 3",
    "train hex:3 --strength.opponent nobody": "there is no player 'nobody'",
    "train hex:3 --replay games:batch_size=0": "--replay 'games:batch_size=0': batch_size must be ",
    "train hex:3 --action.seconds 0": "--action.seconds must be from 1e-05 to 1,000,000,000, not 0",
    "train --resume runs/none": "runs/none",
    "train hex:3 --salvage": "--salvage continues a run: give --resume DIR as well",
    "train hex:3 --run=": "--run must be a path, not ''",
    "train --resume=": "--resume must be a path, not ''",
    "train othello:6 --device cuda --network patterns": "--device must be cpu for this network, or auto, not cuda",
    "calibrate athenan": "athenan is the package's network of a game: name its file, which `athenan networks GAME`",
    "export athenan:club hex.onnx": "athenan:club is the package's network of a game: name its file",
    "plot nowhere": "there is no run directory nowhere",
    "info athenan": "athenan is the package's network of a game: name its file",
    "play athenan": "athenan is the package's network of a game: give the game, such as hex:7, and it is used",
    "analyze athenan:club": "athenan:club is the package's network of a game: give the game",
    "bench hex:3 --seconds 0": "--seconds must be from 1e-05 to ",
    "bench hex:3 --threads 0": "--threads must be from 1 to 1,024, not 0",
    "bench hex:3 --network d": "'d'",
    "bench nogame": "there is no game 'nogame'",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_gets_one_line(command, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, output, errors = command(*line.split())
    assert (status, output) == (2, "")
    assert errors.startswith("athenan: error: ")
    assert errors.count("\n") == 1
    assert BAD[line] in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments", [["analyze"], ["info"], ["match", "tictactoe", "random"], ["play"], ["train", "--resume"]]
)
@pytest.mark.parametrize("damage", ["truncated", "tampered", "missing", "emptied"])
def test_damaged_runs_get_one_line(command, arguments, damage, run, tmp_path):
    directory = tmp_path / "run"
    directory.mkdir()
    data = bytearray(Path(run, CHECKPOINT).read_bytes())
    if damage == "truncated":
        data = data[: len(data) // 2]
    elif damage == "tampered":
        data[-3] ^= 1
    elif damage == "emptied":
        data.clear()
    if damage != "missing":
        (directory / CHECKPOINT).write_bytes(data)
    status, output, errors = command(*arguments, str(directory))
    assert (status, output) == (2, "")
    assert errors.startswith("athenan: error: ")
    assert errors.count("\n") == 1
    assert str(directory) in errors
    if damage != "missing":
        assert (directory / CHECKPOINT).read_bytes() == data


def test_a_misspelt_run_is_found_beside_it(command, tmp_path, monkeypatch, run):
    monkeypatch.chdir(Path(run).parent)
    for line in ("match tictactoe random litle", "play litle"):
        status, _, errors = command(*line.split())
        assert (status, errors.endswith("'litle': did you mean little?\n")) == (2, True)


@pytest.mark.parametrize(
    "name", ["games", "grade", "match", "networks", "perft", "positions", "rules", "tournament", "train"]
)
def test_a_run_in_place_of_a_game_is_told_its_game(command, name, run, tmp_path):
    others = {"match": ["random", "random"], "grade": ["random"], "positions": [str(tmp_path / "positions.jsonl")]}
    status, _, errors = command(name, run, *others.get(name, []))
    assert (status, f"{run} is a run: name its game, tictactoe\n" in errors) == (2, True)


@pytest.mark.parametrize("name", ["check", "games", "perft", "train", "analyze"])
def test_the_path_of_a_game_has_no_colon(command, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x:y.py").touch()
    status, _, errors = command(name, "./x:y.py")
    assert (status, "the path of a game's file ends with .py and has no colon" in errors) == (2, True)


def test_a_run_of_another_game_is_refused(command, run):
    status, _, errors = command("match", "hex:3", run, "random")
    assert (status, "tictactoe" in errors, "hex:3" in errors) == (2, True, True)
    assert command("analyze", run, "--heuristic", "score")[0] == 2


@pytest.mark.parametrize("name", ["score", "presence"])
def test_an_error_names_only_heuristics_that_the_game_has(command, name):
    errors = command("analyze", "hex:3", "--heuristic", name)[2]
    assert errors.partition("; ")[2] == (
        "the heuristics of hex:3 are classic, additive_depth, multiplicative_depth, cumulative_mobility\n"
    )
    errors = command("analyze", "clobber:4", "--heuristic", "score")[2]
    assert errors.partition("; ")[2].endswith(" multiplicative_depth, cumulative_mobility, presence\n")


def test_a_person_is_no_opponent_of_measurements(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, errors = command("train", "hex:3", "--matches", "1", "--strength.opponent", "human")
    assert (status, "a person plays with `athenan play` only; players are random, mcts:" in errors) == (2, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("match hex:3 random random --games 0", "--games must be from 1 to 1,000,000,000, not 0"),
        ("match hex:3 random random --seed -1", "--seed must be from 0 to 9,223,372,036,854,775,807, not -1"),
        ("play hex:3 --second random --seed -1", "--seed must be from 0 to 9,223,372,036,854,775,807, not -1"),
        ("train hex:3 --seed -1", "--seed must be from 0 to 9,223,372,036,854,775,807, not -1"),
        ("analyze hex:3 --memory 99999999999", "--memory must be from 1 to 16,777,216, not 99999999999"),
        ("train hex:3 --memory 99999999999", "--memory must be from 1 to 16,777,216, not 99999999999"),
        ("analyze hex:3 --memory 16777216", "there is no room for search trees of 16,777,216 MiB: give less memory"),
    ],
)
def test_numbers_out_of_bounds_get_an_error_that_names_the_option(command, line, message):
    assert command(*line.split())[::2] == (2, f"athenan: error: {message}\n")


def test_an_address_that_a_page_cannot_have_is_refused_in_a_sentence(command):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = command("web", "tictactoe", "--port", port)
    message = f"port {port} is in use, perhaps by another `athenan web`: --port 0 takes a free one"
    assert told == (2, "", f"athenan: error: {message}\n")
    for host in ("192.0.2.1", "a..b", "[::1"):  # an address for examples only, and no addresses
        told = command("web", "tictactoe", "--port", "0", "--host", host)
        assert told == (2, "", f"athenan: error: --host {host} is not an address of this machine\n")


def test_a_nul_in_a_path_is_refused_in_a_sentence(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in ("play runs/\0", "train hex:3 --run \0", "train --resume a\0b", "match hex:3 a\0 random", "perft \0"):
        status, output, errors = command(*line.split(" "))
        assert (status, output) == (2, "")
        assert "contains a NUL character" in errors
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_a_folder_is_refused_in_a_sentence(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs").write_text("mine")
    for line, message in (
        ("train hex:3", "runs/hex-3 cannot be a run directory: runs is a file, not a folder"),
        ("train hex:3 --run runs", "runs cannot be a run directory: runs is a file, not a folder"),
        ("train --resume runs", "--resume needs the directory of a run, and runs is not a directory"),
    ):
        assert command(*line.split()) == (2, "", f"athenan: error: {message}\n")
    assert Path("runs").read_text() == "mine"
