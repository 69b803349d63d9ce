"""Situations by turn: what is the same, what fights make of it, and how it is typed."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from bridge import parsed
from hypothesis import given
from hypothesis import strategies as st
from reference import blitzkrieg as bk
from reference.cases import one_hit
from scipy.stats import binom
from shell import PAIR, Shell
from strategies import Battle, random_battle, random_draw
from test_replayed_fights import check_battle

from simlab import lab
from simlab.engine.play import play_fights
from simlab.exact.solve import solve_duel
from simlab.lab.fights import prepare
from simlab.lab.roster import find_sheet
from simlab.model.errors import InputError
from simlab.model.keys import digest, fight_key
from simlab.model.outcome import OUTCOMES
from simlab.model.situation import Scene, Situation, by_turn_text
from simlab.rules.registry import get_system
from simlab.studies.paired import fight_digest
from simlab.tables.expand import Questions, expand_fire

ASPECTS = get_system("blitzkrieg").aspects


def key_of(situation: Situation) -> int:
    return fight_key("s", "s-1", ["1"], ["2"], situation, {})


class TestSituation:
    def test_scenes_turn_by_turn(self) -> None:
        situation = Situation((36, 30), ("rear", "front", "front_left"), "front", "a:2")
        assert [situation.scene(turn) for turn in (1, 2, 3, 4)] == [
            Scene(36, "rear", "front", silent_b=True),
            Scene(30, "front", "front", silent_b=True),
            Scene(30, "front_left", "front"),
            Scene(30, "front_left", "front"),
        ]
        assert Situation(5, first_fire="b:1").scene(1) == Scene(5, silent_a=True)

    def test_each_scene_once(self) -> None:
        scenes, of_turn = Situation((24, 12, 24, 12)).scenes(6)
        assert (scenes, of_turn) == ((Scene(24), Scene(12)), (0, 1, 0, 1, 1, 1))
        assert Situation((24, 12, 6)).scenes(1) == ((Scene(24),), (0,))

    @given(st.lists(st.sampled_from([6.0, 12.0, 24.5]), min_size=1, max_size=5), st.integers(0, 3))
    def test_a_repeated_tail_changes_nothing(self, ranges: list[float], more: int) -> None:
        short, long = Situation(tuple(ranges)), Situation([*ranges, *[ranges[-1]] * more])  # type: ignore[arg-type]
        assert short == long
        assert key_of(short) == key_of(long)
        if len(set(ranges)) == 1:
            assert short == Situation(ranges[0])
            assert key_of(short) == key_of(Situation(ranges[0]))

    def test_the_key_of_one_value_is_what_it_was(self) -> None:
        content = {
            "system": "s",
            "rules": "s-1",
            "sides": {"a": ["1"], "b": ["2"]},
            "situation": {"range": 24, "aspect_a": "rear", "aspect_b": "front"},
            "readings": {},
        }
        assert key_of(Situation(24.0, "rear")) == int(digest(content), 16)

    def test_what_differs_has_another_key(self) -> None:
        different = [
            Situation(24.0),
            Situation((24.0, 12.0)),
            Situation((24.0, 12.0, 24.0)),
            Situation(24.0, ("front", "rear")),
            Situation(24.0, "front", ("front", "rear")),
            Situation(24.0, first_fire="a:1"),
            Situation(24.0, first_fire="a:2"),
            Situation(24.0, first_fire="b:1"),
        ]
        assert len({key_of(situation) for situation in different}) == len(different)

    def test_what_lies_beyond_the_turn_limit_gives_other_dice(self) -> None:
        """As docs/situations.md says: the same fight, turn by turn, under another key; the limit is no part of it."""
        system = get_system("blitzkrieg")
        sheet = find_sheet("m4a3_sherman_lp")
        pairs = (
            (Situation((36.0, 24.0)), Situation((36.0, 24.0, 12.0)), 2),
            (Situation(24.0, first_fire="a:12"), Situation(24.0, first_fire="a:20"), 12),
        )
        for short, long, turns in pairs:
            fights = [prepare(system, [sheet], [sheet], where, {}, turns) for where in (short, long)]
            assert fight_digest(fights[0].fight) == fight_digest(fights[1].fight)
            assert fights[0].key != fights[1].key
            assert prepare(system, [sheet], [sheet], short, {}, turns + 5).key == fights[0].key

    def test_texts(self) -> None:
        texts = [by_turn_text(value) for value in (24.0, 24.5, (36.0, 30.25), "rear", ("rear", "front"))]
        assert texts == ["24", "24.5", "36,30.25", "rear", "rear,front"]


def fought(
    a: Any, b: Any, situation: Situation, turns: int, n: int = 1, seed: int = 1, **more: Any
) -> dict[str, int]:
    system = get_system("blitzkrieg")
    ready = prepare(system, [parsed(a)], [parsed(b)], situation, {}, turns)
    tally = play_fights(ready.fight, n=n, seed=seed, key=ready.key, workers=2, **more)
    return dict(zip(OUTCOMES, tally.outcomes.tolist(), strict=True))


@pytest.mark.rule("BK-12", "BK-30", "BK-70")
@pytest.mark.parametrize(
    ("distance", "aspects", "first_fire"),
    [
        ((36, 12, 0), ("front", "front"), None),
        (0, ("front", "front"), ("a", 2)),
        ((24, 0), (("rear", "front"), ("front", "rear", "front_left")), ("b", 1)),
    ],
)
def test_sampled_and_solved_fights_agree_with_the_reference(
    distance: Any, aspects: Any, first_fire: Any
) -> None:
    sheet = one_hit(8)
    sheet["defense"]["ballistic"] = {"front_back": 8, "sides": 5}
    exact = bk.duel_distribution(sheet, sheet, distance, *aspects, None, 4, first_fire=first_fire)
    typed = None if first_fire is None else f"{first_fire[0]}:{first_fire[1]}"
    fight = get_system("blitzkrieg").compile_fight(
        [parsed(sheet)],
        [parsed(sheet)],
        Situation(distance, *aspects, typed),
        get_system("blitzkrieg").options({}),
        4,
    )
    solved = solve_duel(fight, bound=1e-9).outcomes
    assert solved == pytest.approx([float(exact[name]) for name in OUTCOMES], abs=1e-9)
    n = 400_000
    counts = fought(sheet, sheet, Situation(distance, *aspects, typed), 4, n)
    for name in OUTCOMES:
        low, high = binom.ppf([1e-7, 1 - 1e-7], n, float(exact[name]))
        assert low <= counts[name] <= high, name
    assert fought(sheet, sheet, Situation(distance, *aspects, typed), 4, n, general=True) == counts


@pytest.mark.rule("BK-30")
def test_who_is_silent_does_not_win_in_those_turns() -> None:
    """The closed form of an ambush: two turns alone, then both at once."""
    hit = Fraction(21, 36)
    exact = bk.duel_distribution(one_hit(7), one_hit(7), 0, "front", "front", None, 3, first_fire=("a", 2))
    through = (1 - hit) ** 2
    assert exact["b_wins"] == through * (1 - hit) * hit
    assert exact["both_destroyed"] == through * hit * hit
    assert exact["a_wins"] == 1 - through + through * hit * (1 - hit)
    assert fought(one_hit(7), one_hit(7), Situation(0, first_fire="a:3"), 3, 5000)["b_wins"] == 0


def by_turn(rng: random.Random, battle: Battle) -> Battle:
    """The battle with ranges and aspects by turn, and first fire."""
    ranges = tuple(float(rng.choice((0, 6, 12, 24, 30, 31, 48))) for _ in range(rng.randint(2, 4)))
    aspects = tuple(tuple(rng.choice(ASPECTS) for _ in range(rng.randint(1, 4))) for _ in "ab")
    first_fire = rng.choice((None, ("a", rng.randint(1, 3)), ("b", rng.randint(1, 3))))
    return replace(battle, distance=ranges, aspects=aspects, first_fire=first_fire)  # type: ignore[arg-type]


@pytest.mark.rule("BK-14", "BK-15", "BK-30", "BK-70")
@pytest.mark.parametrize("seed", range(40))
def test_told_replayed_and_counted_fights_by_turn_are_one(seed: int) -> None:
    rng = random.Random(10_000 + seed)
    check_battle(by_turn(rng, random_battle(rng)), rng.randrange(10**12))


@pytest.mark.parametrize("seed", range(30))
def test_a_later_scene_is_that_of_a_fight_which_begins_in_it(seed: int) -> None:
    """All that one turn does: ranges, aspects and silence of turn 2 against those of a turn 1."""
    draw = random_draw(random.Random(seed))
    sheets = [[parsed(sheet)] for sheet in draw.sheets]
    system = get_system("blitzkrieg")
    options = system.options(
        {n: v for n, v in draw.readings.items() if n not in ("constants", "volley_order")}
    )
    silent = "a" if seed % 3 == 0 else "b"
    first = Situation(draw.distance, *draw.aspects, f"{'b' if silent == 'a' else 'a'}:1")
    alone = system.compile_fight(*sheets, Situation(draw.distance, *draw.aspects), options, 3)
    quiet = system.compile_fight(*sheets, first, options, 3)
    later = system.compile_fight(
        *sheets, Situation((91.0, draw.distance), ("rear", draw.aspects[0]), draw.aspects[1]), options, 3
    )
    for fight, scene in ((later, 1), (quiet, 1)):
        for found, wanted in zip(turn_rows(fight, scene), turn_rows(alone, 0), strict=True):
            assert found[:2] == wanted[:2]
            # A far scene lets sixes explode further before all is hit: the same sums in another order.
            assert found[2] == pytest.approx(wanted[2], rel=1e-13)
    ask = Questions(quiet)
    able = {
        side: ask.capability(type_, 0, 0, *ask.fresh(type_))
        for side, type_ in (("a", quiet.types_a[0]), ("b", quiet.types_b[0]))
    }
    type_ = {"a": quiet.types_a, "b": quiet.types_b}[silent][0]
    assert not any(ask.ready(type_, gunner, able[silent]) for gunner in range(ask.gunners(type_)))


def turn_rows(fight: Any, scene: int) -> list[Any]:
    """What both sides can do in a scene, and what the fire of each comes to, fresh units."""
    ask, rows = Questions(fight), []
    a, b = fight.types_a[0], fight.types_b[0]
    able = {type_: ask.capability(type_, scene, 0, *ask.fresh(type_)) for type_ in (a, b)}
    for own, foe in ((a, b), (b, a)):
        row = expand_fire(fight, own, able[own], foe, able[foe], scene, ask.fresh(foe)[0])
        rows.append((able[own], row.bodies.tolist(), row.weights.tolist()))
    return rows


class TestApi:
    def test_a_constant_list_is_its_value(self) -> None:
        said = [
            lab.duel(*PAIR, range=where, aspect_b=shown, n=3000).counts
            for where, shown in ((24, "rear"), ([24, 24.0], ("rear", "rear")), ("24,24,24", "rear,rear"))
        ]
        assert said[0] == said[1] == said[2]

    def test_forms_of_the_same(self) -> None:
        first = lab.duel(*PAIR, range=(36, 30, 24), aspect_a=("rear", "front"), first_fire="a:2", n=2000)
        for where, shown, alone in (
            ("36,30,24", "rear,front", ("a", 2)),
            ([36.0, 30.0, 24.0, 24.0], ["rear", "front"], "a:02"),
            (" 36, 30 ,24", "rear, front", "a:2"),
        ):
            result = lab.duel(*PAIR, range=where, aspect_a=shown, first_fire=alone, n=2000)
            assert replace(result, seconds=0) == replace(first, seconds=0)
        found = first.to_dict()
        assert found["range"] == [36.0, 30.0, 24.0]
        assert (found["aspect_a"], found["aspect_b"]) == (["rear", "front"], "front")
        assert found["first_fire"] == "a:2"

    def test_closing_in_kills_more_often_than_standing_off(self) -> None:
        far, closing, near = (lab.duel(*PAIR, range=r, n=20_000).kill_rate_a for r in (48, (48, 36, 6), 6))
        assert far < closing < near

    def test_a_side_that_is_silent_to_the_end_cannot_fire(self) -> None:
        result = lab.duel(*PAIR, first_fire="a:12", n=500)
        assert result.side_b["cannot_fire"]
        assert not result.side_a["cannot_fire"]
        assert result.kill_rate_a > 0 == result.kill_rate_b

    def test_engagements_go_by_turn(self) -> None:
        result = lab.engage("2 panther_g", "3 m4a3_sherman_lp", range=(36, 12), first_fire="b:20", n=300)
        assert result.to_dict()["range"] == [36.0, 12.0]
        assert result.survivors["b"][3] == 1.0

    @pytest.mark.parametrize(
        ("given", "line"),
        [
            ({"range": ()}, "range: found 0 values by turn, allowed"),
            ({"range": [24, True]}, "range: found true for turn 2, allowed a finite number from 0 to 999"),
            ({"range": [24, float("nan")]}, "range: found .nan for turn 2, allowed"),
            ({"range": [10**400, 5]}, "for turn 1, allowed a finite number"),
            ({"range": [[24]]}, "range: found [24], allowed"),
            ({"range": [5] * 1001}, "range: found 1001 values by turn, allowed"),
            ({"range": None}, "range: found null, allowed"),
            ({"aspect_a": ("front", "reer")}, "aspect_a: found reer for turn 2, allowed front"),
            ({"aspect_b": ["front", 3]}, "aspect_b: found 3 for turn 2, allowed front"),
            ({"aspect_b": "front,"}, 'aspect_b: found "" for turn 2, allowed front'),
            ({"first_fire": "a"}, "first_fire: found a, allowed a:N or b:N"),
            ({"first_fire": "a:1001"}, 'first_fire: found "a:1001", allowed a:N'),
            ({"first_fire": "a:-1"}, 'first_fire: found "a:-1", allowed a:N'),
            ({"first_fire": 2}, "first_fire: found 2, allowed a:N"),
            ({"first_fire": ""}, 'first_fire: found "", allowed a:N'),
        ],
    )
    def test_bad_input(self, given: dict[str, Any], line: str) -> None:
        with pytest.raises(InputError) as error:
            lab.duel(*PAIR, n=10, **given)
        (said,) = str(error.value).splitlines()
        assert line in said

    def test_odds_are_those_of_the_first_turn(self) -> None:
        by_turn = lab.odds(*PAIR, range=(36, 6), aspect="rear,front")
        assert by_turn.to_frame().equals(lab.odds(*PAIR, range=36, aspect="rear").to_frame())
        assert "turn 1, range 36 inches, rear:" in by_turn.lines()
        assert lab.odds(*PAIR, first_fire="b:1").turn == 0
        assert lab.odds(*PAIR, first_fire="a:1").turn == lab.odds(*PAIR).turn

    def test_traces_name_where_the_sides_stand_when_it_changes(self) -> None:
        told = lab.trace(*PAIR, range=(48, 48, 30), aspect_b=("rear", "front"), first_fire="b:1", seed=3)
        lines = [line for line in told.text.splitlines() if line.startswith("Turn")]
        assert lines[0] == "Turn 1: 48 inches, A shows front, B rear, A silent"
        assert lines[1] == "Turn 2: 48 inches, A shows front, B front"
        assert lines[2] == "Turn 3: 30 inches, A shows front, B front"
        assert lines[3:] == [f"Turn {turn}" for turn in range(4, 4 + len(lines[3:]))]
        assert not [event for event in told.exchanges if event["turn"] == 1 and event["unit"][0] == "A"]
        given = lab.trace(
            *PAIR, range=(48, 48, 30), aspect_b=("rear", "front"), first_fire="b:1", dice=told.dice
        )
        assert given.text.splitlines()[2:] == told.text.splitlines()[2:]


class TestCommandLine:
    @pytest.fixture
    def simlab(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
        monkeypatch.delenv("SIMLAB_UNITS", raising=False)
        return Shell(capsys)

    def test_lists_by_turn(self, simlab: Shell) -> None:
        typed = ("duel", *PAIR, "--range", "36,30,24", "--aspect-b", "rear,front", "--first-fire", "a:2")
        found = json.loads(simlab(*typed, "--n", "500", "--json").out)
        assert (found["range"], found["aspect_b"]) == ([36, 30, 24], ["rear", "front"])
        assert found["first_fire"] == "a:2"
        said = simlab(*typed, "--n", "500").out
        assert '36,30,24", 12 turns' in said
        assert "B is silent in turns 1 and 2" in said
        assert json.loads(simlab("duel", *PAIR, "--n", "500", "--json").out)["range"] == 24

    def test_the_other_commands(self, simlab: Shell) -> None:
        where = ("--range", "36,6", "--first-fire", "b:1")
        said = simlab(
            "engage", "2 panther_g", "2 m4a3_sherman_lp", *where, "--aspect-a", "rear,front", "--n", "50"
        )
        assert said.code == 0
        assert "A: hit from rear,front, policy spread" in said.out
        assert "A is silent in turn 1" in said.out
        assert "Turn 1: 36 inches, A shows front, B front, A silent" in simlab("trace", *PAIR, *where).out
        assert "cannot fire" in simlab("odds", *PAIR, *where).out

    @pytest.mark.parametrize(
        ("typed", "line"),
        [
            (
                ["--range", "36,x"],
                "--range: found x for turn 2, allowed a finite number from 0 to 999, or up to",
            ),
            (["--range", "36,"], '--range: found "" for turn 2, allowed a finite'),
            (["--range", ","], '--range: found "" for turn 1, allowed a finite'),
            (["--range", "36,1000"], "--range: found 1000 for turn 2, allowed a finite"),
            (["--range", "36,nan"], "--range: found nan for turn 2, allowed a finite"),
            (["--range", "36;30"], '--range: found "36;30", allowed a finite'),
            (["--aspect-a", "front,reer"], "--aspect-a: found reer for turn 2, allowed front"),
            (["--first-fire", "a2"], "--first-fire: found a2, allowed a:N or b:N"),
            (["--first-fire", "a:0"], '--first-fire: found "a:0", allowed a:N or b:N'),
            (["--first-fire", "a:1.5"], '--first-fire: found "a:1.5", allowed a:N or b:N'),
        ],
    )
    def test_bad_input(self, simlab: Shell, typed: list[str], line: str) -> None:
        for command in (["duel", *PAIR], ["engage", "1 panther_g", "1 panther_g"], ["trace", *PAIR]):
            said = simlab(*command, *typed)
            assert said.code == 2
            assert len(said.errors) == 1
            assert said.errors[0].startswith(line)
