"""Rule systems by name; their modules are imported when first asked for."""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simlab.model.errors import InputError, nearest, shown

if TYPE_CHECKING:
    from simlab.rules.contract import System

_MODULES = {
    "blitzkrieg": "simlab.rules.blitzkrieg.system",
    "tank_d20": "simlab.rules.tank_d20.system",
    "wwiisim": "simlab.rules.wwiisim.system",
}
_REGISTERED: "dict[str, System]" = {}


def system_names() -> tuple[str, ...]:
    """Return the names of all rule systems."""
    return tuple(sorted({*_MODULES, *_REGISTERED}))


def caveats_of(record: Mapping[str, Any]) -> list[str]:
    """Return what has to be said beside everything that was found under a record's `system`."""
    name = record.get("system")
    caveat = get_system(str(name)).caveat if name in system_names() else ""
    return [caveat] if caveat else []


def register_system(system: "System") -> None:
    """Add a rule system under its name."""
    _REGISTERED[system.name] = system


def get_system(name: str) -> "System":
    """Return a rule system by name.

    Raises InputError with the nearest name if there is none.
    """
    if not isinstance(name, str) or name not in _REGISTERED:
        if not isinstance(name, str) or name not in _MODULES:
            names = system_names()
            raise InputError.one("system", shown(name), ", ".join(names), nearest(name, names))
        register_system(importlib.import_module(_MODULES[name]).SYSTEM)
    return _REGISTERED[name]
