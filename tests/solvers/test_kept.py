"""Points shown to be feasible in units that are too small, against the check in the form's own."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from farkas.forms import FeasibilityReport, check_point
from farkas.forms.matrices import as_scipy
from farkas.solvers.kept import KeptPoint, kept
from farkas.tolerances import FEASIBLE
from tests.conformance.solvers.cases import INF, form


def report(one, point, share=1.0):
    units = one.units
    return kept(one, as_scipy(one.matrix), np.array(point), share * units.row, share * units.column)


# x + y between 2 and 4, x <= 3: rows and columns are measured in 1 or 2
ONE = form([1, 1], [(2, [1, 1], 4)], upper=[3, INF])


@pytest.mark.parametrize(
    ("point", "holds"),
    [
        ([1.0, 1.0], True),
        ([3.0, 1.0], True),
        ([1.0, 1.0 - 0.9 * FEASIBLE], True),
        ([1.0, 1.0 - 4 * FEASIBLE], False),
        ([3.0, 1.0 + 0.9 * FEASIBLE], True),
        ([3.0, 1.0 + 9 * FEASIBLE], False),
        ([3.0 + 9 * FEASIBLE, 0.5], False),
        ([-0.9 * FEASIBLE, 2.5], True),
        ([-4 * FEASIBLE, 2.5], False),
        ([np.nan, 2.0], False),
        ([0.0, np.inf], False),
        ([-np.inf, np.inf], False),
    ],
)
def test_a_point_holds_where_no_side_is_missed_by_a_share_of_a_unit(point, holds):
    found = report(ONE, point)
    assert bool(found) is holds
    if holds:
        assert check_point(ONE, np.array(point))


def test_what_holds_in_smaller_units_holds_by_the_usual_check():
    rng, held = np.random.default_rng(2), [0, 0]
    for _ in range(300):
        size = np.ldexp(1.0, rng.integers(-20, 20, 3))
        one = form(
            [1, 1, 1],
            [(side, row / size, INF) for side, row in zip(
                rng.integers(0, 3, 2), rng.integers(-2, 3, (2, 3)), strict=True
            )],
            upper=size * 4,
        )  # fmt: skip
        point = size * rng.integers(0, 5, 3)
        point += size * FEASIBLE * rng.choice([0, 0, 1e-3, -1e-3, 0.6, 3], 3)
        for share in (1.0, 2.0**-8):
            found = report(one, point, share)
            usual = check_point(one, point)
            if found is not None:
                assert usual
                assert (found.worst, found.count, found.violations) == (usual.worst, 0, ())
                assert str(found) == str(usual)
            held[found is not None] += 1
    assert min(held) > 50


def test_a_report_is_one_like_any_other():
    found = report(ONE, [1.0, 1.0 - 0.5 * FEASIBLE])
    assert isinstance(found, KeptPoint)
    assert found.worst == check_point(ONE, np.array([1.0, 1.0 - 0.5 * FEASIBLE])).worst > 0
    for copied in (copy.copy(found), pickle.loads(pickle.dumps(found))):
        assert copied == FeasibilityReport(found.worst, 0, ())
    assert dataclasses.asdict(found) == {"worst": found.worst, "count": 0, "violations": ()}


def test_no_unit_at_all_asks_for_a_point_that_misses_nothing():
    assert report(ONE, [1.0, 1.0], 0.0)
    assert report(ONE, [1.0, 1.0 - 2.0**-50], 0.0) is None
