"""The sheets of a points formula and where they are priced: stats of every system, drawing, and a balanced design."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from samples import UNITS
from toy_system import Toy, ToySheet

from simlab.lab import find_sheet
from simlab.model.document import parse_document
from simlab.model.errors import InputError
from simlab.model.situation import Situation
from simlab.rules.registry import get_system
from simlab.studies.formula import Place, is_fightable, is_seen, plan_places
from simlab.studies.formula_sheets import draw_sheets, list_axes, try_stats
from simlab.studies.study_file import Library, parse_study

SYSTEM = get_system("blitzkrieg")
SHERMAN = "m4a3_sherman_lp"
TOY = Toy()
TOYS = (ToySheet("a", 1, needs=3), ToySheet("b", 4, needs=5), ToySheet("c", 2))
NEAR = Situation(12.0)


def sheet(unit: str = SHERMAN):
    return find_sheet(unit, units=UNITS)


def study(units: tuple[str, ...], ranges: str, aspects: str):
    text = f"name: S\nsystem: blitzkrieg\nunits: [{', '.join(units)}]\n"
    text += f"situations: {{range: {ranges}, aspect: {aspects}}}\nn: 10\n"
    library = Library(ids=lambda system: [], find=lambda unit, system: sheet(unit))
    return parse_study(parse_document(text.encode(), "s.yaml"), "s", UNITS, library)


class TestBlitzkriegStats:
    @pytest.mark.parametrize("unit", [SHERMAN, "panther_g", "churchill_vii", "su76m"])
    def test_what_is_named_as_it_is_stays_as_it_is(self, unit):
        base = sheet(unit)
        stats = SYSTEM.formula_stats(base)
        whole = {stat: value for stat, value in stats.items() if value == int(value)}
        assert len(whole) >= 13
        same = SYSTEM.with_stats(base, whole, "same")
        assert same.id == "same"
        assert SYSTEM.fight_hash(same) == SYSTEM.fight_hash(base)

    def test_a_sheet_has_the_stats_that_it_is_given(self):
        base = sheet()
        other = {stat: value + 1 for stat, value in SYSTEM.formula_stats(base).items()}
        assert SYSTEM.formula_stats(SYSTEM.with_stats(base, other, "x")) == other

    @pytest.mark.parametrize(
        ("stat", "fields"),
        [
            ("armour front", {"armor.front": 7}),
            ("armour sides", {"armor.left": 7, "armor.right": 7}),
            ("defence front", {"defense.ballistic.front_back": 7}),
            ("shock threshold", {"shock_threshold": 7}),
            ("skill", {"gunners.0.skill": 7, "gunners.1.skill": 7}),
            (
                "gun damage",
                {
                    "weapons.cannon.high": [9, 4, 3],
                    "weapons.cannon.mid": [7, 3, 2],
                    "weapons.cannon.low": [5, 2, 1],
                },
            ),
            (
                "gun penetration",
                {
                    "weapons.cannon.high": [5, 4, 9],
                    "weapons.cannon.mid": [4, 3, 7],
                    "weapons.cannon.low": [3, 2, 5],
                },
            ),
            ("internal points", {"internal_amount": [1, None, 2, 3, None, 4, 5, None, 6, 7]}),
        ],
    )
    def test_a_stat_sets_its_numbers_and_no_others(self, stat, fields):
        base = sheet()
        changed = SYSTEM.with_stats(base, {stat: 7}, "x")
        assert SYSTEM.fight_hash(changed) == SYSTEM.fight_hash(SYSTEM.replace_fields(base, fields))

    @pytest.mark.parametrize(
        ("stats", "line"),
        [
            ({"skil": 2}, "skil: found an unknown stat, allowed armour front, armour sides"),
            ({"skill": 1.5}, "skill: found 1.5, allowed a whole number"),
            ({"internal points": 0}, "internal points: found 0, allowed a whole number of at least 1"),
            ({"armour front": 64}, "armor.front: found 64, allowed a whole number from 0 to 63"),
        ],
    )
    def test_wrong_stats_are_refused_in_a_line(self, stats, line):
        with pytest.raises(InputError) as caught:
            SYSTEM.with_stats(sheet(), stats, "x")
        assert str(caught.value).startswith(line)
        assert "\n" not in str(caught.value)
        assert try_stats(SYSTEM, sheet(), stats, "x") is None

    def test_ranges_are_those_of_the_roster_and_a_shared_stat_gets_one_each_way(self):
        axes = {axis.stat: axis for axis in list_axes(SYSTEM, [sheet(), sheet("panther_g")], sheet())}
        assert (axes["armour front"].low, axes["armour front"].high, axes["armour front"].base) == (
            6,
            10,
            6.0,
        )
        assert (axes["skill"].low, axes["skill"].high, axes["skill"].varied) == (0, 2, False)
        assert axes["armour front"].varied


class TestDrawing:
    @pytest.fixture
    def axes(self):
        return list_axes(TOY, TOYS, TOYS[0])

    def test_a_stat_goes_no_further_than_a_sheet_may_have_it(self, axes):
        spans = {axis.stat: (axis.low, axis.high) for axis in axes}
        assert spans == {"hit points": (1, 4), "faces": (5, 7), "needs": (3, 5), "reach": (29, 31)}
        frail = (ToySheet("a", 1, 99), ToySheet("b", 1, 99, reach=99.0))
        spans = {axis.stat: (axis.low, axis.high) for axis in list_axes(TOY, frail, frail[0])}
        assert spans == {"hit points": (1, 2), "faces": (98, 99), "needs": (3, 5), "reach": (30, 99)}

    def test_what_no_fight_depends_on_is_not_seen(self, axes):
        places = [Place(foe, NEAR, True, 1.0) for foe in TOYS]
        seen = {axis.stat: is_seen(axis, TOY, TOYS[0], places, TOY.options({}), 5) for axis in axes}
        assert seen == {"hit points": True, "faces": True, "needs": True, "reach": False}
        far = [Place(TOYS[1], Situation(31.0), True, 1.0), *places]
        reach = next(axis for axis in axes if axis.stat == "reach")
        assert is_seen(reach, TOY, TOYS[0], far, TOY.options({}), 5)

    def test_the_space_is_filled(self, axes):
        drawn = draw_sheets(TOY, TOYS[0], axes, 200, lambda sheet: True)
        assert len(drawn.sheets) == len(drawn.stats) > 80
        hashes = [TOY.fight_hash(each) for each in drawn.sheets]
        assert len(set(hashes)) == len(hashes)
        assert drawn.alike > 0
        for axis in axes:
            counts = drawn.stats[axis.stat].value_counts()
            assert set(counts.index) == set(range(axis.low, axis.high + 1))
            assert counts.min() > 0.75 * counts.mean()
        assert (drawn.stats.corr().to_numpy()[~np.eye(len(axes), dtype=bool)] ** 2).max() < 0.03
        for each, (name, row) in zip(drawn.sheets, drawn.stats.iterrows(), strict=True):
            assert each.id == name
            assert TOY.formula_stats(each) == row.to_dict()

    def test_illegal_points_are_dropped_not_moved(self, axes):
        """What is left of a space with a forbidden corner is what lies outside of the corner, point by point."""

        class Fussy(Toy):
            def with_stats(self, sheet, stats, name):
                if stats.get("hit points", 0) + stats.get("needs", 0) > 7:
                    raise InputError.one("needs", "too much", "less")
                return super().with_stats(sheet, stats, name)

        whole = draw_sheets(TOY, TOYS[0], axes, 400, lambda sheet: True)
        fussy = draw_sheets(Fussy(), TOYS[0], axes, 400, lambda sheet: True)
        kept = whole.stats[whole.stats["hit points"] + whole.stats["needs"] <= 7]
        assert 0 < len(kept) < len(whole.stats)
        assert fussy.illegal > 0
        assert fussy.stats.to_numpy().tolist() == kept.to_numpy().tolist()

    def test_what_cannot_fight_is_dropped(self, axes):
        places = [Place(TOYS[1], NEAR, True, 0.5), Place(TOYS[1], NEAR, False, 0.5)]
        options = TOY.options({})
        assert is_fightable(TOYS[0], TOY, places, options, 5)
        assert not is_fightable(replace(TOYS[0], reach=6.0), TOY, places, options, 5)
        drawn = draw_sheets(TOY, TOYS[0], axes, 50, lambda sheet: sheet.faces != 5)
        assert drawn.unfit > 0
        assert set(drawn.stats["faces"]) == {6, 7}

    def test_the_same_call_draws_the_same_and_names_are_free(self, axes):
        first, again = (draw_sheets(TOY, TOYS[0], axes, 30, lambda sheet: True) for _ in range(2))
        assert first.stats.equals(again.stats)
        taken = draw_sheets(TOY, TOYS[0], axes, 30, lambda sheet: True, {first.sheets[3].id})
        assert taken.stats.to_numpy().tolist() == first.stats.to_numpy().tolist()
        assert first.sheets[3].id not in {each.id for each in taken.sheets}


class TestDesign:
    @pytest.mark.parametrize(("wanted", "each"), [(1, 1), (7, 1), (14, 2), (30, 4), (120, 17), (10_000, 20)])
    def test_opponents_and_situations_come_equally_often(self, wanted, each):
        units = ("panther_g", SHERMAN, "su76m", "kv1", "tiger_ii", "hetzer", "comet")
        asked = study(units, "[6, 12, 24, 36]", "[front, front_left, rear]")
        places = plan_places(asked, wanted)
        assert set(Counter(place.opponent.id for place in places).values()) == {each}
        assert {place.opponent.id for place in places} == set(units)
        cards = Counter((place.situation, place.first) for place in places)
        assert len({(place.opponent.id, place.situation, place.first) for place in places}) == len(places)
        dealt = 7 * each
        if dealt >= 20:
            assert len(cards) == 20
            assert set(cards.values()) <= {dealt // 20, -(-dealt // 20)}

    def test_every_deal_is_another_one_and_always_the_same(self):
        asked = study(("panther_g", SHERMAN, "su76m", "kv1"), "[6, 12, 24, 36]", "[front, rear]")
        first, again, other = (plan_places(asked, 12, deal) for deal in (0, 0, 1))
        assert first == again
        assert first != other
        assert [place.opponent.id for place in first] == [place.opponent.id for place in other]

    def test_opponents_weigh_the_same_and_situations_as_in_the_mix(self):
        asked = study(("panther_g", SHERMAN, "su76m", "kv1"), "{6: 1, 24: 3}", "{front: 2, rear: 1}")
        places = plan_places(asked, 20)
        assert len(places) == 20
        opponents: Counter[str] = Counter()
        ranges: Counter[float] = Counter()
        shown: Counter[tuple[str, str]] = Counter()
        for place in places:
            opponents[place.opponent.id] += place.weight
            ranges[place.situation.range] += place.weight
            ours = (place.situation.aspect_a, place.situation.aspect_b)
            shown[ours if place.first else ours[::-1]] += place.weight
        assert list(opponents.values()) == pytest.approx([0.25] * 4)
        assert dict(ranges) == pytest.approx({6: 0.25, 24: 0.75}, abs=1e-6)
        # front against front in two of three, the rest half and half on either side
        wanted = {("front", "front"): 2 / 3, ("front", "rear"): 1 / 6, ("rear", "front"): 1 / 6}
        assert dict(shown) == pytest.approx(wanted, abs=1e-6)

    def test_units_that_fight_alike_are_one_opponent(self):
        asked = study(("panther_g", SHERMAN, "su76m"), "[12]", "[front]")
        twin = asked.sheets[0].model_copy(update={"id": "twin", "name": "Twin"})
        places = plan_places(replace(asked, sheets=(*asked.sheets, twin)))
        assert [place.opponent.id for place in places] == ["panther_g", SHERMAN, "su76m"]
