"""The page of a run: its figures are those of the frames, names cannot break it, everybody can read it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from report_frames import NO_PRICE, made_contents, made_readings, made_referee
from report_page import Page
from roster_frames import made_units

from simlab.analysis.roster_findings import format_measure
from simlab.reports.contents import Contents
from simlab.reports.page import write_page
from simlab.reports.scales import DARK, LIGHT, STEPS, colour_rules, contrast, log_scale, share_scale, step_of
from simlab.reports.words import MINUS, TO, factor_percent, percent_range, span, three_digits

HOSTILE = (
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"' onmouseover=alert(1) x='", "{{ 7*7 }}",
    "]]><!-- <b>", "\x1b[31mred\u202e\nline", "&lt;already&gt;", "\U0001f4a3 戦車", "w" * 300,
)  # fmt: skip


@pytest.fixture(scope="module")
def contents() -> Contents:
    return made_contents()


@pytest.fixture(scope="module")
def page(contents: Contents) -> Page:
    return Page(write_page(contents))


def test_every_matchup_has_its_figures(contents: Contents, page: Page) -> None:
    roster = contents.roster
    assert roster is not None
    frame = roster.matchups
    shown = {(row[0], row[1]): row for row in page.rows("matchup-table")}
    assert len(shown) == len(page.rows("matchup-table")) == len(frame) == 72
    for row in frame.to_dict("records"):
        cells = shown[contents.name(row["unit"]), contents.name(row["opponent"])]
        assert cells[2] == format_measure(row)
        assert cells[3] == percent_range(row, "win_share")
        assert cells[4] == format_measure(row, "kill_rate")
        assert cells[5] == format_measure(row, "loss_rate")
        assert cells[7] == row["verdict"]
        assert (cells[8] == "cheaper wins") == (row["verdict"] == "wins" and row["ecv_ratio"] < 1)
        if row["ecv_ratio"] == row["ecv_ratio"]:
            draft = row["unit_draft"] or row["opponent_draft"]
            assert cells[6] == f"{row['ecv_ratio']:.2f}{' draft' if draft else ''}"
        else:
            assert cells[6] == "–"
    sorted_by = [float(str(row[2])) for row in page.values["matchup-table"][1:]]
    assert sorted(sorted_by) == pytest.approx(sorted(frame["win_share"]), rel=1e-5)


def test_the_map_has_the_same_shares_and_tells_their_intervals(contents: Contents, page: Page) -> None:
    roster = contents.roster
    assert roster is not None
    order = [contents.name(unit) for unit in roster.ladder["unit"]]
    rows = page.rows("share-map")
    assert [row[0] for row in rows] == order
    told = json.loads(page.scripts[0])
    assert told["names"] == order
    for row in roster.matchups.to_dict("records"):
        at, across = order.index(contents.name(row["unit"])), order.index(contents.name(row["opponent"]))
        assert rows[at][across + 1] == f"{100 * row['win_share']:.0f}"
        assert told["cells"][at][across] == f"{format_measure(row)} ({percent_range(row, 'win_share')})"
    assert all(row[place + 1] == "" for place, row in enumerate(rows))


def test_every_price_has_its_figures(contents: Contents, page: Page) -> None:
    prices = contents.prices
    assert prices is not None
    shown = {row[0]: row for row in page.rows("price-table")}
    assert len(shown) == len(prices.units)
    for row in prices.units.to_dict("records"):
        cells = shown[contents.name(row["id"])]
        assert cells[1] == ("anchor" if row["id"] == "unit_01" else row["verdict"])
        sheet = f"{row['ecv']:g}{' draft' if row['draft'] else ''}"
        assert cells[2] == (sheet if row["ecv"] == row["ecv"] else "none")
        if row["verdict"] == "unbounded below":
            assert cells[3] == cells[6] == "–"
            continue
        assert float(cells[3]) == pytest.approx(row["priced"], abs=row["high"] - row["low"])
        for place, name in ((4, "spread_"), (5, "mix_"), (6, "")):
            low, high = row[f"{name}low"], row[f"{name}high"]
            assert [float(end) for end in cells[place].split(TO)] == pytest.approx(
                [low, high], abs=(high - low) / 4
            )
        assert float(cells[7]) == pytest.approx(row["ratio"], abs=0.01)
        assert float(cells[9]) == pytest.approx(row["priced_roster"], rel=0.02)
        assert float(cells[11]) == pytest.approx(row["head_to_head"], rel=0.02)
        assert float(cells[13].replace(MINUS, "-")) == pytest.approx(row["strength"], abs=0.005)
    order = [row[0] for row in page.rows("price-table")][:-1]
    assert order == [
        contents.name(unit) for unit in prices.units.sort_values("priced", ascending=False)["id"][:-1]
    ]


def test_pairs_cycles_and_shares_beyond_prices_are_those_of_the_frames(
    contents: Contents, page: Page
) -> None:
    prices = contents.prices
    assert prices is not None
    shown = page.rows("pair-table")
    assert len(shown) == len(prices.pairs) == 36
    for cells, row in zip(shown, prices.pairs.to_dict("records"), strict=True):
        assert cells[:2] == [contents.name(row["a"]), contents.name(row["b"])]
        assert cells[4] == factor_percent(row["residual"])
        assert cells[5] == f"{factor_percent(row['low'])}{TO}{factor_percent(row['high'])}"
        assert cells[7] == row["fixable"]
    assert page.rows("worst-table")[0][:2] == ["Unit 0", "Unit 2"]
    assert page.rows("worst-table")[0][7] == NO_PRICE
    assert page.rows("cycle-table")[0][:2] == ["Unit 0 → Unit 1 → Unit 2 → Unit 0", "+36.3%"]
    assert f"4% (3{TO}6%) of what pairs come to".replace("\u2009", " ") in page.text.replace("\u2009", " ")
    assert f"1 of 36 pairs: {NO_PRICE}." in page.text
    assert [row[:2] for row in page.rows("lanchester-table")] == [["spread", "1.6"], ["first", "1.9"]]


def test_tables_by_situation_and_setting_are_those_of_the_frames(contents: Contents, page: Page) -> None:
    prices = contents.prices
    assert prices is not None
    heads = page.tables["situation-table"][0]
    assert heads == ["unit", "range 6", "range 24", "aspect front", "aspect rear"]
    known = {(row["id"], row["value"]): row["priced"] for row in prices.situations.to_dict("records")}
    for row in page.rows("situation-table"):
        unit = next(each for each, name in contents.names.items() if name == row[0])
        assert row[1:] == [three_digits(known[unit, value]) for value in (6.0, 24.0, "front", "rear")]
    assert page.tables["setting-table"][0][1:] == [
        "1,000 ECV, spread",
        "2,350 ECV, spread",
        "2,350 ECV, first",
    ]
    assert len(page.rows("setting-table")) == len(prices.units)


def test_readings_and_referee_are_told(page: Page) -> None:
    assert [row[0] for row in page.rows("readings-table")] == ["loss = crew", "skip = all (under skipping)"]
    assert page.rows("readings-table")[0][1:3] == ["+3.4", f"+3.0{TO}+3.8"]
    assert page.rows("readings-table")[0][4:7] == [f"{MINUS}12.0%", f"{MINUS}16.0{TO}{MINUS}8.0%", "1"]
    assert "No effect here, the very same fights: mg_range = unlimited." in page.text
    assert "1 answer turned into the opposite." in page.text
    assert "Passed: 2 of 3 duels chosen were judged" in page.text
    assert page.rows("referee-table")[0] == ["outcomes of duels", "2", "0.021"]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (made_referee(passed=False), "Failed: 2 of 3 duels chosen were judged"),
        (
            made_referee(digest="f" * 16),
            "about an earlier state of this run and says nothing about these figures",
        ),
    ],
)
def test_a_verdict_that_failed_or_is_about_something_else_says_so(record: dict[str, Any], words: str) -> None:
    found = made_contents(3, prices=False)
    object.__setattr__(found, "referee", record)
    page = Page(write_page(found))
    assert words in page.text
    assert "Passed" not in page.text


def test_readings_under_other_rules_are_called_so() -> None:
    found = made_contents(3, prices=False)
    object.__setattr__(found, "readings", made_readings(made_units(3)) | {"rules_version": "made-0"})
    assert "These readings were compared under other rules" in Page(write_page(found)).text


def test_every_figure_names_its_fights_and_drafts_are_called_drafts(contents: Contents, page: Page) -> None:
    text = write_page(contents)
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", text, flags=re.DOTALL)
    figures = [
        caption for caption in captions if not caption.startswith(("ECV: price", "What the rules leave open"))
    ]
    assert len(figures) == len(captions) - 2 == 14
    assert all(re.search(r"\bn = [\d,]+ |n: the fights of the run", caption) for caption in figures)
    assert all("interval" in caption.lower() or "a sound run fails once" in caption for caption in figures)
    drafts = contents.units[contents.units["draft"]]
    assert len(drafts) > 2
    for unit in page.rows("price-table"):
        assert (unit[1] == "draft") == (unit[0] in set(drafts["name"]))
    assert {unit[1] for unit in page.rows("price-table")} == {
        "draft",
        "anchor",
        "overpriced",
        "cannot tell",
        "unbounded below",
    }


def test_what_a_run_lacks_is_said_with_the_command_that_makes_it() -> None:
    page = Page(write_page(made_contents(prices=False, evidence=False)))
    for words in ("price made", "readings STUDY", "referee made"):
        assert f"simlab {words}" in page.text
    assert "engagements: {sizes: [1, 2, 4]}" in page.text
    assert "price-table" not in page.tables


def test_a_single_unit_has_a_page() -> None:
    page = Page(write_page(made_contents(2, prices=False)))
    assert "share-map" in page.tables
    found = made_contents(2, prices=False)
    object.__setattr__(found, "roster", None)
    alone = Page(write_page(found))
    assert "share-map" not in alone.tables
    assert {attributes["href"] for tag, attributes in alone.tags if tag == "a"} <= {
        f"#{attributes['id']}" for _, attributes in alone.tags if "id" in attributes
    }


@pytest.fixture(scope="module")
def hostile() -> str:
    changed = {"name": HOSTILE[0], "range_unit": HOSTILE[1], "non_default": {HOSTILE[2]: HOSTILE[4]}}
    return write_page(made_contents(names=HOSTILE, **changed))


def test_names_cannot_break_the_page(hostile: str) -> None:
    page = Page(hostile)
    assert len(page.scripts) == 2
    assert not [
        attributes for _, attributes in page.tags if any(name.startswith("on") for name in attributes)
    ]
    assert not {"img", "iframe"} & {tag for tag, _ in page.tags}
    assert json.loads(page.scripts[0])["names"]
    assert set(json.loads(page.scripts[0])["names"]) == {row[0] for row in page.rows("share-map")}
    for name in (*HOSTILE[:5], HOSTILE[6]):
        assert name in {row[0] for row in page.rows("price-table")}
    assert "7*7" in hostile
    assert ">49<" not in hostile
    assert not set("\x1b\u202e") & set(hostile)
    assert "w" * 57 + "..." in hostile
    assert "w" * 61 not in hostile


def test_nothing_is_asked_of_anybody(hostile: str) -> None:
    """No address is in the page but those of its own sections, and the policy forbids all others."""
    page = Page(hostile)
    for tag, attributes in page.tags:
        assert not {"src", "srcset", "action", "poster", "data", "background"} & set(attributes), tag
        assert str(attributes.get("href", "#")).startswith("#"), tag
    (style,) = re.findall(r"<style>.*?</style>", hostile, re.DOTALL)
    assert not re.search(r"url\(|@import|https?:|//[a-z]", style)
    (policy,) = [a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert str(policy).startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")


def test_ids_are_unique_and_every_control_has_a_name(contents: Contents) -> None:
    page = Page(write_page(contents))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.tags:
        for name in ("aria-labelledby", "href", "data-table"):
            target = attributes.get(name)
            assert target is None or str(target).removeprefix("#") in ids, (tag, name)
    tables = [a for t, a in page.tags if t == "table"]
    assert len(tables) == sum(t == "caption" for t, _ in page.tags)
    assert all(a.get("aria-label") for t, a in page.tags if a.get("role") in ("img", "region"))
    heads = [int(t[1]) for t, _ in page.tags if re.fullmatch("h[1-6]", t)]
    assert heads[0] == 1
    assert heads.count(1) == 1


@pytest.mark.parametrize("anchors", [LIGHT, DARK])
def test_numbers_on_the_map_can_be_read(anchors: tuple[str, ...]) -> None:
    colours = colour_rules(anchors)
    assert len(colours) == STEPS + 1
    assert min(contrast(fill, ink) for fill, ink in colours) >= 4.5
    assert (step_of(0.0), step_of(0.5), step_of(1.0)) == (0, STEPS // 2, STEPS)


@pytest.mark.parametrize("dark", [False, True])
def test_texts_can_be_read_on_their_ground(dark: bool) -> None:
    style = (Path(__file__).parent.parent / "simlab" / "reports" / "templates" / "page.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL)
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", blocks[dark]))
    for ink in ("ink", "muted", "accent"):
        for ground in ("paper", "panel"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["void-ink"], colours["void"]) >= 4.5


def test_the_page_of_a_large_roster_is_small() -> None:
    text = write_page(made_contents(38, n=50))
    assert len(text.encode()) < 3_000_000
    assert len(Page(text).rows("matchup-table")) == 38 * 37


def test_scales_hold_their_values() -> None:
    scale = share_scale(0.27, 0.83)
    assert (scale.low, scale.high) == (0.2, 0.9)
    assert [text for _, text in scale.ticks] == ["20%", "40%", "60%", "80%"]
    assert scale.at(0.55) == pytest.approx(50)
    prices = log_scale([150.0, 2000.0])
    assert prices.low < 150
    assert prices.high > 2000
    assert [text for _, text in prices.ticks] == ["200", "500", "1000", "2000"]
    assert prices.at(150) + 100 - prices.at(2000) == pytest.approx(2 * prices.at(150))
    assert log_scale([]).at(0.0) == 0.0
    assert len(log_scale([1.0, 1.0]).ticks) >= 2


def test_numbers_lose_no_digit_that_matters() -> None:
    assert [three_digits(x) for x in (1713.0, 558.4, 5.5, 0.0617)] == ["1710", "558", "5.50", "0.0617"]
    assert span(1701.6, 1718.7) == f"1702{TO}1719"
    assert span(-0.5, 0.25) == f"{MINUS}0.5{TO}0.2"
    assert span(1.0, None) == span(float("nan"), 2.0) == "–"
