"""Bytes from and to a program, with limits of time, and the sockets of this machine."""

import os
import socket
from contextlib import suppress
from functools import partial

import pytest

from athenan.system.sockets import new_address
from athenan.system.streams import Stream


@pytest.fixture
def ends():
    """The descriptors of a stream's far end: what it reads from, what it writes to; and the stream."""
    (ours, into), (out, theirs) = os.pipe(), os.pipe()
    stream = Stream(partial(os.read, ours), partial(os.write, theirs))
    yield into, out, stream
    for descriptor in {into, out}:
        try:
            os.close(descriptor)
        except OSError:
            continue
    stream.close()
    os.close(ours)
    os.close(theirs)


def test_what_comes_is_received_and_then_the_end_again_and_again(ends):
    into, _, stream = ends
    assert stream.receive(0) is None
    os.write(into, b"one")
    assert stream.receive(60) == b"one"
    os.close(into)
    assert [stream.receive(60), stream.receive(0)] == [b"", b""]


def test_a_program_that_does_not_read_is_noticed(ends):
    _, out, stream = ends
    assert stream.send(b"hello", 60) and os.read(out, 100) == b"hello"
    assert not stream.send(bytes(10**7), 0)
    os.close(out)
    with pytest.raises(BrokenPipeError):
        stream.send(b"more", 60)


def test_a_program_that_writes_without_end_has_to_wait(ends):
    into = ends[0]
    os.set_blocking(into, False)
    written = 0
    with suppress(BlockingIOError):
        while written < 10**9:
            written += os.write(into, bytes(10**6))
    assert written < 10**8
    os.close(into)  # what is unread does not keep `close` from ending the threads


def test_where_there_are_no_unix_sockets_a_program_listens_at_the_loopback_address(tmp_path, monkeypatch):
    monkeypatch.delattr(socket, "AF_UNIX")
    address = new_address(tmp_path)
    host, port = address.text.split(":")
    with pytest.raises(ConnectionRefusedError):
        address.connected()
    with socket.create_server((host, int(port))) as server, address.connected() as mine:
        theirs, _ = server.accept()
        with theirs:
            mine.sendall(b"hello")
            assert theirs.recv(5) == b"hello"
