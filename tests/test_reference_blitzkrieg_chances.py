"""The plain-Python reference of Blitzkrieg: distributions, against known values, hand counts, itself."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest
from reference import blitzkrieg as bk
from reference import chance, turns
from reference.cases import changed, kill_chance, one_hit, random_case, small
from reference.chance import Chances
from reference.sherman import sherman


@pytest.mark.rule("BK-68")
def test_one_volley_at_a_fresh_sherman() -> None:
    sheet = sherman()
    dist = bk.volley_distribution(sheet, bk.fresh(sheet), 0, sheet, bk.fresh(sheet), False, "front", 14)
    assert float(kill_chance(dist, sheet)) == pytest.approx(0.149698839, abs=5e-10)


@pytest.mark.rule("BK-30", "BK-66", "BK-70")
def test_one_turn_of_the_sherman_duel() -> None:
    sheet = bk.read_sheet(sherman())
    pairs = bk.turn_distribution(sheet, bk.fresh(sheet), sheet, bk.fresh(sheet), 14)
    assert sum(pairs.values()) == 1
    outcomes: dict[tuple[bool, bool], Fraction] = defaultdict(Fraction)
    for (state_a, state_b), weight in pairs.items():
        down = bk.figures(sheet, state_a)["destroyed"], bk.figures(sheet, state_b)["destroyed"]
        outcomes[down] += weight
    assert float(outcomes[False, True]) == pytest.approx(0.127289097, abs=5e-10)
    assert outcomes[True, False] == outcomes[False, True]
    assert float(outcomes[True, True]) == pytest.approx(0.022409742, abs=5e-10)
    assert float(outcomes[False, False]) == pytest.approx(0.723012064, abs=5e-10)
    duel = bk.duel_distribution(sheet, sheet, 14, "front", "front", None, 1)
    assert duel["a_wins"] == duel["b_wins"] == outcomes[False, True]
    assert duel["both_destroyed"] == outcomes[True, True]
    assert duel["neither"] == outcomes[False, False]
    assert duel["side_a"] == duel["side_b"]


FEW_TOTALS = {total: Fraction(1, 8) for total in (2, 5, 7, 9, 11, 15, 26, 41)}


@pytest.mark.rule("BK-68")
@pytest.mark.parametrize("seed", range(60))
def test_distribution_is_the_volley_run_over_every_die(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With eight equally likely totals, to be quick: other weights would enter both in the same place."""
    monkeypatch.setattr(chance, "to_hit_total_distribution", lambda dice, exploding: FEW_TOTALS)
    monkeypatch.setattr(turns, "to_hit_total_distribution", lambda dice, exploding: FEW_TOTALS)
    shooter, target, state, unbuttoned, aspect, distance, options = random_case(seed)
    fresh = bk.fresh(shooter)
    shot = bk.situation(shooter, fresh, 0, target, unbuttoned, aspect, distance, options)
    quick = bk.volley_distribution(shooter, fresh, 0, target, state, unbuttoned, aspect, distance, options)
    assert sum(quick.values()) == 1
    assert quick == bk.literal_distribution(shot, state)


@pytest.mark.rule("BK-30")
@pytest.mark.parametrize("seed", range(6))
def test_kill_figures_add_up_the_turn(seed: int) -> None:
    shooter, target, state, _, aspect, distance, options = random_case(seed)
    options |= {"pintle_policy": "always", "volley_order": ("listed", "random")[seed % 2]}
    options |= {"loss_of_function": "any"} if seed < 3 else {}
    chances = Chances(shooter, target, "a", aspect, distance, options)
    able = chances.capability(bk.fresh(shooter))
    fire = bk.fire_distribution(shooter, bk.fresh(shooter), target, state, "a", aspect, distance, options)
    summary = chances.summary(able, state)
    assert sum(fire.values()) == 1
    for name in bk.FIGURES:
        total = sum(weight for (_, found), weight in fire.items() if bk.figures(target, found, options)[name])
        assert total == sum(summary.get((name, down), 0) for down in (False, True))


@pytest.mark.rule("BK-29", "BK-30", "BK-69")
@pytest.mark.parametrize(
    "options", [{}, {"fire_allocation": "declared", "zeroing_in": True}, {"loss_of_function": "crew"}]
)
def test_two_turns_by_pairs_of_states(options: dict[str, Any]) -> None:
    (sheet_a, state_a), (sheet_b, state_b) = small(), small()
    changed(sheet_b, defense__anti_personnel={"front_back": 6, "sides": 6})
    start = state_a, state_b
    duel = bk.duel_distribution(sheet_a, sheet_b, 14, "front", "rear", options, 2, start)
    pairs = {start: Fraction(1)}
    ends: dict[tuple[bk.State, bk.State], Fraction] = defaultdict(Fraction)
    for _ in range(2):
        after_turn: dict[tuple[bk.State, bk.State], Fraction] = defaultdict(Fraction)
        for (state_a, state_b), weight in pairs.items():
            turn = bk.turn_distribution(sheet_a, state_a, sheet_b, state_b, 14, "front", "rear", options)
            for pair, share in turn.items():
                over = (
                    bk.figures(sheet_a, pair[0], options)["destroyed"]
                    or bk.figures(sheet_b, pair[1], options)["destroyed"]
                )
                (ends if over else after_turn)[pair] += weight * share
        pairs = after_turn
    for pair, weight in pairs.items():
        ends[pair] += weight
    marks = {
        pair: (bk.figures(sheet_a, pair[0], options), bk.figures(sheet_b, pair[1], options)) for pair in ends
    }
    assert sum(ends.values()) == 1
    for name, downs in {
        "a_wins": (False, True),
        "b_wins": (True, False),
        "both_destroyed": (True, True),
        "neither": (False, False),
    }.items():
        found = [pair for pair, (a, b) in marks.items() if (a["destroyed"], b["destroyed"]) == downs]
        assert duel[name] == sum(ends[pair] for pair in found) > 0
    for side, place in (("side_a", 0), ("side_b", 1)):
        for name in bk.FIGURES:
            assert duel[side][name] == sum(ends[pair] for pair, both in marks.items() if both[place][name])
        assert sum(duel[side]["destroyed_by_turn"]) == duel[side]["destroyed"]


@pytest.mark.rule("BK-29", "BK-30")
def test_memoryless_duel_in_closed_form() -> None:
    sheet = one_hit(9)  # at 0 inches with skill 0: 10/36
    other = one_hit(7)  # 21/36
    hit_b, hit_a = Fraction(21, 36), Fraction(10, 36)
    duel = bk.duel_distribution(sheet, other, 0, "front", "front", None, 3)
    stay = (1 - hit_a) * (1 - hit_b)
    played = 1 + stay + stay**2
    assert duel["a_wins"] == hit_b * (1 - hit_a) * played
    assert duel["b_wins"] == hit_a * (1 - hit_b) * played
    assert duel["both_destroyed"] == hit_a * hit_b * played
    assert duel["neither"] == stay**3
    assert duel["side_a"]["catastrophic_kill"] == duel["side_a"]["destroyed"] == hit_a * played
    short = bk.duel_distribution(one_hit(9, ammo=2), one_hit(7, ammo=1), 0, "front", "front", None, 4)
    assert short["b_wins"] == hit_a * (1 - hit_b)
    assert short["neither"] == stay * (1 - hit_b)


@pytest.mark.rule("BK-30", "BK-70")
def test_second_gunner_and_a_fallen_target() -> None:
    sheet = one_hit(7)
    sheet["weapons"]["second"] = dict(sheet["weapons"]["cannon"])
    sheet["gunners"].append({"name": "second", "skill": 0, "weapons": ["second"]})
    sheet["manifest"].append({"lines": [8], "item": "weapon", "weapon": "second"})
    fresh = bk.fresh(sheet)
    hit = Fraction(21, 36)

    def fired(**options: Any) -> dict[tuple[tuple[int | None, ...], bool], Fraction]:
        found: dict[tuple[tuple[int | None, ...], bool], Fraction] = defaultdict(Fraction)
        fire = bk.fire_distribution(sheet, fresh, sheet, fresh, "a", "front", 0, options)
        for (who, state), weight in fire.items():
            found[who, state.cause is not None] += weight
        return found

    assert fired() == {
        ((0, None), True): hit,
        ((0, 0), True): (1 - hit) * hit,
        ((0, 0), False): (1 - hit) ** 2,
    }
    assert fired(fire_allocation="declared") == {
        ((0, 0), True): hit + (1 - hit) * hit,
        ((0, 0), False): (1 - hit) ** 2,
    }
    shuffled = fired(volley_order="random")
    assert shuffled[(0, None), True] == shuffled[(None, 0), True] == hit / 2
