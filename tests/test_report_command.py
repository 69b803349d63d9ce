"""`simlab report`: a run of any kind becomes one file, whole or not at all; faults are one line."""

import errno
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from report_frames import made_readings, made_referee, save_run
from report_page import Page
from roster_frames import made_units

from simlab.cli import main
from simlab.lab.reporting import report
from simlab.model.errors import InputError


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two units, with fair numbers."""
    return save_run(tmp_path_factory.mktemp("results") / "paper")


def test_the_command_writes_the_page_of_a_run(run: Path, tmp_path: Path, simlab: Any) -> None:
    said = simlab("report", "paper", "--results", str(run.parent), "-o", str(tmp_path / "deep" / "page.html"))
    assert (said.code, said.errors) == (0, [])
    assert re.fullmatch(rf"report: {tmp_path}/deep/page\.html \(\d+ kB\)\n", said.out)
    page = Page((tmp_path / "deep" / "page.html").read_text(encoding="utf-8"))
    fair = page.rows("fair-table")
    assert [row[:4] for row in fair] == [
        ["Unit 0", "Unit 1", "2", "spread"],
        ["Unit 1", "Unit 0", "2", "spread"],
    ]
    assert 1.0 < float(fair[0][7]) < 1.5
    assert fair[1][7:9] == ["< 0.5", "–"]
    as_json = simlab("report", str(run), "--json", "-o", str(tmp_path / "page.html"))
    told = json.loads(as_json.out)
    assert told == {
        "schema": 1,
        "file": str(tmp_path / "page.html"),
        "bytes": (tmp_path / "page.html").stat().st_size,
    }


def test_the_same_run_gives_the_same_bytes_and_the_folder_is_the_default(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "copy" / "paper")
    first, second = report(run), report("paper", results=tmp_path / "copy")
    assert (first, second) == (run / "report.html", copy / "report.html")
    assert first.read_bytes() == second.read_bytes()
    before = first.stat().st_ino
    first.write_text("something else")
    assert report(run).read_bytes() == second.read_bytes()
    assert first.stat().st_ino != before
    first.unlink()


def test_readings_and_referee_are_found_in_the_folder(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "paper")
    (copy / "readings").mkdir()
    (copy / "readings" / "readings.json").write_text(json.dumps(made_readings(made_units(2))))
    (copy / "referee.json").write_text(json.dumps(made_referee()))
    page = Page(report(copy).read_text(encoding="utf-8"))
    assert page.rows("readings-table")[0][3] == "Unit 0 against Unit 1"
    assert "Passed: 2 of 3" in page.text


@pytest.mark.parametrize("name", ["referee.json", "readings/readings.json"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{", "an unreadable record"),
        ("[]", "a record of another kind"),
        ('{"schema": 2}', "a record of another kind"),
    ],
)
def test_a_record_that_cannot_be_read_is_named(
    run: Path, tmp_path: Path, simlab: Any, name: str, text: str, found: str
) -> None:
    copy = shutil.copytree(run, tmp_path / "paper")
    (copy / name).parent.mkdir(exist_ok=True)
    (copy / name).write_text(text)
    said = simlab("report", str(copy))
    assert said.code == 2
    allowed = "the record of a finished command, or no such file"
    assert said.errors == [f"{copy / name}: run: found {found}, allowed {allowed}"]
    assert not (copy / "report.html").exists()


def test_faulty_arguments_are_one_line(run: Path, tmp_path: Path, simlab: Any) -> None:
    said = simlab("report", "nowhere", "--results", str(tmp_path))
    assert said.code == 2
    assert said.errors == [
        f"RUN: found nowhere, allowed a folder of a finished run, or its name in {tmp_path}"
    ]
    (tmp_path / "file").write_text("")
    for target, words in (
        (tmp_path, "output: found a folder, allowed a file that can be written"),
        (
            tmp_path / "file" / "page.html",
            "file: file: found File exists, allowed a file that can be written",
        ),
    ):
        said = simlab("report", str(run), "-o", str(target))
        assert said.code == 2
        assert len(said.errors) == 1
        assert words in said.errors[0]
    said = simlab("report", str(run), "-o", "")
    assert (said.code, said.errors) == (2, ['--output: found "", allowed a file that can be written'])
    for output in (3, "a\0b", b"x"):
        with pytest.raises(InputError, match="output: found "):
            report(run, output)  # type: ignore[arg-type]


def test_a_full_disk_leaves_the_old_page(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")
    write = Path.write_bytes

    def half(path: Path, content: bytes) -> int:
        write(path, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", half)
        code = main(["report", str(run), "-o", str(target)])
    assert code == 2
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_the_documented_command_does_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, simlab: Any
) -> None:
    text = (Path(__file__).parent.parent / "docs" / "report.md").read_text(encoding="utf-8")
    (command, wanted), *_ = re.findall(r"^\$ simlab (.*)\n(.*)$", text, flags=re.MULTILINE)
    (statements,) = re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    save_run(tmp_path / "results" / "panther_vs_sherman")
    said = simlab(*command.split())
    assert (said.code, said.errors) == (0, [])
    assert re.sub(r"\d+", "210", said.out.rstrip()) == wanted
    page = Path("report.html").read_bytes()
    Path("report.html").unlink()
    exec(statements, {})
    assert Path("report.html").read_bytes() == page
