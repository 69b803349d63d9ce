"""The verb that answers without dice: what must be rolled, and what one volley does."""

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import MAX_TURNS, Arguments, as_mapping
from simlab.lab.fights import prepare
from simlab.lab.notes import say_beforehand, say_compiling
from simlab.lab.roster import find_sheets
from simlab.model.errors import escaped, shortened
from simlab.model.situation import Situation, number_text
from simlab.rules.contract import Arms, Fight, System, VolleyReport
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    import pandas as pd


COMPILING = 10
"""Seconds."""
TURN_BOUND = 1e-10
"""By how much the chance of a turn of several phases may be too low."""
HEAD_WIDTH = 12
MOST_COLUMNS = 3
"""Columns of what a number hits that fit beside its chances."""


@dataclass(frozen=True)
class Odds:
    """Exact chances. to_hit: number needed and its chance by kind of roll. volleys: a report a shooter, with a target.

    arms: without a target, what the unit fires with, and what each number hits, None with one.
    turn: chance that one turn's fire of all of them destroys the fresh target, None without one. shooter: what the
    system calls whatever fires a volley.
    """

    title: str
    to_hit: tuple[tuple[str, tuple[float, ...]], ...]
    rolls: tuple[str, ...]
    volleys: tuple[VolleyReport, ...]
    turn: float | None
    arms: Arms | None = None
    shooter: str = ""

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a chance: gunner, section, what, chance; without a target: needed, roll, chance."""
        import pandas as pd

        if not self.volleys:
            rows = [
                {"needed": needed, "roll": roll, "chance": chance}
                for needed, chances in self.to_hit
                for roll, chance in zip(self.rolls, chances, strict=True)
            ]
            return pd.DataFrame(rows)
        return pd.DataFrame(
            [
                {"gunner": report.gunner, "section": section.title, "what": what, "chance": chance}
                for report in self.volleys
                for section in report.sections
                for what, chance in section.chances.items()
            ]
        )

    def lines(self) -> str:
        """Return the chances as text."""
        return "\n".join(
            [
                *textwrap.wrap(escaped(self.title), 80, subsequent_indent="  "),
                *(self._volley_lines() if self.volleys else self._table_lines()),
            ]
        )

    def _table_lines(self) -> list[str]:
        width = max(len(needed) for needed, _ in self.to_hit)
        heads = self.rolls
        reached: tuple[tuple[str, ...], ...] = ((),) * len(self.to_hit)
        lines = [""]
        if self.arms is not None:
            heads, reached = (*heads, *map(_head, self.arms.columns[:MOST_COLUMNS])), self.arms.reached
            said = [part for line in self.arms.lines for part in _indented(escaped(line))]
            lines += [
                *said,
                "",
                *textwrap.wrap(f"{self.arms.rule}:", 80),
            ]
        lines.append(" " * width + "".join(f"{head:>14}" for head in heads))
        for (needed, chances), values in zip(self.to_hit, reached, strict=True):
            cells = [*map(percent, chances), *values[:MOST_COLUMNS]]
            lines.append(f"{needed:>{width}}" + "".join(f"{cell:>14}" for cell in cells))
        return lines

    def _volley_lines(self) -> list[str]:
        lines = []
        for report in self.volleys:
            lines += ["", escaped(report.gunner)]
            if not report.sections:
                lines.append("  cannot fire")
            for section in report.sections:
                lines.append(f"  {section.title}")
                lines += [
                    f"    {escaped(what):<54} {percent(chance):>12}"
                    for what, chance in section.chances.items()
                ]
        if self.turn is not None:
            fire = f"one turn's fire of all {self.shooter}s destroys the fresh target"
            lines += ["", f"{fire}: {percent(self.turn)}"]
        return lines


def _head(text: str) -> str:
    """The title of a column, cut where it would run into the one before."""
    return shortened(text, HEAD_WIDTH)


def _indented(line: str) -> list[str]:
    """A line of at most 80 columns below another, its own indent kept."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line.strip(), 80, initial_indent=indent, subsequent_indent=indent + "  ")


def _title(rules: System, shooter: str, target: str, situation: Situation) -> str:
    scene = situation.scene(1)
    place = f"range {number_text(scene.range)} {rules.range_unit}, {scene.aspect_b.replace('_', ' ')}"
    changes = len(situation.scenes(MAX_TURNS)[0]) > 1
    return (
        f"{shooter} at {target}, {'turn 1, ' if changes else ''}{place}: one volley of each {rules.shooter}"
    )


def percent(chance: float) -> str:
    """Return an exact chance in percent: 0% and 100% only for what is impossible or certain."""
    if chance <= 0 or chance >= 1 - 1e-15:
        return "0%" if chance <= 0 else "100%"
    if chance < 5e-7:
        return "< 0.0001%"
    return "> 99.9999%" if chance > 1 - 5e-7 else f"{100 * chance:.4f}%"


def odds(
    a: Any,
    b: Any = None,
    *,
    range: Any = 24.0,
    aspect: Any = None,
    first_fire: Any = None,
    set: Mapping[str, Any] | None = None,
    constants: Mapping[str, Any] | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
    progress: Callable[..., None] | None = None,
) -> Odds:
    """Return the exact chances of A's fire: without `b` by number needed, with it of one volley of each shooter.

    Without `b` what A fires with is told as well, and what each number hits at that range. aspect: the
    aspect of B that A hits, front if left out. B is fresh. Of a range or an aspect by turn the first turn is shown, and
    with first_fire "b:1" A is silent in it. progress: called with 0, 0 and a note. Raises InputError.
    """
    rules = get_system(system)
    given = Arguments()
    situation = given.situation(rules, range, "front", "front" if aspect is None else aspect, first_fire)
    if b is None:
        given.refuse_all({"aspect": aspect, "first_fire": first_fire}, "without a second unit")
    given.check()
    shooter, *others = find_sheets([("a", a), *([] if b is None else [("b", b)])], system, units)
    options = rules.options(as_mapping("set", set), as_mapping("constants", constants))
    say_beforehand(rules, options, progress)
    if b is None:
        rolls, rows = rules.to_hit_table(shooter, situation, options)
        arms = rules.report_arms(shooter, situation, options)
        title = f"{shooter.name} at {number_text(situation.scene(1).range)} {rules.range_unit}"
        return Odds(title, rows, rolls, (), None, arms)
    target = others[0]
    from simlab.tables.expand import Questions, expand_volley, is_compiled

    ready = prepare(rules, [shooter], [target], situation, set, 1, constants)
    say_compiling(progress, lambda: is_compiled(ready.fight), COMPILING)
    ask = Questions(ready.fight)
    reports = rules.report_volleys(ready.fight, expand_volley, ask)
    title, turn = _title(rules, shooter.name, target.name, situation), _turn(ready.fight, ask)
    return Odds(title, (), (), tuple(reports), turn, shooter=rules.shooter)


def _turn(fight: Fight, ask: Any) -> float:
    """The chance that one turn's fire of a's gunners destroys a fresh b who does not fire."""
    from simlab.tables.expand import expand_fire

    if fight.phased:
        from simlab.exact.solve import solve_duel

        return float(solve_duel(fight, bound=TURN_BOUND, silent=(False, True)).figures[1, 0])
    shooter, target = fight.types_a[0], fight.types_b[0]
    body, memory = ask.fresh(target)
    able = ask.capability(shooter, 0, 0, *ask.fresh(shooter))
    row = expand_fire(fight, shooter, able, target, ask.capability(target, 0, 0, body, memory), 0, body)
    ends = zip(row.bodies.tolist(), row.weights.tolist(), strict=True)
    return float(sum(weight for state, weight in ends if ask.fallen(target, state)))
