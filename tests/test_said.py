"""How the command line says things: ids whole, one way to write what was found and what is allowed."""

from pathlib import Path

import pytest
from rich.cells import cell_len
from shell import PAIR, PRINTED, Shell


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no $SIMLAB_UNITS."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return tmp_path


@pytest.mark.parametrize("length", [10, 40, 60, 100])
@pytest.mark.parametrize("name", ["x" * 200, "戦" * 100, "Tank"])
def test_ids_are_never_cut(simlab: Shell, elsewhere: Path, length: int, name: str) -> None:
    folder = elsewhere / "units" / "blitzkrieg"
    folder.mkdir(parents=True)
    text = PRINTED.read_text(encoding="utf-8").replace("name: M4A3 Sherman LP", f"name: {name}")
    text = text.replace("nation: USA", f"nation: {'N' * 60}")
    unit = "i" * length
    (folder / f"{unit}.yaml").write_text(text, encoding="utf-8")
    lines = simlab("units").out.splitlines()
    (row,) = (line for line in lines if line.startswith("iii"))
    assert row.split()[0] == unit
    assert row.endswith("558")
    assert name[:3] in row
    table = lines[: lines.index("")]
    assert max(map(cell_len, table)) <= max(80, length + 8 + 16 + 12 + 9)


@pytest.mark.parametrize(
    "side", ["-1 panther_g", "-1 panther_g, 2 m4a3_sherman_lp", "-2.5 x", "1.5 panther_g"]
)
@pytest.mark.parametrize("place", ["SIDE_A", "SIDE_B"])
def test_a_negative_count_is_a_faulty_side(simlab: Shell, side: str, place: str) -> None:
    sides = [side, "1 panther_g"] if place == "SIDE_A" else ["1 panther_g", side]
    (line,) = simlab("engage", *sides, "--n", "10").errors
    assert line == f'{place}: found "{side}", allowed COUNT UNIT[, COUNT UNIT]..., each count from 1'


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--aspect-a", "frnt"], "--aspect-a: found frnt, allowed front,"),
        (["--aspect-a", ""], '--aspect-a: found "", allowed front,'),
        (["--system", "blitz"], "--system: found blitz, allowed blitzkrieg"),
        (["--n", "0"], "--n: found 0, allowed a whole number from 1 to 10^12"),
        (["--n", "x"], "--n: found x, allowed a whole number from 1 to 10^12"),
        (["--seed", "-1"], "--seed: found -1, allowed a whole number from 0 to 2^63-1"),
        (["--seed", "x"], "--seed: found x, allowed a whole number from 0 to 2^63-1"),
        (["--workers", "0"], "--workers: found 0, allowed a whole number from 1 to 4096"),
        (["--workers", "x"], "--workers: found x, allowed a whole number from 1 to 4096"),
    ],
)
def test_limits_are_written_one_way(simlab: Shell, arguments: list[str], line: str) -> None:
    (said,) = simlab("duel", *PAIR, *arguments).errors
    assert said.startswith(line)


@pytest.mark.parametrize("value", ["-1", "x"])
def test_limits_of_a_trace(simlab: Shell, value: str) -> None:
    (said,) = simlab("trace", *PAIR, "--replicate", value).errors
    assert said == f"--replicate: found {value}, allowed a whole number from 0 to 10^12-1"


def test_each_faulty_unit_is_named(simlab: Shell) -> None:
    first, second = simlab("duel", "panter_g", "x").errors
    assert first.startswith("A: found panter_g, allowed a unit id")
    assert "did you mean panther_g" in first
    assert second.startswith("B: found x, allowed a unit id")


def test_odds_of_a_unit_alone_tell_its_gunners_and_what_they_hit(simlab: Shell) -> None:
    near, far = (simlab("odds", "panther_g", "--range", distance).out for distance in ("24", "36"))
    assert near.startswith("Panther G at 24 inches\n")
    assert "  bow gunner, skill +1" in near.splitlines()
    assert "reaches, at most 30 inches" in near
    assert "out of reach, at most 30 inches" in far
    rows = {line.split()[0]: line.split() for line in near.splitlines() if " or more " in line}
    assert rows["8"][-1] == str(8 - 2 + 1)
    assert rows["8"][3:5] == ["41.6667%", "0%"]
    assert near != far
    assert max(map(len, (near + far).splitlines())) <= 80
    pair = simlab("odds", *PAIR, "--range", "24").out
    assert "range 24 inches, front" in pair


@pytest.mark.parametrize("option", [["--aspect", "rear"], ["--first-fire", "a:1"]])
def test_odds_of_a_unit_alone_refuse_what_needs_a_target(simlab: Shell, option: list[str]) -> None:
    (line,) = simlab("odds", "panther_g", *option).errors
    found = {"rear": "rear", "a:1": '"a:1"'}[option[1]]
    assert line == f"{option[0]}: found {found}, allowed no {option[0]} without a second unit"
