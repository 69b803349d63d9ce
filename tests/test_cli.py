"""The command line: what it accepts, how it refuses, what it prints and how fast it starts."""

import io
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from shell import PAIR, PRINTED, ROOT, Shell, in_process

from simlab.cli.progress import CLEAR_LINE, Progress

COMMANDS = (
    *(
        "units",
        "show",
        "check",
        "export",
        "import",
        "draft",
        "duel",
        "engage",
        "odds",
        "trace",
        "whatif",
        "sensitivity",
        "solve",
        "why",
        "run",
        "price",
        "formula",
        "appraise",
        "status",
        "plot",
        "report",
    ),
    *("readings", "compare", "across", "referee"),
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no $SIMLAB_UNITS."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return work


class TestHelp:
    @pytest.mark.parametrize("command", COMMANDS)
    @pytest.mark.parametrize("option", ["--help", "-h"])
    def test_every_command_shows_an_example(self, simlab: Shell, command: str, option: str) -> None:
        said = simlab(command, option)
        assert said.code == 0
        assert f"Usage: simlab {command} " in said.out
        assert f"  simlab {command}" in said.out.split("Example:")[1]
        assert max(map(len, said.out.splitlines())) <= 90

    def test_the_first_help_lists_all_commands_in_full(self, simlab: Shell) -> None:
        said = simlab("--help")
        listed = said.out.split("Commands:")[1]
        assert [line.split()[0] for line in listed.split("\n") if line.strip()] == list(COMMANDS)
        assert "..." not in listed

    def test_version(self, simlab: Shell) -> None:
        from simlab import __version__

        assert simlab("--version").out == f"simlab {__version__}\n"

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_example_is_a_command_line_that_parses(self, simlab: Shell, command: str) -> None:
        example = simlab(command, "--help").out.split("Example:")[1].strip()
        assert example.startswith(f"simlab {command}")
        words = [word for word in example.split() if word.startswith("--")]
        assert all(word in simlab(command, "--help").out.split("Example:")[0] for word in words)


class TestUsage:
    """Every fault of usage is exit 2, nothing on standard output, one plain line each."""

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            ([], "command: found nothing, allowed units, show, check, export"),
            (["--"], "usage: found Missing command"),
            (["duell"], "command: found duell, allowed units, show"),
            ([""], 'command: found "", allowed units'),
            (["--rnge"], "option: found --rnge, allowed --version"),
            (["duel"], "A: found nothing, allowed a unit"),
            (["duel", "panther_g"], "B: found nothing, allowed the other unit"),
            (["duel", *PAIR, "tiger", "x"], "arguments: found tiger x, allowed nothing after A B"),
            (["duel", *PAIR, "--rnge", "3"], "option: found --rnge, allowed --range"),
            (["duel", *PAIR, "-1"], "option: found -1, allowed --range"),
            (["duel", *PAIR, "--range"], "--range: found nothing after it, allowed a value"),
            (["duel", *PAIR, "--range", "x"], "--range: found x, allowed a finite number from 0 to 999"),
            (["duel", *PAIR, "--range", ""], '--range: found "", allowed a finite number from 0 to 999'),
            (["duel", *PAIR, "--range", "1_0"], '--range: found "1_0", allowed a finite'),
            (["duel", *PAIR, "--range", "٣"], '--range: found "٣", allowed a finite'),
            (["duel", *PAIR, "--range", "--exact"], "--range: found --exact, allowed a finite"),
            (["duel", *PAIR, "--turns", "1.5"], "--turns: found 1.5, allowed a whole number from 1 to 1000"),
            (["duel", *PAIR, "--n", "1e6"], "--n: found 1e6, allowed a whole number from 1 to 10^12"),
            (["duel", *PAIR, "--n", "9" * 5000], "--n: found 999"),
            (
                ["duel", *PAIR, "--seed", "0x1"],
                '--seed: found "0x1", allowed a whole number from 0 to 2^63-1',
            ),
            (
                ["duel", *PAIR, "--workers", "two"],
                "--workers: found two, allowed a whole number from 1 to 4096",
            ),
            (["duel", *PAIR, "--bound", "small"], "--bound: found small, allowed a number"),
            (["duel", *PAIR, "--set", "wrap"], "--set: found wrap, allowed name=value"),
            (["duel", *PAIR, "--set", "=x"], '--set: found "=x", allowed name=value'),
            (["duel", *PAIR, "--set", "a=1", "--set", "a=2"], '--set: found "a=2", allowed one value for a'),
            (["units", "--json=yes"], ""),
            (["show", "panter_g"], "UNIT: found panter_g, allowed a unit id"),
            (["show", "panther_g", "--system", "blitzkreig"], "--system: found"),
            (
                ["show", "panther_g", "--units", "nowhere"],
                "--units: found nowhere, allowed a folder that exists",
            ),
        ],
    )
    def test_one_plain_line(self, simlab: Shell, arguments: Sequence[str], line: str) -> None:
        said = simlab(*arguments)
        assert said.code == 2
        assert said.out == ""
        assert len(said.errors) == 1
        assert said.errors[0].startswith(line)

    @pytest.mark.parametrize(
        ("arguments", "meant"),
        [
            (["duell"], "duel"),
            (["duel", *PAIR, "--rnge", "3"], "--range"),
            (["duel", *PAIR, "--aspekt-a", "front"], "--aspect-a"),
            (["engage", "1 a", "1 b", "--policy_a=first"], "--policy-a"),
            (["show", "panter_g"], "panther_g"),
            (["show", "panther_g", "--system", "blitzkreig"], "blitzkrieg"),
        ],
    )
    def test_the_nearest_spelling_is_offered(
        self, simlab: Shell, arguments: Sequence[str], meant: str
    ) -> None:
        (line,) = simlab(*arguments).errors
        assert f"; did you mean {meant}" in line

    def test_all_faults_of_a_line_come_at_once(self, simlab: Shell) -> None:
        said = simlab("duel", *PAIR, "--range", "x", "--turns", "y", "--set", "z", "--n", "w")
        assert [line.split(":")[0] for line in said.errors] == ["--range", "--turns", "--n", "--set"]

    def test_nothing_is_wrapped_or_framed(self) -> None:
        said = in_process("show", "y" * 300)
        assert said.returncode == 2
        assert said.stdout == ""
        (line,) = said.stderr.splitlines()
        assert line.startswith("UNIT: found yyy")

    @pytest.mark.parametrize("typed", ["\x1b[31mred\x1b[0m", "\u202etxt", "a\nb", "\udc80"])
    def test_what_was_typed_cannot_steer_the_terminal(self, simlab: Shell, typed: str) -> None:
        for arguments in (
            ["show", typed],
            [typed],
            ["duel", *PAIR, "--range", typed],
            ["duel", *PAIR, f"--{typed}"],
        ):
            (line,) = simlab(*arguments).errors
            assert line.isprintable()


class TestUnits:
    def test_units_are_listed_with_their_prices(self, simlab: Shell) -> None:
        said = simlab("units")
        assert said.code == 0
        rows = [line.split() for line in said.out.splitlines()]
        assert rows[0] == ["id", "name", "nation", "ECV"]
        last = {row[0]: row[-2:] for row in rows if len(row) > 2}
        assert last["m4a3_sherman_lp"] == ["USA", "558"]
        assert last["panther_g"] == ["996", "(draft)"]
        assert "(draft): an estimate" in said.out

    def test_units_as_json(self, simlab: Shell) -> None:
        found = json.loads(simlab("units", "--json").out)
        assert [unit["id"] for unit in found["units"]] == sorted(
            path.stem for path in PRINTED.parent.iterdir()
        )
        assert found["schema"] == 1
        assert '"id": "m4a3_sherman_lp"' in simlab("units", "--json").out
        assert '"ecv": 558,' in simlab("units", "--json").out

    def test_a_faulty_sheet_is_said_beside_the_good_ones(self, simlab: Shell, elsewhere: Path) -> None:
        folder = elsewhere / "units" / "blitzkrieg"
        folder.mkdir(parents=True)
        (folder / "bad.yaml").write_text("system: blitzkrieg\nkind: vehicle\n")
        said = simlab("units")
        assert said.code == 2
        assert all(line.startswith("units/blitzkrieg/bad.yaml:") for line in said.errors)
        assert "panther_g" in said.out

    def test_hostile_names_are_text(self, simlab: Shell, elsewhere: Path) -> None:
        folder = elsewhere / "units" / "blitzkrieg"
        folder.mkdir(parents=True)
        text = PRINTED.read_text(encoding="utf-8").replace(
            "name: M4A3 Sherman LP", 'name: "[red]<b>=1+1:smile:[/red]"'
        )
        (folder / "=cmd[bold].yaml").write_text(text, encoding="utf-8")
        (folder / "\x1b[31m.yaml").write_text(text, encoding="utf-8")
        said = simlab("units")
        assert said.code == 2
        (line,) = said.errors
        assert line.startswith("units/blitzkrieg/\\x1b[31m.yaml: id: found")
        assert line.isprintable()
        assert "=cmd[bold]" in said.out
        assert "[red]<b>=1+1:smile:[/red]" in said.out
        assert said.out.replace("\n", "").isprintable()
        assert "fight alike: =cmd[bold], m4a3_sherman_lp" in said.out
        assert max(map(len, said.out.splitlines())) <= 80

    def test_show_draws_a_sheet(self, simlab: Shell) -> None:
        said = simlab("show", "panther_g")
        assert said.code == 0
        assert "ECV 996 (draft)" in said.out
        assert simlab("show", str(PRINTED)).out == simlab("show", "blitzkrieg/m4a3_sherman_lp").out

    def test_check(self, simlab: Shell, elsewhere: Path) -> None:
        files = list((ROOT / "units").glob("*/*.yaml"))
        first, *alike = simlab("check").out.splitlines()
        assert first == f"{len(files)} files checked, all fine"
        assert all(line.startswith("fight alike: wwiisim/") for line in alike)
        (elsewhere / "bad.yaml").write_text(PRINTED.read_text(encoding="utf-8").replace("armor:", "armour:"))
        said = simlab("check", str(PRINTED), "bad.yaml")
        assert said.code == 2
        assert said.out == "2 files checked, 1 fine, 1 faulty\n"
        assert all(line.startswith("bad.yaml:") for line in said.errors)
        assert any("did you mean armor?" in line for line in said.errors)


class TestStreams:
    def test_a_reader_that_leaves_is_no_error(self) -> None:
        script = f"{sys.executable} -m simlab show panther_g | head -1; exit ${{PIPESTATUS[0]}}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        said = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, env=environment, check=False
        )
        assert said.returncode == 0
        assert said.stdout.startswith("╔")
        assert said.stderr == ""

    @pytest.mark.parametrize("arguments", ["show panther_g", "--help", "units --json", "duel --help"])
    def test_a_reader_that_never_comes_is_no_error(self, arguments: str) -> None:
        script = f"{sys.executable} -m simlab {arguments} | true; exit ${{PIPESTATUS[0]}}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        said = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, env=environment, check=False
        )
        assert (said.returncode, said.stderr) == (0, "")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
    def test_a_full_disk_is_one_line(self) -> None:
        script = f"{sys.executable} -m simlab show panther_g > /dev/full"
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        said = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, env=environment, check=False
        )
        assert said.returncode == 2
        assert len(said.stderr.splitlines()) == 1

    @pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.long)])
    def test_any_encoding_will_do(self, encoding: str) -> None:
        script = f"{sys.executable} -m simlab show panther_g"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
        said = subprocess.run(["bash", "-c", script], capture_output=True, env=environment, check=False)
        assert said.returncode == 0
        assert b"996 (draft)" in said.stdout

    def test_python_m_does_the_same(self, simlab: Shell) -> None:
        said = in_process("show", "panther_g")
        assert (said.returncode, said.stdout) == (0, simlab("show", "panther_g").out)

    def test_an_interrupt_is_one_line(self, simlab: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object, **__: object) -> str:
            raise KeyboardInterrupt

        monkeypatch.setattr("simlab.lab.roster.show", interrupted)
        said = simlab("show", "panther_g")
        assert (said.code, said.out, said.errors) == (130, "", ["interrupted"])


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class TestProgress:
    def test_a_terminal_sees_a_line_that_goes_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stderr", Terminal())
        with Progress() as progress:
            progress(999, 1000)
            progress(1000, 1000)
        shown = sys.stderr.getvalue()  # type: ignore[attr-defined]
        assert shown == f"{CLEAR_LINE}999 of 1,000 fights (99%){CLEAR_LINE}"

    def test_what_is_under_way_cannot_steer_the_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stderr", Terminal())
        Progress("parts")(1, 2, "\x1b[2J" + "x" * 200)
        shown = sys.stderr.getvalue().removeprefix(CLEAR_LINE)  # type: ignore[attr-defined]
        assert shown.isprintable()
        assert len(shown) < 80

    def test_a_file_gets_no_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        with Progress() as progress:
            progress(1, 2)
        assert capsys.readouterr() == ("", "")


class TestStart:
    @pytest.mark.long
    def test_help_is_quick(self) -> None:
        """In processor time, which other work on the machine does not stretch."""
        times = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            in_process("--help")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert min(times) < 0.4

    @pytest.mark.parametrize(
        ("arguments", "heavy"),
        [
            (["--help"], {"pandas", "matplotlib", "numba", "numpy", "rich", "pydantic"}),
            (["duel", "--help"], {"pandas", "matplotlib", "numba", "numpy", "rich"}),
            (["show", "panther_g"], {"pandas", "matplotlib", "numba"}),
            (["units"], {"pandas", "matplotlib"}),
            (["trace", *PAIR], {"pandas", "matplotlib", "numba"}),
            (["duel", *PAIR, "--n", "10"], {"pandas", "matplotlib", "scipy.linalg"}),
        ],
    )
    def test_nothing_heavy_is_imported_early(self, arguments: Sequence[str], heavy: set[str]) -> None:
        code = (
            "import sys; from simlab.cli import main; main(sys.argv[1:]);print(*sys.modules, file=sys.stderr)"
        )
        said = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
        )
        assert not heavy & set(said.stderr.split())
