"""The catalogue of readings and optional rules, and the options of a fight."""

import dataclasses
import re

import pytest

from simlab.model.errors import InputError
from simlab.rules.blitzkrieg.constants import HOUSE_NUMBERS, Constants
from simlab.rules.blitzkrieg.options import PAIR, READINGS, Options
from simlab.rules.common.choices import NumberRange

BUILT = {
    "dsp": ("BK-50", "coin", ("coin", "mid", "always_high", "three", "by_range")),
    "snake_eyes_miss": ("BK-53", False, (False, True)),
    "lucky_shot": ("BK-54", False, (False, True)),
    "instant_death": ("BK-55", False, (False, True)),
    "immobile_targets": ("BK-60", False, (False, True)),
    "hull_down": ("BK-60", False, (False, True)),
    "point_blank": ("BK-61", False, (False, True)),
    "zeroing_in": ("BK-64", False, (False, True)),
    "mg_range": ("BK-15", "hard", ("hard", "unlimited")),
    "skip": ("BK-23", "crossed", ("crossed", "destroyed")),
    "manifest_overflow": ("BK-23", "stop", ("stop", "wrap")),
    "engine_hits": ("BK-24", "first", ("first", "count")),
    "explosion_rolls": ("BK-26", "per_item", ("per_item", "per_volley")),
    "explosion_repeat": ("BK-26", "first", ("first", "each_volley")),
    "empty_bin": ("BK-26", "explodes", ("explodes", "inert")),
    "bin_in_box": ("BK-26", "box", ("box", "line")),
    "lost_bin": ("BK-26", "ammo_lost", ("ammo_lost", "none")),
    "periscope_scope": ("BK-27", "unit", ("unit", "enclosed")),
    "immobile": ("BK-28", "both", ("both", "one_tread")),
    "loss_of_function": ("BK-29", "any", ("any", "all", "firepower", "crew")),
    "volley_order": ("BK-30", "listed", ("listed", "random")),
    "fire_allocation": ("BK-30", "sequential", ("sequential", "declared")),
    "pintle_policy_a": ("BK-31", "never", ("never", "in_range", "always")),
    "pintle_policy_b": ("BK-31", "never", ("never", "in_range", "always")),
    "unbuttoned_mix": ("BK-31", "separate", ("separate", "pooled")),
    "snake_scope": ("BK-53", "first", ("first", "any")),
    "snake_one_die": ("BK-53", "never", ("never", "one")),
    "lucky_repeat": ("BK-54", "once", ("once", "each")),
    "moved_a": ("BK-60", False, (False, True)),
    "moved_b": ("BK-60", False, (False, True)),
    "halving_stack": ("BK-67", "multiply", ("multiply", "once")),
    "half_round": ("BK-67", "up", ("up", "down")),
    "duel_lock": ("BK-70", "none", ("none", "silent")),
}
NOT_BUILT = """
    gunner_targets aspect_arcs aspect_ties hold_fire
    one_die one_tread_reverse ram_resolution ram_side ram_rounding ram_back_speed initiative
    hidden_chits chit_count red_order level_cost level_limit paved_turn reverse_terrain hex_arc swing
    sight_edge infantry_sight sight_levels split_needs squad_rolls squad_losses exhaustion men_die
    indirect_sight flame_range flame_dv flame_timing field_gun_rear field_gun_wear
    motion_targets suppress_unbuttoned tree_edge immobile_scope magic_lines zeroing_suppress phased_interrupts
    initiative_parts motion_sickness suppressing_fire tree_cover half_acceleration no_magic_bullet phased
""".split()
OPTIONAL_RULES = """
    dsp snake_eyes_miss lucky_shot instant_death initiative_parts motion_sickness suppressing_fire
    tree_cover immobile_targets hull_down point_blank half_acceleration no_magic_bullet zeroing_in phased
""".split()


def refused(settings: dict[str, str | bool | int]) -> list[str]:
    with pytest.raises(InputError) as caught:
        Options.from_settings(settings)
    return str(caught.value).splitlines()


class TestCatalogue:
    def test_every_name_of_the_rules_is_known(self) -> None:
        names = [reading.name for reading in READINGS]
        assert sorted(names) == sorted([*BUILT, *NOT_BUILT])

    def test_the_optional_rules(self) -> None:
        optional = [reading for reading in READINGS if reading.optional_rule]
        assert [reading.name for reading in optional] == OPTIONAL_RULES
        assert {reading.rule for reading in optional} <= {f"BK-{number}" for number in range(50, 66)}
        assert all(reading.default in (False, "coin", 2) for reading in optional)

    @pytest.mark.rule("BK-15", "BK-23", "BK-24", "BK-26", "BK-28", "BK-29", "BK-30", "BK-31")
    @pytest.mark.parametrize("name", BUILT)
    def test_built_readings(self, name: str) -> None:
        (reading,) = (reading for reading in READINGS if reading.name == name)
        assert (reading.rule, reading.default, reading.values) == BUILT[name]
        assert reading.built

    def test_nothing_else_is_built(self) -> None:
        assert [reading.name for reading in READINGS if reading.built] == list(BUILT)

    def test_each_has_a_rule_an_effect_and_a_legal_default(self) -> None:
        for reading in READINGS:
            assert re.fullmatch(r"BK-\d+", reading.rule)
            assert 10 < len(reading.effect) < 100
            assert reading.word(reading.default) in reading.choices() or isinstance(
                reading.values, NumberRange
            )

    def test_number_ranges(self) -> None:
        ranges = {
            reading.name: reading.values for reading in READINGS if isinstance(reading.values, NumberRange)
        }
        assert ranges == {"level_limit": NumberRange(0), "split_needs": NumberRange(4, 8)}
        assert all(
            reading.default == {"level_limit": 2, "split_needs": 8}.get(reading.name)
            for reading in READINGS
            if reading.name in ranges
        )
        assert 10**9 in NumberRange(0)
        assert 9 not in NumberRange(4, 8)


class TestOptions:
    def test_defaults(self) -> None:
        options = Options.from_settings({})
        assert options == Options()
        assert options.non_default() == {}
        assert options.built() == {name: default for name, (_, default, _) in BUILT.items()}
        assert list(options.built()) == list(BUILT)

    @pytest.mark.rule("BK-15", "BK-23", "BK-24", "BK-26", "BK-28", "BK-29", "BK-30", "BK-31")
    @pytest.mark.parametrize(
        ("name", "value"), [(n, v) for n, (_, _, values) in BUILT.items() for v in values]
    )
    def test_every_value_of_a_built_reading_can_be_set(self, name: str, value: str) -> None:
        options = Options.from_settings({name: value})
        assert options.value(name) == getattr(options, name) == options.built()[name] == value
        expected = {} if value == BUILT[name][1] else {name: value}
        assert options.non_default() == (
            dict.fromkeys(PAIR, True) if name in expected and name in PAIR else expected
        )
        assert Options.from_settings(options.non_default()) == options

    @pytest.mark.rule("BK-60")
    def test_immobile_targets_and_hull_down_are_one_switch(self) -> None:
        options = [Options.from_settings({name: "true"}) for name in PAIR]
        options += [Options(immobile_targets=True), Options(hull_down=True)]
        assert len(set(options)) == 1
        assert options[0].immobile_targets is options[0].hull_down is True
        assert refused({"immobile_targets": True, "hull_down": False}) == [
            "immobile_targets: found both true and false, allowed one value",
            "hull_down: found both true and false, allowed one value",
        ]

    def test_equal_options_hash_equal_whatever_was_written(self) -> None:
        written = Options.from_settings({"mg_range": "hard", "moved_a": "false", "level_limit": "2"})
        assert hash(written) == hash(Options())
        assert written == Options()

    def test_options_are_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            Options().mg_range = "unlimited"  # type: ignore[misc]

    @pytest.mark.rule("BK-31")
    def test_pintle_policy_sets_both_sides(self) -> None:
        both = Options.from_settings({"pintle_policy": "always"})
        assert both.non_default() == {"pintle_policy_a": "always", "pintle_policy_b": "always"}

    def test_pintle_policy_against_one_side_contradicts(self) -> None:
        assert refused({"pintle_policy": "always", "pintle_policy_b": "never"}) == [
            "pintle_policy_b: found both always and never, allowed one value"
        ]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("half_acceleration", "false"),
            ("half_acceleration", False),
            ("hold_fire", "no"),
            ("flame_range", "1"),
            ("flame_range", 1),
            ("initiative_parts", "2"),
            ("one_die", "floor"),
        ],
    )
    def test_what_is_not_built_accepts_its_default(self, name: str, value: str | bool | int) -> None:
        assert Options.from_settings({name: value}) == Options()

    def test_values_of_what_is_not_built_can_be_asked(self) -> None:
        assert Options().value("split_needs") == 8
        assert Options().value("tree_cover") is False
        with pytest.raises(InputError, match="did you mean lucky_shot"):
            Options().value("luckyshot")

    @pytest.mark.parametrize(
        ("settings", "line"),
        [
            ({"one_die": "none_left"}, "one_die: found none_left, allowed floor (known, not built yet)"),
            ({"tree_cover": True}, "tree_cover: found true, allowed false (known, not built yet)"),
            ({"tree_cover": "true"}, 'tree_cover: found "true", allowed false (known, not built yet)'),
            ({"lucky_shot": "yes"}, "lucky_shot: found yes, allowed false, true"),
            ({"lucky_shot": "no"}, "lucky_shot: found no, allowed false, true"),
            ({"lucky_shot": "TRUE"}, 'lucky_shot: found "TRUE", allowed false, true; did you mean true?'),
            ({"hold_fire": "false"}, 'hold_fire: found "false", allowed no, policy'),
            ({"flame_range": "01"}, 'flame_range: found "01", allowed 1, 2'),
            ({"hold_fire": "policy"}, "hold_fire: found policy, allowed no (known, not built yet)"),
            ({"level_limit": 3}, "level_limit: found 3, allowed 2 (known, not built yet)"),
            (
                {"dsp": "med"},
                "dsp: found med, allowed coin, mid, always_high, three, by_range; did you mean mid?",
            ),
            ({"split_needs": 9}, "split_needs: found 9, allowed a whole number from 4 to 8"),
            ({"level_limit": -1}, "level_limit: found -1, allowed a whole number from 0"),
            (
                {"manifest_overflow": "warp"},
                "manifest_overflow: found warp, allowed stop, wrap; did you mean wrap?",
            ),
            ({"manifest_overflow": True}, "manifest_overflow: found true, allowed stop, wrap"),
            (
                {"pintle_policy": "sometimes"},
                "pintle_policy: found sometimes, allowed never, in_range, always",
            ),
            ({"moved_a": 1}, "moved_a: found 1, allowed false, true"),
            ({"flame_range": True}, "flame_range: found true, allowed 1, 2"),
            (
                {"manifest_overflw": "wrap"},
                "manifest_overflw: found an unknown name, allowed the name of a reading or optional rule; "
                "did you mean manifest_overflow?",
            ),
            (
                {"\x1b[31m": "x"},
                '"\\x1b[31m": found an unknown name, allowed the name of a reading or optional rule',
            ),
        ],
    )
    def test_refused(self, settings: dict[str, str | bool | int], line: str) -> None:
        assert refused(settings) == [line]

    @pytest.mark.parametrize("value", [None, 2.0, float("nan"), [1], {"a": 1}, "", "1" * 100, "²"])
    def test_values_of_other_types_are_refused(self, value: object) -> None:
        settings = {reading.name: value for reading in READINGS}
        with pytest.raises(InputError) as caught:
            Options.from_settings(settings)  # type: ignore[arg-type]
        assert len(caught.value.problems) >= len(READINGS) - 1

    def test_all_faults_are_listed(self) -> None:
        lines = refused({"mg_range": "soft", "nonsense": "x", "skip": "destruction"})
        assert [line.split(":")[0] for line in lines] == ["mg_range", "nonsense", "skip"]

    def test_the_constructor_checks_too(self) -> None:
        with pytest.raises(InputError, match=r"^mg_range: found soft, allowed hard, unlimited$"):
            Options(mg_range="soft")


class TestConstants:
    def test_defaults_are_the_book(self) -> None:
        assert {number.name: number.default for number in HOUSE_NUMBERS} == dataclasses.asdict(Constants())
        assert Options().constants == Options.from_settings({}, {}).constants == Constants()
        written = {"range_step": 12.0, "ap_reach": 30, "exploding": True, "contest_lead": 1}
        assert Options.from_settings({}, written).non_default() == {}

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("range_step", 1),
            ("range_step", 999),
            ("range_step", 7.5),
            ("ap_reach", 0),
            ("ap_reach", 23.5),
            ("ap_reach", 999),
            ("exploding", False),
            ("contest_lead", -19),
            ("contest_lead", 20),
        ],
    )
    def test_what_differs_is_named(self, name: str, value: float) -> None:
        options = Options.from_settings({"skip": "destroyed"}, {name: value})
        assert options.non_default() == {"skip": "destroyed", f"constants.{name}": value}
        assert getattr(options.constants, name) == value
        assert name not in options.built()
        assert options != Options.from_settings({"skip": "destroyed"})

    def test_whole_numbers_are_one_value_however_written(self) -> None:
        written = [Options.from_settings({}, {"range_step": step, "contest_lead": step}) for step in (6, 6.0)]
        assert written[0] == written[1]
        assert [type(value) for value in written[1].non_default().values()] == [int, int]

    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("range_step", 0, "a number from 1 to 999"),
            ("range_step", 999.5, "a number from 1 to 999"),
            ("range_step", True, "a number from 1 to 999"),
            ("range_step", "12", "a number from 1 to 999"),
            ("range_step", float("nan"), "a number from 1 to 999"),
            ("ap_reach", -1, "a number from 0 to 999"),
            ("ap_reach", None, "a number from 0 to 999"),
            ("exploding", 1, "true or false"),
            ("exploding", "no", "true or false"),
            ("contest_lead", 21, "a whole number from -19 to 20"),
            ("contest_lead", 1.5, "a whole number from -19 to 20"),
        ],
    )
    def test_refused(self, name: str, value: object, allowed: str) -> None:
        with pytest.raises(InputError) as caught:
            Options.from_settings({}, {name: value})
        (line,) = str(caught.value).splitlines()
        assert line.startswith(f"constants.{name}: found ")
        assert line.endswith(f", allowed {allowed}")
        with pytest.raises(InputError):
            Constants(**{name: value})  # type: ignore[arg-type]

    def test_all_faults_are_listed_with_those_of_readings(self) -> None:
        with pytest.raises(InputError) as caught:
            Options.from_settings({"skip": "none"}, {"range_stp": 6, "ap_reach": "far"})
        fields = [problem.field for problem in caught.value.problems]
        assert sorted(fields) == ["constants.ap_reach", "constants.range_stp", "skip"]
        assert "did you mean range_step?" in str(caught.value)

    def test_settings_do_not_take_them(self) -> None:
        place = "house numbers stand under constants: of a study, in Python under constants="
        assert refused({"range_step": 6, "range_stp": 6}) == [
            f"range_step: found a house number, allowed the name of a reading or optional rule; {place}",
            "range_stp: found an unknown name, allowed the name of a reading or optional rule; "
            f"{place}; did you mean range_step?",
        ]

    @pytest.mark.parametrize("name", ["lucky_shot", "pintle_policy"])
    def test_readings_among_them_are_sent_away(self, name: str) -> None:
        with pytest.raises(InputError, match=f"; {name} stands under readings, in Python under set$"):
            Options.from_settings({}, {name: True})

    def test_all_of_them_with_their_values(self) -> None:
        options = Options.from_settings({}, {"contest_lead": 20})
        assert options.house_numbers() == {
            "range_step": 12,
            "ap_reach": 30,
            "exploding": True,
            "contest_lead": 20,
        }
