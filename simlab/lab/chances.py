"""The verb that answers without dice: what must be rolled, and what one volley does."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlab.lab.arguments import Arguments
from simlab.lab.fights import prepare
from simlab.lab.roster import find_sheet
from simlab.model.errors import escaped
from simlab.rules.contract import VolleyReport
from simlab.rules.registry import get_system

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Odds:
    """Exact chances. to_hit: number needed and its chance by kind of roll. volleys: a report a gunner, with a target.

    turn: chance that one turn's fire of all gunners destroys the fresh target, None without one.
    """

    title: str
    to_hit: tuple[tuple[str, tuple[float, ...]], ...]
    rolls: tuple[str, ...]
    volleys: tuple[VolleyReport, ...]
    turn: float | None

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
            [escaped(self.title), *(self._volley_lines() if self.volleys else self._table_lines())]
        )

    def _table_lines(self) -> list[str]:
        width = max(len(needed) for needed, _ in self.to_hit)
        lines = ["", " " * width + "".join(f"{roll:>14}" for roll in self.rolls)]
        for needed, chances in self.to_hit:
            lines.append(f"{needed:>{width}}" + "".join(f"{percent(chance):>14}" for chance in chances))
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
            lines += ["", f"one turn's fire of all gunners destroys the fresh target: {percent(self.turn)}"]
        return lines


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
    range: float = 24.0,
    aspect: str = "front",
    set: Mapping[str, Any] | None = None,
    system: str = "blitzkrieg",
    units: Any = None,
) -> Odds:
    """Return the exact chances of A's fire: without `b` by number needed, with it of one volley of each gunner.

    aspect: the aspect of B that A hits. B is fresh. Raises InputError.
    """
    rules = get_system(system)
    given = Arguments()
    situation = given.situation(rules, range, "front", aspect)
    given.check()
    shooter = find_sheet(a, system, units)
    options = rules.options(set or {})
    if b is None:
        rolls, rows = rules.to_hit_table(shooter, situation, options)
        return Odds(f"{shooter.name}: chance to hit by the number needed", rows, rolls, (), None)
    target = find_sheet(b, system, units)
    from simlab.tables.expand import Questions, expand_fire, expand_volley

    ready = prepare(rules, [shooter], [target], situation, set, 1)
    ask = Questions(ready.fight)
    reports = rules.report_volleys(ready.fight, expand_volley, ask)
    foe = ready.fight.types_b[0]
    body, memory = ask.fresh(foe)
    able = ask.capability(ready.fight.types_a[0], 0, 0, *ask.fresh(ready.fight.types_a[0]))
    foe_able = ask.capability(foe, 0, 0, body, memory)
    row = expand_fire(ready.fight, ready.fight.types_a[0], able, foe, foe_able, 0, body)
    turn = sum(
        weight
        for state, weight in zip(row.bodies.tolist(), row.weights.tolist(), strict=True)
        if ask.fallen(foe, state)
    )
    title = f"{shooter.name} at {target.name}, range {range:g}, {aspect.replace('_', ' ')}: one volley of each gunner"
    return Odds(title, (), (), tuple(reports), turn)
