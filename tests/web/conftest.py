"""Tests of the page share a browser, which ends before others begin."""

import pytest
from browser_pages import close_browser


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Closes the browser unless a test of a module that uses one follows: its loop runs in the thread of all tests."""
    if nextitem is None or not hasattr(nextitem.module, "browser"):
        close_browser()
