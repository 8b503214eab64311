"""What a proof says in words and numbers."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from farkas.certificates import (
    Proof,
    check,
)
from farkas.certificates.proof import about_instance, provenance
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
