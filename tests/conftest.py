"""What all tests share: the marker for rules, and the toy system while a test asks for it."""

from collections.abc import Iterator

import pytest
import toy_system

from simlab.rules import registry


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rule(number): a rule of the rules page that the test covers")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[toy_system.Toy]:
    """Register the toy system, for the time of one test."""
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    registry.register_system(toy_system.SYSTEM)
    yield toy_system.SYSTEM
