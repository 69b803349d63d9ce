"""The fights for prices: which numbers meet, how the even fight is found between them, and what is kept of it."""

import math
from functools import cache
from itertools import pairwise, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from samples import compile_sample
from test_known_values import one_hit

from simlab.engine.play import play_fights
from simlab.lab.fights import fight_key_of
from simlab.lab.price_terms import worths
from simlab.lab.study import read_study
from simlab.model.situation import Situation
from simlab.studies.journal import Journal
from simlab.studies.pricing import (
    CLEAR,
    PROBES,
    WIDEST,
    PricePlan,
    Setting,
    list_rungs,
    plan_price_rows,
    run_prices,
    search_even,
)
from simlab.studies.work import Worker

STUDY = """
name: Three
system: blitzkrieg
units: [panther_g, m4a3_sherman_lp, sherman_firefly_vc]
situations:
  range: {12: 2, 24: 1}
  aspect: {front: 3, rear: 1}
n: 100
"""


class TestRungs:
    @pytest.mark.parametrize("fixed", [1, 2, 4, 12, 35, 60, 320])
    @pytest.mark.parametrize("of_a", [True, False])
    def test_the_ratio_rises_and_the_dearer_side_keeps_its_number_where_it_can(self, fixed, of_a):
        rungs = list_rungs(fixed, of_a=of_a)
        ratios = [b / a for a, b in rungs]
        assert all(low < high for low, high in pairwise(ratios))
        assert ratios[0] >= 1 / WIDEST
        assert ratios[-1] <= WIDEST
        place = 0 if of_a else 1
        for rung in rungs:
            assert rung[place] == fixed or rung[1 - place] == 1
        if fixed <= WIDEST:
            assert (fixed, 1) in [rung if of_a else rung[::-1] for rung in rungs]

    def test_small_numbers_are_all_there_and_steps_grow_with_the_root(self):
        whole = list_rungs(4, of_a=True)
        start = whole.index((4, 1))
        assert whole[start : start + 6] == ((4, 1), (4, 2), (4, 3), (4, 4), (4, 5), (4, 6))
        for (_, low), (_, high) in pairwise(list_rungs(8, of_a=True)[-30:]):
            assert high - low <= max(1, math.sqrt(low) / 2 + 1)


def logistic(even: float, slope: float):
    """Counts without noise of a share that falls with the ratio b / a."""

    def fight(rung, n):
        share = 1 / (1 + math.exp(slope * (math.log(rung[1] / rung[0]) - even)))
        wins = round(share * 1_000_000)
        return [wins, 1_000_000 - wins, 0, 0]

    return fight


class TestSearch:
    @pytest.mark.parametrize("start", [-5.0, -0.4, 0.0, 1.0, 5.0])
    @pytest.mark.parametrize("even", [-4.0, -3.2, -1.0, -0.01, 0.6, 2.5, 3.6, 4.0])
    @pytest.mark.parametrize("fixed", [1, 4, 23])
    def test_without_noise_it_finds_the_neighbours_of_the_even_fight(self, fixed, even, start):
        rungs = list_rungs(fixed, of_a=True)
        found = search_even(logistic(even, 3.0), rungs, start, 500)
        heights = [math.log(b / a) for (a, b), _ in found]
        every = [math.log(b / a) for a, b in rungs]
        if even < every[0]:
            assert heights == [every[0]]
        elif even > every[-1]:
            assert heights == [every[-1]]
        else:
            assert heights == [max(x for x in every if x <= even), min(x for x in every if x > even)]

    def test_with_any_noise_it_ends_at_neighbours_with_the_even_fight_between_them(self):
        rungs = list_rungs(5, of_a=False)
        for seed in range(300):
            dice = np.random.default_rng(seed)
            known = {}

            def fight(rung, n, known=known, dice=dice):
                if (rung, n) not in known:
                    share = min(max(dice.normal(0.5, 0.2), 0.0), 1.0)
                    wins = dice.binomial(n, share)
                    known[rung, n] = [int(wins), n - int(wins), 0, 0]
                return known[rung, n]

            found = search_even(fight, rungs, 0.0, 400)
            shares = [counts[0] / sum(counts) for _, counts in found]
            if len(found) == 2:
                assert rungs.index(found[1][0]) == rungs.index(found[0][0]) + 1
                assert shares[0] >= 0.5 > shares[1]
                assert [sum(counts) for _, counts in found] == [400, 400]
            else:
                assert found[0][0] in (rungs[0], rungs[-1])
                assert (shares[0] < 0.5) == (found[0][0] == rungs[0])

    def test_an_end_of_the_ladder_is_fought_in_full_unless_a_probe_is_clear(self):
        rungs = list_rungs(1, of_a=True)
        for share, n in ((0.5 + CLEAR + 0.01, PROBES), (0.5 + CLEAR - 0.05, 1000)):
            found = search_even(
                lambda rung, n, s=share: [round(s * n), n - round(s * n), 0, 0], rungs, 0.0, 1000
            )
            assert [(rung, sum(counts)) for rung, counts in found] == [(rungs[-1], n)]


@cache
def even_by_counting(size_a: int, size_b: int, chance_a: float, chance_b: float) -> float:
    """The win share of a when all that hits destroys, by counting heads: a hits with `chance_a`."""

    def hits(shooters: int, targets: int, chance: float) -> list[float]:
        found = [0.0] * (targets + 1)
        for hit in range(shooters + 1):
            found[min(hit, targets)] += comb(shooters, hit) * chance**hit * (1 - chance) ** (shooters - hit)
        return found

    if size_a == 0 or size_b == 0:
        return 0.5 if size_a == size_b else float(size_a > 0)
    of_a, of_b = hits(size_a, size_b, chance_a), hits(size_b, size_a, chance_b)
    going = sum(
        of_a[lost_b] * of_b[lost_a] * even_by_counting(size_a - lost_a, size_b - lost_b, chance_a, chance_b)
        for lost_a, lost_b in product(range(size_a + 1), range(size_b + 1))
        if lost_a or lost_b
    )
    return going / (1 - of_a[0] * of_b[0])


@pytest.mark.parametrize("needed", [(10, 10), (9, 10), (8, 9)])
@pytest.mark.parametrize("fixed", [1, 2, 5, 8, 12])
def test_fair_numbers_of_memoryless_units_are_those_of_the_chain(needed, fixed):
    """a needs needed[0] against b, b needs needed[1] against a: chances of 6, 10 and 15 in 36."""
    chance = {10: 6 / 36, 9: 10 / 36, 8: 15 / 36}
    a, b = one_hit(needed[1]), one_hit(needed[0])
    rungs = list_rungs(fixed, of_a=True)

    def fight(rung, n):
        battle = compile_sample("blitzkrieg", [a] * rung[0], [b] * rung[1], {}, Situation(6.0), 1000)
        tally = play_fights(
            battle, n=n, seed=1, key=1000 * rung[0] + rung[1], policy_a="first", policy_b="first"
        )
        return tally.outcomes.tolist()

    found = search_even(fight, rungs, 0.0, 60_000)
    (low, low_counts), (high, high_counts) = found
    exact = [even_by_counting(*rung, chance[needed[0]], chance[needed[1]]) for rung in (low, high)]
    shares = [0.5 + (c[0] - c[1]) / 2 / sum(c) for c in (low_counts, high_counts)]
    noise = 4 * 0.5 / math.sqrt(60_000)
    assert exact[0] > 0.5 - noise
    assert exact[1] < 0.5 + noise
    assert crossing(low, high, shares) == pytest.approx(crossing(low, high, exact), abs=math.log(1.01))


def crossing(low, high, shares):
    """Where the line between two rungs meets one half, as the log of b / a."""
    start, end = (math.log(b / a) for a, b in (low, high))
    return start + (shares[0] - 0.5) / (shares[0] - shares[1]) * (end - start)


class TestRows:
    def test_weights_of_a_pair_add_up_to_one_and_mirror_images_are_one_row(self, tmp_path):
        rows = plan_price_rows(study(tmp_path))
        pairs = {}
        for row in rows:
            pairs.setdefault(frozenset((row.a.id, row.b.id)), []).append(row)
        assert len(pairs) == 3
        for listed in pairs.values():
            assert sum(row.weight for row in listed) == pytest.approx(1.0)
            # Two ranges: front against front once, front against rear in both orders.
            assert len(listed) == 2 * 3
            (front,) = [row for row in listed if row.situation == Situation(12, "front", "front")]
            assert front.weight == pytest.approx(2 / 3 * 3 / 4)
            rear = [row for row in listed if row.situation == Situation(24, "front", "rear")]
            assert [row.weight for row in rear] == pytest.approx([1 / 3 / 4 / 2] * 2)

    def test_who_fires_first_is_mirrored_too(self, tmp_path):
        aspects = "  aspect: {front: 3, rear: 1}"
        assert aspects in STUDY
        text = STUDY.replace(aspects, "  aspect: [front]\n  first_fire: [a:2, b:2]")
        rows = plan_price_rows(study(tmp_path, text))
        assert len(rows) == 3 * 2 * 2
        assert all(
            row.weight == pytest.approx({12: 2 / 3, 24: 1 / 3}[row.situation.range] / 2) for row in rows
        )


def study(folder: Path, text: str = STUDY):
    path = folder / "three.yaml"
    path.write_text(text, encoding="utf-8")
    return read_study(path)


def priced(folder: Path, threads: int, journal: str, n: int = 200):
    wanted = study(folder)
    worker = Worker(wanted.system, wanted.options, wanted.seed)
    settings = [Setting(2350, "spread", n), Setting(1000, "first", 64)]
    plan = PricePlan(plan_price_rows(wanted), settings, worker, 20, worths(wanted))
    told = []
    with Journal(folder / journal) as kept:
        frame = run_prices(plan, kept, threads, lambda *each: told.append(each))
    assert [done for done, *_ in told] == list(range(1, plan.total + 1))
    return frame, worker


class TestRuns:
    def test_threads_change_nothing_and_a_second_run_fights_nothing(self, tmp_path):
        first, worker = priced(tmp_path, 1, "one.sqlite")
        assert worker.fights > 0
        again, idle = priced(tmp_path, 3, "one.sqlite")
        other, busy = priced(tmp_path, 3, "three.sqlite")
        assert (idle.fights, busy.fights) == (0, worker.fights)
        assert first.equals(again)
        assert first.equals(other)

    def test_the_rows_are_fights_that_anybody_can_fight_again(self, tmp_path):
        frame, _ = priced(tmp_path, 2, "one.sqlite")
        wanted = study(tmp_path)
        sheets = {sheet.id: sheet for sheet in wanted.sheets}
        for facts in frame.sample(6, random_state=1).to_dict("records"):
            situation = Situation(facts["range"], facts["aspect_a"], facts["aspect_b"])
            sides = [sheets[facts["a"]]] * facts["size_n"], [sheets[facts["b"]]] * facts["size_m"]
            fight = wanted.system.compile_fight(*sides, situation, wanted.options, 20)
            tally = play_fights(
                fight, n=facts["n"], seed=1, key=fight_key_of(fight),
                policy_a=facts["policy"], policy_b=facts["policy"],
            )  # fmt: skip
            names = ("a_wins", "b_wins", "both_destroyed", "neither")
            assert tally.outcomes.tolist() == [facts[f"count_{name}"] for name in names]
