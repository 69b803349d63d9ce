"""How long exact duels take by error bound, beside the time that sampling takes to a half-width.

`python benchmarks/bench_exact.py` prints the table; with `--write` it goes into docs/performance.md, with a plot.
"""

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simlab.analysis.intervals import fights_for_precision
from simlab.engine.play import play_fights
from simlab.exact.solution import TooLongError
from simlab.exact.solve import solve_duel
from simlab.lab.fights import fight_key_of
from simlab.model.situation import Situation
from simlab.rules.registry import get_system

ROOT = Path(__file__).parent.parent
UNITS = ROOT / "units" / "blitzkrieg"
PAGE, PLOT = ROOT / "docs" / "performance.md", ROOT / "docs" / "exact_times.png"
BEGIN, END = "<!-- exact duels: made by benchmarks/bench_exact.py -->", "<!-- end of exact duels -->"
BOUNDS = (1e-4, 1e-6, 1e-9)
HALF_WIDTHS = ("0.001", "0.0001")
LIMIT = 80e9
"""Nanoseconds of work, by the solver's constants, beyond which a duel is not solved."""
SHERMAN, FIREFLY, PANTHER = "m4a3_sherman_lp", "sherman_firefly_vc", "panther_g"
CASES = (
    ("Sherman LP v Sherman LP, 14 inches, 12 turns", SHERMAN, SHERMAN, 14.0, 12),
    ("Sherman LP v Sherman LP, 14 inches, 20 turns", SHERMAN, SHERMAN, 14.0, 20),
    ("Panther G v Firefly, 24 inches, 12 turns", PANTHER, FIREFLY, 24.0, 12),
    ("Panther G v Panther G, 24 inches, 12 turns", PANTHER, PANTHER, 24.0, 12),
)


@dataclass(frozen=True)
class Row:
    """One way to answer a duel: seconds of wall and of processor, megabytes of tables and factors, rank, states."""

    case: str
    how: str
    wall: float
    cpu: float
    error: str
    megabytes: float | None = None
    rank: int | None = None
    states: int | None = None


def duel(a: str, b: str, distance: float, turns: int) -> Any:
    """Return the compiled duel of two units, front to front."""
    system = get_system("blitzkrieg")
    sides = [[system.load_sheet(UNITS / f"{unit}.yaml")] for unit in (a, b)]
    return system.compile_fight(*sides, Situation(distance), system.options({}), turns)


def solved(case: str, fight: Any, bound: float) -> Row:
    """Return how long a duel takes to solve, the better of two times if it is short."""
    best = None
    for _ in range(2):
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            found = solve_duel(fight, bound=bound, work_limit=LIMIT, memory_limit=1e9)
        except TooLongError:
            return Row(
                case,
                f"exact, {bound:g}",
                float("nan"),
                float("nan"),
                f"not within 1 GB and {LIMIT / 1e9:g} s of work",
            )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        row = Row(
            case, f"exact, {bound:g}", wall, cpu, f"{found.error_bound:.1e}", found.memory / 1e6, found.rank,
            found.states,
        )  # fmt: skip
        best = row if best is None or wall < best.wall else best
        if wall > 5:
            break
    assert best is not None
    return best


def sampled(case: str, fight: Any, half_width: str) -> Row:
    """Return how long sampling takes to a half-width, on one thread."""
    n = fights_for_precision(half_width)
    wall, cpu = time.perf_counter(), time.process_time()
    play_fights(fight, n=n, seed=1, key=fight_key_of(fight), workers=1)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Row(case, f"sampled, {n:,} duels", wall, cpu, f"{half_width} (95%)")


def measure() -> list[Row]:
    """Return all rows; the first of each kind is preceded by a warm-up."""
    rows = []
    for case, a, b, distance, turns in CASES:
        fight = duel(a, b, distance, turns)
        solve_duel(fight, bound=0.1)
        play_fights(fight, n=1, seed=1, key=1, workers=1)
        rows += [sampled(case, fight, half_width) for half_width in HALF_WIDTHS]
        rows += [solved(case, fight, bound) for bound in BOUNDS]
    return rows


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    lines = [
        "| duel | method | error | wall s | processor s | MB | rank | states |",
        "|---|---|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        more = ["" if v is None else f"{v:,.0f}" for v in (row.megabytes, row.rank, row.states)]
        times = ["–" if math.isnan(t) else f"{t:.2f}" for t in (row.wall, row.cpu)]
        cells = [row.case, row.how, row.error, *times, *more]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(rows: list[Row]) -> None:
    """Draw time against bound, with the times of sampling as marks at their half-widths."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for (case, *_), marker in zip(CASES, "osD^", strict=True):
        exact = [row for row in rows if row.case == case and row.how.startswith("exact") and row.wall > 0]
        bounds = [float(row.how.partition(", ")[2]) for row in exact]
        (line,) = axes.plot(bounds, [row.wall for row in exact], marker=marker, label=case)
        drawn = [row for row in rows if row.case == case and row.how.startswith("sampled")]
        axes.plot(
            [float(row.error.split()[0]) for row in drawn], [row.wall for row in drawn],
            marker=marker, linestyle=":", color=line.get_color(), fillstyle="none",
        )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="error bound (solid) or 95% half-width (dotted)")
    axes.set_ylabel("seconds, one core")
    axes.set_title("Exact duels by bound, and sampling by half-width")
    axes.invert_xaxis()
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(PLOT, dpi=120)


def write(rows: list[Row]) -> None:
    """Put table and plot into the page, between its marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    body = f"{BEGIN}\n\n{table(rows)}\n\n![Time by bound]({PLOT.name})\n\n{END}"
    PAGE.write_text(before + body + after, encoding="utf-8")
    draw(rows)


if __name__ == "__main__":
    found = measure()
    print(table(found))
    if "--write" in sys.argv:
        write(found)
