"""What a proof says in words and numbers."""

from __future__ import annotations

import dataclasses
import decimal
import math
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkas.certificates import (
    Proof,
    check,
)
from farkas.certificates.prices import about_instance
from farkas.certificates.proof import provenance, rounded
from farkas.errors import NotACertificate
from tests.generators.certificates import form, good


@pytest.mark.parametrize(
    ("sense", "said"), [("min", "at least 148.733774"), ("max", "at most 148.733775")]
)
def test_the_sentence_rounds_to_the_side_that_is_proved(sense, said):
    # 148.7337745 to nine digits: down for a lower bound, up for an upper one
    proof = Proof(
        program="p", sense=sense, bound=F("148.7337745"), infeasible=False, value=None,
        tolerance=0.0, implied=0, form="", instance=None, provenance="file",
    )  # fmt: skip
    assert f"{said}." in proof.statement


def test_a_rebuilt_program_is_named_without_quoting_the_file():
    assert "of small is at least" in check(good(), form()).statement


@pytest.mark.parametrize(
    ("sense", "bound", "value", "ratio"),
    [("min", 2, 3, F(3, 2)), ("max", 3, 2, F(3, 2)), ("min", 0, 3, None), ("max", 3, 0, None),
     ("min", -2, -1, None), ("min", 2, None, None)],
)  # fmt: skip
def test_a_ratio_is_at_least_one_and_needs_two_positive_sides(sense, bound, value, ratio):
    side = None if value is None else F(value)
    assert about_instance("p", sense, F(bound), None, value=side).ratio == ratio


def test_a_proof_about_an_instance_says_so_and_what_a_point_reaches():
    proof = about_instance("p", "min", F(1, 3), "ab" * 32, form(), value=F(2, 3))
    assert proof.statement == (
        "The optimal value of p is at least 0.333333333.  A point that is feasible exactly reaches"
        " 0.666666667.  The program was rebuilt from its instance."
    )
    assert proof.form == form().sha256
    nothing = about_instance("p", "min", None, "ab" * 32)
    assert nothing.infeasible
    assert nothing.statement.startswith("Proved infeasible: p.")


def test_what_numbers_came_from():
    anything = object()
    assert provenance(None, anything) == provenance(None, None) == "file"  # type: ignore[arg-type]
    assert provenance(form(), None) == "form"
    assert provenance(form(), anything) == "instance"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [(F(10**14), "100000000000000"), (F(10**15), "1E+15"), (F(1, 10**6), "0.000001"),
     (F(1, 10**7), "1E-7"), (F(-1, 4), "-0.25"), (F(0), "0"), (F(10**9 - 1), "999999999")],
)  # fmt: skip
def test_short_numbers_are_written_out_and_long_ones_with_an_exponent(value, text):
    assert rounded(value, up=True) == rounded(value, up=False) == text


def test_the_sentence_tells_tolerance_implied_bounds_and_the_side_of_a_value():
    said = {}
    for sense in ("min", "max"):
        proof = about_instance("p", sense, F(1, 3), None, value=F(1, 3))
        nearly = dataclasses.replace(proof, value=F(2, 3), tolerance=1e-6, implied=2)
        said[sense] = nearly.statement
    tail = "Uses the implied bounds of 2 variables.  The program was rebuilt from its instance."
    assert said["min"] == (
        "The optimal value of p is at least 0.333333333.  A point that is feasible within 0.000001"
        f" reaches 0.666666667.  {tail}"
    )
    assert said["max"] == (
        "The optimal value of p is at most 0.333333334.  A point that is feasible within 0.000001"
        f" reaches 0.666666666.  {tail}"
    )


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
EXACT = st.builds(lambda a, b: F(a) / F(b or 1.0), FLOATS, FLOATS)
"""From 5e-324 over 1.8e308 to 1.8e308 over 5e-324, of both signs."""


@given(FLOATS | FLOATS.map(F) | EXACT, st.integers(1, 12))
def test_what_is_printed_lies_on_the_side_asked_for_and_close(value, digits):
    exact = F(value)
    low, high = (F(rounded(value, up=up, digits=digits)) for up in (False, True))
    assert low <= exact <= high
    assert high - low <= abs(exact) * F(10) ** (1 - digits)
    assert (low == exact) == (high == exact)


@given(EXACT)
def test_what_is_printed_has_no_more_digits_than_asked_for(value):
    mantissa = rounded(value, up=True, digits=3).partition("E")[0]
    assert len(mantissa.replace(".", "").strip("-0")) <= 3


@pytest.mark.parametrize("up", [True, False])
def test_numbers_without_digits_are_named(up):
    said = [rounded(value, up=up) for value in (math.inf, -math.inf, math.nan, 0.0, -0.0, F(0))]
    assert said == ["inf", "-inf", "nan", "0", "0", "0"]


def test_the_smallest_and_largest_numbers_keep_their_side():
    assert rounded(5e-324, up=False, digits=1) == "4E-324"
    assert rounded(5e-324, up=True, digits=1) == "5E-324"
    assert rounded(-5e-324, up=True, digits=1) == "-4E-324"
    assert rounded(1.7976931348623157e308, up=True, digits=2) == "1.8E+308"
    assert rounded(1.7976931348623157e308, up=False, digits=2) == "1.7E+308"
    assert rounded(F(1, 10**400 + 1), up=True, digits=2) == "1E-400"
    assert rounded(F(10**400 + 1), up=True, digits=2) == "1.1E+400"


def test_digits_do_not_depend_on_the_decimal_context_of_the_caller():
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_UP, Emax=10, Emin=-10) as context:
        context.traps[decimal.Inexact] = context.traps[decimal.Rounded] = True
        assert rounded(F(2, 3), up=False) == "0.666666666"
        assert rounded(F(123456789) * 10**90, up=False) == "1.23456789E+98"


def test_a_point_that_nearly_fits_has_no_ratio_once_it_beats_the_bound():
    reached = about_instance("p", "min", F(2), None, value=F(2))
    assert dataclasses.replace(reached, value=F(1), tolerance=1e-6).ratio is None
    close = dataclasses.replace(reached, value=2 - F(1, 10**8), tolerance=1e-6)
    assert close.ratio == 1


@pytest.mark.parametrize(("sense", "bound", "value"), [("min", 2, 1), ("max", 1, 2)])
def test_a_point_that_beats_the_bound_is_no_proof(sense, bound, value):
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        about_instance("p", sense, F(bound), None, value=F(value))
    proof = about_instance("p", sense, F(bound), None, value=F(bound))
    # points outside the file's implied bounds may
    assert dataclasses.replace(proof, value=F(value), provenance="file", implied=1).ratio is None


def test_the_tolerance_of_a_point_is_rounded_up():
    proof = about_instance("p", "min", F(1), None, value=F(2))
    said = dataclasses.replace(proof, tolerance=1.23456789012e-7).statement
    assert "feasible within 1.2345679E-7 reaches" in said  # 1.23456789 is too little


def test_relaxed_and_plural_words_are_said_right():
    proof = about_instance("relaxation of my program", "min", F(1), None)
    assert 'The optimal value of relaxation of "my program" is at least 1.' in proof.statement
    plain = about_instance("relaxation of ", "min", F(1), None)
    assert 'The optimal value of "relaxation of " is at least 1.' in plain.statement
    for implied, words in ((1, "of 1 variable is"), (2, "of 2 variables is")):
        said = dataclasses.replace(proof, implied=implied, provenance="file").statement
        assert f"within the file's implied bounds {words} at least" in said
