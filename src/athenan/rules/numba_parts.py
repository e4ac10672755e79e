"""All that is used of numba beyond its documented interface; `tests/test_private_parts.py` tests each part.

Numba's documents describe `njit`, `typeof`, `types` and `numba.extending`. These are inner parts of it, which a new
version may change: compilation for one signature (`CPUDispatcher`), its cache on disk, its lock, its events, its
errors, and helpers that generate code (`cgutils`). `compiler.Kernel` overrides the dispatcher's `compile` and
`_compile_for_args`.
"""

from pathlib import Path
from typing import Any

from llvmlite.binding import get_host_cpu_features
from numba import __version__ as version
from numba.core import cgutils, config
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError, TypingError, UnsupportedBytecodeError
from numba.core.event import Event, Listener, register
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.types.misc import unliteral
from numba.core.typing.templates import Signature

__all__ = [
    "COMPILING", "LOCKING", "OPTIONS", "CPUDispatcher", "Compiler", "Event", "JITCodeLibrary", "Listener",
    "NullCache", "NumbaError", "Signature", "StampedCache", "TypingError", "UnsupportedBytecodeError", "cgutils",
    "compile_for", "found_by_itself", "global_compiler_lock", "native_address", "populate_array", "processor_has",
    "register", "unliteral", "version",
]  # fmt: skip

COMPILING = "numba:compile"
"""The event of a compilation; its data has the `dispatcher`, whose `py_func` is the function."""
LOCKING = "numba:compiler_lock"
"""The event of numba's lock: it starts before a thread waits for the lock and ends once the thread releases it."""
OPTIONS = {
    "nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, "_nrt": False,
    "no_cfunc_wrapper": True,
}  # fmt: skip
"""How kernels are compiled; without `_nrt`, numba's runtime, nothing counts references."""


class StampedCache(FunctionCache):
    """A cache on disk of one function, which is valid while a stamp of any kind stays the same.

    Code that comes with the package, in a folder that is only read, is looked for first. The stamp is part of the
    version of the index. Numba reads the version alone; to compare what it calls a stamp, it reads the whole index,
    which fails if that names a module that has moved since.
    """

    def __init__(self, function: Any, suffix: str, stamp: str, ready: Path | None = None) -> None:
        """`suffix` is added to the names of its files. `ready` is a folder with code that comes with the package.

        Raises RuntimeError or OSError if no folder can be written.
        """
        super().__init__(function)
        name = f"{self._impl.filename_base}-{suffix}"
        self._cache_file = _stamped(self._cache_path, name, stamp)
        if ready:
            own, shipped = self._cache_file, _stamped(ready, name, stamp)
            read = own.load
            own.load = lambda key: shipped.load(key) or read(key)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Reads compiled code. Numba would first load all that it needs to compile, which takes half a second."""
        rtsys.initialize(target)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target)


def _stamped(folder: str | Path, name: str, stamp: str) -> Any:
    """The files of a function in a folder, which count as empty if they have another stamp."""
    file = IndexDataCacheFile(cache_path=str(folder), filename_base=name, source_stamp=None)
    file._version = file._version, stamp
    return file


def processor_has(features: frozenset[str]) -> bool:
    """Whether this processor has all these features, by LLVM's names."""
    found = get_host_cpu_features()
    return all(found.get(feature) for feature in features)


def compile_for(processor: str) -> None:
    """Compiles for a kind of processor, by LLVM's name, instead of this very one.

    Numba looks at this when it makes the first compiled function, even before it compiles it.
    """
    config.CPU_NAME, config.CPU_FEATURES = processor, ""


def found_by_itself(compiled: Any, target: Any) -> Any:
    """A compiled function that calls find in a target without machine code of its own."""
    found = compiled._replace(entry_point=object())
    target.insert_user_function(found.entry_point, found.fndesc, [found.library])
    return found


def native_address(compiled: Any) -> int:
    """The address of the machine code of a compiled overload."""
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def populate_array() -> Any:
    """Numba's function that fills in the fields of an array; its module takes long to load."""
    from numba.np.arrayobj import populate_array as function

    return function
