"""Stats of a sheet that a points formula is made of, as somebody asks for them."""

from collections.abc import Mapping

from simlab.model.errors import InputError, nearest


def moved_stats(now: Mapping[str, float], asked: Mapping[str, float]) -> dict[str, int]:
    """Return the stats that are asked for and are not so now.

    Raises InputError for an unknown stat and for a number that is not whole.
    """
    for stat, value in asked.items():
        if stat not in now:
            raise InputError.one(stat, "an unknown stat", ", ".join(now), nearest(stat, now))
        if value != int(value):
            raise InputError.one(stat, f"{value:g}", "a whole number")
    return {stat: int(value) for stat, value in asked.items() if value != now[stat]}
