"""Lines, items, bins: BK-23 to BK-27."""

from fractions import Fraction

import numpy as np
import pytest
from bench import SHERMAN, Duel, box, crate, punch

from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.program import EXPLOSIVE
from simlab.rules.blitzkrieg.sheet import Sheet

POINTS = {1: 1, 3: 2, 4: 3, 5: 4, 6: 5, 8: 6, 9: 7}
"""Lines to the internal points that cross them on the Sherman's chart."""


def lines(count: int) -> Sheet:
    """A shooter whose cannon crosses that many lines of a Sherman from the front."""
    return punch(POINTS[count])


@pytest.mark.rule("BK-23")
def test_the_book_s_six_lines_from_seven() -> None:
    shot = Duel(lines(6)).shoot("4+5/L/7/1:1,1:1")
    assert shot.crossed == (7, 8, 9, 10, 11, 12)


@pytest.mark.rule("BK-23")
@pytest.mark.parametrize(
    ("earlier", "start", "crossed"),
    [
        ((8, 9), 7, (7, 10, 11)),
        ((7, 8), 7, (9, 10, 11)),
        ((7, 9, 11, 13), 7, (8, 10, 12)),
        ((), 17, (17, 18, 19)),
    ],
)
def test_lines_crossed_earlier_are_skipped(
    earlier: tuple[int, ...], start: int, crossed: tuple[int, ...]
) -> None:
    duel = Duel(lines(3), crate(box("other", 1)))
    assert duel.shoot(f"4+5/L/{start}", body=duel.body(crossed=earlier)).crossed == crossed


@pytest.mark.rule("BK-23")
def test_empty_lines_and_every_line_of_an_item_use_up_one_each() -> None:
    duel = Duel(lines(5), crate(box("turret", 3, 4, 5)))
    assert duel.shoot("4+5/L/2").crossed == (2, 3, 4, 5, 6)


@pytest.mark.rule("BK-23")
def test_reading_manifest_overflow() -> None:
    """What would pass line 20 is lost, or goes on at line 1."""
    target = crate(box("tread", 1, 2, side="left"), box("tread", 3, side="right"))
    found = {
        value: Duel(lines(5), target, manifest_overflow=value).shoot("4+5/L/19") for value in ("stop", "wrap")
    }
    assert found["stop"].crossed == (19, 20)
    assert found["wrap"].crossed == (1, 2, 3, 19, 20)
    assert found["stop"].figures == frozenset()
    assert found["wrap"].figures == {"destroyed", "mobility_kill"}


@pytest.mark.rule("BK-23")
def test_going_on_at_line_one_ends_before_the_start() -> None:
    duel = Duel(lines(9), crate(box("other", 20)), manifest_overflow="wrap")
    shot = duel.shoot("4+5/L/18", body=duel.body(crossed=range(4, 18)))
    assert shot.crossed == (1, 2, 3, 18, 19, 20)


@pytest.mark.rule("BK-23")
def test_reading_skip() -> None:
    """The open lines of an item that an earlier volley destroyed use up a count, or are passed over as well."""
    target = crate(box("turret", 3, 4, 5), box("other", 20))
    for value, crossed in (("crossed", (2, 4, 5)), ("destroyed", (2, 6, 7))):
        duel = Duel(lines(3), target, skip=value)
        assert duel.shoot("4+5/L/2", body=duel.body(crossed=[3])).crossed == crossed
        assert duel.shoot("4+5/L/2").crossed == (2, 3, 4)


@pytest.mark.rule("BK-23", "BK-24")
def test_lines_of_an_engine_that_holds_are_not_skipped() -> None:
    """With its volleys counted an engine is lost with the last one only."""
    target = crate(box("engine", 3, 4, 5, hits=2), box("other", 20))
    duel = Duel(lines(1), target, skip="destroyed", engine_hits="count", loss_of_function="crew")
    first = duel.shoot("4+5/L/3")
    second = duel.shoot("4+5/L/3", body=first.body)
    third = duel.shoot("4+5/L/3", body=second.body)
    assert [shot.crossed for shot in (first, second, third)] == [(3,), (4,), (6,)]


@pytest.mark.rule("BK-23")
def test_skipped_lines_go_with_wrapping() -> None:
    target = crate(box("turret", 1, 2, 3), box("other", 19, 20))
    duel = Duel(lines(3), target, skip="destroyed", manifest_overflow="wrap")
    assert duel.shoot("4+5/L/18", body=duel.body(crossed=[2, 20])).crossed == (4, 5, 18)


@pytest.mark.rule("BK-24")
@pytest.mark.parametrize("line", [10, 11])
def test_an_item_is_lost_with_any_of_its_lines(line: int) -> None:
    duel = Duel(lines(1), crate(box("weapon", 10, 11, weapon="cannon"), box("crew", 20)))
    shot = duel.shoot(f"4+5/L/{line}")
    assert "cannon" not in duel.condition(body=shot.body).weapons
    assert "coaxial" in duel.condition(body=shot.body).weapons


@pytest.mark.rule("BK-24")
@pytest.mark.parametrize("hits", [1, 2, 5, 20])
def test_the_engine_is_lost_at_once_whatever_its_hits(hits: int) -> None:
    shot = Duel(lines(1), crate(box("engine", 10, 11, hits=hits))).shoot("4+5/L/11")
    assert shot.figures == {"destroyed", "mobility_kill"}


@pytest.mark.rule("BK-24")
def test_reading_engine_hits() -> None:
    """Counted: lost by as many volleys as it has hits; crossing it, starting on it, passing over it all count."""
    target = crate(box("engine", 10, 11, hits=4))
    assert "mobility_kill" in Duel(lines(1), target).shoot("4+5/L/10").figures
    duel = Duel(lines(1), target, engine_hits="count")
    crossed = duel.shoot("4+5/L/10")
    beside = duel.shoot("4+5/L/9", body=crossed.body)
    started = duel.shoot("4+5/L/10", body=beside.body)
    passed = duel.shoot("4+5/L/9", body=started.body)
    last = duel.shoot("4+5/L/9", body=passed.body)
    assert [shot.crossed for shot in (crossed, beside, started, passed, last)] == [
        (10,),
        (9,),
        (11,),
        (12,),
        (13,),
    ]
    assert [shot.figures for shot in (crossed, beside, started, passed)] == [frozenset()] * 4
    assert last.figures == {"destroyed", "mobility_kill"}


@pytest.mark.rule("BK-24")
def test_counted_engine_hits_stop_where_the_volley_stops() -> None:
    """Only lines up to the last one crossed are passed; with `wrap` also those from line 1 on."""
    target = crate(box("engine", 2, hits=1), box("other", 20))
    for overflow, figures in (("stop", frozenset()), ("wrap", {"destroyed", "mobility_kill"})):
        duel = Duel(lines(3), target, engine_hits="count", manifest_overflow=overflow)
        body = duel.body(crossed=[1, 2])
        assert duel.shoot("4+5/L/17", body=body).figures == frozenset()
        assert duel.shoot("4+5/L/19", body=body).figures == figures


@pytest.mark.rule("BK-25")
@pytest.mark.parametrize("line", [12, 13])
def test_a_hit_turret_takes_no_weapon(line: int) -> None:
    duel = Duel(lines(1))
    shot = duel.shoot(f"4+5/L/{line}")
    assert shot.figures == frozenset()
    assert duel.condition(body=shot.body).weapons == ("cannon", "coaxial")


@pytest.mark.rule("BK-25")
def test_a_hit_pintle_mount_takes_no_weapon() -> None:
    target = crate(box("pintle_mount", 6), box("crew", 20))
    duel = Duel(lines(1), target, pintle_policy_b="always")
    shot = duel.shoot("4+5/L/6")
    assert shot.figures == frozenset()
    assert duel.condition(body=shot.body).weapons == ("cannon", "coaxial", "pintle_mg")


FUEL_AND_BIN = crate(box("fuel", 3, 4), box("ammo_bin", 5, weapon="coaxial"), box("crew", 20))


@pytest.mark.rule("BK-26")
@pytest.mark.parametrize(
    ("contest", "exploded"), [("2:1", 1), ("20:19", 1), ("1:1", 0), ("10:10", 0), ("1:20", 0)]
)
def test_the_attacker_must_roll_strictly_higher(contest: str, exploded: int) -> None:
    shot = Duel(lines(1), FUEL_AND_BIN).shoot(f"4+5/L/3/{contest}")
    assert shot.exploded == exploded
    assert ("catastrophic_kill" in shot.figures) is bool(exploded)
    assert ("destroyed" in shot.figures) is bool(exploded)


@pytest.mark.rule("BK-26")
def test_a_contest_is_won_by_190_of_400() -> None:
    outcomes = Duel(lines(1), crate(box("fuel", *range(1, 21)))).outcomes()
    crossed = outcomes.bodies & layout.ALL_LINES != 0
    blown = outcomes.bodies & layout.EXPLOSION_LOSS != 0
    share = outcomes.weights[blown].sum() / outcomes.weights[crossed].sum()
    assert share == pytest.approx(float(Fraction(190, 400)), abs=1e-14)


@pytest.mark.rule("BK-26")
def test_one_contest_an_item_from_the_lowest_up_until_one_explodes() -> None:
    duel = Duel(lines(3), FUEL_AND_BIN)
    assert duel.shoot("4+5/L/3/1:1,1:1").asked[-2:] == ("contest 1", "contest 2")
    assert duel.shoot("4+5/L/3/1:1,2:1").exploded == 2
    first = duel.shoot("4+5/L/3/2:1")
    assert (first.exploded, first.crossed) == (1, (3, 4, 5))


@pytest.mark.rule("BK-26")
def test_only_the_first_volley_on_an_item_starts_a_contest() -> None:
    duel = Duel(lines(1), FUEL_AND_BIN)
    first = duel.shoot("4+5/L/3/1:1")
    second = duel.shoot("4+5/L/3", body=first.body)
    assert second.crossed == (4,)


@pytest.mark.rule("BK-26")
def test_a_dead_crew_stops_no_contest() -> None:
    duel = Duel(lines(3), crate(box("crew", 3), box("fuel", 4), box("ammo_bin", 5)))
    assert duel.shoot("4+5/L/3/1:1,2:1").figures == {"destroyed", "crew_kill", "catastrophic_kill"}


@pytest.mark.rule("BK-26")
def test_a_bin_explodes_even_if_its_rounds_are_spent() -> None:
    empty = FUEL_AND_BIN.replaced(**{"weapons.coaxial.ammo": 0})
    assert Duel(lines(1), empty).shoot("4+5/L/5/2:1").exploded == 1


@pytest.mark.rule("BK-26")
def test_neighbours_and_items_without_bin_do_not_explode() -> None:
    target = crate(
        box("weapon", 7, 8, weapon="coaxial"), box("fuel", 9), box("engine", 10, hits=1), box("crew", 20)
    )
    assert Duel(lines(1), target).shoot("4+5/L/8").asked == ("roll", "level", "start")


@pytest.mark.rule("BK-26")
def test_reading_explosion_rolls() -> None:
    """Once a volley: two items hit, one contest."""
    assert Duel(lines(3), FUEL_AND_BIN).shoot("4+5/L/3/1:1,2:1").exploded == 2
    once = Duel(lines(3), FUEL_AND_BIN, explosion_rolls="per_volley")
    assert once.shoot("4+5/L/3/1:1").figures == frozenset()
    assert once.shoot("4+5/L/3/2:1").exploded == 1
    later = once.shoot("4+5/L/5/1:1")
    assert once.shoot("4+5/L/3/1:1", body=later.body).asked[-1] == "contest 1"


@pytest.mark.rule("BK-26")
def test_reading_explosion_repeat() -> None:
    """Another line of an item hit before: no contest, or one more for each volley."""
    for value, contest in (("first", ""), ("each_volley", "/2:1")):
        duel = Duel(lines(1), FUEL_AND_BIN, explosion_repeat=value)
        shot = duel.shoot(f"4+5/L/3{contest}", body=duel.body(crossed=[3]))
        assert shot.crossed == (4,)
        assert shot.exploded == (value == "each_volley")


@pytest.mark.rule("BK-26")
def test_only_a_line_that_is_crossed_starts_a_contest_again() -> None:
    duel = Duel(lines(1), FUEL_AND_BIN, explosion_repeat="each_volley")
    assert duel.shoot("4+5/L/3", body=duel.body(crossed=[3, 4, 5])).crossed == (6,)


@pytest.mark.rule("BK-26")
def test_reading_empty_bin() -> None:
    """The bin of a weapon without rounds, from the start or shot away, explodes or does not; fuel always may."""
    spent = FUEL_AND_BIN.replaced(**{"weapons.coaxial.ammo": 0})
    for value, contest in (("explodes", "/2:1"), ("inert", "")):
        duel = Duel(lines(1), spent, empty_bin=value)
        assert duel.shoot(f"4+5/L/5{contest}").exploded == (value == "explodes")
        assert duel.shoot("4+5/L/3/2:1").exploded == 1
        assert Duel(lines(1), FUEL_AND_BIN, empty_bin=value).shoot("4+5/L/5/2:1").exploded == 1


@pytest.mark.rule("BK-26")
def test_a_bin_is_empty_when_another_one_of_its_weapon_was_lost() -> None:
    """Unless a lost bin costs no rounds; two bins hit by one volley are both full."""
    two = crate(box("ammo_bin", 5, weapon="coaxial"), box("ammo_bin", 7, weapon="coaxial"), box("crew", 20))
    for lost, contest in (("ammo_lost", ""), ("none", "/2:1")):
        duel = Duel(lines(1), two, empty_bin="inert", lost_bin=lost)
        assert duel.shoot(f"4+5/L/7{contest}", body=duel.body(crossed=[5])).exploded == (lost == "none")
    assert Duel(lines(3), two, empty_bin="inert").shoot("4+5/L/5/1:1,2:1").exploded == 2


@pytest.mark.rule("BK-26", "BK-30")
def test_a_bin_is_as_full_as_at_the_start_of_the_phase() -> None:
    """b fires its last round in the turn in which its bin is hit: it may still explode, a turn later not."""
    last_round = crate(
        box("ammo_bin", 5, weapon="cannon"),
        box("crew", 20),
        **{"weapons.cannon.ammo": 1, "weapons.coaxial.ammo": 0},
    )
    told = Duel(lines(1), last_round, turns=2, empty_bin="inert").told("1+1 1+1 4+5/L/5")
    assert [event.unit for event in told.events] == [0, 1, 0]
    told = Duel(lines(1), last_round, turns=1, empty_bin="inert").told("4+5/L/5/1:1 1+1")
    assert len(told.events) == 2


@pytest.mark.rule("BK-26")
def test_reading_bin_in_box() -> None:
    """The whole box of a weapon is its bin, or the second line from the top, or the only one: 10, 7, 6."""

    def bins(value: str) -> list[int]:
        duel = Duel(lines(1), bin_in_box=value)
        program, table = duel.fight.program, duel.types["b"]
        events = [duel.ask._ask("line_events", table, 1 << line) for line in range(20)]
        explosive = program[table + EXPLOSIVE]
        return [line + 1 for line, event in enumerate(events) if event & explosive]

    assert bins("box") == [6, 7, 8, 9, 10, 11, 16, 17, 18]
    assert bins("line") == [6, 7, 10, 16, 17, 18]
    for value, asked in (("box", "/1:1"), ("line", "")):
        Duel(lines(1), bin_in_box=value).shoot(f"4+5/L/8{asked}")
        Duel(lines(1), bin_in_box=value).shoot("4+5/L/7/1:1")


@pytest.mark.rule("BK-26")
def test_reading_lost_bin() -> None:
    """A bin that is hit and does not explode costs the weapon that it feeds its rounds, or nothing."""
    for value, weapons in (("ammo_lost", ("cannon",)), ("none", ("cannon", "coaxial"))):
        duel = Duel(lines(1), FUEL_AND_BIN, lost_bin=value)
        shot = duel.shoot("4+5/L/5/1:1")
        assert duel.condition(body=shot.body).weapons == weapons
        assert shot.figures == frozenset()


@pytest.mark.rule("BK-26")
def test_a_weapon_without_rounds_is_not_destroyed() -> None:
    """Every weapon has lost its bin, none is destroyed: the unit stands, without a shot."""
    bins = [box("ammo_bin", line, weapon=name) for line, name in enumerate(SHERMAN.weapons, 1)]
    boxes = [box("weapon", line, weapon=name) for line, name in enumerate(SHERMAN.weapons, 11)]
    duel = Duel(b=crate(*bins, *boxes), pintle_policy_b="always")
    condition = duel.condition(body=duel.body(crossed=[1, 2, 3]))
    assert condition.weapons == ()
    assert condition.figures == frozenset()


@pytest.mark.rule("BK-26")
def test_a_bin_that_feeds_nothing_and_fuel_cost_no_rounds() -> None:
    duel = Duel(b=crate(box("fuel", 3), box("ammo_bin", 4), box("crew", 20)), pintle_policy_b="always")
    assert duel.condition(body=duel.body(crossed=[3, 4])).weapons == ("cannon", "coaxial", "pintle_mg")


@pytest.mark.rule("BK-26")
def test_a_pintle_mount_with_a_bin_feeds_the_weapon_it_names() -> None:
    duel = Duel(lines(1), pintle_policy_b="always")
    shot = duel.shoot("4+5/L/6/1:1")
    assert duel.condition(body=shot.body).weapons == ("cannon", "coaxial")
    assert shot.figures == frozenset()


@pytest.mark.rule("BK-27")
@pytest.mark.parametrize("line", [14, 15])
def test_without_periscope_all_gunners_roll_one_die(line: int) -> None:
    duel = Duel(pintle_policy_a="always")
    blind = duel.body("a", crossed=[line])
    assert duel.condition("a", blind).dice == 1
    for gunner in (0, 1):
        assert duel.shoot("6", gunner=gunner, own=blind).hits == ()


@pytest.mark.rule("BK-27")
def test_the_single_die_meets_the_number_that_holds_the_skill_and_is_never_rolled_on() -> None:
    duel = Duel(SHERMAN, SHERMAN.replaced(**{"defense.ballistic.front_back": 5}))
    blind = duel.body("a", crossed=[14])
    assert duel.number("cannon") == 5
    assert [duel.shoot(f"{die}/L" if die >= 5 else f"{die}", own=blind).hits for die in range(1, 7)] == [
        *[()] * 4,
        *[("cannon",)] * 2,
    ]
    outcomes = duel.outcomes(own=blind)
    assert float(outcomes.weights[outcomes.notes & np.uint64(1) != 0].sum()) == pytest.approx(
        2 / 6, abs=1e-15
    )


@pytest.mark.rule("BK-27")
def test_reading_periscope_scope() -> None:
    """All gunners of the unit lose a die, or those on a pintle keep both."""
    for value, dice in (("unit", "6"), ("enclosed", "4+5/L")):
        duel = Duel(pintle_policy_a="always", periscope_scope=value)
        blind = duel.body("a", crossed=[14])
        assert duel.shoot("6", gunner=0, own=blind).hits == ()
        open_target = SHERMAN.replaced(**{"defense.anti_personnel.front_back": 9})
        outside = Duel(b=open_target, pintle_policy_a="always", periscope_scope=value)
        assert outside.number("pintle_mg", gunner=1) == 9
        assert outside.shoot(dice, gunner=1, own=blind).hits == (("pintle_mg",) if "+" in dice else ())


@pytest.mark.rule("BK-27")
def test_a_gunner_with_another_weapon_than_on_the_pintle_needs_the_periscope() -> None:
    both = SHERMAN.replaced(
        gunners=[
            {"name": "gunner", "skill": 1, "weapons": ["cannon"]},
            {"name": "commander", "skill": 1, "weapons": ["coaxial", "pintle_mg"]},
        ]
    )
    duel = Duel(both, pintle_policy_a="always", periscope_scope="enclosed")
    assert duel.shoot("6", gunner=1, own=duel.body("a", crossed=[14])).hits == ()
