"""A study under its readings: variants, paired differences and their intervals, rankings, the command, the picture."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import SETTINGS, UNITS
from shell import ROOT, Shell

from simlab.cli.readings import _cells, _percent, list_text
from simlab.engine.play import play_fights
from simlab.lab.ambiguity import PICTURE, RECORD, list_readings, readings
from simlab.lab.fights import fight_key_of
from simlab.lab.roster import find_sheet
from simlab.lab.variants import find_variants
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.blitzkrieg.constants import HOUSE_NUMBERS
from simlab.rules.registry import get_system
from simlab.studies.journal import JOURNAL, Journal
from simlab.studies.paired import PairedWorker, fight_digest, widen
from simlab.studies.work import Matchup

BLITZKRIEG = get_system("blitzkrieg")
STUDY = """
name: Small
system: blitzkrieg
units: [panther_g, m4a3_sherman_lp]
situations:
  range: {6: 1, 24: 2}
  aspect: {front: 3, rear: 0.5}
n: 1000
seed: 3
engagements: {sizes: [1, 2], turns: 20}
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with the units of the project in reach."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIMLAB_UNITS", str(UNITS))
    return tmp_path


def write_study(text: str = STUDY) -> Path:
    path = Path("small.yaml")
    path.write_text(text, encoding="utf-8")
    return path


def matchup(a: str = "panther_g", b: str = "m4a3_sherman_lp", sizes: tuple[int, int] = (1, 1)) -> Matchup:
    sheets = [find_sheet(name, "blitzkrieg", UNITS) for name in (a, b)]
    return Matchup(*sheets, *sizes, Situation(12.0), "spread", 12)


class TestVariants:
    def test_every_built_value_but_the_one_in_force_is_a_variant_and_nothing_else(self) -> None:
        options = BLITZKRIEG.options({})
        found, refused = find_variants(BLITZKRIEG, options)
        wanted = {
            (reading.name, reading.word(value))
            for reading in BLITZKRIEG.readings
            if reading.built and isinstance(reading.values, tuple)
            for value in reading.values
            if value != reading.default
        }
        named = {tuple(each.label.split("=")) for each in refused} | {(v.reading, v.value) for v in found}
        assert wanted <= named
        assert {name for name, _ in named - wanted} <= {"pintle_policy", "moved"}

    def test_a_variant_differs_from_its_base_in_its_settings_alone(self) -> None:
        found, _ = find_variants(BLITZKRIEG, BLITZKRIEG.options({"lost_bin": "none"}))
        for variant in found:
            assert variant.options != variant.base
            before, after = variant.base.built(), variant.options.built()
            changed = {name for name in before if before[name] != after[name]}
            assert {name for name, _ in variant.settings} <= changed
            assert before["lost_bin"] == "none"
        assert "lost_bin=ammo_lost" in {variant.label for variant in found}

    def test_both_sides_change_together_and_each_alone(self) -> None:
        found, _ = find_variants(BLITZKRIEG, BLITZKRIEG.options({}), ["pintle_policy"])
        assert [variant.label for variant in found] == ["pintle_policy=in_range", "pintle_policy=always"]
        assert found[0].options == BLITZKRIEG.options({"pintle_policy": "in_range"})
        alone, _ = find_variants(BLITZKRIEG, BLITZKRIEG.options({}), ["pintle_policy_b=always"])
        assert alone[0].options == BLITZKRIEG.options({"pintle_policy_b": "always"})

    def test_a_reading_of_an_optional_rule_is_read_under_that_rule(self) -> None:
        found, _ = find_variants(MadeUp(), MadeUp().options({}, {"step": 6}))
        by_label = {variant.label: variant for variant in found}
        assert list(by_label) == ["doubled=true", "often=each"]
        assert by_label["often=each"].given_text == "doubled=true"
        assert by_label["often=each"].base.held == {"doubled": True}
        assert by_label["often=each"].options.held == {"doubled": True, "often": "each"}
        assert by_label["doubled=true"].base.held == {}
        assert all(v.options.constants == v.base.constants == {"step": 6} for v in found)
        on, _ = find_variants(MadeUp(), MadeUp().options({"doubled": True}), ["often"])
        assert on[0].given == ()

    @pytest.mark.parametrize(
        ("only", "line"),
        [
            ("imobile", "only: found imobile, allowed a reading or optional rule; did you mean immobile?"),
            ("phased", "only: found phased, allowed a reading that is built already"),
            (
                "immobile=both",
                'only: found "immobile=both", allowed a value that immobile does not have yet: one_tread',
            ),
            (
                "immobile=one_tred",
                'only: found "immobile=one_tred", allowed a value that immobile does not have yet: one_tread; '
                "did you mean one_tread?",
            ),
            ("range_step", "only: found range_step, allowed range_step=VALUE, a number from 1 to 999"),
            (
                "constants.range_step=0",
                'only: found "constants.range_step=0", allowed a number from 1 to 999',
            ),
            ("exploding=no", 'only: found "exploding=no", allowed true or false'),
            (
                "range_step=12.0",
                'only: found "range_step=12.0", allowed a value that range_step does not have yet: '
                "a number from 1 to 999",
            ),
            (
                "range_stp=6",
                "only: found range_stp, allowed a reading or optional rule; did you mean range_step?",
            ),
        ],
    )
    def test_what_is_not_in_the_catalogue_is_refused(self, only: str, line: str) -> None:
        with pytest.raises(InputError) as caught:
            find_variants(BLITZKRIEG, BLITZKRIEG.options({}), [only])
        assert str(caught.value) == line

    def test_any_legal_value_of_a_number_can_be_named_and_several_of_one(self) -> None:
        system = get_system("wwiisim")
        study = system.options({"jam_scope": "lost"})
        found, refused = find_variants(
            system, study, ["mg_dice=1", "long_range=-4", "long_range=0", "die=20"]
        )
        assert [variant.label for variant in found] == [
            "die=20",
            "long_range=-4",
            "long_range=0",
            "mg_dice=1",
        ]
        assert [variant.options for variant in found] == [
            system.options({"jam_scope": "lost", name: value})
            for name, value in (("die", 20), ("long_range", -4), ("long_range", 0), ("mg_dice", 1))
        ]
        assert refused == []
        neighbours, _ = find_variants(system, study, ["die", "die=12", "die=11"])
        assert [variant.label for variant in neighbours] == ["die=9", "die=11", "die=12"]

    def test_a_number_of_each_side_is_named_for_both_or_for_one(self) -> None:
        system = get_system("tank_d20")
        found, _ = find_variants(system, system.options({}), ["inches_b=9", "inches=12"])
        assert [variant.label for variant in found] == ["inches=12", "inches_b=9"]
        assert found[0].options == system.options({"inches_a": 12, "inches_b": 12})
        assert found[1].options == system.options({"inches_b": 9})

    def test_house_numbers_are_varied_where_they_are_named(self) -> None:
        held = BLITZKRIEG.options({"skip": "destroyed"}, {"ap_reach": 20})
        found, _ = find_variants(BLITZKRIEG, held, ["constants.range_step=6", "exploding=false", "skip"])
        assert [variant.label for variant in found] == [
            "skip=crossed",
            "constants.range_step=6",
            "constants.exploding=false",
        ]
        assert found[1].options == BLITZKRIEG.options(
            {"skip": "destroyed"}, {"ap_reach": 20, "range_step": 6}
        )
        assert found[1].base == held
        named = {variant.reading for variant in find_variants(BLITZKRIEG, held)[0]}
        assert not any(name.startswith("constants.") for name in named)

    def test_what_lies_in_a_file_is_named_by_its_path(self, elsewhere: Path) -> None:
        system = get_system("tank_d20")
        charts = ROOT / "simlab" / "rules" / "tank_d20" / "charts"
        Path("mine").mkdir()
        text = (charts / "crew.yaml").read_text(encoding="utf-8").replace("morale: 12", "morale: 13")
        Path("mine", "crew.yaml").write_text(text, encoding="utf-8")
        found, _ = find_variants(system, system.options({}), ["charts=mine"])
        assert [variant.label for variant in found] == ["charts=mine"]
        assert found[0].options == system.options({"charts": "mine"})
        with pytest.raises(InputError, match="charts: found yours, allowed draft, or a folder"):
            find_variants(system, system.options({}), ["charts=yours"])

    @pytest.mark.parametrize("only", ["mg_dice=0", "mg_dice=4", "mg_dice=3", "mg_dice=two", "mg_dice="])
    def test_a_number_that_no_study_can_have_is_refused_with_the_legal_ones(self, only: str) -> None:
        system = get_system("wwiisim")
        with pytest.raises(InputError) as caught:
            find_variants(system, system.options({}), [only])
        allowed = "a value that mg_dice does not have yet: a whole number from 1 to 3"
        assert str(caught.value) == f'only: found "{only}", allowed {allowed}'

    def test_a_system_without_optional_rules_has_readings_alone(self) -> None:
        system = get_system("wwiisim")
        with pytest.raises(InputError, match="allowed a reading; did you mean mg_dice"):
            find_variants(system, system.options({}), ["mg_dce=2"])

    def test_rules_that_come_together_go_together(self) -> None:
        found, refused = find_variants(
            BLITZKRIEG, BLITZKRIEG.options({"immobile_targets": True}), ["immobile_targets", "hull_down"]
        )
        assert [variant.options for variant in found] == [BLITZKRIEG.options({})]
        assert [(each.label, each.reason) for each in refused] == [
            ("hull_down=false", "the same as immobile_targets=false")
        ]


@dataclass(frozen=True)
class MadeUpReading:
    name: str
    values: tuple[Any, ...]
    rule: str
    optional_rule: bool = False
    built: bool = True
    effect: str = ""

    @property
    def default(self) -> Any:
        return self.values[0]

    def word(self, value: Any) -> str:
        return {True: "true", False: "false"}.get(value, str(value))

    def choices(self) -> tuple[str, ...]:
        return tuple(map(self.word, self.values))


@dataclass(frozen=True)
class MadeUpOptions:
    held: dict[str, Any]
    constants: dict[str, Any]

    def value(self, name: str) -> Any:
        return self.held.get(name, {"doubled": False, "often": "once"}[name])

    def built(self) -> dict[str, Any]:
        return {name: self.value(name) for name in ("doubled", "often")}

    def non_default(self) -> dict[str, Any]:
        return {**self.held, **{f"constants.{name}": value for name, value in self.constants.items()}}


class MadeUp:
    """A system of two readings, the second about the first."""

    readings = (
        MadeUpReading("doubled", (False, True), "X-1", optional_rule=True),
        MadeUpReading("often", ("once", "each"), "X-1"),
    )

    house_numbers = ()

    def options(self, settings: Any, constants: Any = None) -> Any:
        return MadeUpOptions(dict(settings), dict(constants or {}))


class TestPairedFights:
    @pytest.fixture
    def worker(self, tmp_path: Path) -> Any:
        with Journal(tmp_path / JOURNAL) as journal:
            yield PairedWorker(BLITZKRIEG, BLITZKRIEG.options({}), 3, journal, 2)

    def test_batches_are_the_replicates_of_a_duel_in_order(self, worker: PairedWorker) -> None:
        one = matchup()
        found = worker.fight(one, BLITZKRIEG.options({}), 50, 6)
        fight = BLITZKRIEG.compile_fight([one.a], [one.b], one.situation, BLITZKRIEG.options({}), 12)
        key = fight_key_of(fight)
        for batch in range(6):
            tally = play_fights(fight, n=50, seed=3, key=key, first=50 * batch)
            assert found.outcomes[batch].tolist() == tally.outcomes.tolist()

    def test_variants_throw_the_dice_of_the_base(self, worker: PairedWorker) -> None:
        options = BLITZKRIEG.options({"loss_of_function": "crew"})
        one = matchup()
        found = worker.fight(one, options, 100, 4)
        base = BLITZKRIEG.compile_fight([one.a], [one.b], one.situation, BLITZKRIEG.options({}), 12)
        fight = BLITZKRIEG.compile_fight([one.a], [one.b], one.situation, options, 12)
        tally = play_fights(fight, n=400, seed=3, key=fight_key_of(base))
        assert found.outcomes.sum(axis=0).tolist() == tally.outcomes.tolist()
        own = play_fights(fight, n=400, seed=3, key=fight_key_of(fight))
        assert own.outcomes.tolist() != tally.outcomes.tolist()

    def test_equal_digests_are_equal_fights_and_cost_nothing(self, worker: PairedWorker) -> None:
        first = worker.fight(matchup(), BLITZKRIEG.options({}), 50, 4)
        fought = worker.fights
        again = worker.fight(matchup(), BLITZKRIEG.options({"mg_range": "unlimited"}), 50, 4)
        assert (again.fight, worker.fights) == (first.fight, fought)
        other = worker.fight(matchup(), BLITZKRIEG.options({"fire_allocation": "declared"}), 50, 4)
        assert other.fight != first.fight
        assert worker.fights == fought + 200

    def test_the_digest_sees_every_number_of_a_fight(self) -> None:
        one = matchup()
        fight = BLITZKRIEG.compile_fight([one.a], [one.b], one.situation, BLITZKRIEG.options({}), 12)
        program = fight.program.copy()
        program[-1] ^= np.uint64(1)
        changed = [
            replace(fight, program=program),
            replace(fight, types_a=fight.types_b),
            replace(fight, declared=True),
            replace(fight, scene_of_turn=(0,) * 11),
        ]
        digests = {fight_digest(each) for each in [fight, *changed]}
        assert len(digests) == 5

    @pytest.mark.parametrize("settings", [{}, *SETTINGS["blitzkrieg"]])
    @pytest.mark.parametrize("other", ["panther_g", "m4a3_sherman_lp"])
    def test_sides_are_widened_as_they_would_be_compiled(self, settings: dict[str, Any], other: str) -> None:
        one, options = matchup(b=other), BLITZKRIEG.options(settings)
        single = BLITZKRIEG.compile_fight([one.a], [one.b], one.situation, options, 12)
        whole = BLITZKRIEG.compile_fight([one.a] * 3, [one.b] * 2, one.situation, options, 12)
        wide = widen(single, 3, 2)
        assert fight_digest(wide) == fight_digest(whole)
        assert (wide.sheets_a, wide.sheets_b) == (whole.sheets_a, whole.sheets_b)

    def test_threads_change_nothing(self, tmp_path: Path) -> None:
        counts = []
        for threads in (1, 3):
            with Journal(tmp_path / f"{threads}") as journal:
                worker = PairedWorker(BLITZKRIEG, BLITZKRIEG.options({}), 3, journal, threads)
                counts.append(worker.fight(matchup(), BLITZKRIEG.options({}), 600, 16))
        assert counts[0].outcomes.tolist() == counts[1].outcomes.tolist()
        assert counts[0].counts == counts[1].counts


class TestVerb:
    def test_tables_and_record_agree_and_a_second_run_fights_nothing(self, elsewhere: Path) -> None:
        seen: list[tuple[int, int, str]] = []
        wanted = ["loss_of_function=crew", "mg_range", "immobile"]
        found = readings(write_study(), only=wanted, n=640, progress=lambda *each: seen.append(each))
        assert seen[-1][:2] == (seen[-1][1], seen[-1][1])
        finished = [done for done, total, _ in seen if total]
        assert finished == list(range(1, len(finished) + 1))
        folder = Path("results/small/readings")
        assert found.folder == folder
        names = {path.name for path in folder.iterdir()}
        assert {"ranking.csv", "matchups.csv", "situations.csv", "fair_numbers.csv", PICTURE, RECORD} <= names
        assert len(found.ranking) == 3
        assert len(found.matchups) == 3 * 4
        assert len(found.situations) == 3 * 4 * 4
        assert len(found.fair_numbers) == 3 * 2 * 2
        assert found.ranking.set_index("reading")["effect"]["mg_range"] == "none"
        assert found.to_frame()["reading"].tolist() == found.ranking["reading"].tolist()
        stored = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        assert stored == json.loads(json.dumps(found.to_dict(), allow_nan=False))
        before = {
            path.name: path.read_bytes()
            for path in folder.iterdir()
            if path.suffix in (".csv", ".png", ".json")
        }
        again = readings(write_study(), only=wanted, n=640)
        assert (found.fights > 0, again.fights) == (True, 0)
        assert before == {name: (folder / name).read_bytes() for name in before}

    def test_the_base_is_the_study_and_changes_are_differences_of_shares(self) -> None:
        found = readings(write_study(), only=["loss_of_function=crew"], n=640)
        rows = found.situations
        np.testing.assert_allclose(rows["change"], rows["win_share"] - rows["win_share_base"], atol=1e-12)
        weights = rows.groupby(["a", "b"])["weight"].sum()
        np.testing.assert_allclose(weights, 1)
        for (a, b), group in rows.groupby(["a", "b"]):
            mean = float(group["weight"] @ group["change"])
            pair = found.matchups[(found.matchups["a"] == a) & (found.matchups["b"] == b)]
            assert pair["change"].iloc[0] == pytest.approx(mean, abs=1e-12)

    def test_without_engagements_there_are_no_fair_numbers(self) -> None:
        study = write_study(STUDY.split("engagements", maxsplit=1)[0])
        found = readings(study, only="immobile", n=320)
        assert found.fair_numbers.empty
        assert found.to_dict()["fair_numbers"] == []

    def test_what_cannot_be_compiled_is_named_and_the_rest_goes_on(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        compile_fight = type(BLITZKRIEG).compile_fight

        def refuse(self: Any, a: Any, b: Any, situation: Any, options: Any, turns: int) -> Any:
            if options.value("immobile") == "one_tread":
                raise InputError.one("rounds", "too many", "fewer")
            return compile_fight(self, a, b, situation, options, turns)

        monkeypatch.setattr(type(BLITZKRIEG), "compile_fight", refuse)
        found = readings(write_study(), only=["immobile", "mg_range"], n=320)
        assert found.ranking["reading"].tolist() == ["mg_range"]
        assert [(each.label, each.reason) for each in found.refused] == [
            ("immobile=one_tread", "rounds: found too many, allowed fewer")
        ]

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            ({"n": 319}, "n: found 319, allowed a whole number from 320 to 10^12"),
            ({"n": 400, "precision": 0.1}, "method: found n and precision, allowed one of n, precision"),
            ({"precision": 0.5}, "precision: found 0.5, allowed a half-width that takes 320 fights at least"),
        ],
    )
    def test_numbers_of_fights_that_are_refused(self, arguments: dict[str, Any], line: str) -> None:
        with pytest.raises(InputError) as caught:
            readings(write_study(), **arguments)
        assert str(caught.value) == line


class TestCommand:
    @pytest.fixture
    def simlab(self, capsys: pytest.CaptureFixture[str]) -> Shell:
        return Shell(capsys)

    def test_the_table_fits_and_names_everything(self, simlab: Shell) -> None:
        write_study()
        said = simlab(
            "readings", "small.yaml", "--n", "640", "--only", "mg_range", "--only", "loss_of_function", "--only",
            "pintle_policy_a",
        )  # fmt: skip
        assert (said.code, said.errors) == (0, [])
        assert max(map(len, said.out.splitlines())) <= 80
        for name in ("loss_of_function=crew", "pintle_policy_a=always", "mg_range=unlimited"):
            assert name in said.out
        assert "No effect here (the same fights, die by die):\n  mg_range=unlimited" in said.out

    def test_json_is_one_object(self, simlab: Shell) -> None:
        write_study()
        said = simlab("readings", "small.yaml", "--n", "320", "--only", "immobile", "--json")
        result = json.loads(said.out)
        assert result["ranking"][0]["reading"] == "immobile"
        assert {"matchups", "fair_numbers", "flips", "refused", "n", "seed", "rules_version"} <= set(result)

    def test_the_list_names_all_in_80_columns(self, simlab: Shell) -> None:
        said = simlab("readings", "--list")
        lines = said.out.splitlines()
        assert max(map(len, lines)) <= 80
        for reading in list_readings():
            (line,) = (line for line in lines if line[2:].split(" ")[0] == reading.name)
            assert line.startswith("* " if reading.built else "  ")
            assert reading.rule in line
            assert line[30:].split(",")[0] == reading.word(reading.default)
        listed = json.loads(simlab("readings", "--list", "--json").out)["readings"]
        assert [each["name"] for each in listed] == [reading.name for reading in BLITZKRIEG.readings]

    def test_the_list_names_what_sets_several_and_the_house_numbers(self, simlab: Shell) -> None:
        readings, numbers = simlab("readings", "--list").out.split("House numbers: ")
        assert numbers.startswith("under `constants:` of a study, `constants=` in Python\n")
        lines = readings.splitlines()
        (place,) = (place for place, line in enumerate(lines) if line.startswith("* pintle_policy "))
        assert lines[place].split() == ["*", "pintle_policy", "BK-31", "never,", "in_range,", "always"]
        assert lines[place + 1] == "      sets pintle_policy_a and pintle_policy_b"
        assert lines[place + 2].startswith("* pintle_policy_a ")
        for number in HOUSE_NUMBERS:
            (line,) = (line for line in numbers.splitlines() if line.startswith(f"* {number.name} "))
            assert line.endswith(f"{number.rule}  {str(number.default).lower()}; {number.allowed()}")
        found = json.loads(simlab("readings", "--list", "--json").out)
        assert found["shared"] == [{"name": "pintle_policy", "sets": ["pintle_policy_a", "pintle_policy_b"]}]
        assert [(each["name"], each["default"], each["values"]) for each in found["constants"]] == [
            (number.name, number.default, number.allowed()) for number in HOUSE_NUMBERS
        ]

    def test_the_page_about_readings_has_all_house_numbers(self) -> None:
        page = (ROOT / "docs" / "readings.md").read_text(encoding="utf-8")
        for number in HOUSE_NUMBERS:
            cells = (
                f"`{number.name}`",
                number.allowed(),
                str(number.default).lower(),
                number.rule,
                number.effect,
            )
            assert f"| {' | '.join(cells)} |" in page

    def test_what_the_list_has_no_use_for_is_refused(self, simlab: Shell) -> None:
        unwanted = ("--only", "dsp", "--only", "mg_range=hard", "--n", "5", "--precision", ".1")
        said = simlab(
            "readings", "--list", *unwanted, "--results", "results", "--workers", "2", "--units", "x"
        )
        assert (said.code, said.out) == (2, "")
        assert said.errors == [
            '--only: found dsp, "mg_range=hard", allowed no --only with --list',
            "--n: found 5, allowed no --n with --list",
            "--precision: found .1, allowed no --precision with --list",
            "--results: found results, allowed no --results with --list",
            "--workers: found 2, allowed no --workers with --list",
            "--units: found x, allowed no --units with --list",
        ]
        assert simlab("readings", "--list", "--system", "blitzkrieg").code == 0

    def test_a_study_names_its_own_system(self, simlab: Shell) -> None:
        write_study()
        (line,) = simlab("readings", "small.yaml", "--system", "blitzkrieg").errors
        assert line == "--system: found blitzkrieg, allowed no --system for a study, which names its own"

    def test_the_record_has_the_house_numbers(self, simlab: Shell) -> None:
        write_study(STUDY + "constants: {range_step: 6}\n")
        said = simlab("readings", "small.yaml", "--n", "320", "--only", "mg_range", "--json")
        found = json.loads(said.out)
        assert found["constants"] == {"range_step": 6, "ap_reach": 30, "exploding": True, "contest_lead": 1}
        assert not [name for name in found["readings"] if "." in name]

    @pytest.mark.parametrize(
        ("low", "high", "cell"),
        [
            (0.0037, 0.0278, "+0.4 to +2.8"),
            (0.0004, 0.0278, "+0.04 to +2.78"),
            (-0.0278, -0.00004, "-2.780 to -0.004"),
            (-0.0278, 0.0278, "-2.8 to +2.8"),
            (0.0, 0.0278, "0.0 to +2.8"),
            (0.004, 0.04, "+0.4 to +4.0"),
            (0.0000001, 0.00001, "0.0000 to +0.0010"),
        ],
    )
    def test_one_sees_whether_zero_is_in_an_interval(self, low: float, high: float, cell: str) -> None:
        row = {"reading": "r", "value": "v", "given": "", "flips": 0}
        change = {"change": (low + high) / 2, "change_low": low, "change_high": high}
        assert _cells(row | change, False)[2] == cell

    @pytest.mark.parametrize(
        ("low", "high", "cell"), [(0.005, 0.035, "* +2%"), (-0.035, -0.005, "* -2%"), (-0.01, 0.05, "+2%")]
    )
    def test_a_fair_number_that_moved_is_marked(self, low: float, high: float, cell: str) -> None:
        assert _percent((low + high) / 2, low, high) == cell

    def test_a_system_without_readings_has_a_list_too(self) -> None:
        assert list_text(()) == "0 names, 0 built (*); the others take their default only"

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            ((), "STUDY: found nothing, allowed a study file, or --list"),
            (("x.yaml", "--list"), "STUDY: found x.yaml, allowed no study with --list"),
            (
                ("small.yaml", "--only", "imobile"),
                "--only: found imobile, allowed a reading or optional rule; ",
            ),
            (("small.yaml", "--n", "x"), "--n: found x, allowed a whole number from 320 to 10^12"),
            (("small.yaml", "--n", "1e9"), "--n: found 1e9, allowed a whole number from 320 to 10^12"),
            (("small.yaml", "--n", "3"), "--n: found 3, allowed a whole number from 320 to 10^12"),
        ],
    )
    def test_faults_are_one_line_each(self, simlab: Shell, arguments: tuple[str, ...], line: str) -> None:
        write_study()
        said = simlab("readings", *arguments)
        assert (said.code, said.out) == (2, "")
        assert said.errors[0].startswith(line)
        assert not Path("results").exists()
