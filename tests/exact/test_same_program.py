"""Programs within other ends and with cuts are otherwise the same."""

from __future__ import annotations

from fractions import Fraction as F

from farkas.exact.bounding import Bounding
from farkas.exact.cuts import Rounding
from farkas.exact.from_doubles import boxed, with_cuts
from tests.exact.test_cuts import flows
from tests.exact.test_tree import tied


def test_a_program_within_other_ends_is_the_same_in_doubles() -> None:
    form = tied()
    lower, upper = (F(1, 3), None, F(0), F(1)), (F(2), F(3), None, F(1))
    found = boxed(form, lower, upper)
    plain = form.replace(lower=lower, upper=upper)
    assert (found.lower, found.upper) == (lower, upper)
    assert found.linear.sha256 == plain.linear.sha256
    assert found.sha256 == plain.sha256


def test_rows_of_cuts_follow_those_of_the_program() -> None:
    form = flows()
    cut = Rounding(Bounding(form), form.lower, form.upper).cut(
        [(0, F(1)), (1, F(-1)), (2, F(-1))], F(2), frozenset(), frozenset({1, 2})
    )
    assert cut is not None
    longer = with_cuts(form, [cut, cut])
    assert longer.num_rows == form.num_rows + 2
    assert [longer.row(i) for i in range(3)] == [form.row(i) for i in range(3)]
    for i in (3, 4):
        assert longer.row(i) == [(0, 1), (1, 1), (2, -1), (3, -1)]
        assert (longer.row_lower[i], longer.row_upper[i], longer.factors[i]) == (None, 1, 1)
    assert longer.linear.num_rows == 5
    assert with_cuts(form, []) is form
