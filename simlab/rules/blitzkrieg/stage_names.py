"""The way from a shot to its effect, as far as a sheet decides it."""

from simlab.rules.contract import Stage

SKILL, DEFENCE, COIN, DAMAGE, ARMOUR, SHOCK, THRESHOLD = (
    "skill", "defence", "coin", "damage", "armour", "shock", "threshold"
)  # fmt: skip
PENETRATION, FACTORS, CHART, MANIFEST, EXPLOSION, ARMS = (
    "penetration", "factors", "chart", "manifest", "explosion", "arms"
)  # fmt: skip

STAGES = (
    Stage(SKILL, "hit", "skill of gunners"),
    Stage(DEFENCE, "hit", "defence values"),
    Stage(COIN, "coin", "no coin: both strike at mid"),
    Stage(DAMAGE, "armour", "damage of weapons"),
    Stage(ARMOUR, "armour", "armour points"),
    Stage(SHOCK, "shock", "shock of weapons"),
    Stage(THRESHOLD, "shock", "shock threshold"),
    Stage(PENETRATION, "penetration", "penetration of weapons"),
    Stage(FACTORS, "penetration", "penetration factors"),
    Stage(CHART, "chart", "internal amount chart"),
    Stage(MANIFEST, "manifest", "what lies on which lines"),
    Stage(EXPLOSION, "explosion", "fuel and bins never explode"),
    Stage(ARMS, "arms", "weapons, rounds, reach, gunners"),
)
