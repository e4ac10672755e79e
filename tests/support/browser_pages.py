"""A server of the page on a free port, and a headless Chromium that looks at it."""

import shutil
import socket
import threading
from contextlib import contextmanager
from functools import cache

import pytest
import uvicorn

from athenan.web.choices import Choices
from athenan.web.server import application

BROWSERS = "chromium-headless-shell", "chromium", "chromium-browser"
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
"""The first takes a third less time, as it has no windows."""
PATIENCE = 300_000
"""Milliseconds for what may have to be compiled first on a busy machine."""

QUICK = "&first-seconds=0.1&second-seconds=0.1"
"""What programs of an opened page may take for an action, unless its address says how long."""


class Announcing(uvicorn.Server):
    """A server that says when it has started."""

    def __init__(self, config):
        super().__init__(config)
        self.begun = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.begun.set()


@contextmanager
def server(choices=None, token=None, port=0):
    """The address of a running server; port 0 is any free one."""
    listening = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(
        application(choices or Choices("tictactoe"), token),
        log_level="error",
        ws="websockets-sansio",
        lifespan="off",
    )
    running = Announcing(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        assert running.begun.wait(PATIENCE / 1000)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        running.should_exit = True
        thread.join()
        listening.close()


class _Launched:
    """The Chromium of this process, which all its tests of pages share: its start takes longer than most of them."""

    def __init__(self):
        sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
        if CHROMIUM is None:
            pytest.skip("chromium is not installed")
        self.playwright = sync_api.sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )

    def close(self):
        self.chromium.close()
        self.playwright.stop()


_launched = cache(_Launched)


@contextmanager
def browser():
    """A headless Chromium in which nothing of other tests is open. The test is skipped if Chromium is missing."""
    chromium = _launched().chromium
    try:
        yield chromium
    finally:
        for context in chromium.contexts:
            context.close()


def close_browser():
    """Ends the Chromium of this process, if it has one."""
    if _launched.cache_info().currsize:
        _launched().close()
        _launched.cache_clear()


def opened(context, address, fragment="", patience=PATIENCE, beside=False):
    """A page of the server, when it shows a position; its errors are collected in `errors`.

    Its later waits last at most `patience` milliseconds. All earlier pages are closed, as each of them would go on to
    work, unless this one is opened `beside` them.
    """
    earlier = [] if beside else [page for one in context.browser.contexts for page in one.pages]
    page = context.new_page()
    for other in earlier:
        other.close()
    page.set_default_timeout(PATIENCE)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    page.goto(f"{address}play#{fragment}{'' if 'seconds' in fragment else QUICK}")
    page.wait_for_selector("#board svg")
    page.set_default_timeout(patience)
    return page


def leads(page, fragment):
    """Opens a match in a page that shows another one, which takes a fraction of the time; the status says when."""
    page.evaluate(
        "fragment => { document.getElementById('status').textContent = ''; location.hash = fragment; }", fragment
    )


def shows(page, title):
    """Waits until both the title and the board are those of a game; they come one by one, in any order."""
    page.wait_for_function(
        "title => document.getElementById('title')?.textContent == title && "
        "document.getElementById('board').getAttribute('aria-busy') == 'false'",
        arg=title,
    )


def click(page, *names):
    """Clicks on places by their names."""
    for name in names:
        page.click(f'#board [aria-label^="{name}:"]', force=True)


def status(page, text):
    """Waits until the status has a text. A page that is still being left has none."""
    page.wait_for_function("text => document.getElementById('status')?.textContent.includes(text)", arg=text)


def moves(page):
    """The moves of the match as the page lists them."""
    return page.locator("#tree button").all_inner_texts()
