"""What claims state and note is computed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.tools.shared import ROOT


def test_no_claim_states_a_relation_between_two_constants() -> None:
    stated = [
        (path.name, node)
        for path in sorted((ROOT / "farkas" / "proofs").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Relation"
    ]
    assert len(stated) > 150
    for name, node in stated:
        left, right = node.args[0], node.args[2]
        constant = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
        assert not constant, f"{name}: {ast.unparse(node)}"
        assert ast.unparse(left) != ast.unparse(right), f"{name}: {ast.unparse(node)}"


RULED = ("refuted", "held", "verdict_on")
"""Verdicts whose third argument is a note."""


def notes(path: Path) -> Iterator[str]:
    """Literal words of the notes of refuted and held claims, with what is in braces left out."""
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            said: list[ast.expr] = []
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "note":
                said = [node.value]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in RULED:
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
    assert len(found) > 45
    assert [note for note in found if NUMBER.search(NAMED.sub("", note))] == []
