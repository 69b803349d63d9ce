"""Runs of many units: what is said of them, their small tables, and what is left when they become few."""

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from paper import SHEETS, PaperSheet, install, paper_run
from roster_frames import made_duels, made_record, made_roster, made_units
from shell import ROOT

from simlab.analysis.csv_text import format_csv
from simlab.analysis.roster import MEASURES
from simlab.analysis.tables import estimate_kill_rates
from simlab.cli.tables import run_text
from simlab.lab import study as lab_study
from simlab.lab.drawn import plot_changed
from simlab.lab.roster_summary import roster_tables, write_roster_headlines, write_roster_summary
from simlab.lab.study import Run, plot
from simlab.model.ecv import Ecv
from simlab.model.errors import InputError
from simlab.plots.gallery import PAGES

MANY = """\
name: Paper
system: paper
units: [p0, p1, p2, p3, p4, p5, p6, p7]
situations: {range: {6: 1, 12: 3}, aspect: {front: 1, rear: 1}}
method: monte_carlo
n: 400
"""
HOSTILE = "=cmd|'/c calc'!A1 <b>\x1b[31m`戦車` $x$ | \n#"


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A run of many units of paper, as a function of the study's text; pictures are drawn by no one unless asked."""
    install(monkeypatch)
    for place in range(8):
        ecv = Ecv(value=100.0 + 30 * ((place * 3) % 8), source="rulebook" if place == 2 else "draft")
        name = HOSTILE if place == 3 else f"Paper {place}"
        monkeypatch.setitem(SHEETS, f"p{place}", PaperSheet(f"p{place}", 1.0 + 0.3 * place, ecv, name))

    def made(text: str = MANY) -> Run:
        return paper_run(tmp_path, text)

    return made


def test_the_small_tables_say_who_wins_against_whom(paper):
    found = paper()
    ladder, matchups, situations = (
        pd.read_csv(found.folder / f"{name}.csv") for name in ("ladder", "matchups", "by_situation")
    )
    assert ladder["unit"].tolist()[:2] == ["p7", "p6"]
    assert ladder["rank"].tolist() == list(range(1, 9))
    assert len(matchups) == 8 * 7
    assert len(situations) == 8 * 2 * 3
    pair = matchups.set_index(["unit", "opponent"]).loc[("p7", "p0")]
    assert pair["verdict"] == "wins"
    assert pair["win_share_low"] < pair["win_share"] < pair["win_share_high"]
    assert found.roster is not None
    assert found.roster.ladder["unit"].tolist() == ladder["unit"].tolist()


def test_the_summary_names_the_strongest_the_surprises_and_the_drafts(paper):
    found = paper()
    text = (found.folder / "summary.md").read_text(encoding="utf-8")
    assert text == found.summary()
    assert text.startswith("# Paper\n")
    assert "- Paper 7 is the strongest of 8 units" in text
    assert "The cheaper unit wins" in text
    assert (
        "7 of the 8 ECVs are drafts, estimates that nobody printed: nothing here calls them right or wrong."
        in text
    )
    assert "Intervals hold the sampling alone" in text
    assert text.count("\n| ") == 8 + 1
    for word in ("overpriced", "underpriced"):
        assert word not in text
    headlines = found.headlines()
    assert headlines[0].startswith("Paper 7 is the strongest")


def test_names_are_harmless(paper):
    found = paper()
    text = found.summary()
    assert "\x1b" not in text
    assert "<b>" not in text.replace("\\<b\\>", "")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {9}
    for name in ("ladder.csv", "matchups.csv"):
        table = (found.folder / name).read_text(encoding="utf-8")
        assert "'=cmd" in table
        assert ",=cmd" not in table
        assert "\x1b" not in table


def test_a_run_says_what_it_found_and_that_there_are_pages(paper):
    found, told = paper(), []
    drawn = plot_changed(found, progress=lambda done, total, text: told.append((done, total, text)))
    assert [done for done, _, _ in told] == list(range(1, 9))
    assert told[0][1:] == (8, "p7")
    said = run_text(found, drawn)
    assert "Paper 7 is the strongest of 8 units" in " ".join(said.split())
    assert "  ladder.csv\n" in said
    assert "  plots/ladder.png\n" in said
    assert f"  plots/{PAGES}/: 8 files, a page for each unit" in said
    assert len(list((found.folder / "plots" / PAGES).glob("*.png"))) == 8
    again = plot_changed(found, progress=lambda done, total, text: pytest.fail("drawn again"))
    assert again == drawn


def test_where_few_are_left_the_tables_of_many_go(paper):
    many = paper()
    assert (many.folder / "ladder.csv").is_file()
    few = paper(MANY.replace("p0, p1, p2, p3, p4, ", ""))
    assert few.folder == many.folder
    assert not few.is_many
    left = {path.name for path in few.folder.iterdir()}
    assert not left & {"ladder.csv", "matchups.csv", "by_situation.csv"}
    assert "## Ladder" not in few.summary()


def test_a_file_in_the_place_of_the_pages_is_named(paper):
    found = paper()
    (found.folder / "plots").mkdir()
    (found.folder / "plots" / PAGES).write_text("mine")
    with pytest.raises(InputError, match=PAGES):
        plot(found)
    assert (found.folder / "plots" / PAGES).read_text() == "mine"


def test_engagements_of_many_keep_their_prices(paper):
    found = paper(MANY + "engagements: {sizes: [1]}\n")
    assert not found.prices.empty
    text = found.summary()
    assert "## Ladder" in text
    assert "If one Paper 2 is worth its printed" in text
    assert "## Paper 6" in text


def test_a_single_unit_has_no_opponents(paper):
    found = paper(MANY.replace("[p0, p1, p2, p3, p4, p5, p6, p7]", "[p0]"))
    assert found.roster is None
    assert not found.is_many


def test_small_tables_round_trip():
    units = made_units(8, ("Umlaut ä", 'with "quotes", commas'))
    roster = made_roster(units, made_duels(units))
    tables = roster_tables(roster)
    assert {*tables} == {"ladder.csv", "matchups.csv", "by_situation.csv"}
    for frame in tables.values():
        again = pd.read_csv(io.StringIO(format_csv(frame)))
        assert list(again.columns) == list(frame.columns)
        assert len(again) == len(frame)
    again = pd.read_csv(io.StringIO(format_csv(tables["ladder.csv"])))
    assert again.loc[0, "name"] == "Umlaut ä"
    assert again.loc[1, "name"] == 'with "quotes", commas'
    assert again["ecv"].isna().tolist() == [False] * 7 + [True]


def test_units_that_fight_alike_are_pointed_out():
    units = made_units(8)
    units[3]["fight_hash"] = units[2]["fight_hash"]
    duels = made_duels(units)
    record, roster = made_record(units), made_roster(units, duels)
    found = write_roster_headlines(record, roster, pd.DataFrame(), None)
    assert "Unit 2 and Unit 3 fight alike and throw the same dice." in found
    text = write_roster_summary(record, roster, estimate_kill_rates(duels), pd.DataFrame({"unit": []}), None)
    assert "fight alike" in text


def test_who_cannot_fire_is_named():
    units = made_units(8)
    duels = made_duels(units)
    for side in "ab":
        duels[f"cannot_fire_{side}"] = duels[side] == "unit_05"
    found = write_roster_headlines(made_record(units), made_roster(units, duels), pd.DataFrame(), None)
    assert "In some situations these can never fire: Unit 5." in found


def test_first_fire_and_ranges_by_turn_are_told():
    units = made_units(8)
    duels = made_duels(units, ("36,30", "24"), ("front", "rear"), first_fires=("none", "a:2"))
    text = write_roster_summary(
        made_record(units),
        made_roster(units, duels),
        estimate_kill_rates(duels),
        pd.DataFrame({"unit": []}),
        None,
    )
    assert "showing front, the other rear, itself alone firing in turns 1 and 2: " in text
    assert "Who is better near" not in text


def test_lab_offers_the_frames(paper):
    found = paper()
    assert lab_study.load_run(found.folder).roster is not None
    assert {"ladder", "matchups", "ranges", "situations", "views"} <= set(vars(found.roster))


def test_the_docs_name_every_column_and_picture():
    units = made_units(8)
    text = (ROOT / "docs" / "roster.md").read_text(encoding="utf-8")
    ends = ("_low", "_high", "_name", "_ecv", "_draft")
    for name, frame in roster_tables(made_roster(units, made_duels(units))).items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}`"))
        for column in frame.columns:
            if not column.endswith(ends):
                assert f"`{column}`" in (text if column in MEASURES else row), (name, column)
    for picture in ("win_share_map", "ladder", "win_share_by_range", "kill_rate_against_ecv"):
        assert f"`plots/{picture}.png`" in text
    assert f"`plots/{PAGES}/ID.png`" in text
