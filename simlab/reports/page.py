"""The page: one HTML file with its style and its script in it, which asks nobody for anything."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from simlab.analysis.roster import is_many
from simlab.reports import captions, curves, evidence, fair, matchups, terms
from simlab.reports.contents import Contents
from simlab.reports.price_section import describe_prices
from simlab.reports.scales import DARK, LIGHT, STEPS, colour_rules
from simlab.reports.words import text_of

TEMPLATES = "templates"


def write_page(contents: Contents) -> str:
    """Return the page of a run as HTML; the same contents give the same text."""
    roster = contents.roster
    prices = describe_prices(contents)
    shown: dict[str, Any] = {
        "title": text_of(contents.record["name"]),
        "run": text_of(contents.run),
        "answers": [text_of(line, 2000) for line in contents.headlines],
        "units": len(contents.units),
        "drafts": int(contents.units["draft"].sum()),
        "prices": prices,
        "fair": fair.fair_chart(contents),
        "fair_table": fair.fair_table(contents),
        "fair_caption": captions.fair_table(contents) if contents.record["engagements"] else "",
        "readings": evidence.describe_readings(contents),
        "referee": evidence.describe_referee(contents),
        "facts": terms.facts(contents),
        "settings": terms.settings_table(contents),
        "unit_table": terms.unit_table(contents),
        "study": terms.study_text(contents),
        "ladder": None,
    }
    if roster is not None:
        shown_map = matchups.share_map(contents, roster)
        shown |= {
            "ladder": matchups.ladder_chart(contents, roster),
            "map": shown_map,
            "matchups": matchups.matchup_table(contents, roster),
            "matchup_caption": captions.matchups(contents, roster),
            "wheel_caption": captions.wheels(contents),
            "curves": curves.range_curves(contents, roster, is_many(contents.units)),
            "wheels": evidence.wheels_text(contents),
            "data": _embedded({"names": shown_map.names, "cells": shown_map.details}),
        }
    script = _text("page.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            shown,
            style=Markup(_text("page.css") + _map_style()),
            script=Markup(script),
            script_hash=_hash(script),
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("simlab.reports", TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _text(name: str) -> str:
    """A part of the page that no name gets into."""
    return (files("simlab.reports") / TEMPLATES / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """What names the only script that a browser may run here."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _embedded(value: Any) -> Markup:
    """Return a value as JSON that no browser takes for an end of the script or for markup."""
    return htmlsafe_json_dumps(value, allow_nan=False, separators=(",", ":"))


def _map_style() -> str:
    """The colours of the map of shares, for light pages and paper, and for dark ones."""
    return (
        _rules(LIGHT)
        + "@media screen and (prefers-color-scheme: dark) {\n"
        + _rules(DARK)
        + "}\n"
        + _ramp(LIGHT)
        + f"@media screen and (prefers-color-scheme: dark) {{ {_ramp(DARK)}}}\n"
    )


def _rules(anchors: tuple[str, ...]) -> str:
    colours = colour_rules(anchors)
    assert len(colours) == STEPS + 1
    return "".join(
        f".h{step} {{ background: {fill}; color: {ink}; }}\n" for step, (fill, ink) in enumerate(colours)
    )


def _ramp(anchors: tuple[str, ...]) -> str:
    return f".ramp {{ background: linear-gradient(to right, {', '.join(anchors)}); }}\n"
