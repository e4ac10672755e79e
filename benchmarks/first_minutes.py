"""How long a newcomer waits for a board: `python benchmarks/first_minutes.py`.

Prints the seconds from `athenan web connect_four` to the board, first with nothing compiled and then twice more, and
from a click on Othello in the gallery to the board and to the computer's first reply, with nothing compiled. A board is
there when headless Chromium shows it and a person can move. The first move is made at once. Needs playwright and
Chromium.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

PATIENCE = 600_000
OTHELLO = 'a.button[href="/play#game=othello%3A8"]'
PLAYED = "() => document.getElementById('moves').value.trim().split(' ').length >= 2"


@contextmanager
def served(browser: Browser, compiled: str, *subject: str) -> Iterator[tuple[float, Page]]:
    """When a server was started that keeps what it compiles in a folder, and a page of it."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    began = time.perf_counter()
    command = [sys.executable, "-m", "athenan", "web", *subject, "--port", "0"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": compiled}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            page.goto(process.stdout.readline().split()[1])
            yield began, page
        finally:
            process.terminate()
    page.close()


def tell(what: str, began: float) -> float:
    """Prints the seconds since then; returns the time."""
    now = time.perf_counter()
    print(f"{now - began:6.1f}  {what}", flush=True)
    return now


def main() -> None:
    """Measures and prints."""
    with sync_playwright() as playwright, TemporaryDirectory() as first, TemporaryDirectory() as second:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for state in ("nothing compiled", "compiled", "compiled"):
            with served(browser, first, "connect_four") as (began, page):
                page.wait_for_selector("#board .can")
                tell(f"athenan web connect_four: the board ({state})", began)
        with served(browser, second) as (_, page):
            page.wait_for_load_state("networkidle")
            began = time.perf_counter()
            page.click(OTHELLO)
            page.wait_for_selector("#board .can")
            began = tell("a click on Othello: the board (nothing compiled)", began)
            page.locator("#board .can").first.click(force=True)
            page.wait_for_function(PLAYED)
            tell("the first move: the computer's reply (nothing compiled)", began)
        browser.close()


if __name__ == "__main__":
    main()
