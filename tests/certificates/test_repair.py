"""Multipliers that almost prove a bound."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import exact_bound, repaired
from farkas.certificates.repair import (
    _candidates,
    _harmless,
    on_grid,
    shift_rows,
    snap,
)
from farkas.errors import NotACertificate
from tests.generators.forms import INF, small


def transport(number_of_sites=4):
    """Move 3 units from each source: min sum cost * moved, sum moved = 3, moved >= 0, no caps."""
    n = number_of_sites
    matrix = np.kron(np.eye(n), np.ones(n))
    cost = 0.1 + np.arange(n * n) % 7 / 10
    return small(matrix, cost=cost, row_lower=[3.0] * n, row_upper=[3.0] * n)


def test_the_same_holds_for_a_maximum():
    form = transport()
    mirrored = form.replace(cost=-form.cost, sense="max")
    dearest = -form.cost.reshape(4, 4).min(axis=1)
    y, proof = repaired(mirrored, dearest - 1e-9)
    assert float(proof.value) == pytest.approx(float(3 * dearest.sum()), abs=1e-6)
    assert exact_bound(mirrored, y) == proof.value


def test_rounding_to_a_grid_returns_exact_zeros():
    # x is free: its reduced cost 1 - 2y must be exactly 0, y = 1/2 + 2**-50 misses it
    form = small([[2.0]], cost=[1.0], row_lower=[7.0], row_upper=[7.0], lower=[-INF])
    y, proof = repaired(form, np.array([0.5 + 2.0**-50]))
    assert (y.tolist(), proof.value) == ([0.5], 3.5)


def test_what_cannot_be_repaired_keeps_the_first_error():
    # max x, x >= 0 without any row is unbounded
    form = small(np.zeros((1, 1)), cost=[1.0], sense="max", row_upper=[1.0])
    with pytest.raises(NotACertificate, match=r"column\[i=0\]: reduced cost 1"):
        repaired(form, np.array([0.25]))


# columns that may not have a negative reduced cost, not a positive one, and any
ONE_SIDED = small(
    [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 5], [0, 0, 0], [1, -1, 3]],
    cost=[1, -1, 0], lower=[0, -INF, 0], upper=[INF, 0, 9],
)  # fmt: skip


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_shift_harms_a_column_that_it_pushes_against_infinity(sense):
    up, down = _harmless(ONE_SIDED.replace(sense=sense))
    rises = [False, True, True, False, True, True, False]
    falls = [True, False, False, True, True, True, True]
    if sense == "max":
        rises, falls = falls, rises
    assert (up.tolist(), down.tolist()) == (rises, falls)


def shifted(entries, multipliers, cost, **sides):
    """Multipliers after the repair of one column >= 0 with the given entries."""
    rows = len(entries)
    sides = {"row_lower": [1.0] * rows, "row_upper": [9.0] * rows} | sides
    form = small([[entry] for entry in entries], cost=[cost], **sides)
    moved = shift_rows(form, np.array(multipliers))
    return None if moved is None else moved.tolist()


MORE = 1.0 + 2.0**-30


@pytest.mark.parametrize(
    ("entries", "multipliers", "cost", "sides", "result"),
    [
        # cost - 1 * 3 = -1: the row falls by a little more than 1
        ([1.0], [3.0], 2.0, {}, [3 - MORE]),
        # the row with the larger entry moves, down by 1/4 or, with the other sign, up
        ([1.0, 4.0], [1.0, 0.5], 2.0, {}, [1, 0.5 - MORE / 4]),
        ([-4.0, 1.0], [0.5, 4.0], 1.0, {}, [0.5 + MORE / 4, 4]),
        # larger in the unit of its row: the second row is the first of that case times 2**-20
        ([1.0, -4.0 * 2.0**-20], [4.0, 0.5 * 2.0**20], 1.0,
         {"row_lower": [1.0, 2.0**-20], "row_upper": [9.0, 9 * 2.0**-20]},
         [4, (0.5 + MORE / 4) * 2.0**20]),
        ([1.0, -1.0, 0.5], [3.0, 1.0, 0.0], 2.0, {}, [3, 1, 0]),
        # a row that cannot go there is passed over
        ([1.0, 2.0], [2.0, 0.25], 2.0,
         {"row_lower": [1.0, 1.0], "row_upper": [9.0, INF]}, [2 - MORE / 2, 0.25]),
        ([1.0], [0.25], -1.0, {"row_upper": [INF]}, None),
    ],
)  # fmt: skip
def test_the_row_with_the_largest_entry_moves_by_what_is_missing(
    entries, multipliers, cost, sides, result
):
    assert shifted(entries, multipliers, cost, **sides) == result


def test_candidates_are_tried_from_the_given_ones_towards_zero():
    form = ONE_SIDED.replace(row_lower=np.zeros(7), row_upper=np.ones(7))
    y = np.full(7, 1 / 3)
    found = list(_candidates(form, y))
    assert found[0].tolist() == y.tolist()
    assert float(found[1][0]) * 2.0**49 % 1 == 0
    assert 0 < abs(float(found[1][0]) - 1 / 3) < 2.0**-49
    mixed = [float(c[0]) for c in found[-12:]]
    assert mixed == [(1 - 2.0**-k) * (1 / 3) for k in range(44, -1, -4)]
    assert len(list(_candidates(form, np.full(7, INF)))) == 1
    assert len(list(_candidates(form, np.ones(6)))) == 1


def test_numbers_too_wide_for_digits_are_not_shifted():
    wide = small([[1e300, 1e-300], [1e-300, 1e300]], cost=[1e300, 1e-300], row_lower=[1.0, 1.0])
    assert shift_rows(wide, np.array([1e300, 1e-300])) is None


def test_the_grid_rounds_multipliers_and_nothing_else():
    assert snap(np.array([1e300, 0.3]), 2).tolist() == [1e300, 0.25]


def test_all_that_the_grid_holds_is_rounded_to_it():
    assert snap(np.array([2.0**51 + 0.5, 0.75]), 0).tolist() == [2.0**51, 1.0]
    assert snap(np.array([2.0**1000, -0.75]), 100).tolist() == [2.0**1000, -0.75]


def test_what_is_rounded_up_beyond_the_largest_double_is_no_candidate_and_no_warning():
    # in a row of unit 2**-9 the largest double rounds to 2**1015; pytest makes errors of warnings
    form = small([[2.0**-9]], cost=[1.0], row_lower=[2.0**-9], upper=[1.0])
    largest = np.array([np.finfo(float).max])
    assert form.units.rows.tolist() == [-9]
    assert np.isinf(on_grid(form, largest)).all()
    assert repaired(form, largest)[0].tolist() == largest.tolist()
