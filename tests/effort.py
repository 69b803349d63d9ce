"""How much is tried: a part of it by `make test`, all of it by `make test-long`."""

import os

LONG = os.environ.get("SIMLAB_TESTS") == "long"
PART = 4


def examples(number: int) -> int:
    """Return how many examples are drawn where `number` are drawn in a long run."""
    return number if LONG else max(25, number // PART)
