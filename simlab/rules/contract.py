"""What a rule system offers to the rooms above it. They know systems by this contract alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from simlab.model.ecv import Ecv
from simlab.model.situation import Situation


@dataclass(frozen=True)
class Phase:
    """A part of a turn in which units fire; in a simultaneous one all capabilities are taken at its start."""

    name: str
    simultaneous: bool = True


class Sheet(Protocol):
    """A record sheet of any system: frozen."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def nation(self) -> str: ...
    @property
    def ecv(self) -> Ecv: ...
    @property
    def provenance(self) -> str: ...


class Options(Protocol):
    """Readings and optional rules of a system with their values: frozen, hashable."""

    def value(self, name: str) -> Any: ...
    def built(self) -> dict[str, Any]: ...
    def non_default(self) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False)
class Fight:
    """A compiled fight: numbers only, ready for the kernels.

    program: the system's arrays. types_a, types_b: for each unit of a side the number of its type.
    scene_of_turn: the situation of each turn. declared: targets are fixed before any die of the phase.
    can_fire_a, can_fire_b: some weapon of the side can ever fire here.
    """

    system: "System"
    program: Any
    types_a: tuple[int, ...]
    types_b: tuple[int, ...]
    sheets_a: tuple[Any, ...]
    sheets_b: tuple[Any, ...]
    situation: Situation
    options: Any
    turns: int
    scene_of_turn: tuple[int, ...]
    declared: bool
    can_fire_a: bool
    can_fire_b: bool

    @property
    def n_a(self) -> int:
        """Units of side a."""
        return len(self.types_a)

    @property
    def n_b(self) -> int:
        """Units of side b."""
        return len(self.types_b)


class System(Protocol):
    """A rule system.

    `kernels` are the modules of its kernel functions, `sources` those that compile a fight; together they decide what
    a fight comes to. All state words are uint64. Loops call these kernel functions by name:

    `fresh(program, type) -> (body, memory)`; `gunners(program, type)`;
    `capability(program, type, scene, phase, body, memory)`, what it can do; `ready(program, type, gunner, ability)`;
    `aim(program, shooter, target, scene)` and `gunner_row(program, aimed, gunner, target_ability)`, where the figures
    of a gunner against his target stand;
    `roll(program, shooter, gunner, ability, row, source) -> struck`, 0 ends the volley;
    `hurt(program, target, row, body, struck, source) -> (body, note, more)`, 0 ends the volley, and then capability and
    flags are as before;
    `wreck(program, target, body, note, more, source) -> (body, note)`;
    `volley(program, shooter, gunner, ability, target, target_ability, aimed, body, source) -> (body, note)`, the stages
    in a row;
    `spend(program, type, gunner, ability, memory)`; `remembers(program, type)`, whether a type's memory can change;
    `flags(program, type, body)`, bit 0 destroyed, then `kinds`; `fallen(program, type, body)`, bit 0 alone;
    `weakened(before, after)`, whether capability and flags may have changed with the body.
    """

    name: str
    title: str
    version: str
    range_unit: str
    aspects: tuple[str, ...]
    kinds: tuple[str, ...]
    phases: tuple[Phase, ...]
    kernels: tuple[ModuleType, ...]
    sources: tuple[ModuleType, ...]

    def load_sheet(self, path: Path) -> Any: ...
    def replace_fields(self, sheet: Any, fields: Mapping[str, Any]) -> Any: ...
    def sheet_hash(self, sheet: Any) -> str: ...
    def fight_hash(self, sheet: Any) -> str: ...
    def render_sheet(self, sheet: Any) -> str: ...
    def options(self, settings: Mapping[str, Any]) -> Any: ...
    def compile_fight(
        self, sheets_a: Sequence[Any], sheets_b: Sequence[Any], situation: Situation, options: Any, turns: int
    ) -> Fight: ...
    def gunner_count(self, sheet: Any) -> int: ...
    def gunner_name(self, sheet: Any, gunner: int) -> str: ...
    def narrator(self, fight: Fight) -> "Narrator": ...
    def to_hit_table(
        self, sheet: Any, situation: Situation, options: Any
    ) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]: ...
    def report_volleys(self, fight: Fight, expand: Any, ask: Any) -> list["VolleyReport"]: ...


@dataclass(frozen=True)
class Section:
    """Chances under a title, in the order in which they are shown."""

    title: str
    chances: dict[str, float]


@dataclass(frozen=True)
class VolleyReport:
    """What one volley of a gunner does; no sections if he cannot fire."""

    gunner: str
    sections: tuple[Section, ...]


class Narrator(Protocol):
    """Tells what the dice did, and reads given dice, in the words of a system.

    A throw is the system's own record of the dice of one exchange.
    """

    def read_record(self, record: Any) -> Any:
        """Return the throw in a record of `simlab.dice.recorded`."""

    def read_token(self, token: str, number: int) -> Any:
        """Return the throw that is typed for exchange `number`; InputError if it cannot be read."""

    def script(self, throw: Any) -> Any:
        """Return the faces by slot, int64 (SLOTS,), of a throw for `simlab.dice.scripted`."""

    def check_throw(self, throw: Any, asked: Any, number: int, lost: bool) -> None:
        """Raise InputError if dice of a throw were not asked for, or asked for and not given."""

    def token(self, throw: Any) -> str:
        """Return a throw as it is typed."""

    def tell(self, event: Any) -> list[str]:
        """Return what an exchange did, in lines."""
