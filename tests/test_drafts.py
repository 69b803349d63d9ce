"""Sheets from facts: the printed numbers come out, and the committed drafts are what the facts give."""

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from shell import Shell

import simlab
from simlab.lab.drafting import compare_drafts, facts_folder, write_drafts
from simlab.model.document import parse_document
from simlab.model.errors import InputError
from simlab.rules.blitzkrieg import draft_formulas as formulas
from simlab.rules.blitzkrieg.draft import draft_sheet
from simlab.rules.blitzkrieg.draft_parts import manifest, placed_guns
from simlab.rules.blitzkrieg.sheet import Sheet, canonical, fight_hash, load_sheet, parse_sheet, to_mapping
from simlab.rules.blitzkrieg.sheet_text import LAYOUT
from simlab.rules.common.facts import FactsRow, read_facts

ROOT = Path(__file__).parent.parent
UNITS = ROOT / "units" / "blitzkrieg"
FACTS = read_facts(ROOT / "units" / "facts")
DRAFTS = {identity: draft_sheet(row) for identity, row in FACTS.items()}
PRINTED = "m4a3_sherman_lp"


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command line as a function."""
    return Shell(capsys)


for_all = pytest.mark.parametrize("identity", list(FACTS))


def changed(identity: str, **cells: Any) -> FactsRow:
    """A row of facts with other cells of the vehicle."""
    row = FACTS[identity]
    vehicle = row.vehicle.model_copy(update=cells)
    return FactsRow(vehicle, row.gun, row.file, row.line, row.unverified)


def printed_part(sheet: Sheet) -> dict[str, Any]:
    """What of a sheet shall be printed: all but names, provenance and where the price comes from."""
    values = canonical(sheet)
    for key in ("id", "name", "nation", "provenance"):
        del values[key]
    del values["ecv"]["source"]
    for part in (*values["weapons"], *values["gunners"]):
        del part["name"]
    return values


class TestWhatTheBookPrints:
    def test_the_draft_of_the_sherman_is_the_printed_sheet(self) -> None:
        printed = load_sheet(UNITS / f"{PRINTED}.yaml")
        assert printed.ecv.source == "rulebook"
        assert printed_part(DRAFTS[PRINTED].sheet) == printed_part(printed)
        assert fight_hash(DRAFTS[PRINTED].sheet) == fight_hash(printed)

    def test_tiger_ii_and_stuart(self) -> None:
        tiger, stuart = (DRAFTS[identity].sheet for identity in ("tiger_ii", "m5a1_stuart"))
        people = tiger.defense.anti_personnel
        assert (people.front_back, people.sides) == (25, 19)
        movement = stuart.movement
        assert (movement.speed, movement.extra_maneuverable, movement.road) == (12, True, 19)


class TestCommittedDrafts:
    def test_every_row_has_a_sheet_and_every_sheet_a_row(self) -> None:
        assert sorted(FACTS) == sorted(path.stem for path in UNITS.iterdir())
        assert len(FACTS) == 38

    @for_all
    def test_the_file_is_what_the_facts_give(self, identity: str) -> None:
        path = UNITS / f"{identity}.yaml"
        if identity == PRINTED:
            return
        assert path.read_text(encoding="utf-8") == DRAFTS[identity].text
        sheet = load_sheet(path)
        assert sheet.ecv.is_draft
        assert to_mapping(sheet) == to_mapping(DRAFTS[identity].sheet)

    def test_no_number_hangs_on_the_last_digits_of_a_float(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No rounded value lies on a half but those that are halves by whole numbers: another libm changes nothing."""
        near: list[float] = []

        def watched(value: float) -> int:
            gap = abs(value - math.floor(value) - 0.5)
            if gap < 1e-9 and value != math.floor(value) + 0.5:
                near.append(value)
            return math.floor(value + 0.5)

        monkeypatch.setattr(formulas, "half_up", watched)
        for identity, row in FACTS.items():
            assert draft_sheet(row).text == DRAFTS[identity].text
        assert near == []

    @for_all
    def test_every_number_is_explained(self, identity: str) -> None:
        draft = DRAFTS[identity]
        told = {step.field: step.value for step in draft.steps}
        assert len(told) == len(draft.steps)
        mapping = to_mapping(draft.sheet)
        for path, value in leaves(mapping, ()):
            if isinstance(value, bool) or not isinstance(value, int | float) or "lines" in path:
                continue
            assert float(told[".".join(path)]) == value
        assert all(step.formula and step.basis for step in draft.steps)

    def test_unverified_facts_are_marked_in_the_explanation(self) -> None:
        steps = {step.field: step.inputs for step in DRAFTS["panther_g"].steps}
        assert steps["defense.ballistic.front_back"] == (
            "width_m 3.42 (unverified)",
            "height_m 2.99 (unverified)",
        )
        assert steps["shock_threshold"] == ("weight_t 44.8",)


def leaves(value: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Any]]:
    """All scalars below a value with their paths."""
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if inner is None:
        return [(path, value)]
    return [leaf for key, part in inner for leaf in leaves(part, (*path, str(key)))]


class TestManifest:
    @pytest.mark.parametrize(
        ("guns", "fixed", "keys", "lines"),
        [
            (
                "coaxial bow pintle",
                False,
                ["coaxial", "pintle_mg"],
                {7: "coaxial", 6: "pintle_mg", 5: "pintle_mg"},
            ),
            ("coaxial bow", False, ["coaxial", "bow_mg"], {7: "coaxial", 6: "bow_mg", 5: "bow_mg"}),
            ("coaxial", False, ["coaxial"], {7: "coaxial", 6: None, 5: None}),
            ("bow", True, ["bow_mg"], {7: "bow_mg", 6: None, 5: None}),
            ("bow pintle", True, ["bow_mg", "pintle_mg"], {7: "bow_mg", 6: "pintle_mg", 5: "pintle_mg"}),
            ("pintle", True, ["pintle_mg"], {7: None, 6: "pintle_mg", 5: "pintle_mg"}),
            ("", True, [], {7: None, 6: None, 5: None}),
        ],
    )
    def test_places(self, guns: str, fixed: bool, keys: list[str], lines: dict[int, str | None]) -> None:
        every = {gun.place: gun for row in FACTS.values() for gun in row.vehicle.secondary}
        secondary = tuple(every[place] for place in guns.split())
        row = changed("tiger_ii", secondary=secondary, turret="fixed" if fixed else "full")
        assert list(placed_guns(row.vehicle)) == keys
        on_line = {line: item for item in manifest(row.vehicle) for line in item["lines"]}
        assert {line: on_line.get(line, {}).get("weapon") for line in lines} == lines
        assert on_line[12]["item"] == ("other" if fixed else "turret")
        sheet = draft_sheet(row).sheet
        assert {weapon.mount for weapon in sheet.weapons.values()} <= {"turret", "fixed", "bow", "pintle"}
        assert sheet.weapons["cannon"].mount == ("fixed" if fixed else "turret")

    def test_a_heavy_machine_gun_hits_harder(self) -> None:
        assert DRAFTS["is2_late"].sheet.weapons["pintle_mg"].mid == (2, 1, 1)
        assert DRAFTS["hetzer"].sheet.weapons["pintle_mg"].mid == (1, 1, 0)


class TestWriting:
    def test_drafts_are_written_once_and_printed_sheets_never(self, tmp_path: Path) -> None:
        drafts = simlab.drafts(["tiger_ii", PRINTED])
        folder = tmp_path / "blitzkrieg"
        folder.mkdir()
        shutil.copy(UNITS / f"{PRINTED}.yaml", folder)
        done = write_drafts(drafts, tmp_path, force=True)
        assert [each.state for each in done.compared] == ["new", "kept"]
        assert done.written == (folder / "tiger_ii.yaml",)
        assert (folder / f"{PRINTED}.yaml").read_bytes() == (UNITS / f"{PRINTED}.yaml").read_bytes()
        assert write_drafts(drafts, tmp_path).written == ()

    def test_a_draft_that_differs_needs_force(self, tmp_path: Path) -> None:
        drafts = simlab.drafts("tiger_ii")
        path = tmp_path / "blitzkrieg" / "tiger_ii.yaml"
        write_drafts(drafts, tmp_path)
        path.write_text(path.read_text().replace("shock_threshold: 6", "shock_threshold: 7"))
        (compared,) = compare_drafts(drafts, tmp_path)
        assert (compared.state, compared.alike) == ("changed", False)
        assert compared.differences == (("shock_threshold", "7", "6"),)
        with pytest.raises(InputError, match="or force to overwrite it"):
            write_drafts(drafts, tmp_path)
        assert write_drafts(drafts, tmp_path, force=True).written == (path,)
        assert path.read_text(encoding="utf-8") == DRAFTS["tiger_ii"].text

    def test_a_faulty_file_is_named_and_left(self, tmp_path: Path) -> None:
        path = tmp_path / "blitzkrieg" / "hetzer.yaml"
        path.parent.mkdir()
        path.write_text("system: blitzkrieg\n")
        with pytest.raises(InputError) as caught:
            write_drafts(simlab.drafts("hetzer"), tmp_path, force=True)
        assert {problem.file for problem in caught.value.problems} == {str(path)}
        assert path.read_text() == "system: blitzkrieg\n"

    def test_a_draft_fights_at_once(self) -> None:
        made = simlab.draft("tiger_ii")
        duel = simlab.duel(made.sheet, "tiger_ii", n=50, workers=1)
        assert duel.sheets["a"]["fight_hash"] == duel.sheets["b"]["fight_hash"]
        frame = made.to_frame().set_index("field")
        assert frame.loc["defense.anti_personnel.front_back", "value"] == "25"

    @pytest.mark.parametrize("wrong", ["tiger_3", "all", "", None, 5, [], ["tiger_ii", "x"]])
    def test_wrong_ids(self, wrong: Any) -> None:
        with pytest.raises(InputError):
            simlab.draft(wrong)
        if wrong != "all":
            with pytest.raises(InputError):
                simlab.drafts(wrong)

    @pytest.mark.parametrize("wrong", ["/no/such", 5, "", b"x", "a\0b"])
    def test_wrong_folders(self, wrong: Any) -> None:
        with pytest.raises(InputError, match="facts"):
            simlab.drafts(facts=wrong)
        assert facts_folder().name == "facts"


class TestCommand:
    def test_a_sheet_is_drawn_and_explained(self, shell: Shell) -> None:
        drawn = shell("draft", "tiger_ii").out
        assert drawn == shell("show", "tiger_ii").out
        told = shell("draft", "tiger_ii", "--explain").out
        assert told.startswith(drawn)
        assert (
            "armor.front = 19\n    (effective mm - 28) / 12, at least 1  [fitted]\n    effective 259.7\n"
            in told
        )
        assert max(map(len, told.splitlines())) <= 80

    def test_all_are_checked(self, shell: Shell, tmp_path: Path) -> None:
        said = shell("draft", "all", "--check", "--out", str(ROOT / "units"))
        assert (said.code, said.errors) == (0, [])
        assert said.out.endswith("38 sheets drafted, 37 in the files as drafted\n")
        said = shell("draft", "tiger_ii", "--check", "--out", str(tmp_path))
        assert (said.code, said.out) == (1, "tiger_ii: no file\n1 sheet drafted, 0 in the files as drafted\n")

    def test_sheets_are_written(self, shell: Shell, tmp_path: Path) -> None:
        said = shell("draft", "tiger_ii", "kv1", "--out", str(tmp_path / "new"))
        assert said.code == 0
        assert "2 sheets drafted" in said.out
        assert shell("check", str(tmp_path / "new")).code == 0

    @pytest.mark.parametrize(
        ("arguments", "wanted"),
        [
            (["tiger"], "ID: found tiger, allowed a vehicle in the facts, or all; did you mean tiger_ii?"),
            (["all", "--facts", "/no/such"], "--facts: found /no/such, allowed a folder with the facts"),
            (["all", "--force"], "--force: found --force, allowed beside --out and without --check"),
            (
                ["kv1", "--explain", "--check"],
                "--explain: found --explain, allowed without --out and --check",
            ),
        ],
    )
    def test_what_cannot_be_done(self, shell: Shell, arguments: list[str], wanted: str) -> None:
        said = shell("draft", *arguments)
        assert (said.code, said.out) == (2, "")
        assert said.errors == [wanted]


def test_a_number_beyond_a_sheet_is_named_with_the_row() -> None:
    row = changed("tiger_ii", hull_front_mm=1000.0, hull_front_deg=70.0)
    with pytest.raises(InputError) as caught:
        draft_sheet(row)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{row.file}:{row.line}: tiger_ii.")
    assert any("tiger_ii.armor.front: found 4" in line and "from 0 to 63" in line for line in lines)


@for_all
def test_the_text_of_a_sheet_reads_as_the_sheet(identity: str) -> None:
    mapping = to_mapping(DRAFTS[identity].sheet)
    again = parse_sheet(parse_document(LAYOUT.text(mapping, "x").encode(), f"{identity}.yaml"))
    assert to_mapping(again) == mapping
