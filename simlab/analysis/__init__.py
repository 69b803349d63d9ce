"""Estimates from counts: intervals, fair numbers, implied prices. Runs no fight and opens no file."""
