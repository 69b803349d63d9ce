"""Lines taken and lines passed over, against a literal walk round the twenty lines: BK-23, BK-24."""

import random

import numpy as np
import pytest

from simlab.rules.blitzkrieg.kernel import layout
from simlab.rules.blitzkrieg.kernel.manifest import crossed_lines, walked_lines

U64 = np.uint64
CASES = 4000


def walk(crossed: set[int], start: int, count: int, wrap: bool) -> tuple[set[int], set[int]]:
    """Lines newly crossed off, and all lines stepped on until the count is used up or the lines are at an end."""
    taken: set[int] = set()
    walked: set[int] = set()
    for line in [*range(start, layout.LINES + 1), *(range(1, start) if wrap else ())]:
        walked.add(line)
        if line not in crossed:
            taken.add(line)
        if len(taken) == count:
            break
    return taken, walked


def lines_of(bits: int) -> set[int]:
    return {line + 1 for line in range(64) if bits >> line & 1}


def by_kernel(crossed: set[int], start: int, count: int, wrap: bool) -> tuple[set[int], set[int]]:
    word = U64(sum(1 << (line - 1) for line in crossed))
    with np.errstate(over="ignore"):
        taken = crossed_lines(word, U64(start - 1), U64(count), wrap)
        walked = walked_lines(taken, U64(start - 1), U64(count), wrap)
    return lines_of(int(taken)), lines_of(int(walked))


@pytest.mark.rule("BK-23", "BK-24")
@pytest.mark.parametrize("wrap", [False, True])
def test_a_walk_round_the_lines(wrap: bool) -> None:
    """From no line crossed to all of them, so that few are open in many cases and the count is not used up."""
    rng = random.Random(20)
    short = below = 0
    for _ in range(CASES):
        crossed = set(rng.sample(range(1, layout.LINES + 1), rng.randint(0, layout.LINES)))
        case = crossed, rng.randint(1, layout.LINES), rng.randint(1, 9), wrap
        taken, walked = walk(*case)
        assert by_kernel(*case) == (taken, walked), case
        short += len(taken) < case[2]
        below += min(walked) < case[1]
    assert short > CASES / 10
    assert (below > CASES / 10) is wrap
