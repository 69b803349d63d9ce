"""Jobs over threads: everything once, nothing in an order that can be seen, errors and stops lose nothing finished."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simlab.studies.journal import Journal
from simlab.studies.pool import Begun, Job, Piece, Pool, is_kept


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as opened:
        yield opened


class Desk:
    """Makes pieces of a few blocks, and remembers which blocks were called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.act: Callable[[str, int], None] = lambda name, place: None

    def piece(self, name: str, blocks: int = 3) -> Piece:
        def call(place: int) -> Any:
            self.act(name, place)
            self.calls.append((name, place))
            return place

        def begin() -> Begun:
            return Begun(
                [lambda place=place: call(place) for place in range(blocks)],
                lambda results: {"name": name, "results": results},
            )

        return Piece(name, begin)

    def job(self, names: list[str], found: dict[str, Any], blocks: int = 3) -> Job:
        for name in names:
            found[name] = yield self.piece(name, blocks)


def run(journal: Journal, jobs: list[Job], threads: int = 3) -> dict[int, float]:
    worked: dict[int, float] = {}

    def note(number: int, seconds: float) -> None:
        worked[number] = worked.get(number, 0.0) + seconds

    Pool(journal, threads, note).run(enumerate(jobs))
    return worked


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_every_block_is_called_once_and_results_stand_in_their_order(journal, threads):
    desk, found = Desk(), {}
    desk.act = lambda name, place: time.sleep((2 - place) / 1000)
    names = [f"piece {number}" for number in range(40)]
    run(journal, [desk.job(names[i : i + 4], found) for i in range(0, 40, 4)], threads)
    assert sorted(desk.calls) == sorted((name, place) for name in names for place in range(3))
    assert found == {name: {"name": name, "results": [0, 1, 2]} for name in names}
    assert all(journal.get(name) == found[name] for name in names)


def test_jobs_that_want_the_same_piece_share_it(journal):
    desk, found = Desk(), [{} for _ in range(20)]
    run(journal, [desk.job(["one", "two"], each) for each in found])
    assert sorted(desk.calls) == [(name, place) for name in ("one", "two") for place in range(3)]
    assert all(each == found[0] for each in found)


def test_what_the_journal_holds_is_not_called_again(journal):
    desk, found = Desk(), {}
    run(journal, [desk.job(["one", "two"], found)])
    desk.calls.clear()
    assert is_kept(desk.job(["one", "two"], {}), journal)
    assert not is_kept(desk.job(["one", "three", "two"], {}), journal)
    run(journal, [desk.job(["one", "two", "three"], found)])
    assert {name for name, _ in desk.calls} == {"three"}


def test_work_is_told_by_job_and_found_pieces_are_no_work(journal):
    desk = Desk()
    desk.act = lambda name, place: time.sleep(0.01)
    run(journal, [desk.job(["one"], {})])
    worked = run(journal, [desk.job(["one"], {}), desk.job(["two"], {})])
    assert worked.keys() == {1}
    assert worked[1] >= 0.03


def test_pieces_without_blocks_are_a_matter_of_the_thread_that_runs(journal):
    threads = []

    def job() -> Job:
        yield Piece(
            "here", lambda: Begun((), lambda _: threads.append(threading.current_thread()) or {"n": 1})
        )

    run(journal, [job(), job()])
    assert threads == [threading.current_thread()]
    assert journal.get("here") == {"n": 1}


def test_few_pieces_are_under_way_at_a_time(journal):
    desk, begun = Desk(), []

    def job(number: int) -> Job:
        begun.append(number)
        yield desk.piece(f"piece {number}", 1)

    gate = threading.Event()
    desk.act = lambda name, place: gate.wait(5) and None
    timer = threading.Timer(0.2, lambda: (begun.append(-1), gate.set()))
    timer.start()
    Pool(journal, 2, lambda number, seconds: None).run((number, job(number)) for number in range(100))
    assert begun.index(-1) <= 2 * 4 + 1
    assert len(desk.calls) == 100


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_keeps_pieces_that_are_finished_and_only_these(journal, error):
    desk, found = Desk(), {}

    def act(name: str, place: int) -> None:
        if name == "bad" and place == 1:
            time.sleep(0.02)
            raise error("stop")
        if name == "slow":
            time.sleep(0.05)

    desk.act = act
    with pytest.raises(error):
        run(journal, [desk.job([name], found) for name in ("good", "bad", "slow", *map(str, range(50)))], 3)
    assert journal.get("bad") is None
    called = {name: sum(each == name for each, _ in desk.calls) for name in ("good", "slow", "0", "49")}
    assert called["good"] == 3
    assert called["49"] == 0
    for name, count in called.items():
        assert (journal.get(name) is not None) == (count == 3)
