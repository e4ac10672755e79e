"""All that is used of numba beyond its documented interface; `tests/test_private_parts.py` tests each part.

Numba's documents describe `njit`, `typeof`, `types` and `numba.extending`. These are inner parts of it, which a new
version may change: compilation for one signature (`CPUDispatcher`), its cache on disk, its lock, its events, its
errors, and helpers that generate code (`cgutils`). `compiler.Kernel` overrides the dispatcher's `compile` and
`_compile_for_args`.
"""

from typing import Any

from numba.core import cgutils
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError, TypingError, UnsupportedBytecodeError
from numba.core.event import Event, Listener, register
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral
from numba.core.typing.templates import Signature

__all__ = [
    "COMPILING", "LOCKING", "OPTIONS", "CPUDispatcher", "Compiler", "Event", "JITCodeLibrary", "Listener",
    "NullCache", "NumbaError", "Signature", "StampedCache", "TypingError", "UnsupportedBytecodeError", "cgutils",
    "found_by_itself", "global_compiler_lock", "native_address", "populate_array", "register", "unliteral",
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

    The stamp is part of the version of the index. Numba reads the version alone; to compare what it calls a stamp, it
    reads the whole index, which fails if that names a module that has moved since.
    """

    def __init__(self, function: Any, suffix: str, stamp: tuple[Any, ...]) -> None:
        """`suffix` is added to the names of its files. Raises RuntimeError or OSError if no folder can be written."""
        super().__init__(function)
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path, filename_base=f"{self._impl.filename_base}-{suffix}", source_stamp=None
        )
        self._cache_file._version = self._cache_file._version, stamp


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
