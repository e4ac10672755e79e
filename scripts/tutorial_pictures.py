"""Makes the pictures of docs/tutorial.md: .venv/bin/python scripts/tutorial_pictures.py RUNS [PICTURE ...].

RUNS is a folder with the runs that the picture `trainings` shows: `hex-7` and a second run of hex:7. The others need no
run. Without names all pictures are made. Needs playwright and Chromium. The picture `install` installs the package in a
new environment.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import uvicorn
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.text import Text

from athenan.web.choices import Choices
from athenan.web.server import application

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "images" / "tutorial"
PATIENCE = 600_000
MOTION = 500
"""Milliseconds in which motions end."""
SIZE = {"width": 1060, "height": 800}
PHONE = {"width": 390, "height": 780}
GAME = "connect_four:7x6"
MOVES = list("545514544342254252176666")
"""A match of athenan:beginner as Red, who stands for a newcomer, against athenan:casual."""
HINTED = 4
"""Number of moves after which the position is analysed: Red's first mistake follows."""


_FIRST, _LAST = 9, 8
"""Lines of the table of networks that the picture `install` shows, at its beginning and at its end."""


@dataclass(frozen=True)
class Film:
    """What the pictures are made with: a browser, and a server of the runs of a folder."""

    browser: Browser
    address: str
    folder: Path

    def page(self, **settings: Any) -> Page:
        """An empty page."""
        made = self.browser.new_page(**{"viewport": SIZE, **settings})
        made.set_default_timeout(PATIENCE)
        return made

    def board(self, moves: list[str], page: Page | None = None, **held: Any) -> Page:
        """A page with the board after these moves of a match against the computer at the level casual."""
        page = page or self.page()
        players = {"first": "human", "second": "computer", "second-level": "casual", "search": "athenan"}
        page.goto(f"{self.address}play#{urlencode({'game': GAME, 'moves': ' '.join(moves), **players, **held})}")
        page.wait_for_selector("#board svg")
        return page

    @cached_property
    def reviewed(self) -> Page:
        """A page with the match and its review, the same for all pictures: two reviews are not quite equal."""
        page = self.board(MOVES)
        page.click("#review")
        page.wait_for_function("() => document.getElementById('status').textContent.includes('reviewed')")
        return page


def install(film: Film) -> Page:
    """A terminal: the installation in a new environment, and what is already learnt."""
    with TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "FORCE_COLOR": "1", "COLUMNS": "100",
        }  # fmt: skip

        def said(command: str) -> str:
            return subprocess.run(
                ["bash", "-c", command], cwd=ROOT, env=environment, check=True, text=True, stdout=subprocess.PIPE
            ).stdout.rstrip()

        last = said("pip install .").splitlines()[-1]
        networks = said("athenan networks").splitlines()
        shown = [
            "$ pip install .", "[…]", last, "", "$ athenan networks", *networks[:_FIRST], " […]", *networks[-_LAST:]
        ]  # fmt: skip
    console = Console(record=True, file=io.StringIO(), width=100)
    console.print(Text.from_ansi("\n".join(shown)))
    page = film.page()
    page.set_content(f"<style>body {{ margin: 0 }}</style>{console.export_svg(title='')}")
    box = page.locator("svg").bounding_box()
    assert box
    page.set_viewport_size({"width": SIZE["width"], "height": int(box["height"])})
    return page


def games(film: Film) -> Page:
    """The gallery."""
    page = film.page()
    page.goto(film.address)
    page.wait_for_load_state("networkidle")
    return page


def options(film: Film) -> Page:
    """The dialog before a match."""
    page = games(film)
    page.click(f'[data-game="{GAME}"]')
    page.click("dialog summary")
    return page


def moves(film: Film) -> Page:
    """The first moves, with the places where the next one can go."""
    page = film.board(MOVES[:4])
    page.wait_for_timeout(MOTION)
    page.wait_for_selector("#compiling", state="hidden")  # the opponent is prepared
    return page


def rules(film: Film) -> Page:
    """The rules beside the board."""
    page = moves(film)
    page.click("#rules")
    return page


def hint(film: Film) -> Page:
    """The values of all moves, and the best line."""
    page = film.board(MOVES[:HINTED], analyse=1)
    page.wait_for_function("() => parseFloat(document.getElementById('effort').textContent.split(', ')[3]) > 2")
    return page


def end(film: Film) -> Page:
    """The end of the match."""
    page = film.board(MOVES)
    page.wait_for_function("() => document.getElementById('status').textContent.includes('wins')")
    return page


def review(film: Film) -> Page:
    """The review of the match."""
    return film.reviewed


def mistake(film: Film) -> Page:
    """What would have been better than a mistake."""
    page = film.reviewed
    page.click("#begin")
    page.wait_for_timeout(MOTION)
    page.click("#next-mistake")
    page.wait_for_selector("#mistake:not([hidden])")
    page.click("#mistake button:text-is('Show the answer')")
    return page


def phone(film: Film) -> Page:
    """The board in German, on a phone in dark mode."""
    page = film.page(viewport=PHONE, locale="de-DE", color_scheme="dark", device_scale_factor=1.5)
    return film.board(MOVES[:HINTED], page)


def trainings(film: Film) -> Page:
    """The curves of two runs, and their latest matches."""
    page = film.page(viewport={"width": 1100, "height": 1000})
    runs = ",".join(sorted(path.parent.name for path in film.folder.glob("hex*/checkpoint.safetensors")))
    page.goto(f"{film.address}trainings#{urlencode({'runs': runs})}")
    page.wait_for_selector("#latest .spark")
    return page


ALL: tuple[Callable[[Film], Page], ...] = (
    install, games, options, moves, rules, hint, end, review, mistake, phone, trainings,
)  # fmt: skip
"""The pictures in the order of the tutorial; each is named as its function."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of the runs of a folder."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            application(Choices(GAME, folder=folder)), log_level="error", ws="websockets-sansio", lifespan="off"
        )
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            running.should_exit = True
            thread.join()


def main(folder: Path, names: list[str]) -> None:
    """Makes the named pictures, or all."""
    makers = {one.__name__: one for one in ALL}
    PICTURES.mkdir(exist_ok=True)
    with served(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        film = Film(browser, address, folder)
        for name in names or makers:
            page = makers[name](film)
            page.wait_for_timeout(MOTION)
            Image.open(io.BytesIO(page.screenshot())).save(PICTURES / f"{name}.webp", quality=78, method=6)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
