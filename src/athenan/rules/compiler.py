"""Compiles kernels for one signature at their first use, without reference counts, and caches the code on disk.

A kernel is compiled, or read from the cache, at its first call or when its address is needed. So a program compiles
only what it uses. `prepare` compiles ahead of time, for code that is timed. Module `compilation` reports what is being
compiled. If the cache cannot be written, the logger `athenan` warns once. If several processes need a kernel at a
time, one compiles it, and the others wait and read it.

Kernels allocate nothing: they are compiled without numba's runtime. The runtime would count the references to every
array that is passed on, sliced or exchanged, atomically. On some processors these counts take most of the time of a
short kernel. The caller passes the buffers that a kernel needs, or the kernel takes them from `memory.scratch`.
"""

import inspect
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numba import from_dtype, typeof, types

from athenan.rules.numba_parts import (
    OPTIONS,
    Compiler,
    CPUDispatcher,
    JITCodeLibrary,
    NullCache,
    Signature,
    StampedCache,
    TypingError,
    found_by_itself,
    global_compiler_lock,
    native_address,
    unliteral,
)
from athenan.rules.ready import READY
from athenan.system import locks

_PACKAGE = Path(__file__).parent.parent
_log = logging.getLogger("athenan")


class Kernel(CPUDispatcher):
    """A function compiled for its one signature at its first use; arguments are converted to this signature."""

    def __init__(self, function: Callable[..., Any], signature: Signature) -> None:
        super().__init__(function, targetoptions=OPTIONS)
        if inspect.isgeneratorfunction(function):  # which would end the process
            raise TypeError(f"the kernel {function.__name__} must not yield")
        _require_parameters(function, len(signature.args))
        self.signature = signature

    if TYPE_CHECKING:  # numba's own, in C

        def __call__(self, *arguments: Any) -> Any: ...

    def compile(self, signature: Any = None) -> Any:
        """Compiles the kernel if necessary. Numba calls this with a call's types, then converts the arguments."""
        if not self.overloads:
            with global_compiler_lock:  # several threads may need it first; later calls skip the lock
                if not self.overloads:
                    self._cache = _cache_of(self.py_func)
                    with self._cache if isinstance(self._cache, _KernelCache) else nullcontext():
                        super().compile(self.signature)
                    self._set_environments()
                    self.disable_compile()
        return next(iter(self.overloads.values())).entry_point

    def _set_environments(self) -> None:
        """Gives the helpers in the compiled code what `print` in them needs; numba does so for code from the cache."""
        (result,) = self.overloads.values()
        for environment in result._find_referenced_environments():
            result.library.codegen.set_env(environment.env_name, environment)

    @cached_property
    def address(self) -> int:
        """The address of the compiled kernel's native entry; LLVM takes 30 µs to find it."""
        self.compile()
        (result,) = self.overloads.values()
        return native_address(result)

    def bound(self, *arguments: Any) -> Callable[..., Any]:
        """The kernel with its first arguments fixed, for calls of a few microseconds.

        Numba checks the types of all arguments at each call, which takes longer than such a call itself. Here the first
        arguments are checked once. The others are not checked: they must have exactly the signature's types.
        Raises TypeError if one of the first arguments has another type.
        """
        for argument, wanted in zip(arguments, self.signature.args, strict=False):
            if (found := _type_of(argument)) != wanted:
                raise TypeError(f"{self.py_func.__name__} takes a {wanted}, not a {found}")
        return partial(self.compile(), *arguments)

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        self.compile()
        return self  # which numba calls next


def _require_parameters(function: Callable[..., Any], count: int) -> None:
    """Raises TypeError unless a function takes exactly this number of arguments."""
    code = function.__code__
    others = code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    if code.co_argcount != count or others:
        given = inspect.signature(function)
        raise TypeError(f"the kernel {function.__name__} must take the {count} arguments of its signature, not {given}")


def _type_of(argument: Any) -> Any:
    """Numba's type of an argument. `typeof` makes the type of an array of records anew each time, in up to 0.5 ms."""
    if type(argument) is np.ndarray:
        flags = argument.flags
        return _array_type(argument.dtype, argument.ndim, flags.c_contiguous, flags.f_contiguous, not flags.writeable)
    if isinstance(argument, tuple):
        return types.BaseTuple.from_types([_type_of(item) for item in argument], type(argument))
    return typeof(argument)


@cache
def _array_type(dtype: Any, dimensions: int, by_rows: bool, by_columns: bool, readonly: bool) -> Any:
    layout = "C" if by_rows else "F" if by_columns else "A"
    return types.Array(from_dtype(dtype), dimensions, layout, readonly=readonly)


class Helper(CPUDispatcher):
    """A function that kernels call. Each use gives it its types, and it is compiled into its callers.

    LLVM may keep a large helper as a separate function in their code, except with `always_inline`. A call from Python
    compiles it once more, as numba does without a cache.
    """

    def __init__(self, function: Callable[..., Any], *, always_inline: bool = False) -> None:
        options = OPTIONS | {"forceinline": always_inline, "no_cpython_wrapper": True}
        super().__init__(function, targetoptions=options, pipeline_class=_HelperCompiler)
        self._alone: CPUDispatcher | None = None

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """Types a call, for numba. A constant is passed like a variable, unless the helper needs to know it.

        Numba tries constants first: nearly every helper would be compiled once for 0 and once for all integers.
        """
        try:
            variables = {name: unliteral(kind) for name, kind in named.items()}
            return super().get_call_template(tuple(map(unliteral, arguments)), variables)
        except TypingError:
            return super().get_call_template(arguments, named)

    def add_overload(self, result: Any) -> None:
        """Keeps what was compiled, for numba: calls find it by `entry_point`, where other functions have their code."""
        self.overloads[tuple(result.signature.args)] = found_by_itself(result, self.targetctx)

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        self._alone = self._alone or CPUDispatcher(self.py_func, targetoptions=OPTIONS)
        return self._alone  # which numba calls next


class _HelperLibrary(JITCodeLibrary):
    """The code of a helper as LLVM has it before it optimises: kernels link it, and are optimised as a whole.

    Numba would optimise a function and make machine code of it before it is linked, and would repeat this at each level
    of a chain of helpers for all that it calls. That took more than half of the time of the walk.
    """

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _HelperCompiler(Compiler):
    """Numba's compiler, which stops before machine code."""

    def __init__(
        self, typing: Any, target: Any, _: None, arguments: Any, result: Any, flags: Any, variables: Any
    ) -> None:
        flags.no_compile = True
        library = _HelperLibrary(target.codegen(), "helper")
        super().__init__(typing, target, library, arguments, result, flags, variables)


def prepare(*kernels: Kernel) -> None:
    """Compiles kernels or reads them from the cache, so that their first calls take no longer than later ones."""
    for one in kernels:
        one.compile()


class NotCompiledError(Exception):
    """A kernel is not in the cache, and may not be compiled now."""


_ONLY_COMPILED = ContextVar("only compiled", default=False)


@contextmanager
def only_compiled() -> Iterator[None]:
    """Makes a kernel that would have to be compiled raise NotCompiledError, in this thread until the end of `with`."""
    before = _ONLY_COMPILED.set(True)
    try:
        yield
    finally:
        _ONLY_COMPILED.reset(before)


def kernel(signature: Signature) -> Callable[[Callable[..., Any]], Kernel]:
    """Makes a function a kernel with this signature."""
    return lambda function: Kernel(function, signature)


helper = Helper
"""Makes a function a helper, which kernels call."""
inlined = partial(Helper, always_inline=True)
"""Makes a function a helper that is always inlined into its callers."""


class _KernelCache(StampedCache):
    """The on-disk cache of a kernel.

    Numba checks only whether the function's own file has changed. Compiled code also contains helpers and constants
    from other files, so this cache is valid until the content of one of those files changes (see `_sources`). A file
    may be imported under several names, as a user's game is. Each name has its own cache, because compiled code names
    its module.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Raises RuntimeError or OSError if no folder can be written."""
        sources = _sources(Path(function.__code__.co_filename))
        suffix = f"{crc32(function.__module__.encode()):08x}"
        super().__init__(function, suffix, _stamp(sources), READY)
        self._alone = ExitStack()

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None:
        """Lets other processes compile what this one has not compiled."""
        self._alone.close()

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The kernel from the cache; None if this process is to compile it, and no other one does.

        Raises NotCompiledError within `only_compiled`.
        """
        if (found := super().load_overload(signature, target)) is not None:
            return found
        if _ONLY_COMPILED.get():
            raise NotCompiledError(self._impl.filename_base)
        with suppress(OSError):  # without a lock two processes compile the same
            self._alone.enter_context(locks.alone(Path(f"{self._cache_file._index_path}.lock")))
        return super().load_overload(signature, target)

    def save_overload(self, signature: Any, compiled: Any) -> None:
        try:
            super().save_overload(signature, compiled)
        except OSError as error:
            _not_kept(error.strerror or str(error))


def _cache_of(function: Callable[..., Any]) -> _KernelCache | NullCache:
    """The cache of a function whose source is a file. Functions typed into Python or a notebook are not cached."""
    if not Path(function.__code__.co_filename).is_file():
        return NullCache()
    try:
        return _KernelCache(function)
    except (OSError, RuntimeError):
        _not_kept("no folder for it can be written")
        return NullCache()


@cache  # once a process
def _not_kept(reason: str) -> None:
    _log.warning(
        "compiled code cannot be kept, so each start compiles anew: %s; set NUMBA_CACHE_DIR to a folder "
        "that can be written", reason,
    )  # fmt: skip


def keeps_code() -> bool:
    """Whether the next start finds what is compiled now: False once a kernel could not be kept."""
    return not _not_kept.cache_info().currsize


def _stamp(files: Iterable[Path]) -> str:
    """A digest of the names and contents of files."""
    found = ((file, file.stat()) for file in files)
    digests = (f"{file.name} {_digest(file, state.st_mtime_ns, state.st_size)}" for file, state in found)
    return sha256("\n".join(digests).encode()).hexdigest()


@cache
def _digest(file: Path, modified: int, size: int) -> str:
    """The digest of a file, which is read again only if it seems to have changed."""
    return sha256(file.read_bytes()).hexdigest()


def _sources(file: Path) -> list[Path]:
    """The files that may define the helpers and constants of a kernel in this file.

    A game uses the machinery of rules, and the files of its package if it is a package. Other kernels, such as users'
    own, also use the search and the files of their folder.
    """
    games = _PACKAGE / "games"
    if file.parent == games:
        return [*_room("rules"), file]
    if games in file.parents:
        return [*_room("rules"), *_files(file.parent)]
    return [*_room("rules"), *_room("search"), *_files(file.parent)]


def _files(folder: Path) -> list[Path]:
    """The sources in a folder, without links to nothing, such as editors put beside a file that is open."""
    return sorted(one for one in folder.glob("*.py") if one.is_file())


@cache
def _room(name: str) -> tuple[Path, ...]:
    return tuple(sorted((_PACKAGE / name).glob("**/*.py")))
