"""What all tests share: the toy system, while a test asks for it, and the command line."""

import pytest
import toy_system
from shell import Shell

from simlab.rules import registry


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> toy_system.Toy:
    """Register the toy system, for the time of one test."""
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    registry.register_system(toy_system.SYSTEM)
    return toy_system.SYSTEM


@pytest.fixture
def simlab(capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command line as a function."""
    return Shell(capsys)
