"""Study files: what they mean, and what is said about faulty ones."""
# ruff: noqa: E501 (messages stand on one line)

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from effort import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simlab.lab.study import read_study
from simlab.model.errors import InputError
from simlab.model.situation import Situation

ROOT = Path(__file__).parent.parent
UNITS = ROOT / "units"

GOOD = """\
name: Two Shermans
system: blitzkrieg
units: [m4a3_sherman_lp, panther_g]
situations:
  range: {6: 1, 12: 2, 24.5: 1}
  aspect: {front: 3, rear: 1}
turns: 8
method: monte_carlo
precision: 0.01
seed: 0
readings: {manifest_overflow: wrap}
engagements: {sizes: [2, 1], policies: [spread, first], turns: 15}
"""


def study_of(tmp_path: Path, text: str, name: str = "study.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_study(path, UNITS)


def errors_of(tmp_path: Path, text: str, name: str = "study.yaml") -> list[str]:
    with pytest.raises(InputError) as error:
        study_of(tmp_path, text, name)
    return [line.removeprefix(f"{tmp_path}/") for line in str(error.value).splitlines()]


def changed(**lines: str | None) -> str:
    """The good study with lines replaced, added, or (None) left out."""
    kept = []
    left = dict(lines)
    for line in GOOD.splitlines():
        key = line.split(":")[0].strip()
        if key not in left:
            kept.append(line)
        elif (new := left.pop(key)) is not None:
            kept.append("  " * line.startswith(" ") + new)
    return "\n".join([*kept, *(line for line in left.values() if line is not None)]) + "\n"


def test_a_study_is_read_as_written(tmp_path):
    study = study_of(tmp_path, GOOD)
    assert study.units == ("m4a3_sherman_lp", "panther_g")
    assert (study.turns, study.precision, study.n, study.seed) == (8, "0.01", None, 0)
    assert study.options.non_default() == {"manifest_overflow": "wrap"}
    assert study.stem == "study"
    engagements = study.engagements
    assert engagements is not None
    assert (engagements.sizes, engagements.policies, engagements.turns) == ((1, 2), ("spread", "first"), 15)


def test_situations_are_crossed_with_weights(tmp_path):
    situations = dict(study_of(tmp_path, GOOD).situations)
    assert len(situations) == 6
    assert situations[Situation(12.0, "front", "front")] == pytest.approx(0.5 * 0.75)
    assert situations[Situation(24.5, "front", "rear")] == pytest.approx(0.25 * 0.25)
    assert sum(situations.values()) == pytest.approx(1.0)


def test_both_aspects_may_be_crossed(tmp_path):
    text = changed(aspect="aspect_a: [front, rear]\n  aspect_b: {rear: 1, front_left: 3}", range="range: [9]")
    situations = dict(study_of(tmp_path, text).situations)
    assert situations == {
        Situation(9.0, "front", "rear"): 0.125,
        Situation(9.0, "front", "front_left"): 0.375,
        Situation(9.0, "rear", "rear"): 0.125,
        Situation(9.0, "rear", "front_left"): 0.375,
    }


def test_defaults_are_those_of_the_contract(tmp_path):
    text = "name: x\nsystem: blitzkrieg\nunits: [panther_g]\nsituations: {range: [0], aspect: [front]}\n"
    study = study_of(tmp_path, text)
    assert (study.turns, study.precision, study.n, study.seed) == (12, "0.005", None, 1)
    assert study.options.non_default() == {}
    assert study.engagements is None
    engagements = study_of(tmp_path, text + "engagements: {sizes: [3]}\n").engagements
    assert engagements is not None
    assert (engagements.sizes, engagements.policies, engagements.turns) == ((3,), ("spread",), 20)


def test_all_means_every_unit_in_reach(tmp_path):
    units = study_of(tmp_path, changed(units="units: all")).units
    assert set(units) >= {path.stem for path in (UNITS / "blitzkrieg").iterdir()}
    assert len(units) >= 38


def test_units_may_be_paths_from_the_file(tmp_path):
    (tmp_path / "mine").mkdir()
    text = (UNITS / "blitzkrieg" / "panther_g.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine" / "my_panther.yaml").write_text(text, encoding="utf-8")
    study = study_of(tmp_path, changed(units="units: [panther_g, mine/my_panther.yaml]"))
    assert study.units == ("panther_g", "my_panther")


def test_weight_zero_keeps_a_situation(tmp_path):
    situations = dict(
        study_of(tmp_path, changed(aspect="aspect: {front: 0, rear: 2}", range="range: [5]")).situations
    )
    assert situations == {Situation(5.0, "front", "front"): 0.0, Situation(5.0, "front", "rear"): 1.0}


FAULTS = [
    ({"name": None}, "study.yaml:1: name: found nothing (the key is missing), allowed text that is not empty"),
    ({"name": "name: ''"}, 'study.yaml:1: name: found "", allowed text that is not empty'),
    (
        {"system": "system: blitzkreig"},
        "study.yaml:2: system: found blitzkreig, allowed blitzkrieg, tank_d20, wwiisim; did you mean blitzkrieg?",
    ),
    ({"units": "units: []"}, "study.yaml:3: units: found [], allowed"),
    ({"units": "units: [panther_h]"}, "study.yaml:3: units.0: found panther_h, allowed"),
    ({"units": "units: [panther_h]"}, "; did you mean panther_g, panther_d"),
    ({"units": "units: [panther_g, panther_g]"}, "study.yaml:3: units.1: found panther_g a second time, allowed"),
    ({"units": "units: [gone.yaml]"}, "study.yaml:3: units.0: found gone.yaml, allowed the path of a sheet file that exists"),
    ({"range": "range: {-1: 1}"}, "study.yaml:5: situations.range.-1: found -1, allowed a number from 0 to 999"),
    ({"range": "range: [.nan]"}, "study.yaml:5: situations.range.0: found .nan, allowed"),
    ({"range": "range: [5, 1e30]"}, "study.yaml:5: situations.range.1: found 1e+30, allowed"),
    ({"range": "range: [true]"}, "study.yaml:5: situations.range.0: found true, allowed"),
    ({"range": "range: []"}, "study.yaml:5: situations.range: found no value at all, allowed at least one value"),
    ({"range": "range: 24"}, "study.yaml:5: situations.range: found 24, allowed a list, or a mapping"),
    ({"range": "range: {6: 0, 12: 0}"}, "study.yaml:5: situations.range: found weights that are all 0, allowed"),
    ({"range": "range: {6: -1}"}, "study.yaml:5: situations.range.6: found the weight -1, allowed"),
    ({"range": "range: {6: .nan}"}, "study.yaml:5: situations.range.6: found the weight .nan, allowed"),
    ({"range": "range: {6: .inf}"}, "study.yaml:5: situations.range.6: found the weight .inf, allowed"),
    ({"range": "range: {6: true}"}, "study.yaml:5: situations.range.6: found the weight true, allowed"),
    ({"range": "range: [6, 6.0]"}, "study.yaml:5: situations.range.1: found 6.0 a second time, allowed each value once"),
    ({"range": "range: ['24']"}, "situations.range.0: found \"24\", allowed a number from 0 to 999, or several"),
    ({"range": "range: ['36,-1']"}, "situations.range.0: found \"-1\" for turn 2, allowed a number"),
    ({"range": "range: ['36,,1']"}, "situations.range.0: found \"\" for turn 2, allowed a number"),
    ({"range": "range: ['36,24,', 5]"}, "situations.range.0: found \"\" for turn 3, allowed a number"),
    ({"range": "range: [[36, 24]]"}, "situations.range.0: found [36, 24], allowed a number"),
    ({"range": "range: ['6,6', 6]"}, "situations.range.1: found 6 a second time, allowed each value once"),
    ({"range": "range: {'8,6': 1, '8,6,6': 2}"}, "situations.range.8,6,6: found \"8,6,6\" a second time"),
    ({"range": None}, "study.yaml:4: situations.range: found nothing (the key is missing), allowed"),
    ({"aspect": "aspect: [front, reer]"}, "study.yaml:6: situations.aspect.1: found reer, allowed front, "),
    ({"aspect": "aspect: [front, reer]"}, "; did you mean rear?"),
    ({"aspect": "aspect: ['front,reer']"}, "situations.aspect.0: found reer for turn 2, allowed front, "),
    ({"aspect": "aspect: ['front,reer']"}, "; did you mean rear?"),
    ({"aspect": "aspect: [[front, rear]]"}, "situations.aspect.0: found [front, rear], allowed front, "),
    ({"aspect": None}, "study.yaml:4: situations.aspect: found nothing (the key is missing), allowed aspect, or"),
    ({"aspect": "aspect_a: [front]"}, "situations.aspect_b: found nothing (the key is missing), allowed aspect, or"),
    ({"aspect": "aspect: [front]\n  aspect_a: [rear]"}, "study.yaml:7: situations.aspect_a: found aspect_a beside aspect"),
    ({"aspect": "aspect: [front]\n  first_fire: c:2"}, "study.yaml:7: situations.first_fire: found \"c:2\", allowed a:N or"),
    ({"aspect": "aspect: [front]\n  first_fire: 2"}, "study.yaml:7: situations.first_fire: found 2, allowed a list, or"),
    ({"aspect": "aspect: [front]\n  first_fire: [a:0]"}, "situations.first_fire.0: found \"a:0\", allowed a:N or b:N"),
    ({"aspect": "aspect: [front]\n  first_fire: [a:2, a:02]"}, "situations.first_fire.1: found \"a:02\" a second time"),
    ({"aspect": "aspect: [front]\n  first_fire: [null]"}, "situations.first_fire.0: found null, allowed a:N or b:N"),
    ({"aspect": "aspect: [front]\n  aspekt: [rear]"}, "situations.aspekt: found an unknown key, allowed range, aspect"),
    ({"turns": "turns: 0"}, "study.yaml:7: turns: found 0, allowed a whole number from 1 to 1000"),
    ({"turns": "turns: 2.0"}, "study.yaml:7: turns: found 2.0, allowed a whole number"),
    ({"turns": "turns: true"}, "study.yaml:7: turns: found true, allowed a whole number"),
    ({"turns": "turnz: 4"}, "study.yaml:7: turnz: found an unknown key, allowed name, system, units"),
    ({"turns": "turns: 4\nturns: 5"}, "study.yaml:8: turns: found the key a second time (first in line 7)"),
    ({"method": "method: exakt"}, "study.yaml:8: method: found exakt, allowed exact, monte_carlo, auto; did you mean exact?"),
    ({"method": "method: [exact]"}, "study.yaml:8: method: found [exact], allowed exact, monte_carlo, auto"),
    ({"method": "method: montecarlo"}, "; did you mean monte_carlo?"),
    ({"precision": "precision: 0"}, "study.yaml:9: precision: found 0, allowed a half-width"),
    ({"precision": "precision: 1"}, "study.yaml:9: precision: found 1, allowed a half-width"),
    ({"precision": "precision: 0.01\nn: 5"}, "study.yaml:10: n: found both precision and n, allowed one of"),
    ({"precision": "n: 0"}, "study.yaml:9: n: found 0, allowed a whole number from 1 to 1000000000000"),
    ({"seed": "seed: -1"}, "study.yaml:10: seed: found -1, allowed a whole number from 0 to 9223372036854775807"),
    ({"seed": "seed: 9223372036854775808"}, "study.yaml:10: seed: found 9223372036854775808, allowed"),
    ({"readings": "readings: {manifest_overflo: wrap}"}, "study.yaml:11: readings.manifest_overflo: found"),
    ({"readings": "readings: {manifest_overflow: rap}"}, "study.yaml:11: readings.manifest_overflow: found rap"),
    ({"readings": "readings: [1]"}, "study.yaml:11: readings: found [1], allowed a mapping"),
    ({"constants": "constants: {range_stp: 6}"}, "study.yaml:13: constants.range_stp: found an unknown name, allowed range_step"),
    ({"constants": "constants: {range_step: 0}"}, "study.yaml:13: constants.range_step: found 0, allowed a number from 1 to"),
    ({"constants": "constants: {exploding: 1}"}, "study.yaml:13: constants.exploding: found 1, allowed true or false"),
    ({"constants": "constants: [1]"}, "study.yaml:13: constants: found [1], allowed a mapping"),
    ({"engagements": "engagements: {policies: [first]}"}, "engagements.sizes: found nothing (the key is missing)"),
    ({"engagements": "engagements: {sizes: []}"}, "study.yaml:12: engagements.sizes: found [], allowed a list"),
    ({"engagements": "engagements: {sizes: [0]}"}, "study.yaml:12: engagements.sizes.0: found 0, allowed a whole"),
    ({"engagements": "engagements: {sizes: [2, 2]}"}, "engagements.sizes.1: found 2 a second time, allowed each"),
    ({"engagements": "engagements: {sizes: [1], policies: [fokus]}"}, "found fokus, allowed first, spread, focus, weakest, dangerous, random; did you mean focus?"),
    ({"engagements": "engagements: {sizes: [1], policies: [sprad]}"}, "engagements.policies.0: found sprad"),
    ({"engagements": "engagements: {sizes: [1], turns: 0}"}, "engagements.turns: found 0, allowed a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "wanted"), FAULTS)
def test_a_fault_is_named_with_its_line(tmp_path, lines, wanted):
    errors = errors_of(tmp_path, changed(**lines))
    assert any(wanted in line for line in errors), errors
    assert len(errors) == 1, errors


def test_all_faults_are_listed_at_once(tmp_path):
    text = changed(
        turns="turns: 0", seed="seed: x", range="range: [-3]", readings="readings: {unheard_of: 1}"
    )
    fields = [line.split(": ")[1] for line in errors_of(tmp_path, text)]
    assert fields == ["situations.range.0", "turns", "seed", "readings.unheard_of"]


@pytest.mark.parametrize("name", ["nowhere.yaml", "../gone/nowhere.yml", "x\\0.yaml", "a" * 300 + ".yaml"])
def test_a_sheet_that_is_not_there_is_told_with_its_place_in_the_study(tmp_path, name):
    text = changed(units=f'units:\n  - panther_g\n  - "{name}"\n  - nobody')
    lines = errors_of(tmp_path, text)
    assert lines[0].startswith("study.yaml:5: units.1: found ")
    assert "allowed the path of a sheet file that exists" in lines[0]
    assert lines[1].startswith("study.yaml:6: units.2: found nobody, allowed")


def test_faults_of_a_sheet_are_told_with_its_file(tmp_path):
    (tmp_path / "bad.yaml").write_text("system: blitzkrieg\n", encoding="utf-8")
    errors = errors_of(tmp_path, changed(units="units: [bad.yaml, panther_g]"))
    assert len(errors) > 3
    assert all(line.startswith("bad.yaml:1: ") for line in errors)


@pytest.mark.parametrize(
    "text", ["", "[]", "3", "null", "a: &x 1\nb: *x", "!!python/object:os.system {}", "\0", "{"]
)
def test_what_is_no_study_is_refused(tmp_path, text):
    assert errors_of(tmp_path, text)


@pytest.mark.parametrize("name", ["...yaml", ".hidden.yaml", "\x1b[31m.yaml"])
def test_a_name_that_cannot_be_a_folder_is_refused(tmp_path, name):
    errors = errors_of(tmp_path, GOOD, name)
    assert "\x1b" not in errors[0]
    assert "study: found" in errors[0]


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_study(tmp_path / "gone.yaml", UNITS)


def test_the_shipped_study_is_sound():
    study = read_study(ROOT / "studies" / "panther_vs_sherman.yaml", UNITS)
    assert study.units == ("panther_g", "m4a3_sherman_lp", "sherman_firefly_vc")
    assert {situation.aspect_b for situation, _ in study.situations} == {"front", "front_left", "rear"}
    ranges = {situation.range for situation, _ in study.situations}
    assert {6.0, 12.0, 24.0, 48.0} <= ranges
    assert (min(ranges), max(ranges)) == (6.0, 48.0)
    assert study.engagements is not None
    assert study.engagements.sizes == (1, 2, 3, 4)


BASE: dict[str, Any] = yaml.safe_load(GOOD)
PLACES = [
    ("name",), ("system",), ("units",), ("units", 0), ("situations",), ("situations", "range"), ("situations", "aspect"),
    ("turns",), ("method",), ("precision",), ("seed",), ("readings",), ("engagements",), ("engagements", "sizes"),
    ("engagements", "sizes", 0), ("engagements", "policies"), ("engagements", "turns"),
]  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        ["all", "panther_g", "front", "front,rear", "6,12", "../x.yaml", "exact", "focus", "\x1b[2J"]
    ),
)
KEYS = st.one_of(
    SCALARS, st.sampled_from(["range", "aspect", "aspect_a", "first_fire", "sizes", "constants", "n"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)


@settings(
    deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.sampled_from(PLACES), VALUES, st.sampled_from(["put", "drop", "add"])),
        min_size=1,
        max_size=3,
    )
)
def test_a_mutated_study_is_read_or_refused_in_words(tmp_path, changes):
    value = copy.deepcopy(BASE)
    for place, new, how in changes:
        mutate(value, place, new, how)
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    path = tmp_path / "fuzz.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        study = read_study(path, UNITS)
    except InputError as error:
        lines = str(error).splitlines()
        assert lines
        assert all(": found " in line and line.isprintable() for line in lines)
    else:
        assert study.sheets
        assert sum(weight for _, weight in study.situations) == pytest.approx(1.0)


def mutate(value: Any, place: tuple[Any, ...], new: Any, how: str) -> None:
    """Change, drop or add an entry of nested plain values; places that no longer exist are left alone."""
    try:
        for part in place[:-1]:
            value = value[part]
        if how == "put":
            value[place[-1]] = new
        elif how == "drop":
            del value[place[-1]]
        elif isinstance(value[place[-1]], dict):
            value[place[-1]][str(new)[:20]] = new
        else:
            value[place[-1]].append(new)
    except (KeyError, IndexError, TypeError, AttributeError):
        pass
