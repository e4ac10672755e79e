"""Makes the pictures of docs/tutorial.md from a folder of runs: .venv/bin/python scripts/tutorial_pictures.py RUNS.

RUNS is a folder with the run `hex-7` of the tutorial, and a second one of hex:7. Needs playwright and Chromium.
"""

import io
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from athenan.games.catalogue import make
from athenan.play.latest import read_latest
from athenan.web.choices import Choices
from athenan.web.server import application

PICTURES = Path(__file__).parent.parent / "docs" / "images" / "tutorial"
PATIENCE = 600_000
MOVES = "b4 d4 c5 d2 c3 e4"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of the runs of a folder."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            application(Choices("hex:7", folder=folder)), log_level="error", ws="websockets-sansio", lifespan="off"
        )
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        running.should_exit = True
        thread.join()


def save(page: Page, name: str) -> None:
    """Writes what a page shows."""
    PICTURES.mkdir(exist_ok=True)
    image = Image.open(io.BytesIO(page.screenshot()))
    image.save(PICTURES / f"{name}.webp", quality=82, method=6)


def board(page: Page, address: str, **held: Any) -> None:
    """Opens the board with what the address holds."""
    page.goto("about:blank")
    page.goto(f"{address}play#{urlencode({'game': 'hex:7', 'search': 'run:hex-7', **held})}")
    page.wait_for_selector("#board svg")


def main(folder: Path) -> None:
    """Makes all pictures."""
    match = read_latest(folder / "hex-7")[-1]
    moves = make("hex:7").moves(match.record.actions)
    with served(folder) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1100, "height": 780})
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        save(page, "games")
        board(page, address, moves=MOVES, first="human", second="run:hex-7", analyse=1)
        page.wait_for_function("() => parseFloat(document.getElementById('effort').textContent.split(', ')[3]) > 2")
        save(page, "board")
        board(page, address, moves=moves, first="human", second="human", run="hex-7", match=match.number)
        page.click("#annotate")
        page.wait_for_function("() => document.getElementById('status').textContent.includes('annotated')")
        save(page, "annotated")
        runs = ",".join(sorted(path.parent.name for path in folder.glob("*/checkpoint.safetensors")))
        page.set_viewport_size({"width": 1100, "height": 1000})
        page.goto(f"{address}trainings#{urlencode({'runs': runs})}")
        page.wait_for_selector("#latest .spark")
        save(page, "trainings")
        chromium.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
