"""docs/adding-a-system.md is true: its pieces are those of the toy system, its examples run, no name is left out."""

import ast
import doctest
import inspect
import re
from typing import Any

import pytest
from pages import blocks
from shell import ROOT
from toy_system import SYSTEM

from simlab import jit
from simlab.rules import contract

TEXT = (ROOT / "docs" / "adding-a-system.md").read_text(encoding="utf-8")
TOY = "".join(
    (ROOT / "tests" / name).read_text(encoding="utf-8") for name in ("toy_kernel.py", "toy_system.py")
)
NAMED = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", TEXT))))


def test_pieces_are_those_of_the_toy_system() -> None:
    pieces = blocks(TEXT, "python")
    assert len(pieces) >= 10
    for piece in pieces:
        assert f"\n{piece}" in TOY


def test_examples_come_to_what_the_page_says(toy: Any) -> None:
    examples = "\n".join(blocks(TEXT, "pycon"))
    test = doctest.DocTestParser().get_doctest(examples, {}, "adding-a-system.md", None, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert result.attempted >= 12
    assert not result.failed, "".join(said)


def test_every_name_of_the_contract_is_on_the_page() -> None:
    system = ast.parse(inspect.getsource(contract.System)).body[0]
    assert isinstance(system, ast.ClassDef)
    names = {
        node.target.id
        for node in system.body
        if isinstance(node, ast.AnnAssign)
        if isinstance(node.target, ast.Name)
    }
    names |= {node.name for node in system.body if isinstance(node, ast.FunctionDef)}
    assert len(names) > 30
    assert names - NAMED == set()


def test_every_kernel_function_that_loops_call_is_on_the_page() -> None:
    asked = set(
        re.findall(r"`(\w+)\((?:program|note|struck|body|before)\b", inspect.getdoc(contract.System) or "")
    )
    assert len(asked) > 20
    written = {name for module in SYSTEM.kernels for name in jit.kernel_functions(module)}
    assert asked <= written
    shown = set(re.findall(r"^def (\w+)", TEXT, re.MULTILINE))
    assert asked - NAMED - shown == set()


def test_the_steps_are_counted_and_files_exist() -> None:
    steps = [int(number) for number in re.findall(r"^\*\*(\d+)\. ", TEXT, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    for path in set(re.findall(r"`((?:tests|simlab|units|docs)/[a-z_0-9/.]+\.\w+)`", TEXT)):
        assert (ROOT / path).exists(), path
    for name in re.findall(r"^\| `(test_\w+\.py)` \|", TEXT, re.MULTILINE):
        assert (ROOT / "tests" / name).exists(), name


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests").glob("test_every_system_*.py")), ids=lambda path: path.stem
)
def test_the_page_has_all_files_of_tests_for_all_systems(path: Any) -> None:
    assert f"| `{path.name}` |" in TEXT
