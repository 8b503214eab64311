"""Proofs as plain data: nothing claims more than was proved."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest

from farkas.certificates.guards import plain, ratio_of
from farkas.certificates.proof import Proof


def proof(**changes):
    given = {
        "program": "p", "sense": "min", "bound": F(1, 3), "infeasible": False, "value": F(2, 3),
        "tolerance": 0.0, "implied": 0, "form": "f", "instance": None, "provenance": "form",
    }  # fmt: skip
    return Proof(**{**given, **changes})


def test_numbers_are_the_nearest_doubles_that_claim_no_more():
    found = plain(proof())
    assert F(found["bound"]) < F(1, 3) < F(2, 3) < F(found["value"])
    assert (found["ratio"], found["tolerance"], found["sense"]) == (2.0, 0.0, "min")
    assert found["statement"] == proof().statement
    assert proof().to_builtins() == found
    most = plain(proof(sense="max", bound=F(2, 3), value=F(1, 3)))
    assert F(most["value"]) < F(1, 3) < F(2, 3) < F(most["bound"])


def test_a_ratio_is_rounded_up():
    found = plain(proof(bound=F(3), value=F(4)))["ratio"]
    assert F(4, 3) < F(found)
    assert F(math.nextafter(found, 0.0)) < F(4, 3)


@pytest.mark.parametrize(
    "changes",
    [{"value": None}, {"bound": None, "unbounded": True}, {"implied": 1, "provenance": "file"}],
)
def test_without_a_point_a_bound_or_the_program_there_is_no_ratio(changes):
    assert ratio_of(proof(**changes)) is None
    assert plain(proof(**changes))["ratio"] is None
    assert ratio_of(proof()) == proof().ratio == 2


def test_a_point_that_nearly_fits_has_no_ratio_beyond_the_bound():
    near = proof(value=F(1, 3) - F(1, 1000), tolerance=1e-7)
    assert ratio_of(near) is None
