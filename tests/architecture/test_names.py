"""One meaning a word: on a floor a class name stands for one thing, or a part of every kind."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from pathlib import Path

import pytest

from farkas.instances.files import own_kinds
from tests.tools.shared import ROOT
from tests.tools.sources import FARKAS, MODULES, parsed

OF_EVERY_KIND = {
    "PrintedProgram": "a program or dual exactly as the paper prints it",
    "Environment": "what a kind adds to the driver, and the protocol that says so",
    "Job": "a job of an instance",
    "Knowledge": "what a policy may see in advance",
    "Offline": "the program that plans with hindsight",
    "OneShot": "the program of one slot",
    "Published": "published settings of a generator",
}
"""Names that each kind gives to its own part of a common thing."""


@functools.cache
def places() -> dict[str, list[Path]]:
    """Modules that define a class, by its name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in MODULES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.relative_to(FARKAS))
    return found


def test_a_class_name_has_one_meaning_on_a_floor() -> None:
    floors = {name: [path.parts[0] for path in where] for name, where in places().items()}
    shared = {name for name, found in floors.items() if len(set(found)) < len(found)}
    assert shared == set(OF_EVERY_KIND)


@pytest.mark.slow
def test_a_name_that_every_kind_uses_is_used_inside_kinds() -> None:
    found = places()
    for name in OF_EVERY_KIND:
        for path in found[name]:
            words = {word for part in path.with_suffix("").parts for word in part.split("_")}
            assert words & set(own_kinds()) or path == Path("online/driver.py"), (name, path)


def test_the_glossary_defines_every_noun_of_the_product() -> None:
    design = (ROOT / "docs" / "design.md").read_text()
    nouns = ["Instance", "Program", "Form", "Answer", "Proof", "Policy", "Run", "Claim", "Verdict"]
    for noun in nouns:
        assert f"**{noun}**" in design, noun


@pytest.mark.slow
def test_every_module_of_a_role_has_something_in_it() -> None:
    # A package of a kind that holds nothing, or a module of a docstring only, hides a missing part.
    for path in MODULES:
        if path.name == "__init__.py":
            others = [
                p for p in path.parent.iterdir() if p.name not in ("__init__.py", "__pycache__")
            ]
            assert others, f"{path.parent} is empty"
        else:
            assert len(parsed(path).body) > 1, f"{path} is empty"
