"""Options that the loops, the teller and the reports treat in a way of their own."""

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from samples import assert_share, compile_sample, sample_sheets, sherman

from simlab import lab
from simlab.engine.play import is_duel, play_fights
from simlab.model.errors import InputError
from simlab.rules.contract import Fight
from simlab.tables.expand import Questions, expand_fire
from simlab.traces.told import tell_dice, tell_replicate

KEY = 0xBEEF


def tough(**fields: Any) -> Any:
    """A Sherman that front hits do not hurt."""
    return sherman(armor__front=63, shock_threshold=99, penetration__front=63, **fields)


def told(fight: Fight, replicate: int, policy: str = "spread") -> Any:
    narrator = fight.system.narrator(fight)
    return tell_replicate(
        fight, narrator, seed=1, key=KEY, replicate=replicate, policy_a=policy, policy_b=policy
    )


def crowded(weapons: int = 3, skill: int = 1) -> Any:
    """A Panther with a gunner for each of its three weapons, or for more bow guns that are not on its manifest."""
    panther = sample_sheets("blitzkrieg")[1]
    extra = panther.weapons["bow_mg"].model_copy(update={"off_manifest": True})
    arms = {**panther.weapons, **{f"extra_{number}": extra for number in range(3, weapons)}}
    gunners = [panther.gunners[0].model_copy(update={"weapons": (name,), "skill": skill}) for name in arms]
    return panther.model_copy(update={"weapons": arms, "gunners": tuple(gunners)})


@pytest.mark.rule("BK-30")
def test_with_a_gunner_a_side_a_random_order_changes_no_count():
    """Who shoots is known at the start of the phase, and the dice have addresses."""
    listed, shuffled = (
        compile_sample("blitzkrieg", [sherman()], [sherman()], {"volley_order": order})
        for order in ("listed", "random")
    )
    assert is_duel(listed)
    assert not is_duel(shuffled)
    ends = [play_fights(fight, n=20_000, seed=1, key=KEY) for fight in (listed, shuffled)]
    assert np.array_equal(ends[0].outcomes, ends[1].outcomes)
    assert np.array_equal(ends[0].flags, ends[1].flags)
    assert ends[0].exchanges == ends[1].exchanges


@pytest.mark.rule("BK-30")
def test_counts_in_a_random_order_are_the_same_for_any_workers_and_blocks():
    sheets = sample_sheets("blitzkrieg")
    settings = {"volley_order": "random", "zeroing_in": True, "pintle_policy": "in_range"}
    fight = compile_sample("blitzkrieg", sheets[:2], sheets[1:3], settings, turns=6)
    whole = play_fights(fight, n=2001, seed=1, key=KEY, workers=1)
    for workers, block in ((1, 7), (2, None), (3, 100)):
        part = play_fights(fight, n=2001, seed=1, key=KEY, workers=workers, block=block)
        for name, value in vars(whole).items():
            assert np.array_equal(value, getattr(part, name)), name


@pytest.mark.rule("BK-30")
def test_every_order_of_three_gunners_is_as_likely():
    fight = compile_sample("blitzkrieg", [crowded()], [tough()], {"volley_order": "random"}, turns=1)
    n = 1200
    events = [told(fight, replicate).events for replicate in range(n)]
    orders = Counter(tuple(event.gunner for event in each if event.unit == 0) for each in events)
    for order in permutations(range(3)):
        assert_share(orders[order], n, 1 / 6, comparisons=6)
    sides = Counter(each[0].unit for each in events)
    assert_share(sides[1], n, 1 / 4)


@pytest.mark.rule("BK-30")
def test_the_sampled_random_order_is_the_average_of_the_exact_ones():
    settings = {"volley_order": "random"}
    target = sherman(armor__front=1)
    fight = compile_sample("blitzkrieg", [crowded()], [target], settings, turns=1)
    ask = Questions(fight)
    (shooter,), (foe,) = fight.types_a, fight.types_b
    ability, foe_ability = (ask.capability(type_, 0, 0, *ask.fresh(type_)) for type_ in (shooter, foe))
    row = expand_fire(fight, shooter, ability, foe, foe_ability, 0, ask.fresh(foe)[0])
    n = 40_000
    tally = play_fights(fight, n=n, seed=1, key=KEY)
    exact = np.zeros(32)
    for body, weight in zip(row.bodies.tolist(), row.weights.tolist(), strict=True):
        exact[ask.flags(foe, body)] += weight
    assert exact.sum() == pytest.approx(1, abs=1e-12)
    for flags, chance in enumerate(exact.tolist()):
        assert_share(tally.flags[1, flags], n, chance, comparisons=32)


@pytest.mark.rule("BK-30")
def test_given_dice_need_the_listed_order():
    fight = compile_sample("blitzkrieg", [sherman()], [sherman()], {"volley_order": "random"})
    with pytest.raises(
        InputError, match=r"^dice: found volleys in a random order, allowed dice for volleys in"
    ):
        tell_dice(fight, fight.system.narrator(fight), ["1+2"], policy_a="spread", policy_b="spread")


@pytest.mark.rule("BK-64")
@pytest.mark.parametrize("order", ["listed", "random"])
@pytest.mark.parametrize("policy", ["first", "spread"])
def test_a_bonus_is_the_turns_just_before_at_the_same_target(order: str, policy: str):
    """Replayed from the told fights: another target, or a turn without a shot, and a gunner begins anew."""
    aces = [tough(gunners__0__skill=skill) for skill in (3, 1)]
    settings = {"zeroing_in": True, "volley_order": order, "loss_of_function": "crew"}
    fight = compile_sample("blitzkrieg", aces, [sherman(), tough(), sherman()], settings, turns=8)
    types, ask = fight.types_a + fight.types_b, Questions(fight)
    sheets = fight.sheets_a + fight.sheets_b
    seen: Counter[int] = Counter()
    changes = 0
    for replicate in range(60):
        fired: dict[tuple[int, int], tuple[int, int, int]] = {}
        for event in told(fight, replicate, policy).events:
            who = event.unit, event.gunner
            turn, target, turns = fired.get(who, (0, -1, 0))
            changes += turns > 0 and target != event.target
            turns = turns if turn == event.turn - 1 and target == event.target else 0
            skill = sheets[event.unit].gunners[event.gunner].skill
            bonus = int(ask._ask("zeroing_bonus", types[event.unit], event.gunner, event.ability))
            assert bonus == max(0, min(turns, skill))
            fired[who] = event.turn, event.target, turns + 1
            seen[bonus] += 1
    assert changes
    assert set(seen) == {0, 1, 2, 3}


@pytest.mark.rule("BK-64")
def test_counters_that_do_not_fit_are_refused():
    panther = sample_sheets("blitzkrieg")[1]
    many = crowded(12, skill=9)
    compile_sample("blitzkrieg", [many], [panther], {"zeroing_in": True}, turns=7)
    with pytest.raises(
        InputError, match=r"^zeroing_in: found 12 turns with the gunners of panther_g, 48 bits of"
    ):
        compile_sample("blitzkrieg", [many], [panther], {"zeroing_in": True}, turns=12)


def tell(dice: str, settings: dict[str, Any], constants: dict[str, Any] | None = None, **more: Any) -> str:
    shown: str = lab.trace(
        "m4a3_sherman_lp",
        "m4a3_sherman_lp",
        range=14,
        turns=1,
        dice=dice,
        set=settings,
        constants=constants,
        **more,
    ).text
    return " ".join(shown.split())


class TestTold:
    @pytest.mark.rule("BK-50", "BK-52")
    @pytest.mark.parametrize("token", ["3+6/7/20:20", "3+6//7/20:20"])
    def test_no_level_where_no_die_chooses_it(self, token: str):
        assert "[3+6/7/20:20] " in tell(f"{token} 1+2", {"dsp": "by_range"})
        assert "mid damage; front armour 6 to 2;" in tell(f"{token} 1+2", {"dsp": "mid"})
        with pytest.raises(InputError, match="a superfluous level"):
            tell("3+6/M/7/20:20 1+2", {"dsp": "mid"})

    @pytest.mark.rule("BK-51")
    def test_three_levels(self):
        for level, name in (("L", "low"), ("M/1", "mid"), ("H/1", "high")):
            assert f"{name} damage" in tell(f"3+6/{level} 1+2", {"dsp": "three"})
        with pytest.raises(InputError, match="level M, allowed H or L"):
            tell("3+6/M/7 1+2", {})
        with pytest.raises(InputError, match="level X, allowed L, M or H"):
            tell("3+6/X/7 1+2", {"dsp": "three"})

    @pytest.mark.rule("BK-53")
    def test_snake_eyes(self):
        assert "rolls 1+1 = 2; snake-eyes, all miss; " in tell("1+1 1+2", {"snake_eyes_miss": True})
        assert "snake-eyes" not in tell("1+1 1+2", {})

    @pytest.mark.rule("BK-54")
    def test_a_lucky_shot(self):
        assert "high damage; " in tell("6+6+1+2/H/1/1:1,1:1 1+2", {})
        text = tell("6+6+1+2/H 1+2", {"lucky_shot": True})
        assert "high damage times 2, a lucky shot; " in text

    @pytest.mark.rule("BK-55")
    def test_instant_death(self):
        text = tell("6+6+6+6 1+2", {"instant_death": True})
        assert "rolls 6+6+6+6 = 24; 6-6 twice running instant death: destroyed" in text
        assert "A wins" in text

    @pytest.mark.rule("BK-11")
    def test_a_twelve_that_stands(self):
        assert "rolls 6+6 = 12" in tell("6+6/L 1+2", {}, {"exploding": False})
        with pytest.raises(InputError, match="two more after every 12"):
            tell("6+6/L 1+2", {})

    @pytest.mark.rule("BK-26")
    def test_contests_by_another_lead(self):
        lines = "3+6/H/16/12:10"
        assert "explodes" in tell(f"{lines} 1+2", {})
        assert "no explosion" in tell(f"{lines} 1+2", {}, {"contest_lead": 3})


def sections(
    settings: dict[str, Any], constants: dict[str, Any] | None = None
) -> dict[str, dict[str, float]]:
    odds = lab.odds("m4a3_sherman_lp", "m4a3_sherman_lp", range=14, set=settings, constants=constants)
    return {section.title: section.chances for section in odds.volleys[0].sections}


class TestOdds:
    @pytest.mark.rule("BK-50", "BK-53", "BK-54", "BK-55")
    def test_what_the_roll_and_the_level_add(self):
        title = "what the roll and the level add"
        assert title not in sections({})
        settings = {"lucky_shot": True, "instant_death": True, "snake_eyes_miss": True, "dsp": "three"}
        third = pytest.approx(1 / 3)
        assert sections(settings)[title] == {
            "1-1, all miss": pytest.approx(1 / 36),
            "6-6, what hits counts 2 times": pytest.approx(1 / 36 - 1 / 1296),
            "6-6 twice running, instant death": pytest.approx(1 / 1296),
            "low level": third,
            "mid level": third,
            "high level": third,
        }
        assert sections(settings)["destroyed"]["by instant death"] == pytest.approx(1 / 1296)

    @pytest.mark.rule("BK-13", "BK-53")
    def test_chances_by_number(self):
        def chance(number: int, settings: dict[str, Any], constants: dict[str, Any]) -> tuple[float, float]:
            rows = lab.odds("m4a3_sherman_lp", set=settings, constants=constants).to_hit
            return dict(rows)[f"{number} or more"]

        assert chance(2, {"snake_eyes_miss": True}, {}) == (pytest.approx(35 / 36), pytest.approx(5 / 6))
        assert chance(2, {"snake_eyes_miss": True, "snake_one_die": "one"}, {})[1] == pytest.approx(5 / 6)
        assert chance(13, {}, {"exploding": False}) == (0, 0)
        assert chance(12, {}, {"exploding": False})[0] == pytest.approx(1 / 36)


def test_house_numbers_change_the_fight_and_its_key():
    where = {"range": 11, "n": 4000, "seed": 1}
    usual = lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", **where)
    closer = lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", **where, constants={"range_step": 5.5})
    same = lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", **where, constants={"range_step": 12})
    assert same.counts == usual.counts
    assert closer.counts["neither"] > usual.counts["neither"]
    assert closer.readings == usual.readings
    assert usual.constants == {"range_step": 12, "ap_reach": 30, "exploding": True, "contest_lead": 1}
    assert closer.constants == {**usual.constants, "range_step": 5.5}
    with pytest.raises(InputError, match=r"^constants.range_step: found 0, allowed a number from 1 to 999$"):
        lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", **where, constants={"range_step": 0})


@pytest.mark.rule("BK-15")
def test_the_reach_of_machine_guns_is_a_house_number():
    def fires(distance: float, constants: dict[str, Any]) -> set[str]:
        reports = lab.odds("panther_g", "m4a3_sherman_lp", range=distance, constants=constants).volleys
        return {report.gunner for report in reports if report.sections}

    assert len(fires(30, {})) > len(fires(30.5, {}))
    assert fires(30.5, {"ap_reach": 30.5}) == fires(30, {})
    assert fires(12, {"ap_reach": 11}) == fires(31, {})
