"""Requests and answers of the page, without a browser."""

import json
from typing import Any

LOCAL: dict[str, Any] = {"base_url": "http://localhost"}
SOCKET = "ws://localhost/socket"


def ask(socket, kind, request=1, **content):
    socket.send_text(json.dumps({"type": kind, "request": request, **content}))


def answer(socket, kind):
    """The next answer of a kind."""
    while True:
        found = socket.receive_json()
        if found["type"] in (kind, "error"):
            assert found["type"] == kind, found
            return found
