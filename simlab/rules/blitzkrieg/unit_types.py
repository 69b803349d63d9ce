"""A sheet on a side: weapons and items by the numbers that the kernel knows them by."""

from dataclasses import dataclass

from simlab.rules.blitzkrieg.sheet import ManifestItem, Sheet


@dataclass(frozen=True)
class UnitType:
    """A sheet on a side, its weapons numbered gunner by gunner."""

    sheet: Sheet
    side: str
    weapons: tuple[str, ...]

    @property
    def gunners(self) -> list[list[int]]:
        """Weapon numbers of each gunner."""
        numbers = {name: number for number, name in enumerate(self.weapons)}
        return [[numbers[name] for name in gunner.weapons] for gunner in self.sheet.gunners]

    def tracked(self) -> list[ManifestItem]:
        """Items that can explode and treads, from the lowest line up: the numbering of tracked items."""
        items = [item for item in self.sheet.manifest if explosive_lines(item, "box") or item.item == "tread"]
        return sorted(items, key=lambda item: min(item.lines))


def unit_type(sheet: Sheet, side: str) -> UnitType:
    """Return the type of a sheet on side "a" or "b"."""
    return UnitType(sheet, side, tuple(name for gunner in sheet.gunners for name in gunner.weapons))


def explosive_lines(item: ManifestItem, bin_in_box: str) -> tuple[int, ...]:
    """Return the lines of an item whose crossing calls for a contest (BK-26): of a weapon's box with a bin all lines,
    or under the reading `line` the second from the top, or its only one."""
    if item.item in ("fuel", "ammo_bin"):
        return item.lines
    if not item.ammo_bin:
        return ()
    lines = tuple(sorted(item.lines, reverse=True))
    return lines if bin_in_box == "box" or len(lines) == 1 else lines[1:2]
