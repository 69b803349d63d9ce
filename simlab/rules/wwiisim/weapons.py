"""The table of weapons: strength, notes, and ranges in inches (WS-2 to WS-5)."""

from dataclasses import dataclass
from types import MappingProxyType

HEAVY, MACHINE_GUN, MORTAR, ONCE, TWICE = "heavy", "machine gun", "mortar", "once", "twice"
"""Notes of a weapon: fires in the secondary phase; fires bursts and jams; fires at a place; once; twice a turn."""


@dataclass(frozen=True)
class WeaponClass:
    """A row of the table. short, long: ends of the bands, inclusive; long is None where there is one band only.

    single_use: a thing that is thrown or thrown away (reading `fires_once`).
    """

    title: str
    strength: int
    notes: tuple[str, ...]
    short: float
    long: float | None = None
    single_use: bool = False

    @property
    def heavy(self) -> bool:
        """Whether it fires in the secondary phase (WS-3)."""
        return HEAVY in self.notes

    @property
    def mortar(self) -> bool:
        """Whether its shells scatter (WS-12)."""
        return MORTAR in self.notes

    @property
    def machine_gun(self) -> bool:
        """Whether it fires bursts and may jam (WS-4)."""
        return MACHINE_GUN in self.notes


def _gun(title: str, strength: int, short: float, long: float | None) -> WeaponClass:
    return WeaponClass(title, strength, (HEAVY,), short, long)


CLASSES = MappingProxyType(
    {
        "bazooka": _gun("Bazooka", 10, 12, None),
        "cannon_5": _gun("Cannon 5", 5, 12, 36),
        "cannon_75": _gun("Cannon 75", 10, 12, 48),
        "cannon_88": _gun("Cannon 88", 11, 18, 48),
        "cannon_105": _gun("Cannon 105", 12, 18, 48),
        "cannon_150": _gun("Cannon 150", 13, 24, 60),
        "machine_gun_light": WeaponClass("Machine gun, light", 3, (MACHINE_GUN,), 12, 36),
        "machine_gun_medium": WeaponClass("Machine gun, medium", 4, (MACHINE_GUN,), 12, 36),
        "machine_gun_heavy": WeaponClass("Machine gun, heavy", 5, (MACHINE_GUN,), 12, 36),
        "mortar_light": WeaponClass("Mortar, light", 3, (MORTAR,), 48),
        "mortar_medium": WeaponClass("Mortar, medium", 5, (MORTAR,), 48),
        "mortar_heavy": WeaponClass("Mortar, heavy", 7, (MORTAR, HEAVY), 60),
        "panzerfaust": WeaponClass("Panzerfaust", 6, (ONCE,), 12, None, True),
        "hand_grenade": WeaponClass("Hand grenade", 6, (ONCE,), 12, None, True),
        "panzerschreck": _gun("Panzerschreck", 11, 12, None),
        "pistol": WeaponClass("Pistol", 2, (ONCE,), 12, 12),
        "rifle": WeaponClass("Rifle", 2, (ONCE,), 12, 24),
        "submachine_gun": WeaponClass("Sub-machine gun", 2, (TWICE,), 12, 24),
    }
)
"""All weapons by the word that sheets use."""
PISTOL_HAND_TO_HAND = 1
"""What a pistol adds in hand-to-hand fighting, which no fight at a range sees."""


def firing_dice(weapon: WeaponClass, mg_dice: int) -> int:
    """Return the dice of one volley: a machine gun's burst, two shots, or one (WS-4, WS-5)."""
    return mg_dice if weapon.machine_gun else 2 if TWICE in weapon.notes else 1


def band(distance: float, short: float | None, long: float | None) -> str | None:
    """Return the band that a distance in inches lies in, `short` or `long`; None beyond all reach (WS-2).

    short, long: ends of the bands in inches, None for a band that there is not.
    """
    if short is not None and distance <= short:
        return "short"
    return "long" if long is not None and distance <= long else None
