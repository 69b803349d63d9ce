"""What a rule system offers to the rooms above it. They know systems by this contract alone."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar, runtime_checkable

from simlab.model.document import Document
from simlab.model.ecv import Ecv
from simlab.model.situation import Situation
from simlab.model.table import Cell, Row

T = TypeVar("T")
MOST_PARTS = 4096


class Sheet(Protocol):
    """A record sheet of any system: frozen. system: the name of its rule system."""

    @property
    def system(self) -> str: ...
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


class Choice(Protocol):
    """What a table may settle for itself: under which name, of which rule; effect: what another value does."""

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> Any: ...
    @property
    def rule(self) -> str: ...
    @property
    def effect(self) -> str: ...


class Reading(Choice, Protocol):
    """A choice that the rules leave open, or an optional rule.

    values: the legal values, or a range of whole numbers. effect: what the values other than the default do. built:
    whether others than the default are accepted. optional_rule: a rule that may be left out. under:
    optional rules, beside those of its own rule, without any of which it has no effect. shared: a name that sets it
    together with others, or None.
    """

    @property
    def values(self) -> Any: ...
    @property
    def built(self) -> bool: ...
    @property
    def optional_rule(self) -> bool: ...
    @property
    def under(self) -> tuple[str, ...]: ...
    @property
    def shared(self) -> str | None: ...
    def word(self, value: Any) -> str: ...
    def choices(self) -> tuple[str, ...]: ...


class HouseNumber(Choice, Protocol):
    """A constant of the rules. allowed: its legal values in words."""

    def allowed(self) -> str: ...


class Options(Protocol):
    """Readings and optional rules of a system with their values, and its house numbers: frozen, hashable.

    `non_default` names house numbers `constants.<name>`; `house_numbers` gives all of them by their names.
    """

    def value(self, name: str) -> Any: ...
    def built(self) -> dict[str, Any]: ...
    def house_numbers(self) -> dict[str, Any]: ...
    def non_default(self) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False)
class Fight:
    """A compiled fight: numbers only, ready for the kernels.

    program: the system's arrays. types_a, types_b: for each unit of a side the number of its type.
    scene_of_turn: the situation of each turn. declared: targets are fixed before any die of the phase.
    shuffled: the volleys of a phase come in a random order. twins: a duel whose sides are the same in all that counts.
    can_fire_a, can_fire_b: some weapon of the side can ever fire here.
    phases: names of the parts of a turn, in order. All capabilities are taken at the start of a phase, and units fire
    in all of those in which they are ready. coupled: a shooter's own dice may change what he remembers (`mark`), or
    units change at the end of a turn (`rest`).
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
    shuffled: bool = False
    twins: bool = False
    phases: tuple[str, ...] = ("combat",)
    coupled: bool = False

    @property
    def phased(self) -> bool:
        """Whether a turn is more than one phase after which only what was hit, or has fired, is another."""
        return self.coupled or len(self.phases) > 1

    @property
    def n_a(self) -> int:
        """Units of side a."""
        return len(self.types_a)

    @property
    def n_b(self) -> int:
        """Units of side b."""
        return len(self.types_b)


class Parts:
    """Parts of compiled fights that a system may share between fights of the same options and turn limit.

    Sheets are known by their identity: they have to live as long as the parts.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return the part of a name, made where there is none yet."""
        if name not in self._kept:
            if len(self._kept) >= MOST_PARTS:
                self._kept.clear()
            self._kept[name] = make()
        found: T = self._kept[name]
        return found


@dataclass(frozen=True)
class DraftStep:
    """How a number of a draft came about.

    field: the dotted path of the number on the sheet, or the name of a number in between. inputs: what went in, each
    with its value, and with the mark of facts that are unverified. basis: what the formula itself rests on.
    """

    field: str
    value: str
    formula: str
    inputs: tuple[str, ...]
    basis: str


@dataclass(frozen=True)
class Draft:
    """A sheet made of facts, the text of its file, and the steps that led to its numbers."""

    sheet: Any
    text: str
    steps: tuple[DraftStep, ...]


@runtime_checkable
class Drafter(Protocol):
    """What a rule system offers besides if it can make sheets of facts."""

    def read_facts(self, folder: Path) -> Mapping[str, Any]:
        """Return the rows of facts in a folder by id; InputError lists all that is wrong with them."""

    def draft_sheet(self, row: Any) -> Draft:
        """Return what a row comes to; InputError where a number is out of a sheet's bounds."""


class System(Protocol):
    """A rule system.

    `caveat` is a sentence that stands beside every answer, on what of the rules is a draft; empty if nothing is.
    `shooter` is what its rules call whatever fires one volley: gunner, weapon, gun; the kernels' word is gunner.

    A sheet can be a row of a table for spreadsheets: `row_columns` are the columns that a row may have, `id` first;
    `sheet_to_row` gives the cells of those that a sheet fills, `sheet_from_row` reads a row that may lack some.

    `field_value` is what stands at a dotted path of a sheet, None for nothing; `sheet_numbers` are the numbers that a
    designer may turn up or down, by their paths, those that no fight sees included; `sheet_step` is by how much, at the
    least that means anything in the game: 1, or more where numbers are measures as millimetres are.

    `formula_stats` are the stats of a sheet that a points formula is made of, by names that a designer knows, each for
    numbers that move together. `with_stats` is a sheet with given ones under another id, else like the sheet; what is
    named as it is stays as it is; InputError where no sheet may have them.

    `stages` are the steps from a shot to its effect. `equalised` gives two sheets that differ no more in what these
    stages are about: b takes the numbers of a, and chance that the stage is about falls out for both; with all of them
    they fight alike. `knock_outs` are the parts of a sheet that can fail, each with the sheet without that part.

    `compile_fight` may take `parts` from, and add them to, those of other fights under the same options and turns.

    `kernels` are the modules of its kernel functions, `sources` those that compile a fight; together they decide what
    a fight comes to. All state words are uint64. Loops call these kernel functions by name:

    `fresh(program, type) -> (body, memory)`; `gunners(program, type)`;
    `capability(program, type, scene, phase, body, memory)`, what it can do; `ready(program, type, gunner, ability)`;
    `acts(program, type, phase, body, memory)`, False only for a unit that in this phase has nobody ready and nothing to
    `settle`, so that loops may pass it over;
    `aim(program, shooter, target, scene)` and `gunner_row(program, aimed, gunner, target_ability)`, where the figures
    of a gunner against his target stand;
    `roll(program, shooter, gunner, ability, row, source) -> struck`, 0 ends the volley;
    `hurt(program, target, row, body, struck, source) -> (body, note, more)`, 0 ends the volley, and then capability and
    flags are as before;
    `wreck(program, target, target_ability, body, note, more, source) -> (body, note)`;
    `volley(program, shooter, gunner, ability, target, target_ability, aimed, body, source) -> (body, note)`, the stages
    in a row;
    `mark(struck)`, what of his roll a shooter will remember; unless a fight is coupled nobody asks for it. A roll that
    hits nothing but leaves a mark is not 0;
    `spend(program, type, gunner, ability, memory, mark)`, the shooter's memory after a volley, the mark 0 where no die
    was thrown; `settle(program, type, memory, fired)`, his memory at the end of a phase, `fired` the gunners who fired,
    as bits; `retarget(program, type, gunner, ability, memory) -> (ability, memory)`, both for a gunner whose target is
    not that of his last volley;
    `remembers(program, type)`, whether a type's memory can change: only then are these three called;
    `rest(program, type, body, memory) -> (body, memory)`, a standing unit's at the end of a turn: the core
    alone is read and changed, flags stay; only coupled fights have it called;
    `recall(program, type, body, memory)`, the memory without what no longer matters to a body; `learns(program, type)`,
    whether memory may come to help;
    `flags(program, type, body)`, bit 0 destroyed, then `kinds`; `fallen(program, type, body)`, bit 0 alone;
    `exposure(program, type, ability)`, what of a unit's ability `gunner_row` and `wreck` read when it is the target;
    `core(body)`, the part of a body on which capability and flags depend; the rest is its shell. `hurt` reads and
    changes the shell alone, `wreck` reads and changes the core alone;
    `weakened(before, after)`, whether the cores differ, so that capability and flags may have changed.
    """

    name: str
    title: str
    version: str
    caveat: str
    range_unit: str
    shooter: str
    aspects: tuple[str, ...]
    kinds: tuple[str, ...]
    kernels: tuple[ModuleType, ...]
    sources: tuple[ModuleType, ...]

    @property
    def readings(self) -> Sequence[Reading]: ...
    @property
    def house_numbers(self) -> Sequence[HouseNumber]: ...
    def load_sheet(self, path: Path) -> Any: ...
    def parse_sheet(self, document: Document) -> Any: ...
    def sheet_text(self, sheet: Any, heading: str = "") -> str: ...
    @property
    def row_columns(self) -> tuple[str, ...]: ...
    def sheet_to_row(self, sheet: Any) -> dict[str, Cell]: ...
    def sheet_from_row(self, row: Row) -> Any: ...
    def replace_fields(self, sheet: Any, fields: Mapping[str, Any]) -> Any: ...
    def field_value(self, sheet: Any, field: str) -> Any: ...
    def sheet_numbers(self, sheet: Any) -> dict[str, float]: ...
    def sheet_step(self, field: str) -> float: ...
    def formula_stats(self, sheet: Any) -> dict[str, float]: ...
    def with_stats(self, sheet: Any, stats: Mapping[str, float], name: str) -> Any: ...
    @property
    def stages(self) -> tuple["Stage", ...]: ...
    def equalised(self, a: Any, b: Any, stages: Collection[str], options: Any) -> tuple[Any, Any]: ...
    def knock_outs(self, sheet: Any) -> tuple["KnockOut", ...]: ...
    def sheet_hash(self, sheet: Any) -> str: ...
    def fight_hash(self, sheet: Any) -> str: ...
    def render_sheet(self, sheet: Any) -> str: ...
    def options(self, settings: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> Any: ...
    def compile_fight(
        self,
        sheets_a: Sequence[Any],
        sheets_b: Sequence[Any],
        situation: Situation,
        options: Any,
        turns: int,
        parts: Parts | None = None,
    ) -> Fight: ...
    def gunner_count(self, sheet: Any) -> int: ...
    def gunner_name(self, sheet: Any, gunner: int) -> str: ...
    def narrator(self, fight: Fight) -> "Narrator": ...
    def to_hit_table(
        self, sheet: Any, situation: Situation, options: Any
    ) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[float, ...]], ...]]: ...
    def report_arms(self, sheet: Any, situation: Situation, options: Any) -> "Arms": ...
    def report_volleys(self, fight: Fight, expand: Any, ask: Any) -> list["VolleyReport"]: ...


@dataclass(frozen=True)
class Stage:
    """A part of the way from a shot to its effect. step: where on the way. what: what is made equal, in a few words."""

    name: str
    step: str
    what: str


@dataclass(frozen=True)
class KnockOut:
    """A sheet without one of its parts. part: which one. what: what it does not do any more, in a few words."""

    part: str
    what: str
    sheet: Any


@dataclass(frozen=True)
class Section:
    """Chances under a title, in the order in which they are shown."""

    title: str
    chances: dict[str, float]


@dataclass(frozen=True)
class Arms:
    """What a unit fires with at a range. lines: its gunners with their skills, weapons and reach, in words.

    columns: titles of what a number hits; reached: for each row of the system's `to_hit_table` a text a column. rule:
    how columns are to be read, in a sentence.
    """

    lines: tuple[str, ...]
    columns: tuple[str, ...]
    reached: tuple[tuple[str, ...], ...]
    rule: str


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
