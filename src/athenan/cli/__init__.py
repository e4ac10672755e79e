"""The command `athenan`: one module per command, loaded when the command is used.

Exit status: 0 on success, 2 with one line on standard error for bad input, 130 when interrupted, 143 when ended by
SIGTERM, 129 by SIGHUP.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from athenan.cli import streams
from athenan.cli.interruption import Ended, ending_interrupts

COMMANDS = {
    "games": "list the games and their options",
    "rules": "explain how a game is played, in a few sentences",
    "train": "learn a game from its rules alone",
    "runs": "list the runs in a folder",
    "info": "show what a run is and how far it has come, or how several differ",
    "networks": "list the networks in the package, or show the card of one",
    "plot": "write the curves of runs as SVG, PNG and CSV",
    "export": "write the network of a run for other programs, as ONNX or for PyTorch alone",
    "play": "play in the terminal",
    "web": "play, analyse and watch training in the browser",
    "match": "play matches between two players and measure their strength",
    "tournament": "play matches between any number of players and rate them",
    "calibrate": "learn what the values of a run mean as win chances",
    "grade": "measure how often players keep the game value of solved positions",
    "positions": "make solved positions, on which players are graded",
    "convert": "convert a file of matches to another format: SGF, PDN, JSON lines, moves",
    "engine": "serve as an engine for other programs, through a protocol such as GTP or UCI",
    "experiment": "run an experiment of the papers: training, matches between the networks, a report",
    "analyze": "show the values of a position's actions, the best line, and what is proven",
    "check": "check that the rules of a game, such as one of your own, keep their promises",
    "perft": "count the action sequences from a position",
    "bench": "measure the speed of rules, searches and network on this machine",
}
"""Name of a command -> its description; the function `run` of the module of that name is the command."""

DEBUG = "ATHENAN_DEBUG"
"""The environment variable that makes errors show their traceback."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line (default: the arguments of the process) and returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # torch reads this when it is loaded: a thread that spins while it waits takes a core that others need
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    streams.prepare()
    with ending_interrupts():
        status = _status(given)
    streams.settle()
    return status


def _status(given: list[str]) -> int:
    """The exit status of a command line, after running it."""
    try:
        _run(given)
        sys.stdout.flush()
    except Ended as end:
        streams.complain(f"athenan: ended by {end.signal.name}")
        return 128 + end.signal
    except KeyboardInterrupt:
        streams.complain("athenan: interrupted")
        return 130
    except BrokenPipeError:  # the reader of our output is gone, as in `athenan games | head -1`
        return 1
    except (ValueError, OSError, MemoryError) as error:
        if os.environ.get(DEBUG):
            raise
        streams.complain(f"athenan: error: {_one_line(error)}")
        return 2
    except (Exception, SystemExit) as error:
        return _ended(error)
    return 0


def _run(arguments: list[str]) -> None:
    command = arguments[0] if arguments else "--help"
    if command in ("-h", "--help"):
        print(_overview())
    elif command == "--version":
        from athenan.version import __version__

        print(f"athenan {__version__}")
    elif command in COMMANDS:
        module = import_module(f"athenan.cli.{command}")
        from athenan.cli.compiling import announce

        announce()
        module.run(arguments[1:])
    else:
        from athenan.settings import did_you_mean

        commands = f"commands are {', '.join(COMMANDS)}"
        raise ValueError(f"there is no command {command!r}{did_you_mean(command, COMMANDS, commands)}")


def _overview() -> str:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {what}" for name, what in COMMANDS.items())
    return f"usage: athenan COMMAND ...\n\n{commands}\n\nathenan COMMAND --help explains a command."


def _ended(error: Exception | SystemExit) -> int:
    """The exit status after what the user's own code raised, or when the parser ends the command.

    Any other error, which is a defect of athenan, is raised again.
    """
    from athenan.loading import blamed

    said = blamed(error)
    if isinstance(error, SystemExit) and not said:  # of the parser: 0 after --help
        return int(error.code or 0)
    if os.environ.get(DEBUG) or not said:
        raise error
    streams.complain(f"athenan: error: {said}; {DEBUG}=1 shows the traceback")
    return 2


def _one_line(error: Exception) -> str:
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = ": ".join(map(str, filter(None, (error.filename, error.strerror))))
    from athenan.settings import printable

    return printable(text) or type(error).__name__
