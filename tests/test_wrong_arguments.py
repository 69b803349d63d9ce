"""Whatever the verbs are given, they answer or say what is wrong: InputError, and no other error."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from effort import PART

import simlab
from simlab.model.errors import InputError

PAIR = ("panther_g", "m4a3_sherman_lp")
SIDES = ("2 panther_g", "1 m4a3_sherman_lp")
STUDY = "name: S\nsystem: blitzkrieg\nunits: [panther_g]\nsituations: {range: [12], aspect: [front]}\nn: 1\n"
THREE = "[panther_g, m4a3_sherman_lp, t34_85]"
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
    "status": (("s",), {}),
    "compare": (("s", "s"), {}),
    "across": (("m.yaml",), {"workers": 1}),
    "readings": (("s.yaml",), {"only": "mg_range", "n": 320, "workers": 1}),
    "export_units": (("units.csv", PAIR[0]), {"force": True}),
    "import_units": (("units.csv",), {"force": True}),
    "whatif": ((PAIR[0], {"armor.front": 7}, PAIR[1]), {"n": 320, "workers": 1}),
    "solve": ((PAIR[0], "gunners.0.skill", PAIR[1]), {"n": 320, "workers": 1}),
    "formula": (("s",), {"workers": 1}),
}
SLOW: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "sensitivity": (PAIR, {"n": 320, "ecv": False}),
    "why": (PAIR, {"n": 320}),
}
"""What shares its arguments with `whatif` and takes longer."""
TRUTHS = {
    "duel": ("exact",),
    "engage": ("exact",),
    "sensitivity": ("exact", "ecv"),
    "solve": ("exact",),
    "whatif": ("exact",),
    "why": ("exact",),
    "referee": ("all",),
    "export_units": ("force", "semicolon"),
    "import_units": ("check", "force"),
}
"""Arguments that are true or false."""
FREE = {"progress"}


@pytest.fixture(scope="module", autouse=True)
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working folder with a study and its run."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "s.yaml").write_text(STUDY)
    several = STUDY.replace("blitzkrieg", "[blitzkrieg, tank_d20]").replace("[panther_g]", THREE)
    (folder / "m.yaml").write_text(several)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("SIMLAB_UNITS", raising=False)
        simlab.run("s.yaml", workers=1)
        simlab.export_units("units.csv", PAIR[0])
        yield folder


def places() -> Iterator[tuple[str, str]]:
    for verb in CALLS:
        for name in inspect.signature(getattr(simlab, verb)).parameters:
            if name not in FREE:
                yield verb, name


SOME_AND_ALL = [
    pytest.param(*place, marks=pytest.mark.long) if number % PART else place
    for number, place in enumerate(places())
]
"""A part of them, unless the run is a long one."""


@pytest.mark.parametrize(("verb", "name"), SOME_AND_ALL)
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


def test_every_truth_value_is_known() -> None:
    found = {
        verb: tuple(
            name
            for name, argument in inspect.signature(getattr(simlab, verb)).parameters.items()
            if isinstance(argument.default, bool)
        )
        for verb in simlab.VERBS
    }
    assert {verb: names for verb, names in found.items() if names} == TRUTHS


@pytest.mark.parametrize(("verb", "name"), [(verb, name) for verb in TRUTHS for name in TRUTHS[verb]])
@pytest.mark.parametrize(
    ("value", "found"), [("yes", "yes"), (1, "1"), (0, "0"), (None, "null"), ([], "[]"), ("true", '"true"')]
)
def test_nothing_stands_for_a_truth_value(verb: str, name: str, value: Any, found: str) -> None:
    positional, named = {**CALLS, **SLOW}.get(verb, (("s",), {}))
    with pytest.raises(InputError) as caught:
        getattr(simlab, verb)(*positional, **{**named, name: value})
    assert str(caught.value) == f"{name}: found {found}, allowed true or false"


@pytest.mark.parametrize(
    ("verb", "given", "line"),
    [
        ("duel", {"n": "100"}, 'n: found "100", allowed a whole number from 1 to 10^12'),
        ("duel", {"n": 1.5}, "n: found 1.5, allowed a whole number from 1 to 10^12"),
        ("duel", {"turns": True}, "turns: found true, allowed a whole number from 1 to 1000"),
        ("duel", {"seed": None, "workers": "two"}, "workers: found two, allowed a whole number from 1 to"),
        ("duel", {"range": "24 inches"}, 'range: found "24 inches", allowed a finite number'),
        ("duel", {"range": Path("x")}, "range: found x, allowed a finite number"),
        ("duel", {"aspect_a": 3}, "aspect_a: found 3, allowed front"),
        ("duel", {"aspect_a": "3"}, 'aspect_a: found "3", allowed front'),
        ("duel", {"system": ""}, 'system: found "", allowed blitzkrieg'),
        ("duel", {"units": "no where"}, 'units: found "no where", allowed a folder that exists'),
        ("duel", {"set": {"dsp": "5"}}, 'dsp: found "5", allowed coin'),
        ("duel", {"set": ["dsp"]}, "set: found [dsp], allowed a mapping of names to values"),
        ("duel", {"set": b"dsp"}, "set: found a value of type bytes, allowed a mapping"),
        ("duel", {"n": None, "precision": "1/2"}, 'precision: found "1/2", allowed a half-width above 0'),
        ("duel", {"n": None, "time_limit": 5}, "time_limit: found 5, allowed no time_limit without exact"),
        ("duel", {"exact": True}, "method: found exact and n, allowed one of exact, n, precision"),
        ("engage", {"time_limit": 5}, "time_limit: found 5, allowed no time_limit here: only duels are"),
        ("engage", {"exact": True}, "exact: found true, allowed n or precision: only duels are solved"),
        ("trace", {"row": 3}, "row: found 3, allowed no row without a run"),
        ("trace", {"dice": "1+1", "seed": 2}, "seed: found 2, allowed no seed with dice"),
        ("readings", {"only": [3]}, "only: found 3, allowed names of readings and optional rules"),
        ("readings", {"only": 3}, "only: found 3, allowed names of readings and optional rules"),
        ("readings", {"only": {"dsp": "mid"}}, "only: found {dsp: mid}, allowed names of readings"),
        ("readings", {"results": None}, "results: found null, allowed a folder"),
        ("export_units", {"chosen": 3}, "chosen: found 3, allowed ids, paths or sheets of units"),
        ("export_units", {"chosen": [3]}, "chosen: found 3, allowed a unit id"),
        ("import_units", {"out": 3}, "out: found 3, allowed a folder"),
        ("draft", {"unit": 3}, "unit: found 3, allowed the id of a vehicle in the facts"),
    ],
)
def test_what_was_found_is_shown_as_in_a_file(verb: str, given: dict[str, Any], line: str) -> None:
    """Words bare, other texts in quotes, so that a text is never taken for a number; options named as arguments."""
    function = getattr(simlab, verb)
    positional, named = CALLS[verb]
    call = inspect.signature(function).bind(*positional, **named)
    call.arguments.update(given)
    with pytest.raises(InputError) as caught:
        function(*call.args, **call.kwargs)
    assert str(caught.value.problems[0]).startswith(line)


def test_a_row_of_a_run_is_a_number() -> None:
    for row in (True, -1, "0", 0.0):
        with pytest.raises(InputError, match=r"^row: found .*, allowed a whole number of at least 0$"):
            simlab.trace("s", row=row)


def test_a_solution_that_takes_too_long_names_arguments() -> None:
    with pytest.raises(
        InputError, match=r"allowed 0\.001 s \(time_limit\) and 1 GB; a larger bound, or n instead$"
    ):
        simlab.duel(*PAIR, exact=True, bound=1e-11, time_limit=0.001)


def test_what_would_be_overwritten_names_an_argument(work: Path) -> None:
    simlab.export_units("once.csv", PAIR[0])
    with pytest.raises(InputError, match=r"allowed a new file, or force$"):
        simlab.export_units("once.csv", PAIR)


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
    assert str(caught.value.problems[0]).startswith("a: found null, allowed a unit id")


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
