"""Every number of a sheet one more and one less: ranked, drawn, and the same as changing each by hand."""

import json

import pandas as pd
import pytest
from matplotlib.figure import Figure
from shell import PAIR, Shell
from toy_system import ToySheet

from simlab import lab
from simlab.lab import points
from simlab.model.errors import InputError
from simlab.plots.tornado import plot_tornado, write_tornado

pytestmark = pytest.mark.long

PANTHER, SHERMAN = PAIR
TOY = {"system": "toy", "turns": 8, "ecv": False}
UNIT, FOE = ToySheet("unit", hit_points=1, needs=4), ToySheet("foe", hit_points=2, faces=8)


@pytest.mark.long
def test_each_step_is_the_change_by_hand(toy):
    found = lab.sensitivity(UNIT, FOE, exact=True, **TOY)
    assert found.method == "exact"
    seen = set()
    for nudge in found.nudges:
        by_hand = lab.whatif(
            UNIT, {nudge.field: nudge.value + nudge.step}, FOE, exact=True, system="toy", turns=8
        )
        assert nudge.change == by_hand.difference
        assert (nudge.effect == "none") == by_hand.overall.same
        seen.add((nudge.field, nudge.step))
    steps = {(field, step) for field in ("hit_points", "needs", "rounds", "reach") for step in (-1, 1)}
    steps |= {("faces", -2), ("faces", 2)}
    refused = {(each.field, each.step) for each in found.refused}
    assert refused == {("hit_points", -1), ("rounds", -1)}
    assert seen == steps - refused
    assert found.unseen == ["reach"]


def test_what_moves_most_comes_first(toy):
    found = lab.sensitivity(UNIT, FOE, exact=True, **TOY)
    largest: dict[str, float] = {}
    for nudge in found.nudges:
        largest[nudge.field] = max(largest.get(nudge.field, 0.0), abs(nudge.change.value))
    sizes = [largest[nudge.field] for nudge in found.nudges]
    assert sizes == sorted(sizes, reverse=True)
    needs = {nudge.step: nudge for nudge in found.nudges if nudge.field == "needs"}
    assert needs[1].change.value < 0 < needs[-1].change.value
    assert {nudge.effect for nudge in needs.values()} == {"moves"}


def test_sampled_it_agrees_with_exact_duels_and_sees_the_same_numbers(toy):
    exact = {(each.field, each.step): each for each in lab.sensitivity(UNIT, FOE, exact=True, **TOY).nudges}
    sampled = lab.sensitivity(UNIT, FOE, n=32_000, **TOY)
    for nudge in sampled.nudges:
        truth = exact[nudge.field, nudge.step].change.value
        half = (nudge.change.high - nudge.change.low) / 2
        # 5 standard errors of ten intervals.
        assert abs(nudge.change.value - truth) <= 5 / 1.96 * half + 1e-6
        assert (nudge.effect == "none") == (exact[nudge.field, nudge.step].effect == "none")


def test_a_mix_is_the_mean_of_its_places(toy):
    other = ToySheet("other", hit_points=3, reach=20)
    found = lab.sensitivity(UNIT, [FOE, other], ranges=[10, 25], exact=True, **TOY)
    assert found.places == (("foe", 10), ("foe", 25), ("other", 10), ("other", 25))
    for nudge in found.nudges:
        mean = sum(each.value for each in nudge.places) / 4
        assert nudge.change.value == pytest.approx(mean)
    assert len(found.to_frame()) == len(found.nudges)


def test_numbers_of_a_record_sheet_that_no_die_sees():
    found = lab.sensitivity(SHERMAN, PANTHER, n=320, ecv=False)
    assert {"movement.speed", "weapons.cannon.mid.0", "weapons.cannon.ammo", "defense.physical"} <= set(
        found.unseen
    )
    unseen = set(found.with_effect("none", "not seen"))
    assert {"armor.left", "armor.back", "manifest.1.hits"} <= unseen
    moving = [nudge.field for nudge in found.nudges if nudge.effect == "moves"]
    assert moving[0] == "defense.ballistic.front_back"
    assert {("penetration.rear", -1), ("internal_amount.2", 1)} <= {
        (each.field, each.step) for each in found.refused
    }


def test_the_command_ranks_draws_and_says_what_is_left_out(simlab: Shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(points, "FIGHTS", 320)
    arguments = ["sensitivity", SHERMAN, "--against", PANTHER, "--n", "320"]
    said = simlab(*arguments)
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80
    picture = tmp_path / "results" / "sensitivity" / f"{SHERMAN}.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    for words in (
        "No die sees (exactly 0):",
        "movement.speed",
        "Left out, not legal:",
        "one less: penetration",
    ):
        assert words in said.out
    assert f"plot: results/sensitivity/{SHERMAN}.png" in said.out
    assert "worth in ECV, of 558" in said.out
    assert "320 fights for each number" in said.out
    again = simlab(*arguments, "--no-ecv", "-o", "elsewhere/x.png", "--json")
    assert again.errors == ["plot: elsewhere/x.png"]
    assert (tmp_path / "elsewhere" / "x.png").read_bytes() == picture.read_bytes()
    found = json.loads(again.out)
    assert found["numbers"][0]["field"] == "defense.ballistic.front_back"
    assert {each["effect"] for each in found["numbers"]} <= {"moves", "cannot tell", "not seen", "none"}
    assert all(each["allowed"] for each in found["refused"])


def test_a_picture_that_cannot_be_written_is_one_line(simlab: Shell, tmp_path):
    (tmp_path / "file").write_text("in the way")
    said = simlab(
        "sensitivity", SHERMAN, "--against", PANTHER, "--n", "320", "-o", str(tmp_path / "file" / "x.png")
    )
    assert (said.code, said.out, len(said.errors)) == (2, "", 1)
    assert said.errors[0].endswith("file: output: found File exists, allowed a folder that can be written")
    said = simlab("sensitivity", SHERMAN, "--against", PANTHER, "-o", str(tmp_path))
    assert said.errors == [f"--output: found {tmp_path}, allowed a file that can be written"]


def frame(*rows):
    return pd.DataFrame(rows, columns=["field", "value", "step", "change", "low", "high", "effect"])


ROWS = frame(
    ("armor.front", 6.0, 1, 0.05, 0.04, 0.06, "moves"),
    ("armor.front", 6.0, -1, -0.08, -0.09, -0.07, "moves"),
    ("skill", 1.0, 1, 0.01, 0.0, 0.02, "cannot tell"),
    ("speed", 9.0, 1, 0.0, 0.0, 0.0, "none"),
)


def test_bars_are_as_long_as_the_changes_and_whiskers_as_the_intervals():
    ax = plot_tornado(ROWS, Figure().subplots())
    bars = [
        (round(bar.get_width(), 9), round(bar.get_y() + bar.get_height() / 2))
        for bars in ax.containers
        for bar in bars
    ]
    assert sorted(bars) == [(-0.08, 0), (0.0, 2), (0.01, 1), (0.05, 0)]
    ends = {tuple(path.vertices[:, 0]) for lines in ax.collections for path in lines.get_paths()}
    assert {(0.04, 0.06), (-0.09, -0.07)} <= ends
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "armor.front = 6",
        "skill = 1",
        "speed = 9",
    ]


def test_steps_that_are_not_one_stand_beside_the_values():
    rows = frame(
        ("armor.front", 60.0, 25, 0.05, 0.04, 0.06, "moves"),
        ("armor.front", 60.0, -25, -0.08, -0.09, -0.07, "moves"),
        ("skill", 1.0, 1, 0.01, 0.0, 0.02, "cannot tell"),
    )
    ax = plot_tornado(rows, Figure().subplots())
    assert sorted(round(bar.get_width(), 9) for bars in ax.containers for bar in bars) == [-0.08, 0.01, 0.05]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["armor.front = 60 ±25", "skill = 1 ±1"]
    assert set(ax.get_legend_handles_labels()[1]) == {"a step more", "a step less"}


def test_pictures_are_equal_byte_for_byte_and_may_be_empty(tmp_path):
    for name in ("one.png", "two.png"):
        write_tornado(ROWS, "Title $x$", ["A caption."], tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    write_tornado(ROWS[ROWS["effect"] == "none"], "Nothing", ["A caption."], tmp_path / "none.png")
    assert (tmp_path / "none.png").stat().st_size > 1000


def test_an_opponent_is_needed(simlab: Shell):
    said = simlab("sensitivity", SHERMAN)
    assert said.code == 2
    assert said.errors[0].startswith("--against: found nothing")
    with pytest.raises(InputError):
        lab.sensitivity(SHERMAN, [])
