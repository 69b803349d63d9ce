"""Kills a turn beside fair numbers, for Lanchester's exponent."""

import pandas as pd


def join_kills(series: pd.DataFrame, kills: pd.DataFrame, size: float) -> pd.DataFrame:
    """Return the rows of a size with the kills a turn of both units beside them, for `fit_exponents`.

    `kills`: columns a, b, the situation, kill_a, kill_b; rows that it lacks are left out.
    """
    keys = ["a", "b", "range", "aspect_a", "aspect_b", "first_fire"]
    named = kills.assign(range=kills["range"].map(_range_text)).rename(
        columns={"kill_a": "kill_per_turn_a", "kill_b": "kill_per_turn_b"}
    )
    ours = series[series["size"] == size]
    ours = ours.assign(range=ours["range"].map(_range_text))
    return ours.merge(named[[*keys, "kill_per_turn_a", "kill_per_turn_b"]], on=keys, validate="many_to_one")


def _range_text(value: object) -> str:
    """A range as text, the same whether its table holds numbers alone or also ranges by turn."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)
