"""Did you mean: the nearest of the known names."""

from __future__ import annotations

import pytest

from farkas.suggestions import suggestion


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("higs", ["highs", "scip"], "; did you mean highs?"),
        ("abc", ["abd", "abe", "zz"], "; did you mean abe or abd?"),
        ("xyz", ["b", "a", "a"], "; known: a, b"),
        ("xyz", [], "; there is none"),
        ("7", [f"n{k:02}" for k in range(13)], "; known: n00, n01, n02, n03, n04, n05, n06, n07, "
         "n08, n09, n10, n11, ..."),
        ("7", ["n"] * 13, "; known: n"),
    ],
)  # fmt: skip
def test_the_nearest_names_or_all_of_few_are_suggested(name, known, text):
    assert suggestion(name, known) == text


def test_at_most_three_near_names_are_listed():
    assert suggestion("abcd", ["abcde", "abcdf", "abcdg", "abcdh"]).count(" or ") == 2


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        # the last part alone, exact or misspelt
        ("local", ["coded.uniform", "mlbroker.local"], "; did you mean mlbroker.local?"),
        ("loacl", ["coded.uniform", "mlbroker.local"], "; did you mean mlbroker.local?"),
        ("fifo", ["dps.fifo", "gadget.fifo"], "; did you mean dps.fifo or gadget.fifo?"),
        # another kind has a name that is closer, but the kind was said
        ("dps.uniform", ["coded.uniform", "dps.simple"], "; known: dps.simple"),
        ("dps.simpel", ["dpt.simpel", "dps.simple"], "; did you mean dps.simple?"),
        # the kind itself is misspelt
        ("cded.uniform", ["coded.uniform", "dps.simple"], "; did you mean coded.uniform?"),
    ],
)
def test_names_are_suggested_within_the_kind_that_was_said(name, known, message):
    assert suggestion(name, known) == message
