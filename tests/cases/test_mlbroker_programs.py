"""Case files of kind mlbroker: programs, bounds and fixed decisions."""

from __future__ import annotations

import json

import pytest

from farkas.errors import InvalidInstance
from farkas.instances import read
from farkas.quantities import evaluate
from tests.tools.shared import case_files, shared

CASES = case_files("mlbroker")


def expected(path):
    return json.loads(path.read_text())["expected"]


def test_case_files_are_there():
    assert list(shared("cases", "mlbroker").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_programs_have_the_expected_values(path):
    wanted = expected(path)
    if "error" in wanted:
        assert wanted["error"]["value"] == "invalid"
        with pytest.raises(InvalidInstance):
            read(path)
        return
    values = evaluate(read(path))
    wrong = {k: (values.get(k), wanted[k]) for k in wanted if not _agrees(values[k], wanted[k])}
    assert not wrong


def _agrees(value, entry):
    if entry["value"] is None or value is None:
        return value is None and entry["value"] is None
    return abs(value - entry["value"]) <= entry["tol"]
