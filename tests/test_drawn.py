"""Pictures are drawn again where they would be others, or are missing, and only there."""

from pathlib import Path
from typing import Any

import pytest
from paper import STUDY, PaperEngine, install, paper_run

from simlab.lab import drawn
from simlab.lab.drawn import MARK, plot_changed
from simlab.lab.study import PLOTS, Run


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> PaperEngine:
    """The paper system in place of a real one."""
    return install(monkeypatch)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The runs that were drawn, two pictures of few bytes each."""
    seen: list[Run] = []

    def draw(run: Run, **more: Any) -> tuple[Path, ...]:
        seen.append(run)
        paths = (run.folder / "plots" / "one.png", run.folder / "plots" / "pages" / "two.png")
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(str(run.duels["count_a_wins"].tolist()).encode())
        return paths

    monkeypatch.setattr(drawn, "plot", draw)
    return seen


SMALL = STUDY.replace("engagements", "#").replace("{6: 1, 12: 3}", "[6]")


def test_equal_pictures_are_drawn_once(tmp_path, engine, calls):
    first = plot_changed(paper_run(tmp_path, SMALL))
    assert len(calls) == 1
    assert all(path.is_file() for path in first)
    assert plot_changed(paper_run(tmp_path, SMALL)) == first
    assert len(calls) == 1


@pytest.mark.parametrize(
    "spoilt", ["missing", "other bytes", "no mark", "mark cut off", "mark of another kind"]
)
def test_what_is_missing_or_spoilt_is_drawn_again(tmp_path, engine, calls, spoilt):
    run = paper_run(tmp_path, SMALL)
    picture = plot_changed(run)[-1]
    content, mark = picture.read_bytes(), run.folder / PLOTS / MARK
    if spoilt == "missing":
        picture.unlink()
    elif spoilt == "other bytes":
        picture.write_bytes(content[:-1])
    elif spoilt == "no mark":
        mark.unlink()
    else:
        mark.write_text('{"made_from": ' if spoilt == "mark cut off" else "[]")
    plot_changed(run)
    assert len(calls) == 2
    assert picture.read_bytes() == content
    plot_changed(run)
    assert len(calls) == 2


def test_other_tables_terms_or_programs_draw_again(tmp_path, engine, calls, monkeypatch):
    plot_changed(paper_run(tmp_path, SMALL))
    plot_changed(paper_run(tmp_path, SMALL.replace("n: 1000", "n: 1001")))
    assert len(calls) == 2
    plot_changed(
        paper_run(tmp_path, SMALL.replace("n: 1000", "n: 1001").replace("name: Paper", "name: Other"))
    )
    assert len(calls) == 3
    monkeypatch.setattr(drawn, "version", lambda name: "99")
    plot_changed(
        paper_run(tmp_path, SMALL.replace("n: 1000", "n: 1001").replace("name: Paper", "name: Other"))
    )
    assert len(calls) == 4


def test_an_interrupt_leaves_no_mark(tmp_path, engine, calls, monkeypatch):
    run = paper_run(tmp_path, SMALL)
    plot_changed(run)
    mark = run.folder / PLOTS / MARK
    mark.write_text("{}")

    def stop(run: Run, **more: Any) -> tuple[Path, ...]:
        raise KeyboardInterrupt

    monkeypatch.setattr(drawn, "plot", stop)
    with pytest.raises(KeyboardInterrupt):
        plot_changed(run)
    assert not mark.exists()
