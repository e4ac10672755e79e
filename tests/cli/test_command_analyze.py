"""`athenan analyze`: what it proves, with and without a network."""


def test_analyze_without_a_network(command, as_json):
    found = as_json("analyze", "hex:3,swap=false", "--moves", "b2")
    assert (found["proven"], found["value"], found["best"]) == ("win", 1, found["pv"][0])
    assert [set(one) for one in found["actions"]] == [{"action", "value", "proven", "exact", "visits"}] * 8
    assert as_json("analyze", "tictactoe", "--search", "descent")["proven"] == "draw"
    assert as_json("analyze", "tictactoe", "--search", "alphabeta")["proven"] == "draw"
    assert as_json("analyze", "tictactoe", "--search", "alphabeta:depth=2")["iterations"] == 2
    won = as_json("analyze", "tictactoe", "--search", "uct:exploration=1.4", "--moves", "a1 b1 a2 b2")
    assert (won["proven"], won["best"]) == ("win", "a3")
    score = as_json("analyze", "othello:4", "--heuristic", "score")
    assert (score["proven"], score["value"], score["exact"]) == ("loss", -8, True)
    status, output, errors = command("analyze", "othello:4", "--heuristic", "score", "--rows", "2")
    assert (status, errors) == (0, "")
    assert "proven win for the second player; value -8, proven" in output
    assert "and 2 more actions" in output


def test_analyze_without_a_proof(command, as_json):
    found = as_json("analyze", "hex:9", "--iterations", "20")
    assert (found["proven"], found["iterations"], len(found["actions"])) == (None, 20, 81)
    assert "nothing is proven" in command("analyze", "hex:9", "--iterations", "20")[1]
    assert "The tree is full (1 MiB)" in command("analyze", "hex:9", "--memory", "1")[1]


def test_analyze_a_fen(as_json):
    """The first player takes the last piece, after a move that leaves it there."""
    found = as_json("analyze", "draughts", "--fen", "B:W28:B18", "--moves", "18-23", "--seconds", "30")
    assert (found["proven"], found["best"], found["player"]) == ("win", "28x19", "first")


def test_analyze_needs_fen_of_the_game(command):
    for game, fen, said in (("tictactoe", "x", "has no FEN"), ("draughts", "x", "is not a FEN of draughts")):
        status, _, errors = command("analyze", game, "--fen", fen)
        assert status == 2 and said in errors


def test_analyze_a_finished_match(command, as_json):
    moves = ("--moves", "a1 a2 b1 b2 c1")
    found = as_json("analyze", "tictactoe", *moves)
    assert (found["over"], found["proven"], found["best"], found["pv"]) == (True, "win", None, [])
    assert "The match is over: the first player wins" in command("analyze", "tictactoe", *moves)[1]


def test_the_network_of_go_analyses_with_rollouts(command, as_json):
    """An evaluation is a rollout, and values are shares of won ones; the network alone estimates the score."""
    found = as_json("analyze", "go:7", "--iterations", "200", "--seed", "4")
    assert found["evaluations"] == 200 and "points" not in found
    assert found["win_chance"] == (1 + found["value"]) / 2
    assert found == as_json("analyze", "go:7", "--iterations", "200", "--seed", "4") | {"seconds": found["seconds"]}
    assert "and rollouts (--search ubfm" in command("analyze", "go:7", "--iterations", "20")[1]
    alone = as_json("analyze", "go:7", "--iterations", "20", "--search", "ubfm")
    assert alone["evaluations"] > 20 and "points" in alone


def test_analyze_a_run(command, as_json, run):
    found = as_json("analyze", run, "--moves", "b2 a1", "--evaluations", "20")
    assert found["game"] == "tictactoe"
    assert len(found["actions"]) == 7
    assert "first player to move" in command("analyze", run, "--iterations", "3")[1]
