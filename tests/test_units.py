"""Where units are found, how they are listed, shown and checked."""

import os
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from simlab.lab.checking import check
from simlab.lab.roster import (
    find_sheet,
    read_units,
    sheet_files,
    sheet_path,
    show,
    unit_folders,
    units,
)
from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.sheet import Sheet

ROOT = Path(__file__).parent.parent
PRINTED = ROOT / "units" / "blitzkrieg" / "m4a3_sherman_lp.yaml"
EVERY = sorted(path.stem for path in (ROOT / "units" / "blitzkrieg").iterdir())


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no $SIMLAB_UNITS."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return work


def put_sheet(folder: Path, stem: str, name: str = "Sherman", text: str | None = None) -> Path:
    """Write a Sherman of that id and name below `folder`, or `text` instead."""
    path = folder / "blitzkrieg" / f"{stem}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    sherman = PRINTED.read_text(encoding="utf-8").replace("name: M4A3 Sherman LP", f"name: {name}")
    path.write_text(sherman if text is None else text, encoding="utf-8")
    return path


def problems(error: InputError) -> list[str]:
    return str(error).splitlines()


class TestWhereUnitsAreFound:
    def test_the_packaged_units_are_in_reach_from_anywhere(self) -> None:
        assert list(sheet_files()) == EVERY

    def test_an_earlier_folder_hides_a_later_one(
        self, tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folders = {"given": tmp_path / "given", "named": tmp_path / "named", "near": elsewhere / "units"}
        order = [("near", "near"), ("named", "named"), ("given", "given")]
        for place, folder in order:
            put_sheet(folders[folder], "panther_g", name=place)
            if place == "named":
                monkeypatch.setenv("SIMLAB_UNITS", str(folders["named"]))
            wanted = folders["given"] if place == "given" else None
            assert find_sheet("panther_g", units=wanted).name == place
        put_sheet(folders["near"], "only_near", name="near")
        assert find_sheet("only_near", units=folders["given"]).name == "near"
        assert find_sheet("sherman_firefly_vc", units=folders["given"]).name == "Sherman VC Firefly"

    def test_a_folder_is_searched_once(self, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        put_sheet(elsewhere / "units", "mine")
        monkeypatch.setenv("SIMLAB_UNITS", "units")
        resolved = [folder.resolve() for folder in unit_folders("units")]
        assert len(resolved) == len(set(resolved))
        assert resolved[0] == elsewhere / "units"

    def test_an_empty_variable_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SIMLAB_UNITS", "")
        assert list(sheet_files()) == EVERY

    @pytest.mark.parametrize("named", ["units", "SIMLAB_UNITS"])
    def test_a_named_folder_must_exist(self, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
        if named == "SIMLAB_UNITS":
            monkeypatch.setenv(named, "/no/such")
        with pytest.raises(InputError) as caught:
            find_sheet("panther_g", units="/no/such" if named == "units" else None)
        assert problems(caught.value) == [f"{named}: found /no/such, allowed a folder that exists"]


class TestNamingAUnit:
    def test_id_system_and_path_name_the_same_sheet(self) -> None:
        by_id, by_system, by_path = (
            find_sheet(unit) for unit in ("m4a3_sherman_lp", "blitzkrieg/m4a3_sherman_lp", str(PRINTED))
        )
        assert isinstance(by_id, Sheet)
        assert isinstance(by_path, Sheet)
        assert by_id.model_copy(update={"file": ""}) == by_path.model_copy(update={"file": ""})
        assert by_id == by_system
        assert find_sheet(PRINTED) == by_path

    def test_a_sheet_names_itself(self) -> None:
        sheet = find_sheet("panther_g")
        assert find_sheet(sheet) is sheet

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("panter_g", "panther_g"),
            ("Panther_G", "panther_g"),
            ("sherman_firefly", "sherman_firefly_vc"),
            ("blitzkrieg/panther", "panther_g"),
        ],
    )
    def test_the_nearest_id_is_named(self, typed: str, meant: str) -> None:
        with pytest.raises(InputError) as caught:
            find_sheet(typed, field="A")
        (line,) = problems(caught.value)
        assert line.startswith(f"A: found {typed}, allowed a unit id")
        assert f"did you mean {meant}" in line

    @pytest.mark.parametrize(
        "typed",
        [
            "../units/blitzkrieg/panther_g",
            "blitzkrieg/../../etc/passwd",
            "blitzkrieg/../panther_g",
            "/etc/passwd",
            "..",
            ".",
            "",
            "a\0b",
            "\x1b[31m",
            "x" * 5000,
            "panther_g.yaml/",
            "*",
        ],
    )
    def test_nothing_else_opens_a_file(self, typed: str) -> None:
        with pytest.raises(InputError) as caught:
            find_sheet(typed)
        (line,) = problems(caught.value)
        assert line.isprintable()
        assert len(line) < 400

    @pytest.mark.parametrize("typed", ["no.yaml", "../no.yaml", "a\0b.yaml", "x" * 5000 + ".yaml"])
    def test_a_missing_file_is_said_so(self, typed: str) -> None:
        with pytest.raises(InputError) as caught:
            find_sheet(typed)
        assert problems(caught.value)[0].endswith("allowed a sheet file that exists")

    def test_a_hidden_or_foreign_file_has_no_id(self, elsewhere: Path) -> None:
        folder = elsewhere / "units"
        put_sheet(folder, "good")
        (folder / "blitzkrieg" / "notes.txt").write_text("x")
        (folder / "blitzkrieg" / "folder.yaml").mkdir()
        assert list(sheet_files()) == sorted([*EVERY, "good"])

    def test_an_unknown_system_is_named(self) -> None:
        with pytest.raises(InputError, match="system: found"):
            find_sheet("panther_g", system="blitzkreig")

    def test_a_path_keeps_the_name_of_the_file_as_it_is(self, elsewhere: Path) -> None:
        path = put_sheet(elsewhere, "<b>=cmd [red]")
        assert find_sheet(str(path)).id == "<b>=cmd [red]"
        assert sheet_path(path) == path


class TestListing:
    def test_every_unit_is_a_row(self) -> None:
        frame = units()
        assert list(frame["id"]) == EVERY
        three = frame.set_index("id").loc[["m4a3_sherman_lp", "panther_g", "sherman_firefly_vc"]]
        assert list(three["ecv"]) == [558, 996, 676]
        assert list(three["source"]) == ["rulebook", "draft", "draft"]
        assert len(frame) == 38
        assert frame["fight_hash"].str.fullmatch("[0-9a-f]{16}").all()
        assert frame["fight_hash"].is_unique

    def test_sheets_that_fight_alike_are_pointed_out(self, elsewhere: Path) -> None:
        put_sheet(elsewhere / "units", "sherman_again", name="Other name")
        listed = read_units()
        assert listed.alike() == (("m4a3_sherman_lp", "sherman_again"),)
        assert len({unit.sheet_hash for unit in listed.units}) == len(EVERY) + 1

    def test_a_faulty_sheet_does_not_hide_the_others(self, elsewhere: Path) -> None:
        path = put_sheet(elsewhere / "units", "bad", text="system: blitzkrieg\n")
        listed = read_units()
        assert [unit.sheet.id for unit in listed.units] == EVERY
        assert {problem.file for problem in listed.problems} == {str(path.relative_to(elsewhere))}
        with pytest.raises(InputError) as caught:
            units()
        assert caught.value.problems == listed.problems

    def test_no_unit_at_all_is_an_empty_frame(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("simlab.lab.roster.unit_folders", lambda _units=None: ())
        frame = units()
        assert frame.empty
        assert "fight_hash" in frame.columns

    def test_a_sheet_is_drawn(self) -> None:
        assert "M4A3 Sherman LP" in show("m4a3_sherman_lp")
        assert show(PRINTED) == show(find_sheet("m4a3_sherman_lp"))


class TestChecking:
    def test_without_paths_all_units_are_checked(self) -> None:
        report = check()
        everywhere = len(list((ROOT / "units").glob("*/*.yaml")))
        assert everywhere > len(EVERY)
        assert (len(report.files), report.fine, report.problems) == (everywhere, everywhere, ())

    def test_all_errors_of_all_files_come_at_once(self, elsewhere: Path) -> None:
        text = PRINTED.read_text(encoding="utf-8")
        one = put_sheet(elsewhere, "one", text=text.replace("shock_threshold: 3", "shock_treshold: 3"))
        two = put_sheet(elsewhere, "two", text=text.replace("physical: 4", "physical: true"))
        put_sheet(elsewhere, "fine")
        report = check([elsewhere])
        assert len(report.files) == 3
        assert report.fine == 1
        assert [problem.file for problem in report.problems] == [str(one), str(one), str(two)]
        assert any("did you mean shock_threshold" in str(problem) for problem in report.problems)

    @pytest.mark.parametrize("system", ["blitzkrieg", "wwiisim"])
    @pytest.mark.parametrize(
        ("written", "said"),
        [
            ("chess", "system: found chess, allowed blitzkrieg, tank_d20, wwiisim"),
            ("wwiism", "system: found wwiism, allowed blitzkrieg, tank_d20, wwiisim; did you mean wwiisim?"),
            (
                "tank_d2",
                "system: found tank_d2, allowed blitzkrieg, tank_d20, wwiisim; did you mean tank_d20?",
            ),
            (
                "blitzkreig",
                "system: found blitzkreig, allowed blitzkrieg, tank_d20, wwiisim; did you mean blitzkrieg?",
            ),
            ("20", "system: found 20, allowed blitzkrieg, tank_d20, wwiisim"),
            ("[wwiisim]", "system: found [wwiisim], allowed blitzkrieg, tank_d20, wwiisim"),
        ],
    )
    def test_an_unknown_system_of_a_sheet_is_told_with_all_that_there_are(
        self, elsewhere: Path, written: str, said: str, system: str
    ) -> None:
        text = (ROOT / "units" / "wwiisim" / "panther_g.yaml").read_text(encoding="utf-8")
        Path("one.yaml").write_text(text.replace("system: wwiisim", f"system: {written}"), encoding="utf-8")
        problems = check("one.yaml", system=system).problems
        (line,) = (str(problem) for problem in problems if problem.field == "system")
        assert line == f"one.yaml:2: {said}"
        assert written not in ("chess", "wwiism") or len(problems) == 1

    def test_an_unknown_system_that_is_asked_for_is_an_error(self, elsewhere: Path) -> None:
        with pytest.raises(InputError, match=r"system: found wwiism, allowed .*did you mean wwiisim"):
            check(system="wwiism")

    def test_files_and_folders_mix(self, elsewhere: Path) -> None:
        put_sheet(elsewhere / "deep" / "down", "one")
        report = check([elsewhere / "deep", PRINTED])
        assert len(report.files) == report.fine == 2
        assert report.alike == (("one", "m4a3_sherman_lp"),)

    @pytest.mark.parametrize("name", ["missing.yaml", "missing", "a\0b", "x" * 5000])
    def test_a_missing_file_is_a_problem(self, name: str) -> None:
        report = check([name])
        assert report.fine == 0
        assert [problem.file for problem in report.problems] == [name]

    def test_nothing_to_check_is_an_error(self, elsewhere: Path) -> None:
        (elsewhere / "empty").mkdir()
        with pytest.raises(InputError, match="paths: found empty"):
            check(["empty"])

    @pytest.mark.parametrize(
        "content", [b"", b"\0\1\2", b"\xff\xfe", b"- 1\n", b"5\n", b"system: tank_d20\n", b"{" * 5000]
    )
    def test_whatever_a_file_holds_is_a_problem(self, content: bytes, elsewhere: Path) -> None:
        path = elsewhere / "x.yaml"
        path.write_bytes(content)
        report = check([path])
        assert report.fine == 0
        assert all(str(problem).isprintable() for problem in report.problems)

    def test_a_study_is_checked_as_one(self, elsewhere: Path) -> None:
        study = elsewhere / "study.yaml"
        study.write_text(
            "name: x\nsystem: blitzkrieg\nunits: [panther_g]\nsituations: {range: [12], aspect: [front]}\n"
        )
        assert check([study]).fine == 1
        study.write_text(study.read_text().replace("panther_g", "panter_g").replace("front", "frnt"))
        lines = [str(problem) for problem in check([study]).problems]
        assert lines
        assert all(line.startswith(f"{study}:") for line in lines)

    def test_an_unreadable_file_is_a_problem(self, elsewhere: Path) -> None:
        path = put_sheet(elsewhere, "locked")
        link = elsewhere / "loop.yaml"
        os.symlink(link, link)
        path.chmod(0)
        report = check([path, link])
        assert str(link) in {problem.file for problem in report.problems}


def test_a_copy_of_the_units_elsewhere_gives_the_same_hashes(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "units", copy)
    here, there = read_units(), read_units(units=copy)
    assert [unit.sheet_hash for unit in here.units] == [unit.sheet_hash for unit in there.units]
    assert all(unit.file.startswith(str(copy)) for unit in there.units)


def test_verbs_stay_functions_however_often_they_are_used() -> None:
    import simlab

    simlab.find_sheet("panther_g")
    simlab.trace("panther_g", "panther_g", turns=1)
    for verb in simlab.__dir__():
        if verb in simlab.VERBS:
            assert not isinstance(getattr(simlab, verb), ModuleType), verb
