"""Where things stand in the arrays of the loop over fights: setting, units, lists, log."""

FIRST_B, UNITS, POLICY_A, POLICY_B, DECLARED, WIDTH, SHUFFLED, GUNNERS_MOST = range(8)
BREAK, COMBINATIONS, JUDGE, PHASES, COUPLED, SETTING_SIZE = range(8, 14)
"""setting: number of the first unit of side b, of all units; policies; targets fixed before any die; length
of a list; volleys come in a random order; the most gunners that a unit has; the share of a side's cost at which it
breaks, in parts of `WHOLE_COST`, 0 if no side does; in how many combinations units can fall, the more of both sides;
the address of what chooses targets by their chances, 0 if nobody does; phases of a turn; whether dice change what
their shooter remembers, and units rest at the end of a turn. Then the costs of all units, and then, for each
unit, by how much the number of the combination rises when it falls."""
WHOLE_COST = 1 << 52
"""What all units of a side cost together."""
TYPE, BODY, MEMORY, ABILITY, FELL, CHANGED, FIGURES, LEADER, WHOLE, REMEMBERS, FIRED, UNIT_FIELDS = range(12)
"""units: (units, fields) type, state, capability at the start of the phase, turn in which it was destroyed or 0,
whether its state has changed since its capability was taken, its figures, the first
unit of its type, the figures of a fresh one, whether its memory can change, its gunners who fired in the phase."""
LEFT_A, LEFT_B, ORDER = 0, 1, 2
"""lists: units left of each side, then for each side, `width` long, the units that stand at the start of the phase,
their number first; then for each unit and gunner his last target, + 1; then the gunners who wait for their turn in a
random order: side, place, gunner."""
LOG_TURN, LOG_PHASE, LOG_UNIT, LOG_GUNNER, LOG_TARGET, LOG_ABILITY, LOG_TARGET_ABILITY = range(7)
LOG_BEFORE, LOG_AFTER, LOG_NOTE, LOG_SPOT, LOG_LOST, LOG_FIELDS = range(7, 13)
"""A logged exchange; LOG_LOST: the target had fallen already, so that no die was thrown."""
FOCUSED, BODIES = 0, 2
"""minds: whom each side focuses on, + 1; the bodies of all units at the start of the phase; then the last target of
each unit and gunner at that time, + 1."""
