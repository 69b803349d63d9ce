"""The loops over fights: counts that depend on nothing but the fight, the seed and the replicates."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from asked import answered
from effort import examples
from samples import CASES, SETTINGS, compile_sample, sample_sheets, sherman
from toy_system import ToySheet

from simlab import lab
from simlab.engine.play import is_duel, play_fights
from simlab.lab.fights import fight_key_of
from simlab.model.errors import InputError
from simlab.model.keys import fight_key
from simlab.model.outcome import OUTCOMES, Tally
from simlab.model.situation import Situation
from simlab.rules.contract import Fight
from simlab.rules.registry import get_system
from simlab.studies.work import Matchup, Worker
from simlab.tables.expand import Questions
from simlab.traces.told import tell_replicate

KEY = 0xC0FFEE
LAST_SEED = 2**63 - 1


def play(fight: Fight, **more: Any) -> Tally:
    return play_fights(fight, **{"n": 20_000, "seed": 3, "key": KEY, **more})


def assert_same(one: Tally, other: Tally) -> None:
    for name, value in vars(one).items():
        assert np.array_equal(value, getattr(other, name)), name


def fight_of(
    name: str, size_a: int = 1, size_b: int = 1, number: int = 0, turns: int = 12, **where: Any
) -> Fight:
    """Sides that take the sample sheets in turn, b beginning with the second."""
    sheets = sample_sheets(name)
    a = [sheets[place % len(sheets)] for place in range(size_a)]
    b = [sheets[(place + 1) % len(sheets)] for place in range(size_b)]
    return compile_sample(name, a, b, SETTINGS[name][number], Situation(**{"range": 10.0, **where}), turns)


def two_scenes(turns: int = 12) -> Fight:
    """Panther and Firefly: three turns at 36 inches, the rest at 10 with the Panther's rear shown."""
    system = get_system("blitzkrieg")
    panther, firefly = sample_sheets("blitzkrieg")[1:3]
    where = Situation(
        (36.0, 36.0, 36.0, 10.0),
        ("front", "front", "front", "rear"),
        ("front", "front", "front", "front_left"),
    )
    return system.compile_fight(
        [panther], [firefly], where, system.options({"pintle_policy": "in_range"}), turns
    )


def special_duels() -> dict[str, Fight]:
    """Duels of every kind that the loops treat in some way of their own."""
    duels = {f"{name} {number}": fight_of(name, number=number, aspect_b="rear") for name, number in CASES}
    panther = sample_sheets("blitzkrieg")[1]
    few = sherman(weapons__cannon__ammo=2, weapons__coaxial__ammo=1, weapons__pintle_mg__ammo=3)
    empty = sherman(weapons__cannon__ammo=0)
    for label, settings in (("", {}), (" declared", {"fire_allocation": "declared"})):
        for policy in ("never", "in_range", "always"):
            several = {**settings, "pintle_policy": policy}
            duels[f"few rounds{label} {policy}"] = compile_sample("blitzkrieg", [few], [panther], several)
            duels[f"gunners{label} {policy}"] = compile_sample("blitzkrieg", [panther], [sherman()], several)
    rolls = {"snake_eyes_miss": True, "lucky_shot": True, "lucky_repeat": "each", "instant_death": True}
    lines = {
        "skip": "destroyed",
        "explosion_repeat": "each_volley",
        "empty_bin": "inert",
        "engine_hits": "count",
    }
    others = {"zeroing_in": True, "duel_lock": "silent", "periscope_scope": "enclosed", "dsp": "three"}
    for label, settings in (
        ("rolls", rolls),
        ("lines", lines),
        ("zeroing", others),
        ("all", rolls | lines | others),
    ):
        several = {**settings, "pintle_policy": "in_range", "loss_of_function": "crew"}
        duels[label] = compile_sample("blitzkrieg", [few], [panther], several)
    duels["no gun"] = compile_sample("blitzkrieg", [empty], [panther], {}, Situation(31.0))
    duels["one turn"] = compile_sample("blitzkrieg", [panther], [few], {}, turns=1)
    duels["long"] = compile_sample("blitzkrieg", [few], [few], {}, Situation(120.0), 1000)
    duels["scenes"] = two_scenes()
    duels["toy rounds"] = compile_sample("toy", [ToySheet(rounds=2, hit_points=9)], [ToySheet(hit_points=7)])
    return duels


SPECIAL = special_duels()


@pytest.mark.rule("BK-70")
@pytest.mark.rule("BK-16")
@pytest.mark.rule("BK-30")
@pytest.mark.parametrize("kind", SPECIAL)
def test_duels_come_out_the_same_by_both_loops(kind):
    fight = SPECIAL[kind]
    assert is_duel(fight)
    n = 2000 if kind == "long" else 20_000
    by_duels = play(fight, n=n)
    assert_same(by_duels, play(fight, n=n, general=True))
    assert by_duels.exchanges > 0


def test_special_duels_are_special():
    """Each way of its own shows in the counts."""
    counts = {kind: play(fight, n=4000) for kind, fight in SPECIAL.items() if kind != "long"}
    exchanges = {kind: tally.exchanges for kind, tally in counts.items()}
    assert exchanges["few rounds declared never"] > exchanges["few rounds never"]
    assert len({exchanges[f"few rounds {policy}"] for policy in ("never", "in_range", "always")}) >= 2
    assert exchanges["toy rounds"] < 4000 * 12 * 2
    # At 31 inches only the Panther's cannon bears, and nobody but the Panther fires.
    assert SPECIAL["no gun"].can_fire_b
    assert not SPECIAL["no gun"].can_fire_a
    assert counts["no gun"].destroyed()[1] == 0 < counts["no gun"].destroyed()[0]
    still = play(replace(SPECIAL["scenes"], scene_of_turn=(0,) * 12), n=4000)
    assert still.outcomes.tolist() != counts["scenes"].outcomes.tolist()


@pytest.mark.parametrize("name", ["toy", "blitzkrieg"])
@pytest.mark.parametrize(("size_a", "size_b"), [(1, 1), (3, 2)])
def test_counts_are_the_same_for_any_workers_blocks_and_order(name, size_a, size_b):
    fight, n = fight_of(name, size_a, size_b, turns=6), 3001
    whole = play(fight, n=n, workers=1)
    for workers in (1, 2, 3):
        for block in (None, 1, 7, 1000, 5000):
            assert_same(whole, play(fight, n=n, workers=workers, block=block))
    pieces = [(2000, 1001), (0, 1), (5, 1995), (1, 4)]
    parts = [play(fight, n=count, first=first, workers=2) for first, count in pieces]
    assert_same(whole, parts[0] + parts[1] + parts[2] + parts[3])


def test_replicates_far_out_are_replicates_too():
    fight = fight_of("toy", 2, 2)
    far = 10**12 - 50
    whole = play(fight, first=far, n=50)
    assert_same(whole, play(fight, first=far, n=20) + play(fight, first=far + 20, n=30, workers=1))
    assert whole.outcomes.tolist() != play(fight, n=50).outcomes.tolist()


def test_every_seed_and_every_key_has_fights_of_its_own():
    fight = fight_of("blitzkrieg")
    tallies = [play(fight, seed=seed) for seed in (0, 1, 2, LAST_SEED - 1, LAST_SEED)]
    tallies += [play(fight, key=key) for key in (0, 1, 2**64 - 1)]
    assert len({(*tally.flags.ravel(), tally.exchanges) for tally in tallies}) == len(tallies)
    assert_same(tallies[0], play(fight, seed=0))


def test_turns_and_policies_are_no_part_of_the_dice():
    """Fights that end within the turns of both limits end alike: nothing is consumed in order."""
    short, long = fight_of("toy", turns=4), fight_of("toy", turns=40)
    for replicate in range(200):
        one, other = (play(fight, n=1, first=replicate) for fight in (short, long))
        if not one.outcomes[3]:
            assert_same(one, other)
    assert_same(play(short, policy_a="first"), play(short, policy_a="spread"))


@pytest.mark.rule("BK-69")
@pytest.mark.parametrize(("name", "number"), CASES)
@pytest.mark.parametrize(("size_a", "size_b"), [(1, 1), (3, 2), (1, 4)])
def test_counts_agree_with_each_other(name, number, size_a, size_b):
    fight, n, turns = fight_of(name, size_a, size_b, number=number, turns=5), 4000, 5
    tally = play(fight, n=n)
    units = size_a + size_b
    assert tally.n == n == tally.outcomes.sum() == tally.survivors_a.sum() == tally.survivors_b.sum()
    assert tally.flags.shape == (units, 1 << (1 + len(fight.system.kinds)))
    assert (tally.flags.sum(axis=1) == n).all()
    assert tally.survivors_a.shape == (size_a + 1,)
    assert tally.survivors_b.shape == (size_b + 1,)
    a_wins, b_wins, both, neither = tally.outcomes
    assert tally.survivors_b[0] == a_wins + both
    assert tally.survivors_a[0] == b_wins + both
    assert n - tally.survivors_a[0] - tally.survivors_b[0] + both == neither
    lost = tally.destroyed()
    assert lost[:size_a].sum() == (tally.survivors_a * (size_a - np.arange(size_a + 1))).sum()
    assert lost[size_a:].sum() == (tally.survivors_b * (size_b - np.arange(size_b + 1))).sum()
    assert (lost == tally.flags[:, 1::2].sum(axis=1)).all()
    assert (lost <= tally.turn_sum).all()
    assert (tally.turn_sum <= turns * lost).all()
    gunners = sum(fight.system.gunner_count(sheet) for sheet in fight.sheets_a + fight.sheets_b)
    assert n <= tally.exchanges <= n * turns * gunners


@pytest.mark.parametrize(("name", "number"), CASES)
@pytest.mark.parametrize(("size_a", "size_b"), [(1, 1), (3, 2)])
def test_a_told_fight_is_the_counted_one(name, number, size_a, size_b):
    fight = fight_of(name, size_a, size_b, number=number, turns=6)
    narrator, ask = fight.system.narrator(fight), Questions(fight)
    policies = {"policy_a": "first", "policy_b": "spread"}
    for replicate in range(examples(200)):
        told = tell_replicate(fight, narrator, seed=3, key=KEY, replicate=replicate, **policies)
        tally = play(fight, n=1, first=replicate, workers=1, **policies)
        assert len(told.events) == tally.exchanges
        assert list(told.fell) == tally.turn_sum.tolist()
        flags = [
            ask.flags(type_, body)
            for type_, body in zip(fight.types_a + fight.types_b, told.bodies, strict=True)
        ]
        assert [int(row.argmax()) for row in tally.flags] == flags
        assert [flag & 1 for flag in flags] == [int(turn > 0) for turn in told.fell]
        lost = all(told.fell[:size_a]), all(told.fell[size_a:])
        outcome = {(False, True): 0, (True, False): 1, (True, True): 2, (False, False): 3}[lost]
        assert tally.outcomes[outcome] == 1
        assert tally.survivors_a[told.fell[:size_a].count(0)] == 1


def test_a_duel_is_the_engagement_of_one_against_one():
    duel = lab.duel("panther_g", "sherman_firefly_vc", n=5000, turns=9)
    engaged = lab.engage("1 panther_g", "1 sherman_firefly_vc", n=5000, turns=9)
    assert duel.counts == engaged.counts


def test_alone_or_inside_a_study_the_counts_are_the_same(tmp_path):
    system = get_system("blitzkrieg")
    settings = {"pintle_policy": "in_range", "manifest_overflow": "wrap"}
    sheets = sample_sheets("blitzkrieg")
    alone = lab.duel(sheets[1], sheets[2], range=18, aspect_b="rear", n=3000, seed=5, set=settings, workers=1)
    several = lab.engage(
        [sheets[1]] * 2, [sheets[2]] * 3, range=18, aspect_b="rear", n=3000, seed=5, set=settings
    )
    worker = Worker(system, system.options(settings), 5)
    where = Situation(18, "front", "rear")
    inside, among = (
        answered(
            worker.fight(Matchup(sheets[1], sheets[2], *sizes, where, "spread", turns), 3000),
            tmp_path / "journal.sqlite",
        )
        for sizes, turns in (((1, 1), 12), ((2, 3), 20))
    )
    assert inside.outcomes == tuple(alone.counts[name] for name in OUTCOMES)
    assert inside.side_b.turn_sum == alone.side_b["counts"]["turns_destroyed"]
    assert list(inside.side_a.flags) == [alone.side_a["counts"][n] for n in ("destroyed", *system.kinds)]
    assert among.outcomes == tuple(several.counts[name] for name in OUTCOMES)
    assert among.exchanges == round(several.exchanges * 3000)


def test_the_key_of_a_fight_is_made_of_what_its_dice_may_depend_on():
    system = get_system("blitzkrieg")
    sheets = sample_sheets("blitzkrieg")[:2]

    def key(fight: Fight) -> int:
        return fight_key_of(fight)

    base = key(compile_sample("blitzkrieg", sheets[:1], sheets[1:], {}, Situation(24.0)))
    hashes = [system.fight_hash(sheet) for sheet in sheets]
    assert base == fight_key("blitzkrieg", system.version, hashes[:1], hashes[1:], Situation(24), {})
    same = [
        compile_sample("blitzkrieg", sheets[:1], sheets[1:], {"mg_range": "hard"}, Situation(24), 99),
        compile_sample(
            "blitzkrieg", [system.replace_fields(sheets[0], {"name": "X"})], sheets[1:], {}, Situation(24)
        ),
    ]
    assert {key(fight) for fight in same} == {base}
    other = [
        compile_sample("blitzkrieg", sheets[1:], sheets[:1], {}, Situation(24)),
        compile_sample("blitzkrieg", sheets[:1], sheets[1:] * 2, {}, Situation(24)),
        compile_sample("blitzkrieg", sheets[:1], sheets[1:], {}, Situation(24.5)),
        compile_sample("blitzkrieg", sheets[:1], sheets[1:], {}, Situation(24, "rear")),
        compile_sample("blitzkrieg", sheets[:1], sheets[1:], {}, Situation(24, "front", "rear")),
        compile_sample("blitzkrieg", sheets[:1], sheets[1:], {"mg_range": "unlimited"}, Situation(24)),
        compile_sample(
            "blitzkrieg",
            [system.replace_fields(sheets[0], {"armor.front": 5})],
            sheets[1:],
            {},
            Situation(24),
        ),
    ]
    assert len({base, *(key(fight) for fight in other)}) == 1 + len(other)


def test_progress_tells_of_all_fights_and_may_stop_them():
    fight, told = fight_of("toy"), []
    tally = play(fight, n=1000, block=100, workers=2, progress=lambda done, n: told.append((done, n)))
    assert told == [(done, 1000) for done in range(100, 1001, 100)]
    assert_same(tally, play(fight, n=1000))

    def stop(done: int, n: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(fight, n=1000, block=100, progress=stop)


def test_unknown_policies_are_refused_with_the_nearest_name():
    allowed = "first, spread, focus, weakest, dangerous, random; did you mean spread"
    with pytest.raises(InputError, match=f"policy_b: found spred, allowed {allowed}"):
        play(fight_of("toy"), policy_b="spred")
