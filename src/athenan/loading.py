"""Users' code: modules named by a file, `./nim.py`, or by an import path, `package.module`.

A file or module runs when it is first loaded by name. Names that come from a file, a page or another program must not
choose what a process runs: `allow` notes the names that the user gave, and `allowed` finds them again. Commands of
other programs are treated in the same way. Worker processes get the names of the process that starts them.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, module_from_spec
from os.path import isfile
from pathlib import Path
from traceback import walk_tb
from types import CodeType, ModuleType

_named: set[str] = set()
"""The files and modules that the user named, as canonical names."""
_commands: set[str] = set()
"""The players that run another program's command and that the user named."""


class LoadingError(ValueError):
    """Code that does not exist, cannot be loaded, or may not be loaded."""


def is_file(name: str) -> bool:
    """Whether a name is the name of a file."""
    return name.endswith(".py")


def is_dotted(name: str) -> bool:
    """Whether a name is the name of a module, with at least one dot."""
    return re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+", name) is not None


def can_be_imported(name: str) -> bool:
    """Whether there is a module of that name."""
    try:
        found = find_spec(name)
    except ModuleNotFoundError:
        return False
    except Exception:  # raised by a parent package; loading will report it
        return True
    return found is not None and found.origin is not None


def absolute(name: str) -> str:
    """The absolute path of a file. Raises LoadingError if it cannot be one."""
    try:
        path = str(Path(name).expanduser().resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise LoadingError(f"{name!r} is not the path of a file: {error}") from None
    if ":" in path:
        raise LoadingError(f"{path}: the path of this file must not have a colon, which would end its name")
    return path


def allow(name: str) -> None:
    """Notes that the user named a file or module, by its canonical name."""
    _named.add(name)


def allow_written(text: str) -> None:
    """Notes that the user named a file or module; settings may follow its name, as in ./nim.py:5.

    The code runs when something asks for it. Raises LoadingError if there is no such file or module.
    """
    name = text.partition(":")[0].strip()
    canonical = absolute(name) if is_file(name) else name
    if is_file(name) and not isfile(canonical):
        raise LoadingError(f"there is no file {canonical}")
    if not is_file(name) and not (is_dotted(name) and can_be_imported(name)):
        raise LoadingError(f"{name!r} is neither a file of Python code, such as ./nim.py, nor a module, such as my.nim")
    allow(canonical)


def allow_command(player: str) -> None:
    """Notes that the user named a player that runs a command, by the whole text."""
    _commands.add(player)


def command_allowed(player: str) -> bool:
    """Whether the user named this player, which runs a command."""
    return player in _commands


Names = tuple[frozenset[str], frozenset[str]]
"""The files and modules, and the players that run commands, that the user named."""


def names_given() -> Names:
    """All names that the user gave, for another process of this user."""
    return frozenset(_named), frozenset(_commands)


def take_names(given: Names) -> None:
    """Takes over the names that the user gave to the process that started this one."""
    _named.update(given[0])
    _commands.update(given[1])


def allowed(name: str) -> str | None:
    """The file or module that a saved name may load; None unless the user named it.

    A file that no longer exists is replaced by the file of the same name in another folder, if the user named that.
    """
    if name in _named:
        return name
    moved = [one for one in _named if Path(one).name == Path(name).name]
    return moved[0] if is_file(name) and not isfile(name) and len(moved) == 1 else None


def load_module(name: str) -> ModuleType:
    """The module of a canonical name: a file's absolute path, or a dotted name. It is loaded once per process.

    Raises LoadingError if that fails; the user's code may raise anything.
    """
    try:
        return _load_file(Path(name)) if is_file(name) else import_module(name)
    except LoadingError:
        raise
    except (Exception, SystemExit) as error:
        raise LoadingError(f"{name} cannot be loaded: {what(error)}") from error


def what(error: BaseException) -> str:
    """An exception in words, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300].rstrip(": ")


@contextmanager
def telling(who: str, where: str = "", passing: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Turns what a user's code raises into a ValueError: who raised what, and where. `passing` errors stay."""
    try:
        yield
    except passing:
        raise
    except Exception as error:
        raise ValueError(f"{who} raised {what(error)}{where}") from error


def blamed(error: BaseException) -> str | None:
    """What a file or module that the user named raised, in words; None if the error did not come through one."""
    files = {name if is_file(name) else getattr(sys.modules.get(name), "__file__", None) for name in _named}
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    found = [f"{file}, line {line}: raised {what(error)}" for file, line in frames if file in files]
    return found[-1] if found else None


class _FromSource(SourceFileLoader):
    """Reads the present source of a file: Python's own cache misses a change within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _load_file(path: Path) -> ModuleType:
    name = str(path)
    if name in sys.modules:
        return sys.modules[name]
    if not isfile(path):
        raise LoadingError(f"there is no file {name}")
    loader = _FromSource(name, name)
    module = sys.modules[name] = module_from_spec(ModuleSpec(name, loader, origin=name))
    module.__file__ = name
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
