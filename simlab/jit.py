"""Kernels: how plain functions become compiled ones, and the only place that knows numba's options.

A kernel function is written as a plain function marked with `kernel`. Functions call each other by name; which
functions a name stands for is settled when a loop is bound: `bind_loop` copies the loop and every kernel function of
the given modules into one namespace of its own and compiles there. Two systems, or two sources of dice, therefore
share the text of a loop and nothing else.

Loops hand `memory(array)` to kernel functions, the bare memory of an array: it is indexed like a flat array, and no
references are counted when it goes from function to function (which took ten times as long as the rules themselves).
The caller keeps the array alive.
"""

import functools
import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from numbers import Number
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from simlab.version import __version__

F = TypeVar("F", bound=Callable[..., Any])

# forceinline (LLVM's inlining) halves the time of an exchange against a call; numba's own inlining of its
# intermediate form takes twice as long as a call. numpy's error model spares a test for zero at each division.
INLINED: dict[str, Any] = {"forceinline": True, "error_model": "numpy"}
# What is rare and large is called instead: inlined at every place it makes a loop too long for the processor's caches.
CALLED: dict[str, Any] = {"error_model": "numpy"}
# nogil with a pool of threads scales like numba's parallel loops, is cached on disk and compiles much faster.
LOOP: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def kernel(function: F) -> F:
    """Mark a plain function as one that loops may call once they are bound."""
    function.__dict__["is_kernel"] = True
    return function


def kernel_call(function: F) -> F:
    """Mark a kernel function that is called and not inlined: a large one that few exchanges reach."""
    function.__dict__["is_call"] = True
    return kernel(function)


def kernel_functions(module: ModuleType) -> dict[str, FunctionType]:
    """Return the marked functions that the module itself defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
        and value.__dict__.get("is_kernel")
        and value.__module__ == module.__name__
    }


def source_id(modules: Iterable[ModuleType]) -> str:
    """Return a digest of the modules' source files, their constants and simlab's version: 16 hexadecimal digits.

    It is part of the compiled functions' names on disk and of the key of stored rows, so that neither outlives an
    edit of the rules. Constants, because they are compiled in and may come from modules that are not listed.
    """
    state = hashlib.blake2b(__version__.encode(), digest_size=8)
    for module in sorted(modules, key=lambda module: module.__name__):
        state.update(module.__name__.encode())
        state.update(_source(str(module.__file__)))
        constants = {name: value for name, value in _names(module).items() if isinstance(value, Number)}
        state.update(repr(sorted(constants.items())).encode())
    return state.hexdigest()


@functools.cache
def _source(path: str) -> bytes:
    return Path(path).read_bytes()


@functools.cache
def _spare_linear_algebra() -> None:
    """Keep numba from loading SciPy's linear algebra, which no kernel uses: a third of a second of every command.

    What others compile in the same process keeps working; `numpy.convolve` in it takes sums of numba's own.
    """
    try:
        from numba.np import linalg

        keep = linalg.ensure_blas
    except (ImportError, AttributeError):  # a numba that loads something else
        return

    def missing() -> None:
        raise ImportError

    linalg.ensure_blas = missing
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = keep


@functools.cache
def _pointer_intrinsic() -> Any:
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    def memory(typingctx: Any, array: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return cgutils.create_struct_proxy(array)(context, builder, value=args[0]).data  # type: ignore[no-untyped-call]

        return types.CPointer(array.dtype)(array), codegen  # type: ignore[no-untyped-call]

    return intrinsic(memory)


@functools.cache
def _fold_intrinsic() -> Any:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def fold(typingctx: Any, first: Any, second: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            wide, word = ir.IntType(128), ir.IntType(64)
            product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
            high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
            return builder.xor(high, builder.trunc(product, word))

        return types.uint64(types.uint64, types.uint64), codegen

    return intrinsic(fold)


def _names(module: ModuleType) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


def copied(function: Any, names: dict[str, Any]) -> Any:
    """Return a plain function once more, with other globals."""
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__module__ = function.__module__
    return copy


def _spaces(
    modules: Iterable[ModuleType], given: Mapping[str, Any], make: Callable[[FunctionType, Any], Any]
) -> dict[str, dict[str, Any]]:
    """Return by module what its functions see: the kernel functions of all as `make(function, copy)` gives them and
    those that are `given`, then its own names, then those of the others, so that modules may give one name to different
    constants."""
    others = {name: value for module in modules for name, value in _names(module).items()}
    spaces = {module.__name__: {**others, **_names(module)} for module in modules}
    functions = dict(given)
    for module in modules:
        for name, function in kernel_functions(module).items():
            functions[name] = make(function, copied(function, spaces[module.__name__]))
    for space in spaces.values():
        space.update(functions)
    return spaces


@functools.cache
def _namespaces(modules: tuple[ModuleType, ...]) -> dict[str, dict[str, Any]]:
    """Return by module what its compiled functions see."""
    from numba import njit

    def compiled(function: FunctionType, copy: Any) -> Any:
        return njit(**CALLED if function.__dict__.get("is_call") else INLINED)(copy)

    _spare_linear_algebra()
    return _spaces(modules, {"memory": _pointer_intrinsic(), "fold": _fold_intrinsic()}, compiled)


def _flat(array: Any) -> Any:
    return array.reshape(-1)


def interpreted(loop: Callable[..., Any], modules: Iterable[ModuleType]) -> Callable[..., Any]:
    """Return `loop` bound to the same functions as by `bind_loop`, but run by Python.

    Slow, and ready at once: for a single fight, which takes less time than loading compiled code.
    """
    import numpy as np

    used = (*modules, sys.modules[loop.__module__])
    spaces = _spaces(used, {"memory": _flat}, lambda function, copy: copy)
    run = copied(loop, spaces[loop.__module__])

    def call(*values: Any) -> Any:
        with np.errstate(over="ignore", divide="ignore"):
            return run(*values)

    return call


def bind_loop(loop: Callable[..., Any], modules: Iterable[ModuleType], tag: str) -> Callable[..., Any]:
    """Return `loop` compiled against the kernel functions of `modules`; where two define a name, the later one counts.

    The compiled code is kept on disk under a name that holds `tag` and the digest of all sources involved.
    """
    from numba import njit

    used = (*modules, sys.modules[loop.__module__])
    assert isinstance(loop, FunctionType)
    bound = copied(loop, _namespaces(used)[loop.__module__])
    bound.__qualname__ = f"{tag}_{source_id([*used, sys.modules[__name__]])}.{loop.__name__}"
    compiled: Callable[..., Any] = njit(**LOOP)(bound)
    return compiled


@functools.cache
def bound(loop: Callable[..., Any], modules: tuple[ModuleType, ...], tag: str) -> Callable[..., Any]:
    """Like `bind_loop`, once a process for the same arguments."""
    return bind_loop(loop, modules, tag)


def is_compiled(compiled: Any) -> bool:
    """Tell whether a bound loop has been compiled already, in this process or on disk."""
    if compiled.signatures:
        return True
    cache = compiled._cache
    return os.path.exists(os.path.join(cache.cache_path, cache._cache_file._index_name))
