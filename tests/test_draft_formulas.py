"""The formulas behind drafts: by hand, and never the wrong way round."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.rules.blitzkrieg import draft_formulas as formulas

plates = st.floats(1, 500)
slopes = st.floats(0, 70)
weights = st.floats(0.5, 300)


class TestFormulas:
    @pytest.mark.parametrize(
        ("value", "rounded"),
        [
            (0.5, 1),
            (1.5, 2),
            (2.5, 3),
            (2.4999999999999996, 3),
            (2.49, 2),
            (-0.5, 0),
            (-1.5, -1),
            (-2.6, -3),
            (7, 7),
        ],
    )
    def test_halves_go_up(self, value: float, rounded: int) -> None:
        assert formulas.half_up(value) == rounded

    def test_plates(self) -> None:
        assert formulas.effective_mm(100, None) == formulas.effective_mm(100, 0) == 100
        assert formulas.effective_mm(76.2, 60) == pytest.approx(2.56 * 76.2)
        assert formulas.effective_mm(80, 30) == pytest.approx(80 * 1.27 * (80 / 76.2) ** 0.0655)
        low, high = formulas.slope_factor(50, 45), formulas.slope_factor(50, 50)
        assert formulas.slope_factor(50, 47) == pytest.approx(low + 0.4 * (high - low))
        assert formulas.slope_factor(50, 5) == pytest.approx((1 + formulas.slope_factor(50, 10)) / 2)
        assert formulas.slope_factor(76.2, 70) == pytest.approx(3.98)
        assert formulas.mean_plate(100, 50) == 75
        assert formulas.mean_plate(100, None) == 100
        for wrong in (-1, 71):
            with pytest.raises(ValueError, match="slope"):
                formulas.slope_factor(50, wrong)

    def test_defence(self) -> None:
        assert [formulas.ballistic_front(7.93 * share) for share in (0.25, 0.5, 1, 2, 4)] == [12, 10, 8, 6, 4]
        assert [formulas.ballistic_side(18.62 * share) for share in (0.5, 1, 2)] == [6, 4, 2]
        assert (formulas.indirect(8, False), formulas.indirect(8, True)) == (10, 9)
        assert formulas.people_score(100, 50, False) == pytest.approx(4 + 0.119 * 75)
        assert formulas.people_score(100, 50, True) == pytest.approx(2 + 0.119 * 75)
        assert (formulas.people_front(12.5, 8), formulas.people_front(6, 8)) == (13, 8)
        assert (formulas.people_side(20, 4), formulas.people_side(4, 5)) == (15, 5)

    def test_armour(self) -> None:
        assert [formulas.armor_points(mm) for mm in (0, 40, 45.9, 46, 100, 268)] == [1, 1, 1, 2, 6, 20]
        assert [formulas.penetration_factor(mm) for mm in (0, 84.9, 85, 100, 160)] == [0, 0, 1, 1, 3]
        assert [formulas.shock_threshold(t) for t in (1, 16.4, 16.5, 33, 68)] == [1, 1, 2, 3, 6]

    def test_inside(self) -> None:
        assert [formulas.dead_points(t) for t in (1, 33, 45)] == [3, 8, 10]
        assert formulas.internal_chart(8) == (1, None, 2, 3, 4, 5, None, 6, 7, 8)
        assert formulas.internal_chart(10) == tuple(range(1, 11))
        assert formulas.internal_chart(5) == (None, 1, None, 2, None, 3, None, 4, None, 5)
        assert formulas.internal_chart(12) == (1, 2, 3, 5, 6, 7, 8, 9, 11, 12)
        assert formulas.internal_chart(25)[-2:] == (22, 25)

    def test_movement_and_ram(self) -> None:
        assert [formulas.road_speed(km_h) for km_h in (38, 42, 58, 72)] == [14, 15, 19, 23]
        assert formulas.speed(500, 33, 15) == 10
        assert formulas.speed(500, 10, 15) == 15
        assert formulas.hundredths(formulas.ram_multiplier(33)) == 0.58
        assert [formulas.hundredths(value) for value in (0.125, 0.124, 1.0)] == [0.13, 0.12, 1.0]

    def test_guns(self) -> None:
        assert formulas.muzzle_energy(7, 792) == pytest.approx(2.195424)
        assert [formulas.gun_damage(mm) for mm in (37, 76.2, 88, 152.4)] == [2, 4, 5, 8]
        assert [formulas.gun_shock(mj) for mj in (0.01, 2.195424, 4, 9)] == [1, 3, 4, 6]
        assert [formulas.gun_penetration(mm) for mm in (40, 70, 71, 116, 166)] == [0, 0, 1, 2, 4]
        assert [formulas.spread(mid) for mid in (0, 1, 4, 5, 6, 8)] == [
            (1, 0),
            (2, 0),
            (5, 3),
            (6, 4),
            (8, 4),
            (10, 6),
        ]
        assert [formulas.gun_rounds(stowage) for stowage in (70, 71, 1)] == [35, 36, 1]

    def test_the_draft_price(self) -> None:
        assert formulas.draft_attack((4, 3, 2), True, False, True) == 14
        assert formulas.draft_attack((4, 3, 2), False, True, False) == 13.25
        assert formulas.draft_skin(6, 2, 2, 1, 1, 0, 3, 8) == 26.5
        assert formulas.draft_ecv(14, 26.5, 12, 10, False, False) == 558
        assert formulas.draft_ecv(14, 26.5, 11, 12, True, True) == math.floor(558 * 0.92 * 1.09 * 0.85 + 0.5)
        assert formulas.draft_ecv(28, 26.5, 12, 10, False, False) == math.floor(558 * 2**0.8 + 0.5)

    @given(plates, slopes, slopes)
    def test_more_slope_is_more_plate_for_plates_that_count(
        self, plate: float, one: float, other: float
    ) -> None:
        """From the calibre's own thickness up; the table lets thin plates at small slopes count a little less."""
        plate = max(plate, 76.2)
        low, high = sorted((one, other))
        assert formulas.effective_mm(plate, low) <= formulas.effective_mm(plate, high) * (1 + 1e-12)

    @given(plates, plates, slopes)
    def test_a_thicker_plate_is_more_plate(self, one: float, other: float, slope: float) -> None:
        low, high = sorted((one, other))
        assert formulas.effective_mm(low, slope) <= formulas.effective_mm(high, slope)

    @given(st.floats(0, 1000), st.floats(0, 1000))
    def test_more_plate_is_never_worse(self, one: float, other: float) -> None:
        low, high = sorted((one, other))
        for formula in (formulas.armor_points, formulas.penetration_factor, formulas.gun_penetration):
            assert formula(low) <= formula(high)

    @given(weights, weights)
    def test_a_heavier_vehicle_takes_more(self, one: float, other: float) -> None:
        low, high = sorted((one, other))
        for formula in (formulas.shock_threshold, formulas.dead_points, formulas.ram_multiplier):
            assert formula(low) <= formula(high)

    @given(st.floats(0.5, 30), st.floats(0.5, 30))
    def test_a_larger_vehicle_is_easier_to_hit(self, one: float, other: float) -> None:
        low, high = sorted((one, other))
        for formula in (formulas.ballistic_front, formulas.ballistic_side):
            assert formula(low * low) >= formula(high * high)

    @given(st.integers(3, 99))
    def test_the_chart_rises_and_every_damage_has_its_lines(self, dead: int) -> None:
        chart = formulas.internal_chart(dead)
        shown = [points for points in chart if points is not None]
        assert all(low < high for low, high in pairwise(shown))
        assert chart[-1] == dead
        for lines, points in enumerate(chart[:9], 1):
            if points is not None and lines < 9:
                assert abs(10 * points / dead - lines) <= 0.5
