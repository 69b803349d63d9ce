"""What is told about every rule system is told in its words, or in words that fit all of them."""

import re

import pytest
from samples import SAMPLES, sample_sheets, system_of
from shell import Shell

from simlab import lab
from simlab.cli.app import COMMANDS
from simlab.rules.registry import system_names

WORDS = {"blitzkrieg": "gunner", "tank_d20": "gun", "wwiisim": "weapon"}
OF_BLITZKRIEG = r"\b(gunners?|the book|manifest|pintle|periscope|coin|items?)\b"


def test_every_system_has_a_word_here():
    assert set(WORDS) == set(system_names())


@pytest.mark.parametrize("name", sorted(WORDS))
def test_odds_call_what_fires_by_the_word_of_the_system(name):
    assert system_of(name).shooter == WORDS[name]
    told = lab.odds(*SAMPLES[:2], system=name).lines()
    assert f"one volley of each {WORDS[name]}" in " ".join(told.split())
    assert f"all {WORDS[name]}s destroys" in told
    whole = lab.odds(sample_sheets(name)[0], system=name).lines() + told
    if name == "wwiisim":
        assert "gunner" not in whole


@pytest.mark.parametrize("command", [body.__name__.rstrip("_") for body, *_ in COMMANDS])
def test_help_has_no_words_of_one_system_that_it_does_not_name(simlab: Shell, command: str):
    """Examples and fields of sheets aside."""
    said = " ".join(simlab(command, "--help").out.partition("Example:")[0].split())
    sentences = [part for part in re.split(r"(?<=[.;]) ", said) if "Blitzkrieg" not in part]
    assert not re.search(OF_BLITZKRIEG, " ".join(sentences), re.IGNORECASE)


def test_the_list_of_commands_has_none_either(simlab: Shell):
    assert not re.search(OF_BLITZKRIEG, simlab("--help").out, re.IGNORECASE)
