"""What holds for the sheets of every rule system."""

from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
from samples import SYSTEMS, compile_sample, sample_sheets, sheet_paths, system_of
from toy_system import SYSTEM as TOY

from simlab.model.document import parse_document
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.model.table import parse_table, write_table
from simlab.studies.paired import fight_digest

for_all_systems = pytest.mark.parametrize("name", SYSTEMS)
VEHICLES = 16
"""Sheets that a system comes with, at least."""


@cache
def all_sheets(name: str) -> tuple[Any, ...]:
    """Every sheet that a system comes with; of the toy, which has no files, its samples."""
    if name == TOY.name:
        return tuple(sample_sheets(name))
    return tuple(system_of(name).load_sheet(path) for path in sheet_paths(name))


@for_all_systems
def test_every_system_has_names_and_aspects(name):
    system = system_of(name)
    assert system.name == name
    assert system.title
    assert system.version.startswith(name)
    assert "front" in system.aspects
    assert system.range_unit
    assert len(set(system.kinds)) == len(system.kinds) > 0
    assert system.caveat == system.caveat.strip()
    assert "\n" not in system.caveat


@for_all_systems
def test_every_system_has_sheets_and_can_show_them(name):
    system = system_of(name)
    assert name == TOY.name or len(all_sheets(name)) >= VEHICLES
    assert len({sheet.id for sheet in all_sheets(name)}) == len(all_sheets(name))
    for sheet in all_sheets(name):
        assert sheet.id
        assert sheet.name
        assert system.gunner_count(sheet) >= 1
        assert sheet.ecv.source in ("rulebook", "draft", "priced")
        assert all(system.gunner_name(sheet, gunner) for gunner in range(system.gunner_count(sheet)))
        assert system.render_sheet(sheet)


@for_all_systems
def test_what_is_a_draft_says_so_and_rules_with_drafts_have_a_caveat(name):
    for sheet in all_sheets(name):
        assert sheet.provenance
        assert sheet.ecv.value is None or sheet.ecv.value > 0
    if name in ("tank_d20", "wwiisim"):
        assert system_of(name).caveat


@for_all_systems
def test_no_two_sheets_fight_under_one_hash(name):
    hashes = [system_of(name).fight_hash(sheet) for sheet in sample_sheets(name)]
    assert len(set(hashes)) == len(hashes)


@for_all_systems
def test_names_and_prices_do_not_matter_in_fights(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        changes = {"name": "Somebody Else", "nation": "Nowhere", "ecv": {"value": 12345.0, "source": "draft"}}
        for field, value in changes.items():
            written = {**yaml.safe_load(system.sheet_text(sheet)), field: value}
            document = parse_document(yaml.safe_dump(written, sort_keys=False).encode(), f"{sheet.id}.yaml")
            other = system.parse_sheet(document)
            assert system.fight_hash(other) == system.fight_hash(sheet)
            assert system.sheet_hash(other) != system.sheet_hash(sheet)
        assert system.replace_fields(sheet, {"name": "Somebody Else"}).name == "Somebody Else" != sheet.name


@for_all_systems
def test_a_changed_sheet_leaves_the_first_as_it_was(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        before = system.sheet_hash(sheet), system.sheet_text(sheet)
        for path, value in system.sheet_numbers(sheet).items():
            try:
                system.replace_fields(sheet, {path: value + 1})
            except InputError:
                continue
        assert (system.sheet_hash(sheet), system.sheet_text(sheet)) == before


@for_all_systems
@pytest.mark.parametrize("semicolon", [False, True])
def test_sheets_are_rows_of_a_table_and_back_without_a_loss(name, semicolon):
    system, sheets = system_of(name), all_sheets(name)
    rows = [system.sheet_to_row(sheet) for sheet in sheets]
    assert system.row_columns[0] == "id"
    assert len(set(system.row_columns)) == len(system.row_columns)
    assert all(set(row) <= set(system.row_columns) for row in rows)
    columns = [column for column in system.row_columns if any(column in row for row in rows)]
    text = write_table(columns, rows, semicolon=semicolon)
    table = parse_table(text.encode(), "x.csv", system.row_columns)
    assert not table.problems
    again = [system.sheet_from_row(row) for row in table.rows]
    assert [sheet.id for sheet in again] == [sheet.id for sheet in sheets]
    assert [system.sheet_hash(sheet) for sheet in again] == [system.sheet_hash(sheet) for sheet in sheets]


@for_all_systems
def test_the_text_of_a_sheet_reads_as_the_sheet(name, tmp_path):
    system = system_of(name)
    for sheet in all_sheets(name):
        path = tmp_path / f"{sheet.id}.yaml"
        path.write_text(system.sheet_text(sheet), encoding="utf-8")
        again = system.load_sheet(path)
        assert system.sheet_hash(again) == system.sheet_hash(sheet)
        assert system.fight_hash(again) == system.fight_hash(sheet)
        assert system.sheet_text(again) == system.sheet_text(sheet)


@for_all_systems
def test_numbers_of_a_sheet_go_up_and_down_by_one_alone_or_are_refused_by_name(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        numbers = system.sheet_numbers(sheet)
        assert len(numbers) >= 5
        changed = set()
        for path, value in numbers.items():
            assert system.field_value(sheet, path) == value
            for step in (1, -1):
                try:
                    other = system.replace_fields(sheet, {path: value + step})
                except InputError as error:
                    assert error.problems[0].field.split(".")[0] == path.split(".")[0]
                    continue
                assert system.sheet_numbers(other) == {**numbers, path: value + step}
                if system.fight_hash(other) != system.fight_hash(sheet):
                    changed.add(path)
        assert len(changed) >= 5
        assert system.field_value(sheet, "no_such_field.0") is None


@for_all_systems
def test_a_field_that_no_sheet_has_is_refused(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        with pytest.raises(InputError, match="no_such_field"):
            system.replace_fields(sheet, {"no_such_field": 1})


@for_all_systems
def test_stats_of_the_formula_as_they_are_leave_the_sheet_as_it_is(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        stats = system.formula_stats(sheet)
        assert len(stats) >= 3
        same = system.with_stats(sheet, stats, "same")
        assert same.id == "same"
        assert system.fight_hash(same) == system.fight_hash(sheet)


@for_all_systems
def test_sheets_made_equal_in_every_stage_fight_alike_and_in_none_stay_as_they_are(name):
    system, sheets = system_of(name), sample_sheets(name)
    options, names = system.options({}), [stage.name for stage in system.stages]
    assert len(set(names)) == len(names) >= 3
    assert all(stage.step and stage.what for stage in system.stages)

    def fights(*pair: Any) -> str:
        return fight_digest(compile_sample(name, pair[:1], pair[1:]))

    for a, b in permutations(sheets, 2):
        for same, sheet in zip(system.equalised(a, b, [], options), (a, b), strict=True):
            assert system.fight_hash(same) == system.fight_hash(sheet)
        one, other = system.equalised(a, b, names, options)
        assert fights(one, other) == fights(one, one)
        assert fights(other, one) == fights(one, one)
        assert fights(a, b) != fights(a, a)
        assert any(fights(*system.equalised(a, b, [each], options)) != fights(a, b) for each in names)


@for_all_systems
def test_knock_outs_have_names_of_their_own_and_change_the_sheet(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        outs = system.knock_outs(sheet)
        assert len({(out.part, out.what) for out in outs}) == len(outs) >= 1
        for out in outs:
            assert out.sheet.id == sheet.id
            assert system.fight_hash(out.sheet) != system.fight_hash(sheet)
            assert compile_sample(name, [out.sheet], [sheet]).can_fire_b


@for_all_systems
@pytest.mark.parametrize(
    "distance", [0.0, *(pytest.param(each, marks=pytest.mark.long) for each in (1.0, 12.0))]
)
def test_with_all_that_fires_knocked_out_a_unit_never_fires(name, distance):
    """Whatever a table makes of the rules, one change at a time."""
    system = system_of(name)
    changes = [
        {reading.name: value}
        for reading in system.readings
        if reading.built and isinstance(reading.values, tuple)
        for value in reading.values
    ]
    for sheet in sample_sheets(name):
        silent = sheet
        while (out := next((o for o in system.knock_outs(silent) if o.what == "never fires"), None)) and (
            system.fight_hash(out.sheet) != system.fight_hash(silent)
        ):
            silent = out.sheet
        assert compile_sample(name, [sheet], [sheet], {}, Situation(distance)).can_fire_a
        for settings in ({}, *changes):
            fight = compile_sample(name, [silent], [sheet], settings, Situation(distance))
            assert not fight.can_fire_a, settings
            assert fight.can_fire_b, settings


@for_all_systems
def test_a_weapon_that_is_knocked_out_fires_no_volley_at_no_range(name):
    system = system_of(name)
    for sheet in sample_sheets(name):
        for out in (out for out in system.knock_outs(sheet) if out.what == "never fires"):
            fight = compile_sample(name, [out.sheet], [sheet], {}, Situation(0.0))
            whole = compile_sample(name, [sheet], [sheet], {}, Situation(0.0))
            assert fight_digest(fight) != fight_digest(whole), out.part


@pytest.fixture
def units(toy: Any, name: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sheet of each of two systems, in a place of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    for each in (name, other):
        system, sheet = system_of(each), sample_sheets(each)[0]
        path = tmp_path / "units" / each / f"of_{each}.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(system.sheet_text(sheet), encoding="utf-8")
    return tmp_path / "units"


PAIRS = list(permutations(SYSTEMS, 2))
for_all_pairs = pytest.mark.parametrize(("name", "other"), PAIRS)


@for_all_pairs
def test_a_sheet_of_another_system_is_refused(units, name, other):
    with pytest.raises(InputError, match="system") as raised:
        system_of(name).load_sheet(units / other / f"of_{other}.yaml")
    assert len(raised.value.problems) == 1


COMMANDS = ("duel", "engage", "odds", "trace", "show", "whatif", "sensitivity", "solve", "why", "export")


def command(verb: str, own: str, foreign: str) -> list[str]:
    """A command line that names a sheet of another system beside one of its own."""
    more = {
        "duel": [foreign, own],
        "engage": [f"1 {own}", f"1 {foreign}"],
        "odds": [own, foreign],
        "trace": [own, foreign],
        "show": [foreign],
        "whatif": [foreign, "ecv=1", "--against", own],
        "sensitivity": [own, "--against", foreign],
        "solve": [foreign, "ecv", "--against", own],
        "why": [own, foreign],
        "export": ["table.csv", own, foreign],
    }
    return [verb, *more[verb]]


@for_all_pairs
@pytest.mark.parametrize("typed", ["path", "id"])
def test_a_command_refuses_a_sheet_of_another_system_in_one_line(units, simlab, name, other, typed):
    """What only shows a sheet, and names its system with its id, mixes nothing."""
    foreign = f"units/{other}/of_{other}.yaml" if typed == "path" else f"{other}/of_{other}"
    for verb in COMMANDS if typed == "path" else [verb for verb in COMMANDS if verb != "show"]:
        said = simlab(*command(verb, f"of_{name}", foreign), "--system", name)
        assert (said.code, said.out) == (2, ""), verb
        assert len(said.errors) == 1, verb
        assert name in said.errors[0], verb
        assert other in said.errors[0], verb


@for_all_pairs
@pytest.mark.parametrize("typed", ["path", "id"])
def test_a_study_refuses_a_sheet_of_another_system_in_one_line(units, simlab, name, other, typed):
    foreign = f"units/{other}/of_{other}.yaml" if typed == "path" else f"{other}/of_{other}"
    Path("mixed.yaml").write_text(
        f"name: Mixed\nsystem: {name}\nunits: [of_{name}, {foreign}]\n"
        "situations: {range: [24], aspect: [front]}\nn: 200\n",
        encoding="utf-8",
    )
    for verb in ("run", "check", "readings"):
        said = simlab(verb, "mixed.yaml")
        assert said.code == 2
        assert len(said.errors) == 1
        assert name in said.errors[0]
        assert other in said.errors[0]
        assert not Path("results").exists()
