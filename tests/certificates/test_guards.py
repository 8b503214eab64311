"""What is not finite or out of range never becomes a number of a proof."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates.doubles import Work
from farkas.certificates.proof import Proof
from farkas.certificates.ratio import plain, ratio_of
from farkas.certificates.sums import finite, inside
from farkas.errors import NotACertificate

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(NotACertificate, match=r"costs: .* is not a finite number"):
        finite(np.array([[1.0, value]]), "costs")


def test_integers_become_doubles_only_where_that_is_exact():
    assert finite(np.array([-(2**53), 2**53]), "costs").tolist() == [-(2.0**53), 2.0**53]
    assert finite(np.array([True]), "costs").tolist() == [1.0]
    for value in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(NotACertificate, match="too large for a double"):
            finite(np.array([value]), "costs")
    for kind in (np.float32, np.longdouble, np.complex128, object):
        with pytest.raises(NotACertificate, match="instead of doubles"):
            finite(np.array([1], dtype=kind), "costs")


def test_indices_stay_inside():
    inside(np.array([0, 2]), 3, "rows")
    inside(np.array([], dtype=int), 0, "rows")
    for index in (-1, 3):
        with pytest.raises(NotACertificate, match=r"rows: an index lies outside 0\.\.2"):
            inside(np.array([index]), 3, "rows")


def test_one_integer_too_far_below_zero_is_refused_beside_others():
    with pytest.raises(NotACertificate, match="too large for a double"):
        finite(np.array([0, -(2**53) - 1]), "costs")
    with pytest.raises(NotACertificate, match="too large for a double"):
        finite(np.array([0, 2**53 + 1]), "costs")


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


def charged(terms: int, *numbers: F | int) -> int:
    work = Work()
    work.charge(terms, *numbers)
    return work.done


def test_short_numbers_cost_their_terms_and_long_ones_the_square_of_their_length() -> None:
    assert charged(0) == 1
    assert charged(5, F(1, 3), 7) == 6
    # 255 bits and the one of the denominator are one piece; 63 pieces have 63 * 63 / 64 pairs
    assert charged(0, 2**253) == 1
    assert charged(0, 2**254) == 2
    assert charged(0, 2 ** (256 * 63)) == 1 + 63 + 62
    assert charged(0, 2 ** (256 * 32), F(1, 2 ** (256 * 32))) == 1 + 64 + 64
    assert charged(0, 2 ** (256 * 640)) == 1 + 640 + 6400


def test_sums_and_what_is_read_are_counted() -> None:
    work = Work()
    assert work.plus(F(1, 2), 3, F(1, 4)) == F(5, 4)
    assert work.done == 1
    assert work.read("-7/2", "number") == F(-7, 2)
    assert work.done == 2
    work.plus(2 ** (256 * 8), 2 ** (256 * 8), 2 ** (256 * 8))
    assert work.done == 2 + 1 + 24 + 9


def test_one_step_too_many_is_refused_before_it_is_made() -> None:
    work = Work(4)
    work.charge(3)
    with pytest.raises(NotACertificate, match="takes more than 4 steps to check; --most-work"):
        work.plus(0, 1, 1)
