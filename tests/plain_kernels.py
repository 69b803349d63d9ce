"""Kernels and loops as plain Python: bound like the compiled ones, without a compiler.

Under `plain()` all that the product binds through `simlab.jit` runs uncompiled: slow, but a function that is replaced
(see `planted`) works at once, and nothing of it can reach a cache.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import FunctionType, ModuleType
from typing import Any
from unittest.mock import patch

from simlab import jit
from simlab.tables import expand

SOUND = jit.copied
Make = Callable[[Any], Any]
"""Turns what the product has at a place into what a fault puts there."""


def bound(loop: Callable[..., Any], modules: Iterable[ModuleType], tag: str = "") -> Callable[..., Any]:
    """Return `loop` bound to the kernel functions of the modules, faults among them, uncompiled."""
    with patch.object(jit, "copied", _copied):
        return jit.interpreted(loop, modules)


def _copied(function: Any, names: dict[str, Any]) -> Any:
    """The function with `names` as its globals; of a faulty one the sound function inside."""
    fault = vars(function).get("fault")
    if fault is not None:
        make, sound = fault
        return make(_copied(sound, names))
    return SOUND(function, names)


@contextmanager
def plain() -> Iterator[None]:
    """Run everything uncompiled within."""
    expand._compiled.cache_clear()
    try:
        with patch.object(jit, "bound", bound), patch.object(jit, "copied", _copied):
            yield
    finally:
        expand._compiled.cache_clear()


@contextmanager
def planted(module: ModuleType, name: str, make: Make) -> Iterator[None]:
    """Put `make(sound)` in the place of what is at `module.name`; a function wherever it is imported, by tests too."""
    sound = getattr(module, name)
    faulty = make(sound)
    places = [(module, name)]
    if isinstance(sound, FunctionType):
        vars(faulty).update(vars(sound), fault=(make, sound))
        faulty.__module__ = sound.__module__
        places = [
            (other, key)
            for other_name, other in list(sys.modules.items())
            if other_name.partition(".")[0] == "simlab" or other_name.startswith("test_")
            for key, value in list(vars(other).items())
            if value is sound
        ]
    with ExitStack() as stack:
        for place, key in places:
            stack.enter_context(patch.object(place, key, faulty))
        yield
