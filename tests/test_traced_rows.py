"""A row of a run says everything about its fight: what is said beside it is refused, never ignored."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from shell import PAIR, Shell

import simlab as api
from simlab.model.errors import InputError

STUDY = """
name: Small
system: blitzkrieg
units: [panther_g, m4a3_sherman_lp]
situations: {range: [12], aspect: [front]}
n: 50
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results with one small run."""
    work = tmp_path_factory.mktemp("work")
    (work / "small.yaml").write_text(STUDY)
    api.run(work / "small.yaml", results=work / "results", workers=1)
    return work / "results"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--range", "24"],
        ["--range", "12"],
        ["--aspect-a", "front"],
        ["--aspect-b", "rear"],
        ["--first-fire", "a:2"],
        ["--turns", "12"],
        ["--policy-a", "first"],
        ["--policy-b", "spread"],
        ["--set", "manifest_overflow=wrap"],
        ["--dice", "1+2"],
        ["--system", "blitzkrieg"],
        ["--seed", "2"],
        ["--replicate", "50"],
    ],
    ids=" ".join,
)
def test_the_command_refuses_what_the_row_says(simlab: Shell, folder: Path, arguments: Sequence[str]) -> None:
    run = str(folder / "small")
    assert simlab("trace", run, "--row", "1").code == 0
    said = simlab("trace", run, "--row", "1", *arguments)
    assert (said.code, said.out) == (2, "")
    (line,) = said.errors
    option, typed = arguments
    found = typed if typed.isalnum() else f'"{typed}"'
    assert line == f"{option}: found {found}, allowed no {option} for a row of a run: the study says it" or (
        option in ("--seed", "--replicate") and line.startswith(f"{option}: found {typed}, allowed ")
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"range": 24.0},
        {"aspect_b": ("rear", "front")},
        {"set": {"manifest_overflow": "wrap"}},
        {"constants": {"range_step": 6}},
        {"policy_a": "spread"},
        {"system": "blitzkrieg"},
    ],
    ids=str,
)
def test_the_library_refuses_what_the_row_says(folder: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        api.trace(folder / "small", row=1, **arguments)
    assert [problem.field for problem in caught.value.problems] == [*arguments]


def test_all_that_is_refused_is_said_at_once(simlab: Shell) -> None:
    said = simlab("trace", "no_run", "--range", "3", "--turns", "2")
    assert [line.split(":")[0] for line in said.errors] == ["--row", "--range", "--turns"]
    said = simlab("trace", *PAIR, "--row", "3", "--results", "x", "--dice", "1+2", "--replicate", "4")
    assert [line.split(":")[0] for line in said.errors] == ["--row", "--results", "--replicate"]


def test_sheets_last_as_long_as_in_a_duel() -> None:
    sheets = [api.find_sheet(unit) for unit in PAIR]
    assert api.trace(*sheets, replicate=7).text == api.trace(*PAIR, replicate=7).text
    few = [api.trace(*sheets, set={"manifest_overflow": "stop"}, range=900, replicate=i).text for i in (0, 1)]
    assert all("within 12 turns" in text for text in few)


def test_the_head_of_a_trace_says_where_and_under_what(simlab: Shell) -> None:
    said = simlab(
        "trace", *PAIR, "--aspect-b", "front_left", "--set", "manifest_overflow=wrap", "--turns", "1"
    )
    head = said.out.partition("\n\n")[0]
    told = " ".join(head.split())
    assert "at 24 inches, A shows front, B front left, 1 turn, seed 1, replicate 0" in told
    assert told.endswith("readings: manifest_overflow=wrap")
    plain = simlab("trace", *PAIR).out
    assert "readings" not in plain
    assert "12 turns, seed 1" in " ".join(plain.split())
    quiet = [
        simlab("trace", *PAIR, "--turns", "1", "--replicate", str(i), "--range", "900").out for i in (0, 1)
    ]
    assert all("within 1 turn\n" in text for text in quiet)
    chosen = simlab("trace", "2 panther_g", "2 m4a3_sherman_lp", "--policy-b", "first").out
    assert "side b by the policy first" in " ".join(chosen.split())
