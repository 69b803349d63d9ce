"""The referee: tail probabilities, the choice of cells, how a cell is judged, and the command."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from shell import Shell
from statsmodels.stats.multitest import multipletests

from simlab import lab
from simlab.analysis import referee as judging
from simlab.analysis import tails
from simlab.analysis.referee import LEVEL, Seen, Truth, choose_cells, find_failures, judge
from simlab.lab import controls
from simlab.lab.verdict import Verdict

KINDS = ("mobility_kill", "firepower_kill")
DRAWS = 300
TOO_FEW = {"DRAWS": 10**5, "FIGHT_PAIRS": 500, "SELF_FIGHTS": 5000, "COPY_FIGHTS": 500}


@pytest.fixture(autouse=True)
def _few_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, less in TOO_FEW.items():
        monkeypatch.setattr(controls, name, less)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


STUDY = """
name: Sherman alone
system: blitzkrieg
units: [m4a3_sherman_lp]
situations: {range: [24, 48], aspect: [front, rear]}
"""


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The folder of a finished run of four duels."""
    (tmp_path / "alone.yaml").write_text(STUDY, encoding="utf-8")
    return lab.run(tmp_path / "alone.yaml", results=tmp_path).folder


@pytest.mark.parametrize("n", [1, 30, 38_416, 10**9])
@pytest.mark.parametrize("chance", [1e-6, 0.01, 0.5, 0.999])
def test_binomial_tails_are_those_of_scipy(n: int, chance: float) -> None:
    spread = (n * chance * (1 - chance)) ** 0.5
    for off in (-8, -3, -1, 0, 1, 3, 8):
        k = min(n, max(0, round(n * chance + off * spread)))
        wanted = (stats.binom.sf(k - 1, n, chance), stats.binom.cdf(k, n, chance))
        found = (tails.binomial_upper(k, n, chance), tails.binomial_lower(k, n, chance))
        assert found == pytest.approx(wanted, rel=1e-6)


def test_chi_square_distance_and_shared_tails_are_those_of_scipy() -> None:
    rng = np.random.default_rng(5)
    for freedom, value in ((1, 40.0), (2, 3.0), (3, 50.0), (35, 80.0), (1295, 1500.0)):
        assert tails.chi_square_tail(value, freedom) == pytest.approx(stats.chi2.sf(value, freedom), rel=1e-9)
    values = rng.random(130) ** 2
    distance, p = tails.uniform_distance(list(values))
    wanted = stats.kstest(values, "uniform")
    assert (distance, p) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-6)
    found = tails.shared_tail(6, 10, 12, 40)
    assert found == pytest.approx(
        2 * min(stats.hypergeom.cdf(6, 40, 10, 12), stats.hypergeom.sf(5, 40, 10, 12))
    )


def test_a_bound_on_a_sum_is_never_below_its_tail() -> None:
    """Twenty throws of a die from 0 to 2: the exact distribution of the sum by convolution."""
    die, n = np.array([0.5, 0.2, 0.3]), 20
    exact = np.array([1.0])
    for _ in range(n):
        exact = np.convolve(exact, die)
    for total in range(2 * n + 1):
        tail = 2 * min(exact[total:].sum(), exact[: total + 1].sum())
        assert tails.mean_tail(total, n, list(die), 0.0) >= min(1.0, tail) - 1e-12
    assert tails.mean_tail(38, n, list(die), 0.0) < 1e-6
    # What is not known may lie at the top, or at the bottom.
    assert tails.mean_tail(38, n, [0.8, 0.2, 0.0], 0.3) == pytest.approx(
        tails.mean_tail(38, n, list(die), 0.0)
    )
    low = tails.mean_tail(2, n, [0.5, 0.2, 0.3], 0.3)
    assert low == pytest.approx(tails.mean_tail(2, n, [0.8, 0.2, 0.0], 0.0))


def table(rows: int) -> pd.DataFrame:
    """Duels of a run: ranges and aspects in turn, one of them ten times as frequent, win shares that rise."""
    share = np.arange(rows) / rows
    return pd.DataFrame(
        {
            "row": range(rows),
            "range": [6.0 if row % 10 else 24.0 for row in range(rows)],
            "aspect_a": "front",
            "aspect_b": "front",
            "first_fire": "none",
            "a_wins": share,
            "both_destroyed": 0.0,
            "neither": 0.0,
        }
    )


def test_cells_are_drawn_by_the_seed_from_all_situations_alike() -> None:
    duels = table(2000)
    drawn, extremes = choose_cells(duels, 1)
    assert (len(drawn), len(extremes)) == (200, 10)
    assert not set(drawn) & set(extremes)
    assert sum(row % 10 == 0 for row in drawn) == 100
    assert choose_cells(duels, 1) == (drawn, extremes)
    assert choose_cells(duels, 2)[0] != drawn
    left = sorted(set(range(2000)) - set(drawn), key=lambda row: -abs(row / 2000 - 0.5))
    assert set(extremes) == set(left[:10])
    assert choose_cells(duels, 1, every=True) == (list(range(2000)), [])
    assert choose_cells(table(135), 1) == (list(range(135)), [])


def truth(outcomes: Any = (0.6, 0.3, 0.09, 0.01), missing: float = 0.0) -> Truth:
    figures = np.array([[0.2, 0.1], [0.3, 0.0]])
    fell = np.array([[0.0, 0.2, 0.1], [0.0, 0.4, 0.2]])
    return Truth(np.array(outcomes), figures, fell, missing)


def drawn_from(found: Truth, n: int, rng: Any) -> Seen:
    outcomes = rng.multinomial(n, found.outcomes / found.outcomes.sum())
    turns = [rng.multinomial(n, [1 - fell.sum(), *fell[1:]])[1:] @ [1, 2] for fell in found.fell]
    return Seen(n, outcomes, rng.binomial(n, found.figures), np.array(turns))


@pytest.mark.long
def test_p_values_of_sound_cells_are_uniform_and_never_too_small() -> None:
    rng = np.random.default_rng(1)
    for chances in ((0.6, 0.3, 0.09, 0.01), (0.9999, 0.00005, 0.00005, 0.0), (0.5, 0.5, 0.0, 0.0)):
        found = [
            judge(drawn_from(truth(chances), 2000, rng), truth(chances), KINDS, list(rng.random(3)))
            for _ in range(DRAWS)
        ]
        uniform = [each.uniform for each in found if each.uniform is not None]
        if min(chance for chance in chances if chance) * 2000 > 1:
            assert len(uniform) == DRAWS
            assert stats.kstest(uniform, "uniform").pvalue > 1e-6
        else:
            assert not uniform
        for value in (0.5, 0.1, 0.01):
            # The p-value of a sound cell is below a value no more often than that value says.
            below = sum(each.outcomes <= value for each in found)
            assert stats.binom.sf(below - 1, DRAWS, value) > 1e-6
            for name in found[0].figures:
                below = sum(each.figures[name] <= value for each in found)
                assert stats.binom.sf(below - 1, DRAWS, value) > 1e-6


def test_with_many_counts_a_cell_is_judged_as_by_pearson() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        counts = rng.multinomial(10**7, [0.02, 0.08, 0.3, 0.6])
        found = judging.judge_outcomes(list(counts), [0.02, 0.08, 0.3, 0.6], 0.0)
        wanted = stats.chisquare(counts, np.array([0.02, 0.08, 0.3, 0.6]) * 10**7).pvalue
        assert found == pytest.approx(wanted, abs=0.01)


def test_an_impossible_outcome_fails_and_a_missing_chance_excuses_no_more_than_itself() -> None:
    seen = Seen(1000, np.array([600, 395, 0, 5]), np.zeros((2, 2), np.int64), np.zeros(2, np.int64))
    assert judge(seen, truth((0.6, 0.4, 0.0, 0.0)), KINDS, [0.5] * 3).outcomes == 0.0
    assert judge(seen, truth((0.6, 0.399, 0.0, 0.0), 1e-3), KINDS, [0.5] * 3).outcomes > 1e-3
    assert judge(seen, truth((0.6, 0.4 - 1e-6, 0.0, 0.0), 1e-6), KINDS, [0.5] * 3).outcomes < 1e-9


def test_failures_are_those_of_holm() -> None:
    chances = {f"t{number}": 10.0**-number for number in range(1, 13)}
    rejected = multipletests(list(chances.values()), alpha=LEVEL, method="holm")[0]
    wanted = {name for name, no in zip(chances, rejected, strict=True) if no}
    assert set(find_failures(chances, len(chances))) == wanted
    assert set(find_failures(chances, 10**4)) < wanted


@pytest.mark.long
@pytest.mark.parametrize("chance", [0.5, 0.05, 0.005])
def test_the_smallest_shift_is_found_as_often_as_it_says(chance: float) -> None:
    rng = np.random.default_rng(7)
    n, tests, draws = 38_416, 1508, 400
    shift = judging.smallest_shift(chance, n, tests)
    sound = [chance, (1 - chance) / 4, (1 - chance) / 4, (1 - chance) / 2]
    moved = np.array([chance + shift, *((1 - chance - shift) / (1 - chance) * np.array(sound[1:]))])
    found = sum(
        judging.judge_outcomes(list(rng.multinomial(n, moved)), sound, 0.0) < LEVEL / tests
        for _ in range(draws)
    )
    assert stats.binom.cdf(found, draws, 0.97) > 1e-6
    less = np.array([chance + shift / 3, *((1 - chance - shift / 3) / (1 - chance) * np.array(sound[1:]))])
    missed = sum(
        judging.judge_outcomes(list(rng.multinomial(n, less)), sound, 0.0) > LEVEL / tests
        for _ in range(draws)
    )
    assert missed > draws / 2


def test_dice_that_are_off_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(control.p > 1e-9 for control in controls.judge_dice(1, 10**6))
    counts = np.full(20, 50_000)
    counts[0] += 3000
    counts[1] -= 3000
    assert controls._flat(counts) < 1e-6
    assert controls._flat(np.full(400, 1000)) < 1e-6
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, 2000)
    assert controls.pairs_tail(first, rng.integers(0, 4, 2000)) > 1e-6
    assert controls.pairs_tail(first, np.where(rng.random(2000) < 0.3, first, 0)) < 1e-6


def test_a_sound_run_passes(shell: Shell, finished: Path) -> None:
    said = shell("referee", str(finished), "--workers", "1")
    assert said.code == 0
    assert "4 of 4 duels chosen, 4 judged, 0 skipped" in said.out
    record = json.loads((finished / "referee.json").read_text(encoding="utf-8"))
    assert record["passed"]
    assert record["failures"] == record["skipped"] == []
    assert record["together"]["cells"] == 4
    names = [control["name"] for control in record["controls"]]
    assert "m4a3_sherman_lp against itself, solved" in names
    assert "m4a3_sherman_lp renamed and repriced" in names
    assert all(cell["error_bound"] <= 1e-6 for cell in record["cells"])
    again = shell("referee", str(finished), "--workers", "2", "--all", "--json")
    assert again.code == 0
    other = json.loads(again.out)
    assert {**other, "seconds": 0} == {**record, "seconds": 0}


def tampered(folder: Path, **columns: Any) -> None:
    """Change columns of the first row."""
    duels = pd.read_parquet(folder / "duels.parquet")
    for name, change in columns.items():
        duels.loc[0, name] = change(duels.loc[0, name])
    duels.to_parquet(folder / "duels.parquet")


def test_a_wrong_count_fails_and_its_cell_is_named(shell: Shell, finished: Path) -> None:
    tampered(finished, count_a_wins=lambda k: k + 1000, count_b_wins=lambda k: k - 1000)
    said = shell("referee", str(finished), "--workers", "1")
    assert said.code == 1
    assert "Failed:\n  m4a3_sherman_lp v m4a3_sherman_lp, range 24, front v front" in said.out
    verdict = lab.referee(finished, workers=1)
    assert not verdict.passed
    assert list(verdict.cells["failed"]) == [True, False, False, False]


@pytest.mark.long
def test_a_wrong_figure_and_a_wrong_turn_fail(finished: Path) -> None:
    tampered(finished, crew_kill_b=lambda rate: rate + 0.02)
    name = "m4a3_sherman_lp v m4a3_sherman_lp, range 24, front v front"
    assert lab.referee(finished, workers=1).failures == (f"{name}: crew_kill_b",)
    tampered(finished, crew_kill_b=lambda rate: rate - 0.02, mean_turn_destroyed_a=lambda turn: turn + 0.3)
    assert lab.referee(finished, workers=1).failures == (f"{name}: turn_a",)


@pytest.mark.long
def test_duels_that_take_too_much_are_named(shell: Shell, finished: Path) -> None:
    said = shell("referee", str(finished), "--time-limit", "0.001", "--workers", "1")
    assert said.code == 0
    verdict = lab.referee(finished, time_limit=0.001, workers=1)
    skipped = verdict.record["skipped"]
    assert len(skipped) + verdict.record["judged"] == 4
    assert "m4a3_sherman_lp v m4a3_sherman_lp, range 24, front v front" in skipped
    assert len(verdict.skipped) == len(skipped)
    assert "Skipped, too much work:\n  m4a3_sherman_lp v m4a3_sherman_lp: 24 front v front" in said.out


@pytest.mark.long
def test_rows_that_were_solved_are_sampled_anew(finished: Path) -> None:
    duels = pd.read_parquet(finished / "duels.parquet")
    before: Verdict = lab.referee(finished, workers=1)
    counts = [f"count_{name}" for name in ("a_wins", "b_wins", "both_destroyed", "neither")]
    duels["method"] = "exact"
    duels[counts] = pd.NA
    duels.to_parquet(finished / "duels.parquet")
    after = lab.referee(finished, workers=1)
    assert set(after.cells["counts"]) == {"sampled now"}
    # The study's own seed and number of fights: the same counts, so the same p-values.
    assert list(after.cells["p_outcomes"]) == list(before.cells["p_outcomes"])


@pytest.mark.long
def test_an_interrupt_leaves_no_verdict(
    shell: Shell, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*values: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(controls, "judge_dice", interrupted)
    said = shell("referee", str(finished), "--workers", "2")
    assert said.code == 130
    assert not (finished / "referee.json").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--bound", "2"), "bound"),
        (("--time-limit", "0"), "time-limit"),
        (("--workers", "0"), "workers"),
        (("--bound", "x"), "bound"),
    ],
)
def test_what_cannot_be_done_is_said(
    shell: Shell, finished: Path, arguments: tuple[str, ...], word: str
) -> None:
    said = shell("referee", str(finished), *arguments)
    assert said.code == 2
    assert len(said.errors) == 1
    assert word in said.errors[0]
    assert shell("referee", "nowhere").code == 2


SCRIPT = """
from simlab.lab.roster import find_sheet
from simlab.lab.solving import Task, solve_all
from simlab.model.situation import Situation

sheet = find_sheet("m4a3_sherman_lp", "blitzkrieg")
tasks = [Task(str(turns), "blitzkrieg", sheet, sheet, Situation(24.0), {}, turns, 0.1, 10.0) for turns in (1, 2)]
found = solve_all(tasks, 2, lambda solved: None)
print(__file__, sorted(found))
"""


@pytest.mark.long
def test_a_script_without_a_guard_may_ask_for_processes(tmp_path: Path) -> None:
    """Started from a script of a few lines, the processes do not run the script again."""
    script = tmp_path / "ask.py"
    script.write_text(SCRIPT, encoding="utf-8")
    said = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=True
    )
    assert said.stdout.splitlines() == [f"{script} ['1', '2']"]
    assert said.stderr == ""


def test_compiling_the_solver_is_said_beforehand(
    shell: Shell, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simlab.exact.solve.is_compiled", lambda fight: False)
    said = shell("referee", str(finished), "--time-limit", "0.001", "--workers", "1")
    assert said.errors == ["compiling the solver, once; about 30 s"]
    assert "compiling the solver" not in said.out
