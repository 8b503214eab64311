"""Every verdict can change.

A refuted claim whose sides are made equal is refuted no more; a held claim of which one trial is a
violation is refuted; a step of a proof breaks under some change of its formula.
"""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from farkas.errors import NoVerdict
from farkas.proofs import Standing, claims
from farkas.proofs.said import Stated
from tests.recorded import verdicts
from tests.tools.shared import ROOT

ORDINARY = Stated.__post_init__


def recorded(standing: Standing) -> list[Any]:
    """Names of the claims of that standing, as parameters; slow ones are marked."""
    return [
        pytest.param(name, marks=[pytest.mark.slow] * entry["slow"])
        for name, entry in verdicts.kept().items()
        if name in verdicts.names() and entry["verdict"]["standing"] == standing
    ]


def equal(relation: Stated) -> None:
    """Put the right side where the relation holds: on the left one, or next to it when strict."""
    ORDINARY(relation)
    beside = {"<": math.inf, ">": -math.inf, "!=": math.inf}
    left = relation.left
    if relation.sign in beside:
        towards = beside[relation.sign]
        near = math.nextafter(float(left), towards)
        # beyond an infinite side there is nothing: come from the other one
        object.__setattr__(relation, "left", left if near != left else -towards)
        object.__setattr__(relation, "right", near)
    else:
        object.__setattr__(relation, "right", left)


@pytest.mark.slow
@pytest.mark.parametrize("name", recorded(Standing.REFUTED))
def test_a_refuted_claim_needs_its_violation(name: str, monkeypatch) -> None:
    monkeypatch.setattr(Stated, "__post_init__", equal)
    verdict = None
    with contextlib.suppress(NoVerdict):
        verdict = claims[name].run()
    if verdict is not None:
        # of many trials none is a violation any more
        assert verdict.standing is Standing.HELD
        assert (verdict.runs or 0) > 1


class Violated:
    """Makes the first relation that a claim states a violated one, far beyond any tolerance."""

    def __init__(self) -> None:
        self.planted: Stated | None = None

    def __call__(self, relation: Stated) -> None:
        ORDINARY(relation)
        if self.planted is None:
            self.planted = relation
            far = 3 * (abs(float(relation.left)) + relation.size + 1)
            apart = {"<": relation.left - far, "!": relation.left}
            object.__setattr__(
                relation, "right", apart.get(relation.sign[0], float(relation.left) + far)
            )
            assert not relation.holds


@pytest.mark.slow
@pytest.mark.parametrize("name", recorded(Standing.HELD))
def test_one_violation_refutes_a_held_claim(name: str, monkeypatch) -> None:
    violated = Violated()
    monkeypatch.setattr(Stated, "__post_init__", lambda relation: violated(relation))
    verdict = claims[name].run()
    assert verdict.standing is Standing.REFUTED
    assert violated.planted in verdict.fails


def test_no_claim_states_a_relation_between_two_constants() -> None:
    stated = [
        (path.name, node)
        for path in sorted((ROOT / "farkas" / "proofs").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Stated"
    ]
    assert len(stated) > 150
    for name, node in stated:
        left, right = node.args[0], node.args[2]
        constant = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
        assert not constant, f"{name}: {ast.unparse(node)}"
        assert ast.unparse(left) != ast.unparse(right), f"{name}: {ast.unparse(node)}"


def notes(path: Path) -> Iterator[str]:
    """Literal words of the notes of refuted and held claims, with what is in braces left out."""
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            said: list[ast.expr] = []
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "note":
                said = [node.value]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("refuted", "held"):
                said = node.args[2:]
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".verdict"):
                said = node.args[:1]
            for note in said:
                parts = note.values if isinstance(note, ast.JoinedStr) else [note]
                words = [part.value for part in parts if isinstance(part, ast.Constant)]
                yield "".join(map(str, words))


NAMED = re.compile(r"\([^)]*\)|Algorithm \d")
"""Equations and names."""

NUMBER = re.compile(r"(?<![\w.])(?![01](?![\w.]))\d")
"""Any but 0 and 1, which are facts where they stand."""


def test_no_note_of_a_run_says_a_number_that_is_not_computed() -> None:
    found = [n for p in sorted((ROOT / "farkas" / "proofs").rglob("*.py")) for n in notes(p)]
    assert len(found) > 70
    assert [note for note in found if NUMBER.search(NAMED.sub("", note))] == []
