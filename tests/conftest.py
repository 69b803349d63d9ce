"""What all tests share: the toy system, while a test asks for it, and the command line."""

from pathlib import Path

import pytest
import toy_system
from priced import price_three
from shell import ROOT, Shell

from simlab.lab.stored_prices import Prices
from simlab.rules import registry


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> toy_system.Toy:
    """Register the toy system, for the time of one test."""
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    registry.register_system(toy_system.SYSTEM)
    return toy_system.SYSTEM


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Prices]:
    """A folder with a run and its prices, made once; who changes the prices makes them again."""
    folder = tmp_path_factory.mktemp("priced")
    return folder, price_three(folder)


@pytest.fixture
def simlab(capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command line as a function."""
    return Shell(capsys)


@pytest.fixture
def at_root(simlab: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command line at the root of the project, as its pages have it."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("SIMLAB_UNITS", raising=False)
    return simlab
