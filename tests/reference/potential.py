"""Prices from fair numbers in plain Python, one unit at a time; slow, and shares nothing with the fast code."""

Reading = tuple[int, int, float, str, float]
"""Places of a and b, weight, `value`, `above` or `below`, and the logarithm of the fair number or its bound."""


def settle_prices(units: int, readings: list[Reading], rounds: int = 4000) -> list[float]:
    """Return logarithms of prices, of mean 0, with the least sum of weighted squares.

    Each unit in turn gets the price at which the pull of its readings is nothing, the others held: found by halving.
    """
    prices = [0.0] * units
    for _ in range(rounds):
        for unit in range(units):
            own = [reading for reading in readings if unit in reading[:2]]
            prices[unit] = _halve(unit, own, prices)
    mean = sum(prices) / units
    return [price - mean for price in prices]


def _halve(unit: int, readings: list[Reading], prices: list[float]) -> float:
    if not readings:
        return prices[unit]
    if _pull(unit, readings, prices, prices[unit]) == 0:
        return prices[unit]
    low, high = prices[unit] - 1.0, prices[unit] + 1.0
    while _pull(unit, readings, prices, low) < 0:
        low -= high - low
    while _pull(unit, readings, prices, high) > 0:
        high += high - low
    for _ in range(60):
        middle = (low + high) / 2
        if _pull(unit, readings, prices, middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _pull(unit: int, readings: list[Reading], prices: list[float], price: float) -> float:
    """How strongly the readings draw a unit upwards if it has this price."""
    total = 0.0
    for a, b, weight, status, number in readings:
        gap = (price if a == unit else prices[a]) - (price if b == unit else prices[b])
        off = number - gap
        if (status == "above" and off < 0) or (status == "below" and off > 0):
            continue
        total += weight * off if a == unit else -weight * off
    return total
