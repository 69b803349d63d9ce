"""The way from a shot to its effect, as far as a sheet decides it (TD-10)."""

from simlab.rules.contract import Stage

SKILL, BANDS, SIZE, FIGURE, ARMOUR, CREW, LOADING, ROUNDS = (
    "skill", "bands", "size", "figure", "armour", "crew", "loading", "rounds"
)  # fmt: skip

STAGES = (
    Stage(LOADING, "actions", "actions that loading takes"),
    Stage(ROUNDS, "actions", "rounds of the gun"),
    Stage(BANDS, "hit", "size of the gun and kind of round"),
    Stage(SKILL, "hit", "quality, qualification, leader, captured use"),
    Stage(SIZE, "hit", "size of the target"),
    Stage(FIGURE, "penetration", "figure and calibre of the gun"),
    Stage(ARMOUR, "penetration", "armour of all places"),
    Stage(CREW, "effects", "men of the crew, open top"),
)
