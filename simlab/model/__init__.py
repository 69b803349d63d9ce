"""Frozen values that every rule system shares, and the reading of what designers write."""
