"""Programs as processes: where they are found, and that nothing of them is left."""

import os
import shlex
import stat
import sys
from pathlib import Path

import pytest
from processes import Mailbox, all_end

from athenan import Budget, make
from athenan.arena.roster import make_player
from athenan.engines import process
from athenan.play.match import play_match
from athenan.play.player import PlayerError, RandomPlayer

LEAVES_ITS_GROUP = """
import subprocess, sys
child = "import os, signal, sys; print(os.getpid(), file=open(sys.argv[1], 'w'), flush=True); signal.pause()"
if {daemon}:
    import os
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", child, sys.argv[1]])
        os._exit(0)
else:
    subprocess.Popen([sys.executable, "-c", child, sys.argv[1]], start_new_session=True)
for line in sys.stdin:
    if line.startswith("genmove") and {crash}:
        sys.exit(3)
    print("=\\n", flush=True)
"""


def runs(number: int) -> bool:
    """Whether a process runs, and is not only waited for."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="this system does not tell environments")
@pytest.mark.parametrize(("daemon", "crash"), [(False, False), (True, False), (False, True), (True, True)])
def test_what_a_program_has_started_ends_with_it(tmp_path: Path, daemon: bool, crash: bool) -> None:
    file, noted = tmp_path / "engine.py", tmp_path / "child"
    told = Mailbox(noted)
    file.write_text(LEAVES_ITS_GROUP.format(daemon=daemon, crash=crash))
    player = make_player(f"gtp:{shlex.join([sys.executable, str(file), str(noted)])},timeout=1", make("tictactoe"))
    child = int(told.line())
    told.close()
    assert runs(child)
    assert os.getpgid(child) != os.getpgid(0)
    if crash:
        record = play_match(make("tictactoe"), (player, RandomPlayer()), limit=Budget(seconds=0.1))
        assert record.forfeit
    player.close()
    assert all_end([child])


def test_a_program_of_the_games_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "an-engine-of-debian"
    program.write_text(f"#!{sys.executable}\nwhile True:\n    input()\n    print('= \\n', flush=True)\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(process, "GAMES", (str(tmp_path),))
    monkeypatch.setenv("PATH", "/bin")
    make_player(f"gtp:{program.name}", make("tictactoe")).close()


def test_a_program_that_is_not_found_is_named_with_the_folders() -> None:
    with pytest.raises(PlayerError, match="no program 'none-such' in PATH or in /usr/games or /usr/local/games"):
        make_player("gtp:none-such --fast", make("tictactoe"))
