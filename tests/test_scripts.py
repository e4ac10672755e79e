"""scripts/environment: which PyTorch is installed where."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "environment"
RECORDING = '#!/bin/sh\necho "$0 $*" >>"{log}"\n{rest}\n'


@pytest.mark.skipif(Path("/proc/driver/nvidia").exists(), reason="this machine has an NVIDIA driver")
@pytest.mark.parametrize(
    ("driver", "installed", "reachable", "fetches"),
    [
        (False, False, True, True),
        (False, False, False, False),
        (False, True, True, False),
        (True, False, True, False),
    ],
)
def test_without_a_gpu_pytorch_for_cpus_is_fetched_if_it_can_be(tmp_path, driver, installed, reachable, fetches):
    """With stand-ins for python3, nvidia-smi and what the virtual environment has."""
    scripts, tools, environment = tmp_path / "scripts", tmp_path / "tools", tmp_path / ".venv" / "bin"
    for folder in (scripts, tools, environment):
        folder.mkdir(parents=True)
    shutil.copy(SCRIPT, scripts)
    log = tmp_path / "log"
    asked = f'case "$2" in *find_spec*) exit {int(not installed)};; *urlopen*) exit {int(not reachable)};; esac'
    programs = {environment / "python": asked, **dict.fromkeys((environment / "pip", environment / "athenan"), "")}
    programs[tools / "python3"] = ""
    if driver:
        programs[tools / "nvidia-smi"] = ""
    for file, rest in programs.items():
        file.write_text(RECORDING.format(log=log, rest=rest))
        file.chmod(0o755)
    (tools / "dirname").symlink_to(shutil.which("dirname"))
    done = subprocess.run(
        ["/bin/sh", "-c", f'set -- ; . "{scripts}/environment"', f"{scripts}/test"],
        env={"PATH": str(tools)}, cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    installing = [line for line in log.read_text().splitlines() if "pip install" in line]
    assert bool(installing) == fetches
    assert all("--extra-index-url https://download.pytorch.org/whl/cpu torch" in line for line in installing)
    assert ("cannot be reached" in done.stderr) == (not driver and not installed and not reachable)
