"""The drawn record sheet says, at its place, every number of the sheet (BK-1 to BK-10)."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from sheet_reader import (
    check_armor,
    check_chart,
    check_defense,
    check_manifest,
    check_movement,
    check_penetration,
    check_ram,
    check_shock,
    check_title,
    check_weapons,
    the_line,
)

from simlab.rules.blitzkrieg import display
from simlab.rules.blitzkrieg.display import render_sheet
from simlab.rules.blitzkrieg.sheet import Sheet, load_sheet, replace_fields

UNITS = Path(__file__).parent.parent / "units" / "blitzkrieg"
SHERMAN = load_sheet(UNITS / "m4a3_sherman_lp.yaml")
PANTHER = load_sheet(UNITS / "panther_g.yaml")
FACES = ("front", "left", "right", "back")
ASPECTS = ("front", "front_left", "front_right", "rear_left", "rear_right", "rear")
VALUES = (
    *(
        f"defense.{kind}.{side}"
        for kind in ("ballistic", "indirect", "anti_personnel")
        for side in ("front_back", "sides")
    ),
    "defense.physical",
)


def scrambled(seed: int) -> Sheet:
    """A Sherman whose numbers are random and mostly different from each other."""
    draw = random.Random(seed)
    factors = draw.sample(range(64), 11)
    values = draw.sample(range(-9, 100), 7)
    chart: list[int | None] = sorted(draw.sample(range(1, 100), 10))  # type: ignore[assignment]
    for gap in draw.sample(range(9), 3):
        chart[gap] = None
    changes: dict[str, Any] = dict(zip((f"armor.{face}" for face in FACES), factors, strict=False))
    changes |= dict(zip((f"penetration.{aspect}" for aspect in ASPECTS), factors[4:], strict=False))
    changes |= dict(zip(VALUES, values, strict=True))
    changes |= {"internal_amount": chart, "shock_threshold": factors[10]}
    costs = ("speed", "road", "water", "trees", "one_level", "two_levels")
    changes |= {f"movement.{key}": each for key, each in zip(costs, draw.sample(range(100), 6), strict=True)}
    changes |= {f"ram.{key}": draw.randrange(1, 9900) / 100 for key in ("damage", "shock", "penetration")}
    for key in SHERMAN.weapons:
        for level in ("high", "mid", "low"):
            changes[f"weapons.{key}.{level}"] = draw.sample(range(100), 3)
        changes[f"weapons.{key}.ammo"] = draw.randrange(1, 10000)
        if draw.random() < 0.5:
            changes[f"weapons.{key}.max_range"] = draw.choice([float(draw.randrange(999)), 12.5])
    changes |= {f"gunners.{place}.skill": draw.randrange(-9, 10) for place in range(2)}
    changes["ecv.value"] = float(draw.randrange(1, 3000))
    return replace_fields(SHERMAN, changes)


SHEETS = [
    SHERMAN,
    PANTHER,
    load_sheet(UNITS / "sherman_firefly_vc.yaml"),
    *(scrambled(seed) for seed in range(8)),
]
each_sheet = pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: f"{sheet.id}-{sheet.ecv.value:g}")


CHECKS = [
    pytest.param(check_defense, marks=pytest.mark.rule("BK-1"), id="BK-1"),
    pytest.param(check_armor, marks=pytest.mark.rule("BK-2"), id="BK-2"),
    pytest.param(check_shock, marks=pytest.mark.rule("BK-3"), id="BK-3"),
    pytest.param(check_penetration, marks=pytest.mark.rule("BK-4"), id="BK-4"),
    pytest.param(check_chart, marks=pytest.mark.rule("BK-5"), id="BK-5"),
    pytest.param(check_weapons, marks=pytest.mark.rule("BK-6"), id="BK-6"),
    pytest.param(check_manifest, marks=pytest.mark.rule("BK-7"), id="BK-7"),
    pytest.param(check_movement, marks=pytest.mark.rule("BK-8"), id="BK-8"),
    pytest.param(check_ram, marks=pytest.mark.rule("BK-9"), id="BK-9"),
    pytest.param(check_title, marks=pytest.mark.rule("BK-10"), id="BK-10"),
]

Check = Callable[[Sheet, list[str]], bool]


@pytest.mark.parametrize("check", CHECKS)
@each_sheet
def test_every_number_is_at_its_place(check: Check, sheet: Sheet) -> None:
    assert check(sheet, render_sheet(sheet).split("\n"))


@pytest.mark.parametrize("flag", ["extra_maneuverable", "amphibious", "moves_on_one_side"])
@pytest.mark.rule("BK-8")
def test_each_ability_is_named(flag: str) -> None:
    sheet = SHERMAN.replaced(**{f"movement.{flag}": True})
    assert check_movement(sheet, render_sheet(sheet).split("\n"))
    assert not check_movement(SHERMAN, render_sheet(sheet).split("\n"))


@pytest.mark.rule("BK-9")
def test_ram_plate_is_named() -> None:
    sheet = SHERMAN.replaced(**{"ram.plate": True})
    assert check_ram(sheet, render_sheet(sheet).split("\n"))
    assert not check_ram(SHERMAN, render_sheet(sheet).split("\n"))


@pytest.mark.rule("BK-10")
@pytest.mark.parametrize(("value", "source"), [(558.5, "draft"), (700.0, "priced"), (None, "draft")])
def test_an_ecv_says_where_it_comes_from(value: float | None, source: str) -> None:
    sheet = SHERMAN.replaced(ecv={"value": value, "source": source})
    title = render_sheet(sheet).split("\n")[1]
    assert f"ECV {'not priced' if value is None else format(value, 'g')} ({source})" in title


def mirrored(sheet: Sheet) -> Sheet:
    armor = sheet.armor.model_copy(update={"left": sheet.armor.right, "right": sheet.armor.left})
    return sheet.model_copy(update={"armor": armor})


def turned(sheet: Sheet) -> Sheet:
    """Penetration factors one edge further round."""
    values = [getattr(sheet.penetration, aspect) for aspect in ASPECTS]
    return sheet.model_copy(
        update={
            "penetration": sheet.penetration.model_copy(
                update=dict(zip(ASPECTS, values[1:] + values[:1], strict=True))
            )
        }
    )


def upside_down(sheet: Sheet) -> Sheet:
    items = [
        item.model_copy(update={"lines": tuple(21 - line for line in reversed(item.lines))})
        for item in sheet.manifest
    ]
    return sheet.model_copy(update={"manifest": tuple(items)})


def sides_first(sheet: Sheet) -> Sheet:
    row = sheet.defense.indirect
    swapped = row.model_copy(update={"front_back": row.sides, "sides": row.front_back})
    return sheet.model_copy(update={"defense": sheet.defense.model_copy(update={"indirect": swapped})})


def shifted_chart(sheet: Sheet) -> Sheet:
    chart = sheet.internal_amount
    return sheet.model_copy(update={"internal_amount": (*chart[1:9], chart[0], chart[9])})


def high_for_low(sheet: Sheet) -> Sheet:
    weapons = {
        key: weapon.model_copy(update={"high": weapon.low, "low": weapon.high})
        for key, weapon in sheet.weapons.items()
    }
    return sheet.model_copy(update={"weapons": weapons})


def road_for_speed(sheet: Sheet) -> Sheet:
    move = sheet.movement
    return sheet.model_copy(
        update={"movement": move.model_copy(update={"speed": move.road, "road": move.speed})}
    )


def shock_for_penetration(sheet: Sheet) -> Sheet:
    ram = sheet.ram
    return sheet.model_copy(
        update={"ram": ram.model_copy(update={"shock": ram.penetration, "penetration": ram.shock})}
    )


def worn(sheet: Sheet) -> Sheet:
    return sheet.model_copy(update={"shock_threshold": sheet.shock_threshold - 1})


def printed(sheet: Sheet) -> Sheet:
    """A price whose source is not the sheet's."""
    source = "draft" if sheet.ecv.source == "rulebook" else "rulebook"
    return sheet.model_copy(update={"ecv": sheet.ecv.model_copy(update={"source": source})})


FAULTS = [
    pytest.param(
        check_defense,
        "defense_lines",
        sides_first,
        marks=pytest.mark.rule("BK-1"),
        id="BK-1",
    ),
    pytest.param(check_armor, "armor_lines", mirrored, marks=pytest.mark.rule("BK-2"), id="BK-2"),
    pytest.param(check_shock, "armor_lines", worn, marks=pytest.mark.rule("BK-3"), id="BK-3"),
    pytest.param(
        check_penetration,
        "penetration_lines",
        turned,
        marks=pytest.mark.rule("BK-4"),
        id="BK-4",
    ),
    pytest.param(
        check_chart,
        "chart_lines",
        shifted_chart,
        marks=pytest.mark.rule("BK-5"),
        id="BK-5",
    ),
    pytest.param(
        check_weapons,
        "gunner_lines",
        high_for_low,
        marks=pytest.mark.rule("BK-6"),
        id="BK-6",
    ),
    pytest.param(
        check_manifest,
        "manifest_lines",
        upside_down,
        marks=pytest.mark.rule("BK-7"),
        id="BK-7",
    ),
    pytest.param(
        check_movement,
        "movement_lines",
        road_for_speed,
        marks=pytest.mark.rule("BK-8"),
        id="BK-8",
    ),
    pytest.param(
        check_ram,
        "ram_lines",
        shock_for_penetration,
        marks=pytest.mark.rule("BK-9"),
        id="BK-9",
    ),
    pytest.param(
        check_title,
        "header_lines",
        printed,
        marks=pytest.mark.rule("BK-10"),
        id="BK-10",
    ),
]


@pytest.mark.parametrize(("check", "part", "fault"), FAULTS)
def test_a_planted_fault_is_seen(
    check: Check,
    part: str,
    fault: Callable[[Sheet], Sheet],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sheet = scrambled(3)
    assert check(sheet, render_sheet(sheet).split("\n"))
    right = getattr(display, part)
    monkeypatch.setattr(display, part, lambda drawn: right(fault(drawn)))
    assert not check(sheet, render_sheet(sheet).split("\n"))


@each_sheet
def test_a_sheet_fits_80_columns(sheet: Sheet) -> None:
    assert max(map(cell_len, render_sheet(sheet).split("\n"))) <= 80


HOSTILE = [
    "戦車" * 40,
    "[red]M4[/red] <b>bold</b> =cmd",
    "e\u0301" * 100,
    "\N{CRAB}" * 30,
    "a",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_leaves_the_boxes_straight(name: str) -> None:
    sheet = SHERMAN.replaced(
        **{
            "name": name,
            "nation": name,
            "provenance": name * 50,
            "gunners.0.name": name,
            "weapons.cannon.name": name,
        }
    )
    lines = render_sheet(sheet).split("\n")
    edges = {
        cell_len(line) for line in lines if line.endswith(("│", "┤", "┐", "┘")) and "MANIFEST" not in line
    }
    chart = the_line(lines, "INTERNAL AMOUNT")
    assert {cell_len(line) for line in lines[:4]} == {display.WIDTH}
    assert edges == {display.WIDTH, cell_len(lines[chart])}
    assert max(map(cell_len, lines)) <= 80
    for check in (
        check_armor,
        check_penetration,
        check_chart,
        check_movement,
        check_defense,
    ):
        assert check(sheet, lines)


def test_terminal_escapes_are_spelt_out() -> None:
    sheet = SHERMAN.model_copy(
        update={
            "name": "\x1b[31mred\x07",
            "id": "\u202eevil",
            "provenance": "one\ntwo\x1b]0;x",
        }
    )
    text = render_sheet(sheet)
    assert text.replace("\n", "").isprintable()
    assert "\\x1b[31mred\\x07" in text


def test_empty_lines_and_off_manifest_weapons_are_shown() -> None:
    sheet = SHERMAN.replaced(
        manifest=[
            {"lines": [18], "item": "crew"},
            {"lines": [3, 4, 5], "item": "tread", "side": "left"},
        ],
        **{f"weapons.{key}.off_manifest": True for key in SHERMAN.weapons},
    )
    lines = render_sheet(sheet).split("\n")
    assert check_manifest(sheet, lines)
    assert sum(line.endswith(", off the manifest") for line in lines) == len(sheet.weapons)


def test_long_fractions_are_not_cut() -> None:
    fractions = {
        "ram.damage": 0.123456789012,
        "ram.shock": 98.76543210987,
        "ram.penetration": 12.34567890123,
    }
    sheet = SHERMAN.replaced(
        **fractions,
        **{"weapons.cannon.max_range": 123.4567890123, "ecv.value": 558.123456789},
    )
    text = render_sheet(sheet)
    for number in (*fractions.values(), 123.4567890123, 558.123456789):
        assert repr(number) in text
    assert max(map(cell_len, text.split("\n"))) <= 80
