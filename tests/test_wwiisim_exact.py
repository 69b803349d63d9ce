"""Solved duels of WWIISIM against sampled ones where one roll has many ways to fall."""

import pytest
from samples import assert_share
from shell import ROOT

from simlab.engine.play import play_fights
from simlab.exact.solve import solve_duel
from simlab.model.situation import Situation
from simlab.rules.wwiisim.system import SYSTEM

N = 200_000


@pytest.mark.rule("WS-1", "WS-4")
@pytest.mark.parametrize("settings", [{"die": 20, "firing_skill": 9}, {"die": 20, "direction": "at_least"}])
def test_three_dice_of_twenty_faces_are_all_thrown(settings: dict[str, object]) -> None:
    """8,000 ways a burst can fall: what is solved leaves none of them out."""
    pair = [SYSTEM.load_sheet(ROOT / "units" / "wwiisim" / f"{unit}.yaml") for unit in ("su85", "panther_g")]
    fight = SYSTEM.compile_fight(pair[:1], pair[1:], Situation(24.0), SYSTEM.options(settings), 3)
    solved = solve_duel(fight, bound=1e-6)
    assert solved.error_bound <= 1e-6
    tally = play_fights(fight, n=N, seed=1, key=1, workers=1)
    for count, chance in zip(tally.outcomes, solved.outcomes, strict=True):
        assert_share(int(count), N, float(chance), comparisons=8)
