"""The dice that rules ask for, by name. Which dice fall is settled when a loop is bound to a source: random words
(`simlab.dice.sampled`), the same written down (`recorded`), or given faces (`scripted`)."""

_UNBOUND = "dice are drawn from a source only in a bound loop"


def draw_face(source, slot, faces):
    """Return a face 0..faces-1 of the die in a slot."""
    raise NotImplementedError(_UNBOUND)


def draw_exploding(source, limit):
    """Return the total of 2d6 in slot 0, twelves rolled again and added up to `limit` (12 or more)."""
    raise NotImplementedError(_UNBOUND)


def draw_chance(source, slot, favourable, faces):
    """Return whether the die in a slot shows one of its first `favourable` faces."""
    raise NotImplementedError(_UNBOUND)
