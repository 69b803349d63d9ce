"""What the record sheet says and how it is read, drawn and used: BK-1 to BK-10."""

import pytest
from bench import SHERMAN, Duel, box, crate, punch
from sheet_texts import edited, read

from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.compile import chart_column
from simlab.rules.blitzkrieg.display import render_sheet
from simlab.rules.blitzkrieg.sheet import Sheet

ASPECTS = {"front": 0, "front_left": 1, "front_right": 2, "rear_left": 3, "rear_right": 4, "rear": 5}

UNREACHED = [None] * 9 + [99]
"""A chart whose one number no volley of these tests reaches."""


def refusal(*changes: tuple[str, str]) -> str:
    """What is wrong with the edited text of the Sherman; nothing if it is accepted."""
    try:
        read(edited(*changes))
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.rule("BK-1")
@pytest.mark.parametrize(
    ("kind", "front", "sides"), [("ballistic", 8, 4), ("indirect", 10, 6), ("anti_personnel", 13, 10)]
)
def test_defence_values_by_weapon_type_and_side(kind: str, front: int, sides: int) -> None:
    shooter = SHERMAN.replaced(**{"weapons.cannon.type": kind, "gunners.0.skill": 0})
    numbers = {aspect: Duel(shooter, distance=0, aspect=aspect).number("cannon") for aspect in ASPECTS}
    assert numbers == {aspect: front if aspect in ("front", "rear") else sides for aspect in ASPECTS}
    assert SHERMAN.defense.physical == 4


@pytest.mark.rule("BK-2")
def test_a_fresh_unit_has_its_printed_armour() -> None:
    assert Duel().shoot("1+2").armor == {"front": 6, "left": 2, "right": 2, "back": 1}


@pytest.mark.rule("BK-3")
@pytest.mark.parametrize("threshold", [0, 3, 5])
def test_the_shock_threshold_is_never_worn_down(threshold: int) -> None:
    target = SHERMAN.replaced(shock_threshold=threshold, internal_amount=UNREACHED)
    duel = Duel(SHERMAN.replaced(**{"weapons.cannon.high": [0, 5, 0]}), target)
    first = duel.shoot("4+5/H")
    second = duel.shoot("4+5/H", body=first.body)
    assert first.points == second.points == (0, 5 - threshold, 0)


@pytest.mark.rule("BK-4")
@pytest.mark.parametrize("aspect", ASPECTS)
def test_penetration_factors_are_six_and_never_worn_down(aspect: str) -> None:
    factors = {f"penetration.{name}": number for name, number in ASPECTS.items()}
    target = SHERMAN.replaced(internal_amount=UNREACHED, **factors)
    duel = Duel(SHERMAN.replaced(**{"weapons.cannon.low": [0, 0, 7]}), target, aspect=aspect)
    first = duel.shoot("4+5/L")
    second = duel.shoot("4+5/L", body=first.body)
    assert first.points == second.points == (0, 0, 7 - ASPECTS[aspect])


@pytest.mark.rule("BK-5")
def test_the_chart_holds_the_least_points_of_each_column() -> None:
    chart = (1, None, 2, 3, 4, 5, None, 6, 7, 8)
    assert chart == SHERMAN.internal_amount
    assert [chart_column(chart, points) for points in range(10)] == [0, 1, 3, 4, 5, 6, 8, 9, 10, 10]
    late = (None, 3, None, None, None, None, None, None, None, 12)
    assert [chart_column(late, points) for points in (2, 3, 11, 12, 127)] == [0, 2, 2, 10, 10]


@pytest.mark.rule("BK-5")
def test_a_chart_that_does_not_rise_is_refused() -> None:
    printed = "internal_amount: [1, null, 2, 3, 4, 5, null, 6, 7, 8]"
    assert "internal_amount" in refusal((printed, "internal_amount: [1, null, 2, 3, 3, 5, null, 6, 7, 8]"))
    assert refusal((printed, "internal_amount: [1, null, 2, 3, 4, 5, null, 6, 7, 9]")) == ""


@pytest.mark.rule("BK-6")
def test_each_gunner_fires_his_own_weapons_with_his_own_skill() -> None:
    shooter = SHERMAN.replaced(**{"gunners.0.skill": 2, "gunners.1.skill": -1})
    duel = Duel(shooter, distance=0, pintle_policy_a="always")
    assert [duel.number("cannon"), duel.number("coaxial")] == [8 - 2, 13 - 2]
    assert duel.number("pintle_mg", gunner=1) == 13 + 1
    assert duel.shoot("6+6+1+2/L", gunner=1).hits == ("pintle_mg",)


@pytest.mark.rule("BK-6")
def test_a_weapon_has_exactly_one_gunner() -> None:
    gunner = "{name: gunner, skill: 1, weapons: [cannon, coaxial]}"
    assert "coaxial" in refusal((gunner, "{name: gunner, skill: 1, weapons: [cannon]}"))
    assert "pintle_mg" in refusal((gunner, "{name: gunner, skill: 1, weapons: [cannon, coaxial, pintle_mg]}"))


@pytest.mark.rule("BK-7")
def test_items_stand_on_consecutive_lines_of_their_own() -> None:
    def lines_refused(*items: dict[str, object]) -> bool:
        try:
            crate(*items)
        except InputError as error:
            return "lines" in str(error)
        return False

    assert lines_refused(box("fuel", 3, 4), box("other", 4, 5))
    assert lines_refused(box("fuel", 3, 5))
    assert lines_refused(box("fuel", 20, 21))
    assert not lines_refused(box("fuel", 3, 4), box("other", 6))


@pytest.mark.rule("BK-7")
def test_crossing_an_empty_line_or_another_item_changes_no_figure() -> None:
    duel = Duel(punch(2), crate(box("other", 5, 6)))
    shot = duel.shoot("4+5/L/4")
    assert shot.crossed == (4, 5, 6)
    assert shot.figures == frozenset()


@pytest.mark.rule("BK-8")
def test_movement_is_read_and_drawn() -> None:
    sheet = SHERMAN.replaced(
        movement={
            "speed": 11, "road": 17, "extra_maneuverable": True, "water": 5, "trees": 3, "one_level": 4,
            "two_levels": 6, "amphibious": True, "moves_on_one_side": True,
        }
    )  # fmt: skip
    assert sheet.movement.speed == 11
    text = " ".join(render_sheet(sheet).split())
    for part in ("Speed 11*", "Water 5", "Trees/RG 3", "Road 17", "1 level 4", "2 levels 6"):
        assert part in text
    for ability in ("amphibious", "moves on one side"):
        assert ability in text
        assert ability not in render_sheet(SHERMAN)
    assert SHERMAN.movement.moves_on_one_side is False


@pytest.mark.rule("BK-9")
@pytest.mark.parametrize("plate", [True, False])
def test_ram_multipliers_and_plate_are_read_and_drawn(plate: bool) -> None:
    sheet = SHERMAN.replaced(
        **{"ram.damage": 0.61, "ram.shock": 0.72, "ram.penetration": 0.28, "ram.plate": plate}
    )
    assert (sheet.ram.damage, sheet.ram.shock, sheet.ram.penetration, sheet.ram.plate) == (
        0.61,
        0.72,
        0.28,
        plate,
    )
    text = " ".join(render_sheet(sheet).split())
    assert "0.61 / 0.72 / 0.28" in text
    assert ("no ram plate" in text) is not plate
    assert "ram plate" in text


@pytest.mark.rule("BK-10")
@pytest.mark.parametrize(("value", "source"), [(558, "rulebook"), (996, "draft"), (700.5, "priced")])
def test_an_ecv_is_shown_with_its_source(value: float, source: str) -> None:
    sheet: Sheet = SHERMAN.replaced(ecv={"value": value, "source": source})
    assert sheet.ecv.is_draft == (source == "draft")
    assert f"ECV {value} ({source})" in render_sheet(sheet)
