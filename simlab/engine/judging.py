"""How a loop asks `simlab.engine.judged.judge`, which is compiled apart from it: by its address in memory."""

import functools
from operator import attrgetter
from types import ModuleType
from typing import Any

from simlab import jit
from simlab.dice import scripted
from simlab.engine import judged, lists, policies
from simlab.engine.policies import POLICIES, SPREAD
from simlab.rules.contract import Fight, System
from simlab.tables import chance_loop

ARRAYS = 8
"""Arguments of the judge that are arrays; they come first."""
JUDGE_SECONDS = 40
"""Seconds that compiling the judge takes."""


def is_judged(fight: Fight, policy_a: str, policy_b: str) -> bool:
    """Tell whether a side chooses by more than the list of standing enemies."""
    choices = (policy_a, fight.n_b), (policy_b, fight.n_a)
    return any(enemies > 1 and POLICIES[policy] > SPREAD for policy, enemies in choices)


def _judge(system: System) -> Any:
    modules = (scripted, lists, policies, chance_loop, *system.kernels)
    return jit.bound(judged.judge, modules, system.name)


def judge_is_ready(fight: Fight, policy_a: str, policy_b: str) -> bool:
    """Tell whether a fight needs no judge that is neither in memory nor on disk."""
    return not is_judged(fight, policy_a, policy_b) or jit.is_compiled(_judge(fight.system))


def judge_address(system: System) -> int:
    """Return the address of a system's judge, compiled if it has to be."""
    return _address(_judge(system))


@functools.cache
def _types() -> tuple[Any, ...]:
    """The types of the judge's arguments; it returns an int64."""
    from numba import types

    words, numbers = types.CPointer(types.uint64), types.CPointer(types.int64)  # type: ignore[no-untyped-call]
    chances = types.CPointer(types.float64)  # type: ignore[no-untyped-call]
    arrays = (words, numbers, words, numbers, words, words, words, chances)
    return (*arrays, types.int64, types.int64, types.int64, types.uint64)


@functools.cache
def _address(judge: Any) -> int:
    judge.compile(_types())
    compiled = judge.overloads[_types()]
    name = compiled.fndesc.llvm_cfunc_wrapper_name
    code = attrgetter("library")(compiled)
    return int(code.get_pointer_to_function(name))


@functools.cache
def asking() -> ModuleType:
    """Return a module with one function for loops to call: `ask_judge(address, *arguments)`."""
    module = ModuleType(f"{__name__}.asking")
    module.__file__ = __file__
    vars(module).update(ask_judge=_ask_intrinsic())
    return module


@functools.cache
def asking_plainly() -> ModuleType:
    """Return the same for loops that Python runs; nobody is asked at address 0."""
    module = ModuleType(f"{__name__}.asking_plainly")
    module.__file__ = __file__
    vars(module).update(ask_judge=_ask_plainly)
    return module


def _ask_plainly(address: Any, *values: Any) -> int:
    import ctypes

    arrays, numbers = values[:ARRAYS], values[ARRAYS:]
    judge = ctypes.CFUNCTYPE(
        ctypes.c_int64, *[ctypes.c_void_p] * ARRAYS, *[ctypes.c_int64] * (len(numbers) - 1), ctypes.c_uint64
    )
    return int(judge(int(address))(*(array.ctypes.data for array in arrays), *map(int, numbers)))


def _ask_intrinsic() -> Any:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def ask_judge(
        typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any,
        side: Any, unit: Any, gunner: Any, drawn: Any,
    ) -> Any:  # fmt: skip
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values = [context.get_value_type(each) for each in _types()]
            judge = ir.FunctionType(ir.IntType(64), values)
            return builder.call(builder.inttoptr(args[0], judge.as_pointer()), args[1:])

        return types.int64(types.int64, *_types()), codegen

    return intrinsic(ask_judge)
