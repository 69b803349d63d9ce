"""The exact duel against the plain-Python reference, against known values and against itself."""

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bridge import parsed
from reference import blitzkrieg as bk
from samples import compile_sample, family_z
from shell import Shell
from strategies import Scope, random_readings, random_sheet
from test_toy_system import DUELS

from simlab import lab
from simlab.engine.play import play_fights
from simlab.exact.forecast import forecast_duel
from simlab.exact.solution import TooLongError
from simlab.exact.solve import solve_duel
from simlab.lab.roster import find_sheet
from simlab.model.errors import InputError
from simlab.model.outcome import OUTCOMES
from simlab.model.situation import Situation
from simlab.rules.blitzkrieg.system import SYSTEM

BOUND = 1e-9
ASPECTS = ("front", "front_left", "rear")


def compiled(
    sheets: list[Any],
    distance: Any,
    aspects: tuple[Any, Any],
    readings: dict[str, Any],
    turns: int,
    **more: Any,
) -> Any:
    situation = Situation(distance, *aspects, **more)
    return SYSTEM.compile_fight([sheets[0]], [sheets[1]], situation, SYSTEM.options(readings), turns)


def check_against_reference(rng: random.Random, turns: int, scope: Scope) -> None:
    mappings = [random_sheet(rng, scope) for _ in range(2)]
    if rng.random() < 0.2:
        mappings[1] = mappings[0]
    distance = rng.choice((0.5, 6, 14, 24, 36))
    aspects = (rng.choice(ASPECTS), rng.choice(ASPECTS))
    readings = random_readings(rng)
    fight = compiled([parsed(mapping) for mapping in mappings], distance, aspects, readings, turns)
    found = solve_duel(fight, bound=BOUND)
    truth = bk.duel_distribution(*mappings, distance, *aspects, readings, turns)
    wanting = [float(truth[name]) - chance for name, chance in zip(OUTCOMES, found.outcomes, strict=True)]
    assert found.error_bound <= BOUND
    assert min(wanting) >= -1e-12
    assert sum(wanting) <= found.error_bound
    for unit, side in enumerate(("side_a", "side_b")):
        for bit, kind in enumerate(("destroyed", *SYSTEM.kinds)):
            assert -1e-12 <= float(truth[side][kind]) - found.figures[unit, bit] <= found.error_bound
        for turn, chance in enumerate(truth[side]["destroyed_by_turn"], 1):
            assert abs(found.fell(unit)[turn] - float(chance)) <= found.error_bound


@pytest.mark.rule("BK-16")
def test_rounds_that_run_out() -> None:
    """With 19 rounds the coaxial gun is silent in the last of 20 turns; the sampler says the same."""
    n, bound = 1_000_000, 1e-6
    changed = lab.changed("m4a3_sherman_lp", {"weapons.cannon.ammo": 2, "weapons.coaxial.ammo": 3})
    fight = compiled([changed, changed], 14, ("front", "front"), {"pintle_policy": "in_range"}, 7)
    found = solve_duel(fight, bound=bound)
    tally = play_fights(fight, n=n, seed=3, key=5)
    z = family_z(4)
    for chance, count in zip(found.outcomes, tally.outcomes, strict=True):
        assert abs(count / n - chance) <= z * np.sqrt(chance * (1 - chance) / n) + bound


@pytest.mark.rule("BK-66", "BK-70")
@pytest.mark.parametrize("seed", range(20))
def test_two_turns_of_random_sheets(seed: int) -> None:
    check_against_reference(random.Random(seed), 1 + seed % 2, Scope(gunners=1 if seed % 2 else 2, columns=4))


@pytest.mark.parametrize("seed", range(6))
def test_turns_that_differ(seed: int) -> None:
    """Ranges and aspects by turn, and a side that is silent at first."""
    rng = random.Random(seed)
    mappings = [random_sheet(rng, Scope(gunners=1, columns=3)) for _ in range(2)]
    distances, aspects = (rng.choice((30, 36)), 14), (("front", "rear"), "front_left")
    first_fire = rng.choice(("a:1", "b:1", "a:5", None))
    fight = compiled(
        [parsed(mapping) for mapping in mappings], distances, aspects, {}, 2, first_fire=first_fire
    )
    found = solve_duel(fight, bound=BOUND)
    held = None if first_fire is None else (first_fire[0], int(first_fire[2:]))
    truth = bk.duel_distribution(*mappings, distances, *aspects, {}, 2, first_fire=held)
    for name, chance in zip(OUTCOMES, found.outcomes, strict=True):
        assert 0 <= float(truth[name]) - chance + 1e-12 <= found.error_bound + 1e-12


def check_turns_that_differ(seed: int) -> None:
    """Few rounds, and turns of silence or out of reach that end again, under random readings."""
    rng = random.Random(seed)
    turns = rng.choice((2, 3, 3))
    gunners, columns = 1 if turns == 3 else rng.choice((1, 2)), rng.choice((1, 2, 3))
    mappings = [random_sheet(rng, Scope(gunners=gunners, columns=columns)) for _ in range(2)]
    for mapping in mappings:
        for weapon in mapping["weapons"].values():
            weapon["ammo"] = rng.choice((0, 1, 1, 2, 2, 3, 99))
    by_turn = tuple(rng.choice((0.5, 1, 6, 14, 24, 31, 36)) for _ in range(turns))
    distances = by_turn if rng.random() < 0.7 else 14
    first, second = (tuple(rng.choice(ASPECTS) for _ in range(turns)) for _ in range(2))
    first_fire = rng.choice((None, "a:1", "b:1", "a:2", "b:2"))
    readings = random_readings(rng)
    sheets = [parsed(mapping) for mapping in mappings]
    try:
        fight = compiled(sheets, distances, (first, second), readings, turns, first_fire=first_fire)
    except InputError:  # nobody can ever fire
        return
    found = solve_duel(fight, bound=BOUND)
    held = None if first_fire is None else (first_fire[0], int(first_fire[2:]))
    truth = bk.duel_distribution(*mappings, distances, first, second, readings, turns, first_fire=held)
    off = [float(truth[name]) - chance for name, chance in zip(OUTCOMES, found.outcomes, strict=True)]
    for unit, side in enumerate(("side_a", "side_b")):
        for bit, kind in enumerate(("destroyed", *SYSTEM.kinds)):
            off.append(float(truth[side][kind]) - found.figures[unit, bit])
    assert min(off) >= -1e-12
    assert max(off) <= found.error_bound


@pytest.mark.rule("BK-16", "BK-26", "BK-31")
@pytest.mark.parametrize("seed", range(24))
def test_random_turns_that_differ(seed: int) -> None:
    check_turns_that_differ(seed)


@pytest.mark.long
@pytest.mark.rule("BK-16", "BK-26", "BK-31")
@pytest.mark.parametrize("seed", range(24, 624))
def test_many_random_turns_that_differ(seed: int) -> None:
    check_turns_that_differ(seed)


@pytest.mark.rule("BK-16")
@pytest.mark.parametrize(
    ("situation", "readings"),
    [
        (Situation((36.0, 30.0, 24.0), first_fire="b:2"), {}),
        (Situation((30.0, 24.0, 24.0), "front", "rear", "b:1"), {"pintle_policy_a": "always"}),
        (Situation(14.0), {"pintle_policy": "always", "duel_lock": "silent"}),
    ],
    ids=str,
)
def test_rounds_are_kept_through_silence(situation: Situation, readings: dict[str, Any]) -> None:
    """A unit that cannot fire for a while has its rounds when it can again; the sampler says the same."""
    n, turns = 1_000_000, 6
    rounds = {f"weapons.{name}.ammo": 3 for name in ("cannon", "coaxial", "pintle_mg")}
    few = lab.changed("m4a3_sherman_lp", rounds)
    fight = SYSTEM.compile_fight([few], [sheet("panther_g")], situation, SYSTEM.options(readings), turns)
    found = solve_duel(fight, bound=1e-6)
    tally = play_fights(fight, n=n, seed=0, key=1)
    z = family_z(3 * 4)
    for chance, count in zip(found.outcomes, tally.outcomes, strict=True):
        assert (
            abs(count / n - chance) <= z * np.sqrt(chance * (1 - chance) / n) + z**2 / n + found.error_bound
        )


def sheet(unit: str) -> Any:
    return find_sheet(unit, "blitzkrieg")


@pytest.mark.rule("BK-66", "BK-68")
def test_the_known_values_of_two_shermans() -> None:
    sherman = sheet("m4a3_sherman_lp")
    found = solve_duel(compiled([sherman, sherman], 14, ("front", "front"), {}, 12), bound=1e-8)
    assert found.by_turn[1] == pytest.approx([0.127289097, 0.127289097, 0.022409742, 0.723012064], abs=2e-9)
    assert found.outcomes == pytest.approx([0.45640, 0.45640, 0.07825, 0.00895], abs=1e-5)
    assert found.error_bound <= 1e-8
    fell = sum(found.fell(unit).cumsum() for unit in range(2))
    assert found.by_turn[:, 3] == pytest.approx(1 - fell + found.by_turn[:, 2], abs=2e-8)


def test_twins_are_solved_as_any_other_pair() -> None:
    """The symmetry of a unit against itself saves half of the work and changes nothing."""
    firefly = sheet("sherman_firefly_vc")
    fight = compiled([firefly, firefly], 24, ("front", "front"), {}, 8)
    assert fight.twins
    assert not compiled([firefly, firefly], 24, ("front", "rear"), {}, 8).twins
    assert not compiled([firefly, firefly], 24, ("front", "front"), {"pintle_policy_a": "always"}, 8).twins
    short, long = solve_duel(fight, bound=1e-7), solve_duel(replace(fight, twins=False), bound=1e-7)
    for name in ("outcomes", "by_turn", "figures"):
        assert getattr(short, name) == pytest.approx(getattr(long, name), abs=1e-7)
    assert long.outcomes[0] == pytest.approx(long.outcomes[1], abs=1e-7)


@pytest.mark.parametrize(
    "readings",
    [
        {},
        {"engine_hits": "count", "manifest_overflow": "wrap", "skip": "destroyed"},
        {"pintle_policy": "always", "volley_order": "random"},
        {"zeroing_in": True, "lucky_shot": True, "dsp": "three"},
        {"loss_of_function": "crew", "duel_lock": "silent"},
    ],
    ids=str,
)
def test_sampled_fights_agree(readings: dict[str, Any]) -> None:
    """No chance and no kill kind of a million sampled duels is off by more than chance allows."""
    n, bound = 1_000_000, 1e-5
    fight = compiled([sheet("panther_g"), sheet("m4a3_sherman_lp")], 24, ("front_left", "front"), readings, 5)
    found = solve_duel(fight, bound=bound)
    tally = play_fights(fight, n=n, seed=3, key=5)
    pairs = [*zip(found.outcomes, tally.outcomes, strict=True)]
    for unit in range(2):
        counts = [tally.with_flag(bit)[unit] for bit in range(found.figures.shape[1])]
        pairs += zip(found.figures[unit], counts, strict=True)
    z = family_z(len(pairs) * 5)
    for chance, count in pairs:
        assert (
            abs(count / n - chance) <= z * np.sqrt(chance * (1 - chance) / n) + z**2 / n + found.error_bound
        )
    turns = float(found.fell(0) @ np.arange(6))
    assert abs(int(tally.turn_sum[0]) / n - turns) <= z * 5 / np.sqrt(n) + 5 * bound


@pytest.mark.parametrize("bound", [0.5, 1e-2, 1e-3, 1e-4, 1e-6])
def test_no_bound_is_broken(bound: float) -> None:
    fight = compiled([sheet("m4a3_sherman_lp"), sheet("sherman_firefly_vc")], 24, ("front", "front"), {}, 12)
    truth, found = solve_duel(fight, bound=1e-9), solve_duel(fight, bound=bound)
    assert found.error_bound <= bound
    wanting = truth.outcomes - found.outcomes
    assert wanting.min() >= -1e-9
    assert 0 < wanting.sum() <= found.error_bound
    wanting = truth.figures - found.figures
    assert wanting.min() >= -1e-9
    assert wanting.max() <= found.error_bound
    for unit in range(2):
        for name in ("destroyed_by", "stands_after"):
            off = getattr(truth, name)(unit) - getattr(found, name)(unit)
            assert off.min() >= -1e-9
            assert off.max() <= found.error_bound
        assert abs(truth.fell(unit) - found.fell(unit)).max() <= found.error_bound
        assert found.fell(unit).sum() == pytest.approx(found.figures[unit, 0], abs=1e-15)
    assert (found.figures[:, 1:] <= 1).all()


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(("a", "b", "turns", "where", "shares"), DUELS)
def test_the_toy_system_by_hand(a: Any, b: Any, turns: int, where: dict[str, str], shares: Any) -> None:
    fight = compile_sample("toy", [a], [b], {"declared": False}, Situation(10.0, **where), turns)
    found = solve_duel(fight, bound=BOUND)
    assert found.outcomes == pytest.approx([float(share) for share in shares], abs=2 * BOUND)


def test_work_is_limited_and_forecast() -> None:
    fight = compiled([sheet("panther_g"), sheet("sherman_firefly_vc")], 12, ("front", "front"), {}, 12)
    with pytest.raises(TooLongError):
        solve_duel(fight, bound=1e-6, work_limit=1e7)
    with pytest.raises(TooLongError):
        solve_duel(fight, bound=1e-2, memory_limit=1e5)
    small = compiled([sheet("m4a3_sherman_lp")] * 2, 14, ("front", "front"), {}, 6)
    forecast = forecast_duel(small, 1e-6, 60.0)
    work = solve_duel(small, bound=1e-6).work / 1e9
    assert not forecast.at_least
    assert work / 4 <= forecast.seconds <= work * 4
    assert forecast_duel(fight, 1e-9, 0.1).at_least
    assert solve_duel(small, bound=1e-6).work / 1e9 == work


def test_the_answer_of_lab_and_its_json() -> None:
    found = lab.duel("m4a3_sherman_lp", "sherman_firefly_vc", range=24, turns=4, exact=True, bound=1e-6)
    content = json.loads(json.dumps(found.to_dict()))
    assert (content["method"], content["n"], content["seed"]) == ("exact", None, None)
    assert 0 < content["error_bound"] <= 1e-6
    assert "counts" not in content
    assert "intervals" not in content
    ends = content["outcomes"]
    share = ends["a_wins"] + (1 - ends["a_wins"] - ends["b_wins"]) / 2
    assert content["win_share_a"] == pytest.approx(share, abs=1e-12)
    assert content["win_share_a"] + content["win_share_b"] == pytest.approx(1, abs=1e-12)
    assert content["by_turn"]["neither"][0] == 1
    assert len(content["by_turn"]["neither"]) == 5
    assert content["by_turn"]["a_wins"][-1] == ends["a_wins"]
    side = content["side_a"]
    assert side["survival"][-1] == pytest.approx(1 - side["destroyed"], abs=2e-6)
    mean = sum(turn * chance for turn, chance in enumerate(side["destroyed_in_turn"]))
    assert side["mean_turn_destroyed"] == pytest.approx(mean / side["destroyed"], abs=1e-5)
    assert "counts" not in side
    assert not side["cannot_fire"]


def test_what_is_cheaper_is_taken() -> None:
    """At 48 inches little can happen, and the exact answer is there sooner than a million duels."""
    solved = lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", range=48)
    assert solved.method == "exact"
    assert solved.why.startswith("solved: forecast")
    sampled = lab.duel("panther_g", "panther_g", range=12)
    assert sampled.method == "monte_carlo"
    assert "solving over" in sampled.why
    assert lab.duel("m4a3_sherman_lp", "m4a3_sherman_lp", range=48, seed=4, n=1000).why == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--exact", "--n", "5"], "method: found --exact and --n, allowed one of --exact, --n, --precision"),
        (["--exact", "--seed", "0"], "--seed: found 0, allowed no --seed with --exact"),
        (["--bound", "1e-3"], "--bound: found 1e-3, allowed no --bound without --exact"),
        (["--exact", "--bound", "1e-12"], "--bound: found 1e-12, allowed a number from 1e-11 to 0.5"),
        (["--exact", "--bound", "nan"], "--bound: found nan, allowed a number from 1e-11 to 0.5"),
        (["--exact", "--time-limit", "0"], "--time-limit: found 0"),
        (["--exact", "--time-limit", "0.02"], "--exact: found exact at bound 1e-09: forecast"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    said = Shell(capsys)("duel", "panther_g", "panther_g", "--range", "12", *arguments)
    assert said.code == 2
    assert said.out == ""
    assert len(said.errors) == 1
    assert said.errors[0].startswith(says)


def test_only_duels_are_solved() -> None:
    with pytest.raises(InputError, match="only duels are solved"):
        lab.engage("2 panther_g", "2 panther_g", exact=True)
