"""Record sheets drafted from facts: every number by a formula of `draft_formulas`, each with its inputs.

A draft is an estimate of ours; `docs/drafts.md` says what it rests on. Numbers that the formulas cannot know are
those of the printed Sherman LP: terrain costs, the engine's hits, gunnery, the rounds of machine guns.
"""

from collections.abc import Mapping
from typing import Any

from simlab.rules.blitzkrieg import draft_formulas as formulas
from simlab.rules.blitzkrieg.draft_parts import MG_ROUNDS, gunners, machine_gun_strikes, manifest, placed_guns
from simlab.rules.blitzkrieg.sheet import named_sheet
from simlab.rules.blitzkrieg.sheet_text import LAYOUT
from simlab.rules.common.drafting import Record, drafter, heading, plate_columns
from simlab.rules.common.facts import FactsRow

PROVENANCE = (
    "Estimated by this project from published data of the real vehicle and its gun (plates, weight, power, muzzle"
    " energy, stowage), with formulas fitted to the printed Sherman LP. Not the publisher's; the ECV is a draft."
)
CAUTION = "an estimate of ours, not a sheet of the publisher."
FITTED = "fitted"
GUESS = "guess"
PRINTED = "as printed"
TABLE = "slope table"
CHOSEN = "fitted, slope a guess"
FACES = ("front", "left", "right", "back")
ASPECTS = ("front", "front_left", "front_right", "rear_left", "rear_right", "rear")


def _mapping(row: FactsRow, record: Record) -> dict[str, Any]:
    """The sheet as its file holds it."""
    vehicle = row.vehicle
    plates = _plates(row, record)
    body: dict[str, Any] = {
        "defense": _defense(row, plates, record),
        "armor": _armor(plates, record),
        "shock_threshold": record.put(
            "shock_threshold",
            formulas.shock_threshold(vehicle.weight_t),
            "weight / 11, at least 1",
            FITTED,
            weight_t=vehicle.weight_t,
        ),
        "penetration": _penetration(plates, record),
        "internal_amount": _chart(row, record),
        "movement": _movement(row, record),
        "ram": _ram(row, record),
        "weapons": _weapons(row, record),
        "gunners": gunners(vehicle),
        "manifest": manifest(vehicle),
    }
    for place in range(len(body["gunners"])):
        record.put(f"gunners.{place}.skill", 1, "+1", PRINTED)
    place = next(place for place, item in enumerate(body["manifest"]) if item["item"] == "engine")
    record.put(f"manifest.{place}.hits", body["manifest"][place]["hits"], "5", PRINTED)
    return {
        **heading("blitzkrieg", row, _price(row, body, record), PROVENANCE, kind="vehicle"),
        **body,
    }


def _plates(row: FactsRow, record: Record) -> dict[str, float]:
    """Effective mm of front, side and rear; of the rear the hull alone, as a turret seldom shows its own."""
    found = {}
    for face in ("front", "side", "rear"):
        columns = plate_columns(row, face, ("hull", "turret") if face != "rear" else ("hull",))
        hull, turret = (
            formulas.effective_mm(columns[f"{part}_{face}_mm"], columns.get(f"{part}_{face}_deg"))
            if f"{part}_{face}_mm" in columns
            else None
            for part in ("hull", "turret")
        )
        assert hull is not None
        mean = formulas.mean_plate(hull, turret)
        how = "plate at its slope" if turret is None else "mean of hull and turret plate, each at its slope"
        found[face] = record.put(f"effective {face} mm", mean, how, TABLE, **columns)
    return found


def _defense(row: FactsRow, plates: Mapping[str, float], record: Record) -> dict[str, Any]:
    """The defence values (BK-1)."""
    v = row.vehicle
    front = record.put(
        "defense.ballistic.front_back",
        formulas.ballistic_front(v.width_m * v.height_m),
        "8 - 2 log2(width x height / 7.93)",
        CHOSEN,
        width_m=v.width_m,
        height_m=v.height_m,
    )
    side = record.put(
        "defense.ballistic.sides",
        formulas.ballistic_side(v.length_m * v.height_m),
        "4 - 2 log2(length x height / 18.62)",
        CHOSEN,
        length_m=v.length_m,
        height_m=v.height_m,
    )
    above = "ballistic + 1 (open top)" if v.open_top else "ballistic + 2"
    basis = GUESS if v.open_top else FITTED
    indirect = {
        face: record.put(
            f"defense.indirect.{face}", formulas.indirect(value, v.open_top), above, basis, ballistic=value
        )
        for face, value in (("front_back", front), ("sides", side))
    }
    score = formulas.people_score(plates["front"], plates["side"], v.open_top)
    line = f"4 + 0.119 x mean of effective front and side{' - 2 (open top)' if v.open_top else ''}"
    people = {
        "front_back": record.put(
            "defense.anti_personnel.front_back",
            formulas.people_front(score, front),
            f"{line}, at least ballistic",
            basis,
            front=plates["front"],
            side=plates["side"],
            ballistic=front,
        ),
        "sides": record.put(
            "defense.anti_personnel.sides",
            formulas.people_side(score, side),
            "0.765 x the front's before rounding, at least ballistic",
            basis,
            front=score,
            ballistic=side,
        ),
    }
    physical = record.put("defense.physical", side, "as ballistic, sides", GUESS, ballistic=side)
    return {
        "ballistic": {"front_back": front, "sides": side},
        "indirect": indirect,
        "anti_personnel": people,
        "physical": physical,
    }


def _armor(plates: Mapping[str, float], record: Record) -> dict[str, int]:
    """The armour points (BK-2)."""
    side, rear = plates["side"], plates["rear"]
    faces = dict(zip(FACES, (plates["front"], side, side, rear), strict=True))
    formula = "(effective mm - 28) / 12, at least 1"
    return {
        face: record.put(f"armor.{face}", formulas.armor_points(mm), formula, FITTED, effective=mm)
        for face, mm in faces.items()
    }


def _penetration(plates: Mapping[str, float], record: Record) -> dict[str, int]:
    """The penetration factors (BK-4)."""
    side = plates["side"]
    aspects = dict(zip(ASPECTS, (plates["front"], side, side, side, side, plates["rear"]), strict=True))
    formula = "(effective mm - 70) / 30, at least 0"
    return {
        aspect: record.put(
            f"penetration.{aspect}", formulas.penetration_factor(mm), formula, CHOSEN, effective=mm
        )
        for aspect, mm in aspects.items()
    }


def _chart(row: FactsRow, record: Record) -> list[int | None]:
    """The internal chart (BK-5)."""
    weight = row.vehicle.weight_t
    dead = record.put(
        "internal_amount.9",
        formulas.dead_points(weight),
        "8 (weight / 33)^0.67, at least 3",
        CHOSEN,
        weight_t=weight,
    )
    chart = list(formulas.internal_chart(dead))
    for place, points in enumerate(chart[:9]):
        formula = f"least points p with 10 p / dead nearest to {place + 1}, halves up"
        if place == 8:
            formula = "least points p with 10 p / dead of 8.5 and more"
        record.put(f"internal_amount.{place}", points, formula, FITTED, dead=dead)
    return chart


def _movement(row: FactsRow, record: Record) -> dict[str, Any]:
    """Speeds and costs (BK-8)."""
    v = row.vehicle
    road = record.put(
        "movement.road",
        formulas.road_speed(v.road_speed_kmh),
        "4.5 + km/h / 4",
        FITTED,
        road_speed_kmh=v.road_speed_kmh,
    )
    speed = record.put(
        "movement.speed",
        formulas.speed(v.power_hp, v.weight_t, road),
        "2.95 + 0.465 x power / weight, at most the road speed",
        FITTED,
        power_hp=v.power_hp,
        weight_t=v.weight_t,
        road=road,
    )
    costs = {"water": 4, "trees": 2, "one_level": 2, "two_levels": 3}
    for name, cost in costs.items():
        record.put(f"movement.{name}", cost, str(cost), PRINTED)
    nimble = {"extra_maneuverable": v.extra_manoeuvrable}
    return {"speed": speed, "road": road, **nimble, **costs, "amphibious": False}


def _ram(row: FactsRow, record: Record) -> dict[str, Any]:
    """The multipliers of a ram (BK-9)."""
    weight = row.vehicle.weight_t
    exact = formulas.ram_multiplier(weight)
    values = {
        name: record.put(
            f"ram.{name}", formulas.hundredths(exact), "0.58 x weight / 33", FITTED, weight_t=weight
        )
        for name in ("damage", "shock")
    }
    values["penetration"] = record.put(
        "ram.penetration",
        formulas.hundredths(0.4 * exact),
        "0.4 x damage before rounding",
        FITTED,
        damage=exact,
    )
    return {**values, "plate": False}


def _weapons(row: FactsRow, record: Record) -> dict[str, Any]:
    """The main gun and the machine guns that the manifest has room for (BK-6)."""
    mount = "fixed" if row.vehicle.fixed_gun else "turret"
    strikes = _gun_strikes(row, record)
    rounds = record.put(
        "weapons.cannon.ammo",
        formulas.gun_rounds(row.vehicle.main_gun_rounds),
        "half the stowage, up",
        FITTED,
        main_gun_rounds=row.vehicle.main_gun_rounds,
    )
    found = {"cannon": {"name": row.gun.name, "type": "ballistic", **strikes, "ammo": rounds, "mount": mount}}
    for key, gun in placed_guns(row.vehicle).items():
        strikes = machine_gun_strikes(gun)
        for level, strike in strikes.items():
            for place, value in enumerate(strike):
                kind = "12.7 mm" if gun.heavy else "rifle calibre"
                record.put(f"weapons.{key}.{level}.{place}", value, kind, PRINTED)
        record.put(f"weapons.{key}.ammo", MG_ROUNDS, str(MG_ROUNDS), PRINTED)
        name = f"{gun.calibre}mm {gun.place} MG"
        where = mount if gun.place == "coaxial" else gun.place
        found[key] = {"name": name, "type": "anti_personnel", **strikes, "ammo": MG_ROUNDS, "mount": where}
    return found


def _gun_strikes(row: FactsRow, record: Record) -> dict[str, list[int]]:
    """What a hit of the main gun does on each level: damage, shock, penetration."""
    gun = row.gun
    mid = (
        ("calibre / 19", formulas.gun_damage(gun.calibre_mm), {"calibre_mm": gun.calibre_mm}),
        (
            "2 sqrt(muzzle energy in MJ), at least 1",
            formulas.gun_shock(formulas.muzzle_energy(gun.shell_kg, gun.muzzle_velocity_ms)),
            {"shell_kg": gun.shell_kg, "muzzle_velocity_ms": gun.muzzle_velocity_ms},
        ),
        (
            "(mm at 500 m - 56) / 30, at least 0",
            formulas.gun_penetration(gun.pen_500_mm),
            {"pen_500_mm": gun.pen_500_mm},
        ),
    )
    strikes: dict[str, list[int]] = {"high": [], "mid": [], "low": []}
    for place, (formula, value, inputs) in enumerate(mid):
        strikes["mid"].append(record.put(f"weapons.cannon.mid.{place}", value, formula, FITTED, **inputs))
        high, low = formulas.spread(value)
        basis = FITTED if value <= 4 else GUESS
        for level, other, sign in (("high", high, "+"), ("low", low, "-")):
            formula_of_level = (
                f"mid {sign} a quarter of it, at least 1{', not below 0' if sign == '-' else ''}"
            )
            strikes[level].append(
                record.put(f"weapons.cannon.{level}.{place}", other, formula_of_level, basis, mid=value)
            )
    return strikes


def _price(row: FactsRow, body: Mapping[str, Any], record: Record) -> int:
    """The draft ECV, from the numbers of the sheet alone."""
    weapons: Mapping[str, Any] = body["weapons"]
    places = ("coaxial", "bow_mg", "pintle_mg")
    armed = [place in weapons for place in places]
    attack = record.put(
        "attack",
        formulas.draft_attack(weapons["cannon"]["mid"], *armed),
        "damage + shock + 3 penetration + 0.5 coaxial + 0.25 bow + 0.5 pintle MG",
        GUESS,
        mid=weapons["cannon"]["mid"],
        **dict(zip(places, armed, strict=True)),
    )
    armor, penetration = body["armor"], body["penetration"]
    taken = {
        **{face: armor[face] for face in FACES},
        "pen_front": penetration["front"],
        "pen_flank": penetration["front_left"],
        "shock": body["shock_threshold"],
        "dead": body["internal_amount"][9],
    }
    skin = record.put(
        "skin",
        formulas.draft_skin(*taken.values()),
        "front + (left + right + back) / 2 + 4 pen_front + 2 pen_flank + 2 shock + dead",
        GUESS,
        **taken,
    )
    ballistic: Mapping[str, int] = body["defense"]["ballistic"]
    inputs = {
        "attack": attack,
        "skin": skin,
        "ballistic": ballistic["front_back"] + ballistic["sides"],
        "speed": body["movement"]["speed"],
        "nimble": row.vehicle.extra_manoeuvrable,
        "fixed_gun": row.vehicle.fixed_gun,
    }
    price: int = record.put(
        "ecv.value",
        formulas.draft_ecv(*inputs.values()),
        "558 (attack / 14 x skin / 26.5)^0.8 x (1 + 0.08 (ballistic - 12))"
        " x (1 + 0.03 (speed - 10) + 0.03 nimble) x 0.85 if the gun is fixed",
        GUESS,
        **inputs,
    )
    return price


draft_sheet = drafter(_mapping, named_sheet, LAYOUT, CAUTION)
