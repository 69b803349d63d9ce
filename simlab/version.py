"""The version of simlab."""

__version__ = "0.1.0"
