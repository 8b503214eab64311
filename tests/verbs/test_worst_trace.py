"""The worst trace of the fractional algorithm, proved on its instance."""

from __future__ import annotations

from fractions import Fraction

import pytest

import farkas
from farkas.errors import InvalidOption
from farkas.verbs.worst_trace import worst_trace


def test_the_ratio_is_proved_and_theorem_3_falls_at_eight_sites():
    found = worst_trace(8, 10.0, tried=12_800)
    assert found.ratio is not None
    # r₁ = 2 + 11 ln 1.1 = 3.04841
    assert found.ratio > Fraction(304842, 100000)
    assert farkas.check(found.gap).ratio == found.ratio  # type: ignore[union-attr]
    assert found.gap.reached.options["relax"] == "printed"
    assert found.bound is not None
    # no other placement is a better witness
    assert 0 <= float(found.proof.witness - found.bound) < 1e-9


def test_the_statement_is_of_the_relaxation_that_is_asked_for():
    printed, tight = (worst_trace(3, 1.0, relax=relax, tried=600) for relax in ("printed", "tight"))
    assert printed.instance == tight.instance
    assert tight.gap.reached.options["relax"] == "tight"
    # printed, a share of the server's may be anywhere
    assert printed.proof.value < tight.proof.value


def test_wrong_arguments_are_refused():
    with pytest.raises(InvalidOption, match="sites"):
        worst_trace(2.0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="epsilon"):
        worst_trace(2, float("nan"))
    with pytest.raises(InvalidOption, match="seed"):
        worst_trace(2, 1.0, seed=-1)
