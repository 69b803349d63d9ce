"""Notes on standard error before a fight: that it has to be compiled, and options that do nothing by themselves."""

from pathlib import Path
from typing import Any

import pytest
from samples import UNITS
from shell import PAIR, Shell

from simlab.lab.notes import idle_notes
from simlab.lab.roster import find_sheet, sheet_files
from simlab.model.situation import Situation
from simlab.rules.registry import get_system
from simlab.studies.paired import fight_digest
from simlab.tables import expand

BLITZKRIEG = get_system("blitzkrieg")
STUDY = (
    "name: S\nsystem: blitzkrieg\nunits: [panther_g]\nsituations: {range: [12], aspect: [front]}\nn: 320\n"
)
IDLE = "note: lucky_repeat=each has no effect without lucky_shot; it gives other dice all the same"
SIDES = ("1 panther_g", "1 m4a3_sherman_lp")
SIDES_OF_TWO = ("2 panther_g", "2 m4a3_sherman_lp")
SET = ("--set", "lucky_repeat=each")
FEW = ("--n", "10")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a study, and with one under an idle reading."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIMLAB_UNITS", str(UNITS))
    Path("s.yaml").write_text(STUDY)
    Path("idle.yaml").write_text(f"{STUDY}readings: {{lucky_repeat: each}}\n")
    return tmp_path


def without_effect(settings: dict[str, Any]) -> bool:
    """Whether fights are compiled alike with and without settings."""
    sheets = [find_sheet(unit) for unit in list(sheet_files())[::5]]
    for place, a in enumerate(sheets):
        b = sheets[place - 1]
        for distance in (0.5, 24.0, 33.0):
            with_and_without = [
                BLITZKRIEG.compile_fight([a], [b], Situation(distance), BLITZKRIEG.options(each), 12)
                for each in (settings, {})
            ]
            if len({fight_digest(fight) for fight in with_and_without}) > 1:
                return False
    return True


class TestIdleOptions:
    @pytest.mark.rule("BK-53", "BK-54", "BK-60", "BK-67")
    @pytest.mark.parametrize(
        "reading",
        [reading for reading in BLITZKRIEG.readings if reading.built],
        ids=lambda reading: str(reading.name),
    )
    def test_what_compiles_to_the_same_fights_is_said_and_nothing_else(self, reading: Any) -> None:
        for value in reading.values:
            settings = {reading.name: value}
            idle = value != reading.default and without_effect(settings)
            notes = idle_notes(BLITZKRIEG, BLITZKRIEG.options(settings))
            assert len(notes) == int(idle)
            assert all(
                note.startswith(f"note: {reading.name}={reading.word(value)} has no ") for note in notes
            )

    @pytest.mark.parametrize(
        ("settings", "without"),
        [
            ({"lucky_repeat": "each"}, ["lucky_repeat=each has no effect without lucky_shot"]),
            ({"lucky_repeat": "each", "lucky_shot": True}, []),
            ({"moved_a": True}, ["moved_a=true has no effect without immobile_targets"]),
            ({"moved_a": True, "hull_down": True}, []),
            (
                {"moved_b": True, "snake_scope": "any", "lucky_shot": True},
                [
                    "snake_scope=any has no effect without snake_eyes_miss",
                    "moved_b=true has no effect without immobile_targets",
                ],
            ),
            (
                {"half_round": "down"},
                ["half_round=down has no effect without immobile_targets or point_blank"],
            ),
            ({"half_round": "down", "point_blank": True}, []),
        ],
    )
    def test_lines(self, settings: dict[str, Any], without: list[str]) -> None:
        notes = idle_notes(BLITZKRIEG, BLITZKRIEG.options(settings))
        assert notes == [f"note: {text}; it gives other dice all the same" for text in without]

    @pytest.mark.parametrize(
        "arguments",
        [
            ("duel", *PAIR, *FEW, *SET),
            ("duel", *PAIR, *FEW, "--json", *SET),
            ("engage", *SIDES, *FEW, *SET),
            ("odds", *PAIR, *SET),
            ("odds", PAIR[0], *SET),
            ("trace", *PAIR, *SET),
            ("run", "idle.yaml", "--workers", "1"),
            ("readings", "idle.yaml", "--n", "320", "--only", "mg_range"),
        ],
        ids=" ".join,
    )
    def test_each_command_says_it_once_on_standard_error(
        self, simlab: Shell, arguments: tuple[str, ...]
    ) -> None:
        said = simlab(*arguments)
        assert said.code == 0
        assert [line for line in said.errors if line.startswith("note: ")] == [IDLE]
        assert IDLE not in said.out

    def test_a_row_of_a_run_says_it_too(self, simlab: Shell) -> None:
        assert simlab("run", "idle.yaml", "--workers", "1").code == 0
        assert simlab("trace", "idle", "--row", "0").errors == [IDLE]

    def test_nothing_is_said_where_there_is_nothing_to_say(self, simlab: Shell) -> None:
        assert simlab("odds", *PAIR, "--set", "lucky_shot=true", *SET).errors == []


class TestCompiling:
    NOTE = "compiling the rules, once; about "

    @pytest.mark.parametrize(
        ("arguments", "home"),
        [
            (("trace", *SIDES_OF_TWO, "--policy-a", "focus"), "simlab.engine.judging.judge_is_ready"),
            (("odds", *PAIR), "simlab.tables.expand.is_compiled"),
            (("duel", *PAIR, *FEW), "simlab.engine.play.is_compiled"),
            (("engage", "2 panther_g", "1 m4a3_sherman_lp", *FEW), "simlab.engine.play.is_compiled"),
            (("readings", "s.yaml", "--n", "320", "--only", "immobile"), "simlab.engine.play.is_compiled"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
    )
    def test_it_is_said_before_a_command_falls_silent(
        self, simlab: Shell, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], home: str
    ) -> None:
        monkeypatch.setattr(home, lambda *fight: False)
        said = simlab(*arguments)
        assert said.code == 0
        assert said.errors
        assert all(line.startswith(self.NOTE) and line.endswith(" s") for line in said.errors)
        assert self.NOTE not in said.out

    def test_what_is_compiled_needs_no_note(self, simlab: Shell) -> None:
        for _ in range(2):
            asked = simlab("odds", *PAIR)
        assert asked.errors == []
        sheets = [find_sheet(unit) for unit in PAIR]
        fight = BLITZKRIEG.compile_fight(sheets[:1], sheets[1:], Situation(24.0), BLITZKRIEG.options({}), 12)
        assert expand.is_compiled(fight)

    @pytest.mark.parametrize(
        "arguments", [("show", PAIR[0]), ("odds", PAIR[0]), ("readings", "--list"), ("trace", *PAIR)]
    )
    def test_what_compiles_nothing_says_nothing(self, simlab: Shell, arguments: tuple[str, ...]) -> None:
        assert simlab(*arguments).errors == []
