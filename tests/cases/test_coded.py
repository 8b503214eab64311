"""Case files of kind coded, every key, by the comparison rules of the case files."""

from __future__ import annotations

import json
import math

import pytest

from farkas.instances import read
from farkas.quantities import evaluate
from tests.tools.shared import case_files, shared

CASES = case_files("coded")


def agrees(found, wanted, tol):
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(
            agrees(f, w, tol) for f, w in zip(found, wanted, strict=True)
        )
    if wanted is None or found is None:
        return found is wanted
    if wanted == 0:
        return abs(found) <= 1e-12
    return math.isfinite(found) and abs(found - wanted) <= tol * max(abs(found), abs(wanted))


def test_case_files_are_there():
    assert list(shared("cases", "coded").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_every_expected_value_is_computed(path):
    expected = json.loads(path.read_text())["expected"]
    found = evaluate(read(path))
    assert set(found) == set(expected)
    wrong = {
        key: (found[key], want["value"])
        for key, want in expected.items()
        if not agrees(found[key], want["value"], want["tol"])
    }
    assert not wrong
