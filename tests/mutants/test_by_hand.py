"""The changes by hand fit the code, and each is noticed."""

import ast

import pytest

from tests.mutants.by_hand import change_of, entries
from tests.mutants.record import read
from tests.tools.shared import ROOT


@pytest.mark.parametrize("name", entries())
def test_a_change_by_hand_has_one_place_and_tests(name):
    change = change_of(name)
    ast.parse(change.text)
    assert change.text != (ROOT / "farkas" / change.module).read_text()
    for tests in entries()[name]["tests"]:
        assert (ROOT / tests).exists()


def test_every_change_by_hand_was_noticed_by_a_test_that_it_names():
    kept = read().by_hand
    assert sorted(kept) == sorted(entries())
    by_no_test = [
        name
        for name, noticed in kept.items()
        if "::" not in noticed or not noticed.startswith(tuple(entries()[name]["tests"]))
    ]
    assert by_no_test == []
