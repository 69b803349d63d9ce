"""Whatever the verbs are given, they answer or say what is wrong: InputError, and no other error."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import simlab
from simlab.model.errors import InputError

PAIR = ("panther_g", "m4a3_sherman_lp")
SIDES = ("2 panther_g", "1 m4a3_sherman_lp")
STUDY = "name: S\nsystem: blitzkrieg\nunits: [panther_g]\nsituations: {range: [12], aspect: [front]}\nn: 1\n"
WRONG: tuple[Any, ...] = (
    *(None, True, 5, -1, 1.5, float("nan"), "", "x", "a\0b", "x" * 300, b"x", object(), int, Ellipsis),
    *([], {}, (), [None], [[]], {"x": None}, {1: 2}, {"a"}, Path("nowhere"), 10**400, [1] * 2000),
)
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "duel": (PAIR, {"n": 1, "workers": 1}),
    "engage": (SIDES, {"n": 1, "workers": 1}),
    "odds": (PAIR, {}),
    "trace": (PAIR, {}),
    "find_sheet": (PAIR[:1], {}),
    "units": ((), {}),
    "show": (PAIR[:1], {}),
    "changed": ((PAIR[0], {"armor.front": 7}), {}),
    "check": ((), {}),
    "draft": (("tiger_ii",), {}),
    "drafts": (("tiger_ii",), {}),
    "run": (("s.yaml",), {"workers": 1}),
    "load_run": (("s",), {}),
    "plot": (("s",), {}),
}
FREE = {"progress"}


@pytest.fixture(scope="module", autouse=True)
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working folder with a study and its run."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "s.yaml").write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("SIMLAB_UNITS", raising=False)
        simlab.run("s.yaml", workers=1)
        yield folder


def places() -> Iterator[tuple[str, str]]:
    for verb in CALLS:
        for name in inspect.signature(getattr(simlab, verb)).parameters:
            if name not in FREE:
                yield verb, name


@pytest.mark.parametrize(("verb", "name"), list(places()))
def test_one_wrong_argument(verb: str, name: str) -> None:
    function: Callable[..., Any] = getattr(simlab, verb)
    positional, named = CALLS[verb]
    for value in WRONG:
        given = inspect.signature(function).bind(*positional, **named)
        given.arguments[name] = value
        try:
            function(*given.args, **given.kwargs)
        except InputError as error:
            assert error.problems
            assert "\n" not in str(error.problems[0])


def test_each_of_two_units_is_named_with_what_is_wrong() -> None:
    for call in (simlab.duel, simlab.odds, simlab.trace):
        with pytest.raises(InputError) as caught:
            call("panter_g", "shermann")
        assert [problem.field for problem in caught.value.problems] == ["a", "b"]
    with pytest.raises(InputError) as caught:
        simlab.engage("1 panter_g, 2 tigre", ["m4a3_sherman_lp", "sherman", "sherman"])
    assert [problem.field for problem in caught.value.problems] == ["side_a", "side_a", "side_b"]
    with pytest.raises(InputError) as caught:
        simlab.duel(None, "x")
    assert str(caught.value.problems[0]).startswith("a: found None, allowed a unit id")


def test_a_path_object_is_a_unit_everywhere() -> None:
    path = Path(simlab.find_sheet("panther_g").file)
    assert simlab.duel(path, PAIR[1], n=10, workers=1).a == "panther_g"
    assert simlab.engage([path, "panther_g"], path, n=10, workers=1).a == ("panther_g", "panther_g")


def test_a_single_path_is_one_path(work: Path) -> None:
    assert simlab.check("s.yaml").files == ("s.yaml",)
    assert simlab.check(Path("s.yaml")).files == ("s.yaml",)
    assert simlab.check(["s.yaml"]).fine == 1
    (work / "folder").mkdir()
    (work / "folder" / "t.yaml").write_text(STUDY)
    assert simlab.check("folder").files == (str(Path("folder") / "t.yaml"),)


def test_options_are_checked_where_nothing_is_left_to_fight() -> None:
    with pytest.raises(InputError) as caught:
        simlab.run("s.yaml", workers=0)
    assert str(caught.value).startswith("workers: found 0, allowed a whole number from 1")


def test_the_verbs_are_what_the_package_lists() -> None:
    shown = [name for name in dir(simlab) if not name.startswith("_")]
    assert set(CALLS) < set(shown)
    assert not {"Any", "VERBS", "annotations"} & set(shown)
    assert all(callable(getattr(simlab, name)) or inspect.ismodule(getattr(simlab, name)) for name in shown)


def test_a_changed_sheet_is_told_from_its_unit() -> None:
    harder = simlab.changed(PAIR[1], {"armor.front": 9})
    assert harder.id == "m4a3_sherman_lp*"
    assert simlab.changed(harder, {"armor.back": 2}).id == harder.id
    frame = simlab.duel(PAIR[1], harder, n=50, workers=1).to_frame()
    assert set(frame["a"]) == {PAIR[1]}
    assert set(frame["b"]) == {harder.id}
    found = simlab.engage([PAIR[1]], [harder], n=50, workers=1)
    assert {*found.names} == {PAIR[1], harder.id}
