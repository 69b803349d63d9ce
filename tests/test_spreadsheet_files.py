"""The files that `simlab export` and `simlab import` write, all or none, and what the commands say."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from shell import Shell
from unit_tables import ALL, SHERMAN, THREE, rewritten

from simlab.lab.spreadsheet import export_units, import_units
from simlab.model import whole_files
from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.sheet import load_sheet


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no $SIMLAB_UNITS."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return work


class TestFiles:
    def test_an_unchanged_sheet_keeps_its_file(self, elsewhere: Path) -> None:
        folder = elsewhere / "units" / "blitzkrieg"
        folder.mkdir(parents=True)
        text = "# my own words\n" + Path(SHERMAN.file).read_text(encoding="utf-8")
        (folder / "m4a3_sherman_lp.yaml").write_text(text, encoding="utf-8")
        export_units("units.csv")
        for force in (False, True):
            found = import_units("units.csv", force=force)
            assert "m4a3_sherman_lp" in found.same
            assert (folder / "m4a3_sherman_lp.yaml").read_text(encoding="utf-8") == text

    def test_another_sheet_is_overwritten_by_force_alone(self) -> None:
        import_units(rewritten({"id": "x"}))
        before = Path("units/blitzkrieg/x.yaml").read_text(encoding="utf-8")
        rewritten({"armor.front": "9"}, rows=2)
        text = Path("units.csv").read_text(encoding="utf-8").replace("unit_1", "x")
        Path("units.csv").write_text(text, encoding="utf-8")
        with pytest.raises(
            InputError, match=r"^units\.csv:3: id: found x, which units/blitzkrieg/x\.yaml holds oth"
        ):
            import_units("units.csv")
        assert os.listdir("units/blitzkrieg") == ["x.yaml"]
        assert Path("units/blitzkrieg/x.yaml").read_text(encoding="utf-8") == before
        found = import_units("units.csv", force=True)
        assert (found.new, found.changed, found.same) == (("unit_0",), ("x",), ())
        assert load_sheet(Path("units/blitzkrieg/x.yaml")).armor.front == 9
        assert sorted(os.listdir("units/blitzkrieg")) == ["unit_0.yaml", "x.yaml"]

    def test_a_check_writes_nothing(self) -> None:
        found = import_units(rewritten({}, rows=2), check=True)
        assert found.new == ("unit_0", "unit_1")
        assert found.written == ()
        assert os.listdir() == ["units.csv"]

    def test_an_export_overwrites_by_force_alone(self) -> None:
        export_units("units.csv", ["panther_g"])
        before = Path("units.csv").read_bytes()
        with pytest.raises(InputError, match=r"^units\.csv: file: found a file that exists"):
            export_units("units.csv")
        assert Path("units.csv").read_bytes() == before
        export_units("units.csv", force=True)
        assert len(import_units("units.csv", check=True).sheets) == len(ALL)

    def test_an_export_names_all_units_that_it_does_not_find(self) -> None:
        with pytest.raises(InputError) as caught:
            export_units("units.csv", ["panter_g", "tiger", "panther_g"])
        assert len(caught.value.problems) == 2
        with pytest.raises(InputError, match="panther_g again"):
            export_units("units.csv", ["panther_g", "panther_g"])
        assert os.listdir() == []

    @pytest.mark.parametrize("step", ["place", "write"])
    @pytest.mark.parametrize("force", [False, True])
    def test_a_failure_on_the_way_leaves_all_as_it_was(
        self, step: str, force: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """At each file in turn the disk is full."""
        import_units(rewritten({"id": "unit_1"}))
        rewritten({"armor.front": "9"}, rows=4)
        before = Path("units/blitzkrieg/unit_1.yaml").read_bytes()
        if not force:
            Path("units/blitzkrieg/unit_1.yaml").rename("kept.yaml")
        name, plain = ("_place", whole_files._place) if step == "place" else ("fsync", os.fsync)
        for failing in range(4):
            calls = 0

            def full(*arguments: Any, last: int = failing) -> None:
                nonlocal calls
                calls += 1
                if calls > last:
                    raise OSError(28, "No space left on device")
                plain(*arguments)

            with monkeypatch.context() as patch:
                patch.setattr(whole_files if step == "place" else os, name, full)
                with pytest.raises(InputError, match="file: found No space left on device"):
                    import_units("units.csv", force=force)
            assert os.listdir("units/blitzkrieg") == (["unit_1.yaml"] if force else [])
            if force:
                assert Path("units/blitzkrieg/unit_1.yaml").read_bytes() == before
        assert len(import_units("units.csv", force=force).written) == 4
        assert len(os.listdir("units/blitzkrieg")) == 4

    def test_folders_that_were_made_for_nothing_go_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(whole_files, "_place", interrupted)
        with pytest.raises(KeyboardInterrupt):
            import_units(rewritten({}), "a/b")
        assert os.listdir() == ["units.csv"]

    def test_a_file_that_comes_up_meanwhile_is_not_overwritten(self, monkeypatch: pytest.MonkeyPatch) -> None:
        plain = whole_files._place

        def raced(fresh: Path, path: Path, replace: bool) -> None:
            path.write_text("mine")
            plain(fresh, path, replace)

        monkeypatch.setattr(whole_files, "_place", raced)
        with pytest.raises(InputError, match="found a file that exists"):
            import_units(rewritten({"id": "x"}))
        assert Path("units/blitzkrieg/x.yaml").read_text() == "mine"

    def test_file_systems_without_links(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(*_: object, **__: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", refused)
        import_units(rewritten({}, rows=2))
        rewritten({"armor.front": "9"}, rows=3)
        import_units("units.csv", force=True)
        assert sorted(os.listdir("units/blitzkrieg")) == ["unit_0.yaml", "unit_1.yaml", "unit_2.yaml"]
        assert load_sheet(Path("units/blitzkrieg/unit_0.yaml")).armor.front == 9

    def test_a_place_that_cannot_be_written_is_one_line(self, simlab: Shell) -> None:
        Path("taken").write_text("a file")
        rewritten({})
        for arguments in (["import", "units.csv", "--out", "taken"], ["export", "taken/units.csv"]):
            said = simlab(*arguments)
            assert said.code == 2
            assert len(said.errors) == 1


class TestCommands:
    def test_there_and_back(self, simlab: Shell) -> None:
        assert simlab("export", "units.csv", *THREE).out == "3 units in units.csv\n"
        assert simlab("import", "units.csv", "--check").out == (
            "3 units in units.csv, all fine\nunits/blitzkrieg: 3 new; nothing written\n"
            + "".join(f"  new: {unit}\n" for unit in THREE)
        )
        assert simlab("import", "units.csv").code == 0
        assert simlab("import", "units.csv").out == (
            "3 units in units.csv, all fine\nunits/blitzkrieg: 3 unchanged\n"
        )
        assert simlab("check", "units").out == "3 files checked, all fine\n"

    def test_units_that_fight_alike_are_pointed_out(self, simlab: Shell) -> None:
        rewritten({"name": "Twin"}, rows=2)
        said = simlab("import", "units.csv")
        assert said.code == 0
        assert said.out.splitlines()[-1] == "fight alike: unit_0, unit_1"
        assert simlab("check", "units").out.splitlines()[-1] == "fight alike: unit_0, unit_1"

    def test_faults_go_to_standard_error(self, simlab: Shell) -> None:
        said = simlab("import", rewritten({"armor.front": "x"}))
        assert (said.code, said.out) == (2, "")
        assert said.errors == ["units.csv:2: armor.front: found x, allowed a whole number from 0 to 63"]

    def test_names_cannot_steer_the_terminal(self, simlab: Shell) -> None:
        said = simlab("import", rewritten({"id": "[red]=x\u202e"}))
        assert said.code == 2
        assert all(line.isprintable() for line in said.errors)
        assert "[red]=x" in simlab("import", rewritten({"id": "[red]=x"})).out

    def test_the_verbs_are_there_in_python(self) -> None:
        import simlab as package

        assert package.export_units("units.csv", [SHERMAN]).ids == ("m4a3_sherman_lp",)
        assert package.import_units("units.csv", check=True).sheets[0].name == "M4A3 Sherman LP"


@pytest.mark.long
def test_a_thousand_units_take_a_few_seconds() -> None:
    """In processor time, which other work on the machine does not stretch."""
    sheets = [SHERMAN.model_copy(update={"id": f"unit_{number}"}) for number in range(1000)]
    start = time.process_time()
    export_units("units.csv", sheets)
    exported = time.process_time()
    assert len(import_units("units.csv").written) == 1000
    assert exported - start < 3
    assert time.process_time() - exported < 10
