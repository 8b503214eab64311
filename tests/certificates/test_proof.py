"""What a proof says in words and numbers."""

from __future__ import annotations

import dataclasses
from fractions import Fraction as F

import pytest

from farkas.certificates import (
    Proof,
    check,
)
from farkas.certificates.proof import about_instance, double, provenance, rounded
from tests.certificates.test_files import form, good


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
        " 0.666666667.  The program was rebuilt from the given instance."
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


def test_numbers_of_more_than_nine_digits_are_rounded_to_the_side_asked_for():
    for value, down, up in (
        (F(10**9 + 1), "1000000000", "1000000010"),
        (F(-1, 3), "-0.333333334", "-0.333333333"),
        (F(123456789123, 10**20), "1.23456789E-9", "1.23456790E-9"),
    ):
        assert F(rounded(value, up=False)) == F(down)
        assert F(rounded(value, up=True)) == F(up)
        assert F(down) < value < F(up)


@pytest.mark.parametrize(("value", "bound", "ratio"), [("1/2", "1/3", "3/2"), ("1", "1/7", "7")])
def test_ratios_of_sides_below_one(value, bound, ratio):
    assert about_instance("p", "min", F(bound), None, value=F(value)).ratio == F(ratio)
    assert about_instance("p", "max", F(value), None, value=F(bound)).ratio == F(ratio)


def test_the_sentence_tells_tolerance_implied_bounds_and_the_side_of_a_value():
    said = {}
    for sense in ("min", "max"):
        proof = dataclasses.replace(
            about_instance("p", sense, F(1, 3), None, value=F(2, 3)), tolerance=1e-6, implied=2
        )
        said[sense] = proof.statement
    tail = (
        "Uses the implied bounds of 2 variables.  The program was rebuilt from the given instance."
    )
    assert said["min"] == (
        "The optimal value of p is at least 0.333333333.  A point that is feasible within 1e-06"
        f" reaches 0.666666667.  {tail}"
    )
    assert said["max"] == (
        "The optimal value of p is at most 0.333333334.  A point that is feasible within 1e-06"
        f" reaches 0.666666666.  {tail}"
    )


def test_doubles_stand_on_the_side_that_is_proved():
    third = F(1, 3)
    assert F(double(third, up=False)) < third < F(double(third, up=True))
    assert double(F(1, 2), up=False) == double(F(1, 2), up=True) == 0.5
    huge = F(10**400)
    assert double(huge, up=True) is double(-huge, up=False) is None
