"""The page of a run in a real Chromium: it asks nobody, sorts, filters, fits a phone, follows the dark, obeys keys."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_frames import made_contents

from simlab.reports.page import write_page

pytestmark = pytest.mark.browser

PATH = shutil.which("chromium")
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
HOSTILE = (
    "</script><script>document.title='taken'</script>",
    "<img src=http://example.invalid/x onerror=alert(1)>",
)
WIDTHS = {"phone": 380, "desk": 1280}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; without one, or without its driver, there is nothing to test."""
    if PATH is None:
        pytest.skip("there is no chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PATH, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages: with everything, of names that are markup, with nothing but duels, and of as many units as the roster."""
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "full": made_contents(),
        "hostile": made_contents(names=HOSTILE),
        "bare": made_contents(3, prices=False, evidence=False),
        "many": made_contents(38, n=50),
    }
    for name, contents in made.items():
        (folder / f"{name}.html").write_text(write_page(contents), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


class Visit:
    """A page opened from disk, and what it did: its requests, and what its console said."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.route("**/*", self._note)
        self.page.goto(file.as_uri())

    def _note(self, route: Any) -> None:
        self.asked.append(route.request.url)
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            route.abort()

    def column(self, table: str, number: int) -> list[str]:
        """The texts of a column of the rows that are shown."""
        found: list[str] = self.page.evaluate(
            "([table, number]) => [...document.getElementById(table).tBodies[0].rows].filter(row => !row.hidden)"
            ".map(row => row.cells[number].textContent)",
            [table, number],
        )
        return found

    def values(self, table: str, number: int) -> list[float]:
        """The numbers by which a column is sorted, of the rows that are shown."""
        found: list[float] = self.page.evaluate(
            "([table, number]) => [...document.getElementById(table).tBodies[0].rows].filter(row => !row.hidden)"
            ".map(row => Number(row.cells[number].dataset.v))",
            [table, number],
        )
        return found

    def style(self, selector: str, name: str) -> str:
        """A computed style of the first element that is found."""
        found: str = self.page.evaluate(
            "([selector, name]) => getComputedStyle(document.querySelector(selector)).getPropertyValue(name)",
            [selector, name],
        )
        return found


@pytest.fixture
def visit(chromium: Any, files: dict[str, Path]) -> Iterator[Any]:
    """Opens a page by its name; whatever was opened must have been quiet and asked for nothing but itself."""
    visits: list[tuple[Visit, Path]] = []

    def open_page(name: str, **options: Any) -> Visit:
        found = Visit(chromium, files[name], **options)
        visits.append((found, files[name]))
        return found

    yield open_page
    for done, file in visits:
        assert done.said == []
        assert done.asked == [file.as_uri()]
        done.context.close()


@pytest.mark.parametrize("name", ["full", "hostile", "bare", "many"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=list(WIDTHS))
def test_it_opens_and_does_not_scroll_sideways(visit: Any, name: str, width: int) -> None:
    opened = visit(name, viewport={"width": width, "height": 800})
    assert opened.page.title() == "A made-up roster – simlab report"
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")


def test_a_column_sorts_both_ways_by_its_numbers(visit: Any) -> None:
    opened = visit("full")
    button = opened.page.get_by_role("button", name="win share").first
    head = opened.page.locator("#matchup-table thead th").nth(2)
    before = opened.values("matchup-table", 2)
    button.click()
    falling = opened.values("matchup-table", 2)
    assert falling == sorted(before, reverse=True) != before
    assert opened.column("matchup-table", 2)[0] == f"{100 * max(before):.1f}%"
    assert head.get_attribute("aria-sort") == "descending"
    button.click()
    rising = opened.values("matchup-table", 2)
    assert rising == sorted(rising)
    assert head.get_attribute("aria-sort") == "ascending"
    opened.page.locator("#matchup-table thead button").nth(1).click()
    assert head.get_attribute("aria-sort") == "none"
    names = opened.column("matchup-table", 1)
    assert names == sorted(names)


def test_what_has_no_number_comes_last_both_ways(visit: Any) -> None:
    opened = visit("full")
    button = opened.page.locator("#price-table thead button").nth(3)
    for _ in range(2):
        button.click()
        assert opened.column("price-table", 3)[-1] == "–"
        assert "–" not in opened.column("price-table", 3)[:-1]


def test_filters_leave_what_was_asked_for_and_say_how_many(visit: Any) -> None:
    opened = visit("full")
    form = opened.page.locator("form[data-table=matchup-table]")
    assert form.locator("output").inner_text() == "72 matchups"
    form.get_by_label("as seen by").select_option("Unit 3")
    assert set(opened.column("matchup-table", 0)) == {"Unit 3"}
    assert form.locator("output").inner_text() == "8 of 72 matchups"
    form.get_by_label("verdict").select_option("loses")
    assert set(opened.column("matchup-table", 7)) == {"loses"}
    form.get_by_label("Find a unit").fill("unit 0")
    assert opened.column("matchup-table", 1) == ["Unit 0"]
    form.get_by_label("Find a unit").fill("nobody")
    assert opened.column("matchup-table", 0) == []
    assert form.locator("output").inner_text() == "0 of 72 matchups"
    opened.page.locator("#matchup-table thead button").nth(2).click()
    assert opened.column("matchup-table", 0) == []
    form.get_by_label("Find a unit").press("Enter")
    assert opened.page.url.startswith("file:")


def test_buttons_are_reached_and_pressed_by_keys(visit: Any) -> None:
    opened = visit("full")
    opened.page.locator("form[data-table=matchup-table] select").last.focus()
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Matchups"
    for _ in range(3):
        opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.textContent") == "win share"
    assert opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    opened.page.keyboard.press("Enter")
    shares = opened.values("matchup-table", 2)
    assert shares == sorted(shares, reverse=True)
    opened.page.keyboard.press("Space")
    assert opened.values("matchup-table", 2) == sorted(shares)


def test_the_first_tab_skips_to_the_answer(visit: Any) -> None:
    opened = visit("full")
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.getAttribute('href')") == "#answer"


def test_the_map_tells_the_cell_that_is_pointed_at(visit: Any) -> None:
    opened = visit("full")
    readout = opened.page.locator("#map-readout")
    opened.page.locator("#share-map tbody tr").nth(0).locator("td").nth(1).hover()
    assert readout.inner_text().startswith("Unit 0 against Unit 1: ")
    opened.page.locator(".scroll.map").focus()
    opened.page.keyboard.press("ArrowDown")
    assert readout.inner_text() == "Unit 1 against itself"
    opened.page.keyboard.press("ArrowLeft")
    share = opened.page.locator("#share-map tbody tr").nth(1).locator("td").nth(0).inner_text()
    assert readout.inner_text().startswith("Unit 1 against Unit 0: ")
    assert round(float(readout.inner_text().split(": ")[1].split("%")[0])) == int(share)
    for _ in range(20):
        opened.page.keyboard.press("ArrowUp")
    assert readout.inner_text() == "Unit 0 against itself"


def test_heads_of_the_map_stay_in_sight(visit: Any) -> None:
    opened = visit("many", viewport={"width": 380, "height": 700})
    region = opened.page.locator(".scroll.map")
    region.evaluate("each => each.scrollTo(200, 200)")
    edge = region.bounding_box()
    row = opened.page.locator("#share-map tbody th").nth(20).bounding_box()
    head = opened.page.locator("#share-map thead th").nth(20).bounding_box()
    assert edge is not None
    assert row is not None
    assert head is not None
    assert abs(row["x"] - edge["x"]) < 3
    assert abs(head["y"] - edge["y"]) < 3


def test_dark_is_dark_and_paper_is_light(visit: Any) -> None:
    light, dark = visit("full", color_scheme="light"), visit("full", color_scheme="dark")
    assert light.style("body", "background-color") == "rgb(253, 252, 250)"
    assert dark.style("body", "background-color") == "rgb(20, 23, 28)"
    assert light.style("#share-map .h15", "background-color") != dark.style(
        "#share-map .h15", "background-color"
    )
    dark.page.emulate_media(media="print", color_scheme="dark")
    assert dark.style("body", "background-color") == "rgb(255, 255, 255)"
    assert dark.style("body", "color") == "rgb(29, 33, 41)"
    assert dark.style("nav", "display") == "none"


def test_a_long_table_is_printed_in_part_as_it_is_sorted(visit: Any) -> None:
    opened = visit("many")
    opened.page.emulate_media(media="print")
    shown = "[...document.querySelectorAll('#matchup-table tbody tr')].filter(row => row.offsetHeight > 0)"
    assert opened.page.evaluate(f"{shown}.length") == 60
    opened.page.emulate_media(media="screen")
    opened.page.locator("#matchup-table thead button").nth(2).click()
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate(f"{shown}.length") == 60
    best = opened.column("matchup-table", 2)[:60]
    assert opened.page.evaluate(f"{shown}.map(row => row.cells[2].textContent)") == best


def test_names_that_are_markup_stay_names(visit: Any) -> None:
    opened = visit("hostile")
    assert opened.page.title() == "A made-up roster – simlab report"
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("#share-map tbody th").nth(0).inner_text() in HOSTILE
    form = opened.page.locator("form[data-table=matchup-table]")
    form.get_by_label("as seen by").select_option(HOSTILE[0])
    assert set(opened.column("matchup-table", 0)) == {HOSTILE[0]}


def test_without_scripts_everything_is_there_to_read(visit: Any) -> None:
    opened = visit("full", java_script_enabled=False)
    assert opened.page.locator("form.filters").first.is_hidden()
    assert opened.page.locator("#map-readout").is_hidden()
    assert opened.page.locator("#matchup-table tbody tr").count() == 72
