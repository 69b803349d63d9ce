"""Orders and what they allow, facings on a map, ground: for play on a map; fights at fixed range do not ask.

Orders are Hide, Fire, Walk and Run; vehicles say Go and Go Fast for the last two.
"""

from simlab.rules.wwiisim.options import Options
from simlab.rules.wwiisim.sheet import Sheet
from simlab.rules.wwiisim.weapons import WeaponClass

HIDE, FIRE, WALK, RUN = "hide", "fire", "walk", "run"
ORDERS = (HIDE, FIRE, WALK, RUN)
FIRING, SECONDARY = "firing", "secondary firing"
PHASES = (FIRING, SECONDARY)
MUZZLE_CLOUD = 2
"""Inches of smoke before the muzzle of a heavy weapon, by default (WS-3)."""
AROUND_VEHICLE, AROUND_WRECK = 2, 6
"""Inches of smoke around a vehicle after a hit, and around a burning wreck (WS-8, WS-10)."""


def order_name(sheet: Sheet, order: str) -> str:
    """Return what an order is called for a unit (WS-11)."""
    return {WALK: "go", RUN: "go fast"}.get(order, order) if sheet.is_vehicle else order


def may_take(sheet: Sheet, order: str) -> bool:
    """Tell whether a unit may be given an order: a Tiger never goes fast (WS-11)."""
    return not (order == RUN and sheet.tiger)


def ignores_endurance(sheet: Sheet) -> bool:
    """Tell whether a unit may go fast turn after turn: vehicles may (WS-11)."""
    return sheet.is_vehicle


def firing_phase(weapon: WeaponClass) -> str:
    """Return the phase in which a weapon fires (WS-3)."""
    return SECONDARY if weapon.heavy else FIRING


def may_fire(sheet: Sheet, weapon: WeaponClass, order: str, options: Options) -> bool:
    """Tell whether a unit may fire a weapon under an order (WS-3, WS-4, WS-12).

    What these rules do not say is left to the base rules, and allowed here.
    """
    if weapon.heavy:
        return sheet.is_vehicle or order == FIRE
    if weapon.mortar:
        return order == FIRE
    if weapon.machine_gun and order == RUN:
        return sheet.is_vehicle and bool(options.value("mg_go_fast"))
    return True


def may_repair(sheet: Sheet, order: str, moved: bool, fired: bool) -> bool:
    """Tell whether a turn mends a jam: one of hiding, of a vehicle one without moving or firing (WS-4)."""
    return not (moved or fired) if sheet.is_vehicle else order == HIDE


def facing(bearing: float, options: Options) -> str:
    """Return what a vehicle shows to a shooter at a bearing, degrees clockwise from its nose (WS-6).

    A bearing on the border of two sectors belongs to front or rear.
    """
    half = 30 if options.value("facing") == "six" else 45
    off = abs((bearing + 180) % 360 - 180)
    if off <= half:
        return "front"
    return "rear" if off >= 180 - half else "side"


def ground_factor(sheet: Sheet, factor: float) -> float:
    """Return what ground does to a move: difficult ground is as any other for commandos (WS-14)."""
    return 1.0 if sheet.commandos else factor


def muzzle_cloud(weapon: WeaponClass, options: Options) -> int:
    """Return inches of smoke before a muzzle after a shot (WS-3)."""
    return int(options.value("muzzle_smoke")) if weapon.heavy else 0
