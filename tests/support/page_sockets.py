"""The socket of a page that is open in Chromium."""

from contextlib import contextmanager

from page_messages import LOCAL, SOCKET
from starlette.testclient import TestClient

from athenan.web.choices import Choices
from athenan.web.server import application


@contextmanager
def socket_of_page():
    with (
        TestClient(application(Choices("tictactoe")), **LOCAL) as client,
        client.websocket_connect(SOCKET) as socket,
    ):
        yield socket
