"""How far a run is: parts, and the time that is left, told by the work of this call alone."""

import io
import re
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from simlab.cli.progress import CLEAR_LINE, Progress
from simlab.model.situation import Situation
from simlab.studies.outlook import SEARCH, Outlook, duration_text

ROW: Any = SimpleNamespace(
    a=SimpleNamespace(id="a"),
    b=SimpleNamespace(id="b"),
    situation=Situation((36.0, 24.0), "front", "rear", "a:2"),
)


def outlook(total: int, to_do: list[int], threads: int = 1) -> tuple[Outlook, list[tuple[int, int, str]]]:
    told: list[tuple[int, int, str]] = []
    return Outlook(total, to_do, threads, lambda *values: told.append(values)), told


def finish(one: Outlook, number: int, kind: int, seconds: float) -> None:
    if seconds:
        one.worked(number, seconds)
    one.teller(number)(ROW, kind)


def test_parts_are_counted_from_what_was_found():
    one, told = outlook(10, [0] * 4)
    finish(one, 0, 0, 0.0)
    where = "a v b, duel, range 36,24, front v rear, first fire a:2"
    assert told == [(6, 10, "found in the journal"), (7, 10, where)]


@pytest.mark.parametrize("threads", [1, 2])
def test_time_left_is_that_of_parts_that_took_work(threads):
    """What the journal held, or another part shares, says nothing about the rest."""
    one, told = outlook(1000, [0] * 20, threads)
    for number in range(5):
        finish(one, number, 0, 2.0)
        finish(one, 100 + number, 0, 0.0)
    assert one.seconds_left() == pytest.approx(10 * 2.0 / threads)
    assert told[-1][2].startswith(f"{20 // threads} s left, a v b, ")


def test_little_work_foretells_nothing():
    one, told = outlook(10, [0] * 10)
    finish(one, 0, 0, 0.01)
    assert one.seconds_left() is None
    assert told[-1][2].startswith("a v b")


def test_searches_not_yet_timed_are_taken_for_many_duels():
    one, _ = outlook(5, [0, 0, 1, 3, 3])
    finish(one, 0, 0, 1.0)
    assert one.seconds_left() == pytest.approx(1 + SEARCH + 2 * 3 * SEARCH)
    finish(one, 7, 1, 5.0)
    assert one.seconds_left() == pytest.approx(1 + 2 * 3 * SEARCH * 6 / (1 + SEARCH))
    finish(one, 7, 3, 40.0)
    assert one.seconds_left() == pytest.approx(1 + 40)
    assert [one.teller(7)(ROW, kind) for kind in (3, 0)] == [None, None]
    assert one.seconds_left() == 0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (0.2, "1 s"),
        (59.0, "59 s"),
        (59.1, "1 min 0 s"),
        (3599, "59 min 59 s"),
        (7500, "2 h 5 min"),
    ],
)
def test_durations_are_told_in_two_units(seconds, text):
    assert duration_text(seconds) == text


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_a_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("simlab.cli.progress.INTERVAL", 0.0)
    with Progress("parts") as progress:
        one = Outlook(17328, [0] * 17328, 2, progress)
        for number in range(17328 // 2):
            finish(one, number, 0, 0.01)
        finish(one, 17328, 0, 1.0)
    shown = sys.stderr.getvalue().split(CLEAR_LINE)  # type: ignore[attr-defined]
    assert shown[1].startswith("[------------] 1 of 17,328 parts (0%) a v b, duel, range 36,24")
    assert re.match(r"\[######------\] 8,665 of 17,328 parts \(50%\) 4\d s left, a v b, duel,", shown[-2])
    assert shown[-1] == ""
    assert max(map(len, shown)) < 80
