"""Tables of fights say nothing that cannot be: no turn 0, no chance of what nobody can do, no bounds that disagree."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import PAIR, Said, Shell, sherman

from simlab import lab
from simlab.analysis.digits import format_amount, format_percent
from simlab.analysis.intervals import estimate_wilson
from simlab.cli.fight_tables import duel_text, interval_text
from simlab.lab.results import DuelResult


def cells(said: Said) -> dict[str, list[str]]:
    """The cells of each row by its title: columns are two blanks apart."""
    assert said.code == 0
    rows = [re.split(r"\s{2,}", line.strip()) for line in said.out.splitlines() if line.strip()]
    return {row[0]: row[1:] for row in rows}


@pytest.mark.parametrize("n", ["1", "2", "3", "5", "9", "20"])
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_the_mean_turn_is_a_turn_that_there_is(simlab: Shell, n: str, seed: str) -> None:
    said = simlab("duel", *PAIR, "--n", n, "--seed", seed)
    turns = [float(cell) for cell in cells(said)["mean turn destroyed"] if cell != "–"]
    assert turns
    assert all(1 <= turn <= 12 for turn in turns)


@pytest.mark.parametrize("safe", ["A", "B"])
def test_what_needs_the_fire_of_a_silent_side_is_exactly_nought(
    simlab: Shell, tmp_path: Path, safe: str
) -> None:
    short = sherman(tmp_path, "short", cannon="name: Gun, type: ballistic, max_range: 20")
    units = (short, "m4a3_sherman_lp") if safe == "B" else ("m4a3_sherman_lp", short)
    rows = cells(simlab("duel", *units, "--range", "40", "--n", "1000"))
    silent = {"A": "B", "B": "A"}[safe]
    assert rows[f"{silent} wins"] == rows[f"kill rate of {silent}"] == ["cannot fire"]
    assert rows["both destroyed"] == ["0%"]
    place = "AB".index(safe)
    kinds = ("destroyed", "mobility kill", "firepower kill", "crew kill", "catastrophic kill")
    assert {rows[title][place] for title in kinds} == {"0%"}
    assert rows["mean turn destroyed"][place] == "–"
    assert rows["ECV lost"][place] == "0"
    assert "0%" not in [rows[title][1 - place] for title in kinds[:1]]


def test_an_engagement_with_a_silent_side_has_exact_noughts(simlab: Shell, tmp_path: Path) -> None:
    short = sherman(tmp_path, "short", cannon="name: Gun, type: ballistic, max_range: 20")
    rows = cells(simlab("engage", f"2 {short}", "2 m4a3_sherman_lp", "--range", "40", "--n", "300"))
    assert rows["A wins"] == ["cannot fire"]
    assert rows["both destroyed"] == ["0%"]
    assert [rows[f"{count} left"][1] for count in range(3)] == ["0%", "0%", "100%"]
    assert rows["ECV lost"][1] == "0"
    assert rows["ECV lost"][0] != "0"


def test_a_loss_that_no_fight_had_is_below_a_bound(simlab: Shell) -> None:
    rows = cells(simlab("duel", *PAIR, "--n", "2", "--turns", "1", "--range", "900"))
    assert all(cell.startswith("< ") for cell in rows["ECV lost"])
    rows = cells(
        simlab("engage", "1 panther_g", "1 m4a3_sherman_lp", "--n", "2", "--turns", "1", "--range", "900")
    )
    assert all(cell.startswith("< ") for cell in rows["ECV lost"])
    assert format_amount(0.0, 0.0, 0.0) == "0"
    assert format_amount(4.0, 0.0, 25.0) == "< 30"


@pytest.fixture(scope="module")
def solved() -> DuelResult:
    """A solved duel, for its turns to be replaced."""
    return lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", turns=1, exact=True, bound=1e-5)


def lasting(solved: DuelResult, turns: int, still: int) -> DuelResult:
    """A duel of so many turns, in which each side falls with a chance of a tenth a turn, until a turn."""
    stands = [0.9 ** min(turn, still) for turn in range(turns + 1)]
    both = [chance**2 for chance in stands]
    return replace(
        solved,
        turns=turns,
        by_turn={**(solved.by_turn or {}), "neither": both},
        side_a={**solved.side_a, "survival": stands},
        side_b={**solved.side_b, "survival": stands},
    )


@pytest.mark.parametrize(
    ("turns", "still", "shown"),
    [
        (1, 1, ["1"]),
        (5, 5, [str(turn) for turn in range(1, 6)]),
        (12, 12, [str(turn) for turn in range(1, 13)]),
        (13, 13, [str(turn) for turn in range(1, 14)]),
        (24, 24, [*map(str, range(1, 13)), "24"]),
        (40, 40, [*map(str, range(1, 13)), "24", "40"]),
        (5, 3, ["1", "2", "3 to 5"]),
        (1000, 1, ["1 to 1000"]),
        (1000, 30, [*map(str, range(1, 13)), "24", "30 to 1000"]),
        (1000, 97, [*map(str, range(1, 13)), "24", "48", "96", "97 to 1000"]),
    ],
)
def test_the_first_turns_are_all_shown_and_later_ones_thin_out(
    solved: DuelResult, turns: int, still: int, shown: list[str]
) -> None:
    lines = duel_text(lasting(solved, turns, still)).splitlines()
    begin = next(place for place, line in enumerate(lines) if line.startswith("after turn"))
    table = [re.split(r"\s{2,}", line) for line in lines[begin + 2 : lines.index("", begin)]]
    assert [row[0] for row in table] == shown
    assert all(earlier[1:] != later[1:] for earlier, later in pairwise(table))


def test_digits_that_do_not_change_end_the_table(solved: DuelResult) -> None:
    """Chances that go on falling below what is shown: the last row begins where they are shown alike for good."""

    def last_row(turns: int) -> list[str]:
        lines = duel_text(lasting(solved, turns, turns)).splitlines()
        return re.split(r"\s{2,}", [line for line in lines if re.match(r"\d", line) and "%" in line][-1])

    turn, *cells = last_row(1000)
    first = int(turn.removesuffix(" to 1000"))
    assert {cell[0] for cell in cells} == {"<"}
    assert last_row(first - 1)[1:] != last_row(first)[1:] == cells


@given(st.integers(1, 10**6), st.data())
def test_a_bound_is_one_bound(n: int, data: st.DataObject) -> None:
    k = data.draw(st.sampled_from(sorted({0, 1, n // 2, n - 1, n})))
    low, high = (float(end) for end in estimate_wilson(k, n))
    chance, ends = format_percent(k / n, low, high), interval_text(k / n, low, high)
    if chance[0] in "<>":
        assert ends == {"<": "up to ", ">": "from "}[chance[0]] + chance[2:]
    else:
        shown = [float(part) for part in re.findall(r"[0-9.]+", ends)]
        assert shown[0] <= float(chance[:-1]) <= shown[-1] or len(shown) == 1
