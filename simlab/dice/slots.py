"""The dice of one exchange by slot, so that all sources of dice agree which die is which.

Slot 0: the first die of an exchange, its faces a divisor of 36 (one or two d6). Slot 1: a small die (coin, d3).
Slot 2: any die up to 2**16 faces. From slot 3 on: any dice, each from a word of its own. Re-rolls of an exploding
die in slot s have the slots REROLL + k.
"""

FIRST, LEVEL, START, CONTEST = 0, 1, 2, 3
ORDER = 48
"""What decides when an exchange takes place among those of its phase, where their order is random."""
CHOICE = 49
"""At whom an exchange is, where that is left to chance."""
REROLL = 64
SLOTS = 32
"""Number of slots of a scripted exchange: first, level, start and up to 29 contests."""
