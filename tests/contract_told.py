"""Writes tests/told/<system>.txt: a few fights of every rule system, told, by which a changed trace shows itself.

`python -m tests.contract_told` writes all of them anew, `python -m tests.contract_told wwiisim` one; a test holds them
up to date.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from samples import SETTINGS, SYSTEMS, sample_sheets, system_of

from simlab import lab
from simlab.rules import registry

FOLDER = Path(__file__).parent / "told"
FIGHTS = (
    # range, aspects of a and b by their numbers, number of the set of options, replicate
    (10.0, 0, 0, 0, 0),
    (24.0, 0, 1, 0, 7),
    (10.0, 0, -1, 1, 3),
)
TURNS = 4


def tell(name: str) -> str:
    """Return the told fights of a system, which is registered."""
    system, sheets = system_of(name), sample_sheets(name)
    texts = []
    for place, (distance, a, b, number, replicate) in enumerate(FIGHTS):
        one, other = sheets[place % len(sheets)], sheets[(place + 1) % len(sheets)]
        told = lab.trace(
            one,
            other,
            range=distance,
            aspect_a=system.aspects[a],
            aspect_b=system.aspects[b],
            set=SETTINGS[name][number],
            replicate=replicate,
            turns=TURNS,
            system=name,
        )
        texts.append(told.text)
    two = lab.trace([sheets[0]] * 2, [sheets[1], sheets[2]], range=10.0, turns=2, replicate=1, system=name)
    return "\n\n----\n\n".join([*texts, two.text]) + "\n"


def write(names: tuple[str, ...]) -> None:
    """Write the files of some systems."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        registry.register_system(system_of(name))
        (FOLDER / f"{name}.txt").write_text(tell(name), encoding="utf-8")
        print(f"wrote tests/told/{name}.txt")


if __name__ == "__main__":
    write(tuple(sys.argv[1:]) or SYSTEMS)
