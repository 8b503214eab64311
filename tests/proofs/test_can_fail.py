"""A refuted claim whose sides are made equal is refuted no more, nor held by that."""

from __future__ import annotations

import ast
import contextlib
import math
from typing import Any

import pytest

from farkas.proofs import Standing, claims
from farkas.proofs.stated import Stated
from tests.recorded import verdicts
from tests.tools.shared import ROOT

ORDINARY = Stated.__post_init__

REFUTED = [
    entry
    for name, entry in verdicts.kept().items()
    if name in verdicts.names() and entry["verdict"]["standing"] == Standing.REFUTED
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


@pytest.mark.parametrize("sign", ["<=", "<", ">=", ">", "==", "!="])
@pytest.mark.parametrize("sides", [(1.0, 2.0), (2.0, 1.0), (math.inf, 1.0), (-math.inf, 1.0)])
def test_equal_sides_make_every_relation_hold(sign: Any, sides, monkeypatch) -> None:
    monkeypatch.setattr(Stated, "__post_init__", equal)
    assert Stated(sides[0], sign, sides[1]).holds


@pytest.mark.parametrize(
    "name",
    [pytest.param(entry["claim"], marks=[pytest.mark.slow] * entry["slow"]) for entry in REFUTED],
)
def test_a_refuted_claim_needs_its_violation(name: str, monkeypatch) -> None:
    monkeypatch.setattr(Stated, "__post_init__", equal)
    verdict = None
    with contextlib.suppress(ValueError):
        verdict = claims[name].run()
    if verdict is not None:
        # of many trials none is a violation any more
        assert verdict.standing is Standing.HELD
        assert (verdict.runs or 0) > 1


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
