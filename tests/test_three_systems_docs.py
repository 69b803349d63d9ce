"""docs/three_systems.md tells what the tables in `results/three_systems/` hold."""

import re

import pandas as pd
import pytest
from shell import ROOT

from simlab.rules.registry import system_names

TEXT = (ROOT / "docs" / "three_systems.md").read_text(encoding="utf-8")
RESULTS = ROOT / "results" / "three_systems"
SHORT = {
    "panther_g": "Panther G", "tiger_i_e": "Tiger I E", "sherman_firefly_vc": "Firefly",
    "m4a3_sherman_lp": "Sherman LP", "t34_85": "T-34/85", "panzer_iv_h": "Panzer IV H",
}  # fmt: skip
SYSTEMS = {"blitzkrieg": "Blitzkrieg", "tank_d20": "tank_d20", "wwiisim": "WWIISIM"}


def rows_of(mark: str) -> list[list[str]]:
    """The rows of a marked table, cells stripped."""
    found = re.search(rf"<!-- {mark} -->\n(.*?)<!-- end -->", TEXT, flags=re.DOTALL)
    assert found
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:]]


def test_winners_are_those_of_the_run() -> None:
    wanted = []
    for row in pd.read_csv(RESULTS / "winners.csv").to_dict("records"):
        names = {"wins": SHORT[row["unit"]], "loses": SHORT[row["opponent"]]}
        told = [names.get(row[system], row[system]) for system in SYSTEMS]
        wanted.append([f"{SHORT[row['unit']]}, {SHORT[row['opponent']]}", *told, row["agreement"]])
    assert rows_of("winners") == wanted


def test_strengths_are_those_of_the_run() -> None:
    share = pd.read_csv(RESULTS / "strengths.csv").set_index(["unit", "system"])["win_share"]
    wanted = [[SHORT[unit], *(f"{100 * share[unit, system]:.0f}%" for system in SYSTEMS)] for unit in SHORT]
    assert rows_of("strengths") == wanted


def test_ranks_are_those_of_the_run() -> None:
    wanted = [
        [
            SYSTEMS[row["first"]], SYSTEMS[row["second"]], f"{row['tau']:.2f}",
            f"{row['low']:.2f} to {row['high']:.2f}", f"{row['least']:.2f} to {row['most']:.2f}",
        ]
        for row in pd.read_csv(RESULTS / "ranks.csv").to_dict("records")
    ]  # fmt: skip
    assert rows_of("ranks") == wanted


@pytest.mark.parametrize("system", system_names())
def test_every_system_has_the_six(system: str) -> None:
    if system in SYSTEMS:
        assert all((ROOT / "units" / system / f"{unit}.yaml").is_file() for unit in SHORT)
