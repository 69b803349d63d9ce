"""A changed sheet against opponents, before and after: at the same dice, or exactly."""

import json

import numpy as np
import pytest
from samples import family_z
from shell import PAIR, Shell

from simlab import lab
from simlab.engine.play import play_fights
from simlab.lab import same_dice
from simlab.lab.fights import fight_key_of
from simlab.model.errors import InputError
from simlab.model.outcome import OUTCOMES
from simlab.model.situation import Situation
from simlab.rules.registry import get_system

PANTHER, SHERMAN = PAIR
N = 32 * 600
FRONT = {"armor.front": 9}


def exactly(a, b, **more):
    return lab.duel(a, b, exact=True, bound=1e-6, **more)


def test_base_and_changed_throw_the_dice_of_the_duel_as_it_is():
    found = lab.whatif(SHERMAN, FRONT, PANTHER, n=N, seed=3)
    duel = lab.duel(SHERMAN, PANTHER, n=N, seed=3)
    assert found.overall.base == pytest.approx({**duel.outcomes, **_shares(duel)})
    rules = get_system("blitzkrieg")
    sheets = [lab.find_sheet(name) for name in (SHERMAN, PANTHER)]
    fights = [
        rules.compile_fight([sheet], sheets[1:], Situation(24.0), rules.options({}), 12)
        for sheet in (sheets[0], rules.replace_fields(sheets[0], FRONT))
    ]
    tally = play_fights(fights[1], n=N, seed=3, key=fight_key_of(fights[0]))
    assert [found.overall.changed[name] for name in OUTCOMES] == pytest.approx((tally.outcomes / N).tolist())
    assert found.overall.changed != found.overall.base


def _shares(duel):
    return {
        name: getattr(duel, name) for name in ("win_share_a", "win_share_b", "kill_rate_a", "kill_rate_b")
    }


CHANGES = [
    {"armor.front": 2},
    {"defense.ballistic.front_back": 9},
    {"gunners.0.skill": 2, "shock_threshold": 4},
    {"weapons.cannon.high": [6, 4, 4], "weapons.cannon.low.2": 2},
]


@pytest.mark.parametrize("fields", CHANGES, ids=lambda fields: next(iter(fields)))
def test_sampled_differences_agree_with_exact_duels(fields):
    other = "sherman_firefly_vc"
    before, after = exactly(SHERMAN, other), exactly(lab.changed(SHERMAN, fields), other)
    sampled = lab.whatif(SHERMAN, fields, other, n=N, seed=5)
    solved = lab.whatif(SHERMAN, fields, other, exact=True)
    for name, found in sampled.overall.difference.items():
        truth = getattr(after, name, after.outcomes.get(name)) - getattr(
            before, name, before.outcomes.get(name)
        )
        wide = family_z(len(CHANGES) * 8) / 1.96 * (found.high - found.low) / 2
        assert abs(found.value - truth) < wide + 2e-6
        exact = solved.overall.difference[name]
        assert exact.low <= truth <= exact.high
        assert exact.value == pytest.approx(truth, abs=2e-6)
    # The same dice: far narrower than two shares by themselves.
    share = sampled.difference
    assert (share.high - share.low) / 2 < 0.8 * 1.96 * np.sqrt(2 * 0.2 / N)
    assert (sampled.overall.method, sampled.overall.error_bound) == ("monte_carlo", None)
    assert solved.overall.method == "exact"
    assert solved.overall.error_bound <= 1e-6
    assert solved.record["seed"] is None


@pytest.mark.parametrize(
    "fields", [{"movement.speed": 3}, {"name": "Another"}, {"ecv.value": 700}, {"armor.front": 6}]
)
@pytest.mark.parametrize("method", [{"n": 640}, {"exact": True}], ids=["sampled", "exact"])
def test_what_no_die_sees_changes_exactly_nothing(fields, method):
    found = lab.whatif(SHERMAN, fields, "sherman_firefly_vc", **method)
    assert found.overall.same
    assert all((each.value, each.low, each.high) == (0, 0, 0) for each in found.overall.difference.values())
    assert found.overall.base == found.overall.changed


def test_several_opponents_and_ranges_count_the_same():
    found = lab.whatif(SHERMAN, FRONT, [PANTHER, "sherman_firefly_vc"], ranges=[12, "36,24"], n=3200)
    assert [(each.b, each.range) for each in found.matchups] == [
        (PANTHER, 12),
        (PANTHER, (36, 24)),
        ("sherman_firefly_vc", 12),
        ("sherman_firefly_vc", (36, 24)),
    ]
    changes = [each.effect.difference["win_share_a"] for each in found.matchups]
    assert found.difference.value == pytest.approx(np.mean([each.value for each in changes]))
    half = (found.difference.high - found.difference.low) / 2
    assert half < np.mean([each.high - each.low for each in changes]) / 2
    frame = found.to_frame()
    assert list(frame.columns) == [
        "b",
        "range",
        "figure",
        "base",
        "changed",
        "difference",
        "low",
        "high",
        "same",
    ]
    assert len(frame) == 4 * 8
    assert lab.whatif(SHERMAN, FRONT, f"{PANTHER},sherman_firefly_vc", range=12, n=640).record["b"] == [
        PANTHER,
        "sherman_firefly_vc",
    ]


def test_all_opponents_are_all_but_the_unit():
    found = lab.whatif(SHERMAN, {"movement.speed": 1}, "all", n=320)
    ids = set(lab.units()["id"])
    assert set(found.record["b"]) == ids - {SHERMAN}
    assert found.overall.same


def test_counts_do_not_depend_on_threads():
    one, two = (lab.whatif(SHERMAN, FRONT, PANTHER, n=3200, workers=count) for count in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_where_a_changed_duel_is_too_long_to_solve_both_are_sampled(monkeypatch):
    from simlab.exact.solution import TooLongError
    from simlab.studies import method

    monkeypatch.setattr(method, "choose_method", lambda *_: method.Choice(True, "cheaper"))
    auto = lab.whatif(SHERMAN, {"armor.front": 5}, SHERMAN)
    assert auto.overall.method == "exact"

    def too_long(*_, **__):
        raise TooLongError

    monkeypatch.setattr("simlab.exact.solve.solve_duel", too_long)
    monkeypatch.setattr(lab.arguments, "DEFAULT_PRECISION", "0.01", raising=False)
    found = lab.whatif(SHERMAN, {"armor.front": 5}, SHERMAN)
    assert found.overall.method == "monte_carlo"
    assert found.overall.base["a_wins"] == pytest.approx(auto.overall.base["a_wins"], abs=0.01)


def test_the_contract_of_the_json(simlab: Shell):
    said = simlab("whatif", SHERMAN, "armor.front=7", "--against", PANTHER, "--n", "640", "--json")
    assert (said.code, said.errors) == (0, [])
    found = json.loads(said.out)
    for when in ("base", "changed"):
        assert set(found[when]) == set(OUTCOMES)
        assert sum(found[when].values()) == pytest.approx(1)
    assert {"a_wins", "win_share_a"} <= set(found["difference"]) == set(found["intervals"])
    for name in OUTCOMES:
        assert found["difference"][name] == pytest.approx(found["changed"][name] - found["base"][name])
        low, high = found["intervals"][name]
        assert low <= found["difference"][name] <= high
    assert found["fields"] == {"armor.front": {"from": 6, "to": 7}}
    assert (found["a"], found["b"], found["n"], found["seed"]) == (SHERMAN, [PANTHER], 640, 1)
    assert found["method"] == "monte_carlo"
    assert found["error_bound"] is None
    assert found["rules_version"] == "blitzkrieg-1"
    assert found["readings"]["manifest_overflow"] == "stop"
    assert found["sheets"]["changed"]["id"] == f"{SHERMAN}*"
    assert found["sheets"]["changed"]["fight_hash"] != found["sheets"]["a"]["fight_hash"]
    (matchup,) = found["matchups"]
    assert (matchup["b"], matchup["range"]) == (PANTHER, 24)
    assert matchup["difference"] == found["difference"]


def test_what_is_shown(simlab: Shell):
    said = simlab("whatif", SHERMAN, "weapons.cannon.high=[6, 4, 3]", "--against", PANTHER, "--n", "9600")
    assert said.code == 0
    assert said.out.startswith(f"{SHERMAN} (A) with weapons.cannon.high [5, 4, 3] -> [6, 4, 3]\n")
    assert "win share of A" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    same = simlab(
        "whatif", SHERMAN, "movement.speed=3", "--against", f"{PANTHER},{SHERMAN}", "--n", "640"
    ).out
    assert same.count("exactly 0") == 3
    assert "the fights are the same" in same
    silent = simlab(
        "whatif", SHERMAN, "weapons.cannon.max_range=10", "--against", PANTHER, "--n", "640", "--range", "31"
    )
    assert f"{SHERMAN}, changed, has no weapon that can ever fire at 31" in silent.out
    reading = simlab(
        "whatif", SHERMAN, "armor.front=7", "--against", PANTHER, "--n", "640", "--set", "dsp=mid"
    )
    assert "reading dsp=mid" in reading.out


FAULTS = [
    (["armr.front=7"], "armr.front: found the unknown key armr, allowed system"),
    (
        ["armor.frnt=7"],
        "armor.frnt: found an unknown key, allowed front, left, right, back; did you mean front?",
    ),
    (["armor.front=99"], "armor.front: found 99, allowed a whole number from 0 to 63"),
    (["armor.front=x"], "armor.front: found x, allowed a whole number from 0 to 63"),
    (["weapons.cannon.high.3=1"], 'weapons.cannon.high.3: found the position "3", allowed 0 to 2'),
    (["armor.front"], "FIELD=VALUE: found armor.front, allowed FIELD=VALUE"),
    (["armor.front="], "FIELD=VALUE: found"),
    (["=7"], "FIELD=VALUE: found"),
    (["armor.front=[6"], "FIELD=VALUE: found"),
    (["armor.front=7", "armor.front=8"], "FIELD=VALUE: found"),
    (["armor.front=7", "--n", "319"], "--n: found 319, allowed a whole number from 320 to 10^12"),
    (["armor.front=7", "--n", "640", "--exact"], "method: found --exact and --n"),
    (["armor.front=7", "--bound", "0.1"], "--bound: found 0.1"),
    (["armor.front=7", "--range", "x"], "--range: found x"),
    (["armor.front=7", "--range", "12", "--range", "-1"], "--range: found"),
    (
        ["armor.front=7", "--range", "999", "--set", "mg_range=unlimited", "--aspect-a", "top"],
        "--aspect-a: found top",
    ),
    (["armor.front=7", "--against", "panter_g"], "--against: found panter_g"),
    (["armor.front=7", "--against", ","], "--against: found"),
]


@pytest.mark.parametrize(("arguments", "message"), FAULTS, ids=lambda value: str(value)[:50])
def test_faults_are_one_line_each_and_exit_with_2(simlab: Shell, arguments, message):
    said = simlab(
        "whatif", SHERMAN, *arguments, *([] if "--against" in arguments else ["--against", PANTHER])
    )
    assert said.code == 2
    assert said.out == ""
    assert len(said.errors) == 1
    assert said.errors[0].startswith(message)


def test_nobody_who_can_fire_is_an_error(simlab: Shell):
    sheets = ["weapons.cannon.ammo=0", "weapons.coaxial.ammo=0", "weapons.pintle_mg.ammo=0"]
    said = simlab("whatif", SHERMAN, "armor.front=7", "--against", SHERMAN, "--range", "999", "--n", "640")
    assert said.code == 0
    changed = lab.changed(SHERMAN, {text.partition("=")[0]: 0 for text in sheets})
    with pytest.raises(InputError, match="neither side has a weapon"):
        lab.whatif(changed, {"armor.front": 7}, changed, n=640)


@pytest.mark.parametrize(
    "arguments",
    [
        {"fields": {}},
        {"fields": None},
        {"fields": FRONT, "against": None},
        {"fields": FRONT, "against": []},
        {"fields": FRONT, "against": {}},
        {"fields": FRONT, "ranges": 12},
        {"fields": FRONT, "ranges": []},
        {"fields": FRONT, "ranges": [12], "range": 12},
        {"fields": FRONT, "precision": 0.1},
    ],
)
def test_wrong_arguments_are_input_errors(arguments):
    with pytest.raises(InputError):
        lab.whatif(SHERMAN, **{"against": PANTHER, **arguments})


def test_an_interrupt_exits_with_130(simlab: Shell, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(same_dice, "fight_key_of", interrupted)
    said = simlab("whatif", SHERMAN, "armor.front=7", "--against", PANTHER, "--n", "640")
    assert (said.code, said.out, said.errors) == (130, "", ["interrupted"])
