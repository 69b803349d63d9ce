"""Random words and the dice cut out of them: exact maps, exact chances, and counts of many throws."""

from itertools import product
from math import ceil
from typing import Any

import icepool
import numpy as np
import pytest
from samples import FAMILY, assert_share
from scipy.stats import chi2

from simlab import jit
from simlab.dice import cut, recorded, sampled, scripted, slots, words
from simlab.dice.cut import cut_face, cut_pair
from simlab.dice.words import address, derived_word, exchange_word, replicate_word
from simlab.engine.play import fight_word

U64 = np.uint64
ALL = (1 << 64) - 1
LIMIT = 60
KEY = 0x9C3F_0000_1234_ABCD
MANY = 100_000_000

# Loops over throws, bound to the sources of dice like any loop over fights. They are never called as they stand.
# ruff: noqa: F821


def count_throws(begin, count, fight, together, totals, contests):  # type: ignore[no-untyped-def]
    """Throw the dice of exchanges of `count` replicates and count them.

    together: (36, 2, 20) two d6 as one die, coin, d20. totals: by exploding total. contests: (400, 400), first and
    second.
    """
    for replicate in range(begin, begin + count):
        source = exchange_source(
            replicate_word(fight, U64(replicate)), address(U64(3), U64(0), U64(1), U64(2), U64(1)), 0
        )
        first, second = cut_pair(source)
        coin, start = draw_face(source, 1, 2), draw_face(source, 2, 20)
        together[first * U64(6) + second, coin, start] += 1
        totals[draw_exploding(source, LIMIT)] += 1
        contests[draw_face(source, 3, 400), draw_face(source, 4, 400)] += 1


def count_neighbours(count, fights, keyed, steps, counts):  # type: ignore[no-untyped-def]
    """Count two d6, as one die of 36 faces, at neighbouring addresses together: (36, 36).

    fights: (2,), words of two neighbouring fights; keyed: 1 to take the second of them for the neighbour. steps: (6,)
    of replicate, turn, phase, side, unit, gunner to the neighbour.
    """
    for number in range(count):
        replicate = U64(number) * (steps[0] + U64(1))
        here = exchange_word(
            replicate_word(fights[0], replicate), address(U64(1), U64(0), U64(0), U64(0), U64(0))
        )
        place = address(U64(1) + steps[1], steps[2], steps[3], steps[4], steps[5])
        there = exchange_word(replicate_word(fights[keyed], replicate + steps[0]), place)
        one, two = cut_pair(here)
        three, four = cut_pair(there)
        counts[one * U64(6) + two, three * U64(6) + four] += 1


def throw_all(holders, out):  # type: ignore[no-untyped-def]
    """Throw the same six dice from each of some sources."""
    for number in range(out.shape[0]):
        source = exchange_source(holders[number], address(U64(2), U64(0), U64(0), U64(7), U64(1)), 0)
        out[number, 0] = draw_exploding(source, LIMIT)
        out[number, 1] = draw_face(source, 1, 2)
        out[number, 2] = draw_face(source, 2, 20)
        for contest in range(3, 6):
            out[number, contest] = U64(draw_chance(source, contest, 190, 400))


def mix_words(holders, out):  # type: ignore[no-untyped-def]
    """Mix words of exchanges, and words derived from them."""
    for number in range(out.shape[0]):
        out[number, 0] = exchange_word(holders[number], address(U64(9), U64(1), U64(1), U64(3), U64(2)))
        out[number, 1] = derived_word(out[number, 0], U64(5))


def bound(loop: Any, source: Any = sampled) -> Any:
    return jit.bound(loop, (words, cut, source), f"test_{source.__name__.rpartition('.')[2]}")


def assert_uniform(counts: Any, comparisons: int = 1) -> None:
    """Assert by the chi-square statistic that counts of equally likely cells are no accident too far."""
    expected = counts.sum() / counts.size
    found = float(((counts - expected) ** 2 / expected).sum())
    low, high = (
        chi2.ppf(q, counts.size - 1) for q in (FAMILY / 2 / comparisons, 1 - FAMILY / 2 / comparisons)
    )
    assert low < found < high


def python_mix(word: int) -> int:
    with np.errstate(over="ignore"):
        return int(words.mix(U64(word)))


def unmixed(word: int) -> int:
    """The inverse of the scrambling, step by step backwards."""

    def unshift(value: int, shift: int) -> int:
        found = value
        for _ in range(64 // shift):
            found = value ^ (found >> shift)
        return found

    word = unshift(word, 31) * pow(int(words.MIX_2), -1, 1 << 64) & ALL
    word = unshift(word, 27) * pow(int(words.MIX_1), -1, 1 << 64) & ALL
    return unshift(word, 30)


def test_mix_is_a_bijection_that_can_be_undone():
    numbers = [0, 1, 2, ALL, ALL - 1, 1 << 63, *range(1000), *(1 << bit for bit in range(64))]
    assert all(unmixed(python_mix(number)) == number for number in numbers)


def test_mix_gives_the_published_stream_of_splitmix64():
    gamma = 0x9E3779B97F4A7C15
    stream = [python_mix(gamma * step & ALL) for step in (1, 2, 3)]
    assert stream == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_compiled_words_are_those_of_plain_python():
    holders = np.array([python_mix(number) for number in range(1000)], np.uint64)
    compiled = np.zeros((1000, 2), np.uint64)
    bound(mix_words)(holders, compiled)
    plain = np.zeros((1000, 2), np.uint64)
    with np.errstate(over="ignore"):
        mix_words(holders, plain)
    assert (compiled == plain).all()
    assert len(set(compiled.ravel().tolist())) == 2000


def test_addresses_are_different_and_do_not_overlap():
    corners = product((1, 2, 1000), (0, 1, 15), (0, 1), (0, 1, 65535), (0, 1, 255))
    places = [int(address(*map(U64, corner))) for corner in corners]
    assert len(set(places)) == len(places) == 3 * 3 * 2 * 3 * 3
    assert max(places) < 1 << 40


@pytest.mark.parametrize(("slot", "faces"), [(0, 36), (0, 6), (0, 12), (2, 20), (2, 3), (2, 400), (2, 100)])
def test_every_face_has_its_share_of_the_half_word(slot, faces):
    """The faces are cut where they should be, so that no share is off by more than 1e-7 of itself."""
    shift = 0 if slot == 2 else 32
    starts = [ceil(face * 2**32 / faces) for face in range(faces)] + [2**32]
    for face in range(faces):
        for half in (starts[face], starts[face + 1] - 1):
            assert int(cut_face(U64(half << shift), slot, faces)) == face
        assert abs((starts[face + 1] - starts[face]) * faces / 2**32 - 1) < 1e-7


def test_the_small_die_is_cut_out_of_the_rest_of_the_first():
    for face, small in product(range(36), range(3)):
        middle = ceil((face + (small + 0.5) / 3) / 36 * 2**32)
        word = U64(middle << 32)
        first, second = cut_pair(word)
        assert int(first) * 6 + int(second) == int(cut_face(word, 0, 36)) == face
        assert int(cut_face(word, 0, 6)) == int(first)
        assert int(cut_face(word, 1, 3)) == small


@pytest.fixture(scope="module")
def thrown() -> tuple[Any, Any, Any]:
    together, totals = np.zeros((36, 2, 20), np.int64), np.zeros(LIMIT + 1, np.int64)
    contests = np.zeros((400, 400), np.int64)
    bound(count_throws)(0, MANY, fight_word(1, KEY), together, totals, contests)
    return together, totals, contests


def test_faces_are_uniform_and_slots_independent(thrown):
    together, _, contests = thrown
    tables = [together, contests, *(together.sum(axis=axes) for axes in [(1, 2), (0, 2), (0, 1), 1, 2, 0])]
    tables += [contests.sum(axis=1), contests.sum(axis=0)]
    for table in tables:
        assert table.sum() == MANY
        assert_uniform(table, len(tables))


def test_contests_are_won_as_often_as_they_should_be(thrown):
    contests = thrown[2]
    assert_share(contests[:190].sum(), MANY, 190 / 400, 3)
    assert_share(contests[:, :190].sum(), MANY, 190 / 400, 3)
    assert_share(contests[:190, :190].sum(), MANY, (190 / 400) ** 2, 3)


def at_least(total: int) -> float:
    """P(exploding 2d6 >= total), by counting pairs."""
    rolls = [first + second for first, second in product(range(1, 7), repeat=2)]
    return (
        sum(roll >= total if roll < 12 else at_least(total - 12) for roll in rolls) / 36 if total > 2 else 1.0
    )


KNOWN = {
    8: 15 / 36,
    12: 1 / 36,
    13: 1 / 36,
    14: 1 / 36,
    15: 35 / 1296,
    24: 1 / 1296,
    25: 1 / 1296,
    26: 1 / 1296,
}


def scripted_chances(limit: int) -> dict[int, float]:
    """Every face of the exploding die with its weight, totals above the limit counted as the limit."""
    chances: dict[int, float] = {}
    script = np.zeros((2, slots.SLOTS), np.int64)
    scripted.draw_exploding(script, limit)
    for face in range(scripted.face_count(int(script[1, 0]))):
        script[0, 0] = face
        total = min(int(scripted.draw_exploding(script, limit)), limit)
        chances[total] = chances.get(total, 0.0) + scripted.face_weight(int(script[1, 0]), face)
    return chances


@pytest.mark.rule("BK-11")
@pytest.mark.rule("BK-13")
def test_exploding_totals_have_their_known_chances(thrown):
    totals = thrown[1]
    assert at_least(15) == pytest.approx(0.0270062, abs=5e-8)
    exact = scripted_chances(LIMIT)
    for least in [*KNOWN, *range(2, 30), 36, 39]:
        chance = KNOWN.get(least, at_least(least))
        assert chance == pytest.approx(at_least(least), abs=1e-15)
        assert sum(w for total, w in exact.items() if total >= least) == pytest.approx(chance, abs=1e-14)
        assert_share(totals[least:].sum(), MANY, chance, 40)


@pytest.mark.rule("BK-13")
def test_totals_that_never_stand_are_never_thrown(thrown):
    assert thrown[1][[0, 1, 12, 13, 24, 25, 36, 37, 48, 49]].sum() == 0
    assert thrown[1].sum() == MANY


@pytest.mark.parametrize("limit", [13, 24, 25, 36, 60, 204])
def test_weights_of_the_exploding_die_are_those_of_icepool(limit):
    two = 2 @ icepool.d6
    oracle = two.explode([12], depth=limit // 12).map(lambda total: min(total, limit))
    found = scripted_chances(limit)
    assert set(found) == {int(total) for total in oracle.outcomes()}
    for total in oracle.outcomes():
        assert found[int(total)] == pytest.approx(float(oracle.probability(total)), rel=1e-13)
    assert sum(found.values()) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize(("favourable", "faces"), [(190, 400), (0, 400), (400, 400), (1, 3)])
def test_a_chance_is_one_die_of_two_faces_with_exact_weights(favourable, faces):
    script = np.zeros((2, slots.SLOTS), np.int64)
    assert scripted.draw_chance(script, 5, favourable, faces)
    asked = int(script[1, 5])
    assert scripted.face_count(asked) == 2
    assert [scripted.face_weight(asked, face) for face in (0, 1)] == [
        favourable / faces,
        1 - favourable / faces,
    ]
    script[0, 5] = 1
    assert not scripted.draw_chance(script, 5, favourable, faces)


NEIGHBOURS = {
    "seed": (0, 1, [0, 0, 0, 0, 0, 0]),
    "key": (1, 1, [0, 0, 0, 0, 0, 0]),
    "replicate": (0, 0, [1, 0, 0, 0, 0, 0]),
    "turn": (0, 0, [0, 1, 0, 0, 0, 0]),
    "phase": (0, 0, [0, 0, 1, 0, 0, 0]),
    "side": (0, 0, [0, 0, 0, 1, 0, 0]),
    "unit": (0, 0, [0, 0, 0, 0, 1, 0]),
    "gunner": (0, 0, [0, 0, 0, 0, 0, 1]),
}


@pytest.mark.parametrize("axis", NEIGHBOURS)
def test_neighbouring_addresses_have_independent_dice(axis):
    by_key, keyed, steps = NEIGHBOURS[axis]
    fights = np.array([fight_word(6, KEY), fight_word(6, KEY ^ 1) if by_key else fight_word(7, KEY)])
    counts = np.zeros((36, 36), np.int64)
    # Two turns of a unit follow each other more often than any other two addresses.
    count = 2 * MANY if axis == "turn" else MANY // 4
    bound(count_neighbours)(count, fights, keyed, np.array(steps, np.uint64), counts)
    assert_uniform(counts, len(NEIGHBOURS))


def test_seeds_are_different_from_the_first_to_the_last():
    seeds = [0, 1, 2, 2**62, 2**63 - 2, 2**63 - 1]
    assert len({int(fight_word(seed, KEY)) for seed in seeds}) == len(seeds)
    assert len({int(fight_word(0, key)) for key in (0, 1, ALL, ALL - 1)}) == 4


def test_sampled_recorded_and_scripted_dice_agree():
    count = 20_000
    holders = np.array([python_mix(number) for number in range(count)], np.uint64)
    thrown = np.zeros((count, 6), np.uint64)
    bound(throw_all)(holders, thrown)
    records = np.zeros((count, 1, recorded.RECORD), np.uint64)
    records[:, 0, recorded.REPLICATE] = holders
    written = np.zeros((count, 6), np.uint64)
    bound(throw_all, recorded)(records, written)
    assert (thrown == written).all()
    assert (thrown[:, 0] > 12).sum() > 100

    faces = records[:, 0, recorded.FACES : recorded.ROLLS].astype(np.int64) - 1
    rolls = records[:, 0, recorded.ROLLS :].astype(np.int64) - 1
    sums = np.where(rolls >= 0, rolls // 6 + rolls % 6 + 2, 0)
    assert (np.minimum(sums.sum(axis=1), LIMIT) == thrown[:, 0]).all()
    assert (faces[:, 1:3] == thrown[:, 1:3].astype(np.int64)).all()
    assert ((faces[:, 3:6] < 190) == (thrown[:, 3:6] == 1)).all()

    scripts = np.zeros((count, 1, 2, slots.SLOTS), np.int64)
    twelves = (sums == 12).sum(axis=1)
    last = np.array([row[row > 0][-1] for row in sums])
    scripts[:, 0, 0, 0] = 10 * twelves + np.where(last == 12, 0, last - 2)
    scripts[:, 0, 0, 1:3] = faces[:, 1:3]
    scripts[:, 0, 0, 3:6] = faces[:, 3:6] >= 190
    given = np.zeros((count, 6), np.uint64)
    bound(throw_all, scripted)(scripts, given)
    assert (given == thrown).all()
    assert (scripts[0, 0, 1, :3] == [scripted.EXPLODING + LIMIT, 2, 20]).all()
