"""Composes a run's frames into one page that needs nothing else. Runs no fight, reads no file of a run."""
