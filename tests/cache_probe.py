"""What a fresh process finds with the compiled code that is on disk; run by the tests of the cache.

Prints a JSON object: of each system asked for the counts of some duels and the ends of one volley with their weights.
"""

import json
import sys
from pathlib import Path
from typing import Any

from toy_system import SYSTEM as TOY
from toy_system import ToySheet

from simlab.engine.play import kernel_id, play_fights
from simlab.lab.fights import fight_key_of
from simlab.model.situation import Situation
from simlab.rules.registry import get_system, register_system
from simlab.tables.expand import Questions, expand_volley


def probe(name: str, questions: str) -> dict[str, Any]:
    """Answer the questions (duels, volley) about a system; `keys` needs no compiled code."""
    system = get_system(name)
    path = Path("units/blitzkrieg/m4a3_sherman_lp.yaml")
    sheet = ToySheet() if name == "toy" else system.load_sheet(path)
    fight = system.compile_fight([sheet], [sheet], Situation(14.0), system.options({}), 12)
    found: dict[str, Any] = {"key": fight_key_of(fight), "kernel": kernel_id(system)}
    if "duels" in questions:
        tally = play_fights(fight, n=2000, seed=1, key=found["key"], workers=1)
        found["duels"] = [tally.flags.tolist(), tally.exchanges]
    if "volley" in questions:
        ask = Questions(fight)
        type_ = fight.types_a[0]
        able = ask.capability(type_, 0, 0, *ask.fresh(type_))
        volley = expand_volley(fight, type_, 0, able, fight.types_b[0], able, 0, ask.fresh(type_)[0])
        found["volley"] = [volley.bodies.tolist(), volley.weights.tolist()]
    return found


if __name__ == "__main__":
    register_system(TOY)
    print(json.dumps({name: probe(name, sys.argv[1]) for name in sys.argv[2:]}))
