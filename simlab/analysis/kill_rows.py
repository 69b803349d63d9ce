"""Kills a turn beside fair numbers, for Lanchester's exponent."""

import pandas as pd


def join_kills(series: pd.DataFrame, kills: pd.DataFrame, size: float) -> pd.DataFrame:
    """Return the rows of a size with the kills a turn of both units beside them, for `fit_exponents`.

    `kills`: columns a, b, the situation, kill_a, kill_b; rows that it lacks are left out. The weights of a pair's rows
    that are left add up to 1.
    """
    keys = ["a", "b", "range", "aspect_a", "aspect_b", "first_fire"]
    named = kills.assign(range=kills["range"].map(_range_text)).rename(
        columns={"kill_a": "kill_per_turn_a", "kill_b": "kill_per_turn_b"}
    )
    ours = series[series["size"] == size]
    ours = ours.assign(range=ours["range"].map(_range_text))
    both = ours.merge(named[[*keys, "kill_per_turn_a", "kill_per_turn_b"]], on=keys, validate="many_to_one")
    pair = ["\0".join(sorted(each)) for each in zip(both["a"], both["b"], strict=True)]
    whole = both["weight"].groupby([both["policy"], pd.Series(pair, index=both.index)]).transform("sum")
    return both.assign(weight=both["weight"] / whole)


def _range_text(value: object) -> str:
    """A range as text, the same whether its table holds numbers alone or also ranges by turn."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)
