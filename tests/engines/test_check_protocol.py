"""The check of a protocol that users call: every protocol of the package passes, and each kind of fault is found."""

import pytest

from athenan.engines.conformance import ProtocolFault, check_protocol
from athenan.engines.gtp.client import GtpConversation
from athenan.engines.gtp.server import GtpServer
from athenan.engines.protocols import CONVERSATIONS, SERVERS
from athenan.play.player import Forfeit

GAMES = {
    "gtp": "hex:3",
    "aei": "arimaa:200",
    "gomocup": "gomoku:5",
    "hub": "draughts",
    "ucci": "xiangqi",
    "uai": "ataxx:4",
}


@pytest.mark.parametrize("protocol", SERVERS)
def test_every_protocol_keeps_its_promises(protocol):
    check_protocol(SERVERS[protocol], CONVERSATIONS[protocol], [GAMES.get(protocol, "breakthrough:4x4")], 1, 100)


def test_matches_with_dice_are_played():
    check_protocol(SERVERS["ugi"], CONVERSATIONS["ugi"], ["pig:10,length=20"])


class Raises(GtpServer):
    def handle(self, line):
        if line.startswith("genmove"):
            raise KeyError("genmove")
        return super().handle(line)


class RaisesForOtherLines(GtpServer):
    def handle(self, line):
        if line and not line.split()[0].isalpha() and "_" not in line:
            raise IndexError("no command")
        return super().handle(line)


class Forgets(GtpServer):
    def handle(self, line):
        going = super().handle(line)
        if "genmove" in line and len(self.engine.session.actions) > 2:
            self.engine.session.position()
        return going


def answering(answer):
    class Answers(GtpConversation):
        def choose(self, turn):
            return answer() or super().choose(turn)[:0]

    return Answers


def forfeits():
    raise Forfeit("no answer came")


@pytest.mark.parametrize(
    ("serve", "converse", "fault"),
    [
        (Raises, GtpConversation, "tictactoe: the server raises KeyError for the line 'genmove"),
        (RaisesForOtherLines, GtpConversation, "the server raises IndexError for the line"),
        (Forgets, GtpConversation, "tictactoe: the server has the position"),
        (GtpServer, answering(lambda: ["z9"]), "tictactoe: the answer 'z9' is not legal in"),
        (GtpServer, answering(lambda: []), "tictactoe: the client gives no action in"),
        (GtpServer, answering(forfeits), "tictactoe: the client gives up: no answer came"),
    ],
)
def test_faults_are_found(serve, converse, fault):
    with pytest.raises(ProtocolFault) as raised:
        check_protocol(serve, converse, ["tictactoe"])
    assert fault in str(raised.value)
