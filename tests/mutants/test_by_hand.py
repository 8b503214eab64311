"""The changes by hand fit the code."""

import ast

from tests.mutants.by_hand import change_of, entries
from tests.tools.shared import ROOT


def test_a_change_by_hand_has_one_place_and_tests():
    for name, entry in entries().items():
        change = change_of(name)
        ast.parse(change.text)
        assert change.text != (ROOT / "farkas" / change.module).read_text(), name
        assert all((ROOT / tests).exists() for tests in entry["tests"]), name
