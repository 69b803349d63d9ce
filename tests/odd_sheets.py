"""Legal sheets whose texts are as odd as the sheet rules allow, for whatever must not lose any of them."""

import random
from typing import Any

from hypothesis import strategies as st
from strategies import Scope, random_sheet

from simlab.model.document import Document
from simlab.rules.blitzkrieg.sheet import Sheet, named_sheet

SIGNS = (
    *"; : , ( ) \" ' = + - @ / | . # & * ! % { } [ ] ? ~ ` \\ < >".split(" "),
    " ", "  ", "\u00a0", "5 hits", "1 hit", "left", "right", "ammo_bin", "ammo bin", "weapon", "off_manifest", "cannon",
    "ballistic", "high 5/4/3", "36 rounds", "(skill 1)", "1e5", "true", "null", "no", "16-18", "88", "mm", "Ä", "戦車",
    "\U0001f480", '""', "=cmd|' /C calc'!A0", "=HYPERLINK(0)", "; =1+1", "--- ", "\u2013",
)  # fmt: skip
FREE_SIGNS = (
    *(sign for sign in SIGNS if sign != "\u00a0"),
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\n\n- ",
    "\t=1",
    " \n",
)


def odd_text(rng: random.Random, signs: tuple[str, ...] = SIGNS, most: int = 5) -> str:
    """A text of a few signs; not blank."""
    text = "".join(rng.choice(signs) for _ in range(rng.randint(1, most)))
    return text if text.strip() else odd_text(rng, signs, most)


def odd_mapping(rng: random.Random) -> dict[str, Any]:
    """A legal sheet as its file would give it, names and keys odd, optional parts there or not."""
    sheet = random_sheet(rng, Scope(3, extreme=rng.random() < 0.3))
    keys: dict[str, str] = {}
    for key in sheet["weapons"]:
        odd = odd_text(rng)
        keys[key] = odd if odd not in keys.values() else f"{odd} {key}"
    sheet["weapons"] = {keys[key]: {**gun, "name": odd_text(rng)} for key, gun in sheet["weapons"].items()}
    for gunner in sheet["gunners"]:
        gunner["name"] = odd_text(rng)
        gunner["weapons"] = [keys[key] for key in gunner["weapons"]]
    for item in sheet["manifest"]:
        if "weapon" in item:
            item["weapon"] = keys[item["weapon"]]
    for weapon in sheet["weapons"].values():
        if rng.random() < 0.2:
            weapon["max_range"] = rng.choice((0, 30, 30.0, 0.1, 29.999, 1e-7, 5e-324, 999))
    sheet["name"], sheet["nation"] = odd_text(rng), odd_text(rng)
    sheet["provenance"] = rng.choice(("", odd_text(rng, FREE_SIGNS, 12), "plain words " * 20))
    value = rng.choice((None, 558, 558.5, 1e-3, 1e9, 996))
    sheet["ecv"] = {"value": value, "source": rng.choice(("rulebook", "draft", "priced"))}
    sheet["ram"] = {**{key: rng.choice((0, 0.58, 1e-9, 99, 2 / 3)) for key in ("damage", "shock", "penetration")},
                    "plate": rng.choice((True, False))}  # fmt: skip
    sheet["movement"] |= {
        "amphibious": rng.choice((True, False)),
        "moves_on_one_side": rng.choice((True, False)),
    }
    return sheet


def odd_sheet(rng: random.Random, identity: str = "odd") -> Sheet:
    """The sheet of `odd_mapping`."""
    return named_sheet(Document("odd.yaml", odd_mapping(rng)), identity)


odd_sheets: st.SearchStrategy[Sheet] = st.randoms(use_true_random=False).map(odd_sheet)
