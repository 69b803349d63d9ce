"""A small run with prices, for tests of what is made of them."""

from pathlib import Path

from shell import ROOT

from simlab import lab
from simlab.lab.stored_prices import Prices

STUDY = """
name: Three of them
system: blitzkrieg
units: [m4a3_sherman_lp, sherman_firefly_vc, panther_g]
situations:
  range: {12: 1, 24: 1, "24,12": 0.5}
  aspect: {front: 3, rear: 1}
n: 400
"""
FIGHTS = 200


def price_three(folder: Path) -> Prices:
    """Run and price the study in `folder / "results"`."""
    study = folder / "three.yaml"
    study.write_text(STUDY, encoding="utf-8")
    lab.run(study, results=folder / "results", units=ROOT / "units")
    return lab.price("three", n=FIGHTS, results=folder / "results", units=ROOT / "units")


def asked(folder: Path, units: Path = ROOT / "units") -> list[str]:
    """The command line for the prices of the run."""
    results = str(folder / "results")
    return ["price", "three", "--n", str(FIGHTS), "--results", results, "--units", str(units)]
