"""The main commands run without what only Linux, or only POSIX, offers."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

ELSEWHERE = str(Path(__file__).parents[1] / "support" / "elsewhere.py")


def run(folder, *commands, lines=""):
    done = subprocess.run(
        [sys.executable, ELSEWHERE, *commands], cwd=folder, input=lines, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


def test_the_main_commands_need_no_function_of_one_system(tmp_path):
    program = f"gtp:{sys.executable} -m athenan engine tictactoe --player mcts:20"
    run(
        tmp_path,
        "networks",
        "train tictactoe --network patterns --matches 3 --action.iterations 5",
        "train --resume runs/tictactoe --matches 4",
        f"match tictactoe runs/tictactoe '{program}' --games 2 --workers 2 --iterations 5 --records m.jsonl",
        "tournament tictactoe runs/tictactoe random --games 2 --store results --iterations 5",
        "analyze runs/tictactoe --iterations 20",
    )
    assert (tmp_path / "runs/tictactoe/checkpoint.safetensors").stat().st_size
    assert len((tmp_path / "m.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    played = run(tmp_path, "play runs/tictactoe --iterations 5 --second human", lines="b2\nquit\n")
    assert "b2" in played


def test_the_page_needs_no_function_of_one_system(tmp_path):
    with subprocess.Popen(
        [sys.executable, ELSEWHERE, "web tictactoe --port 0"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        try:
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            with urlopen(address) as page:
                assert b"</html>" in page.read()
        finally:
            server.kill()
