"""Multipliers that are no doubles: whole numbers and fractions."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates import exact_bound, prove_bound
from farkas.certificates.linear import as_floats, proof_in_fractions
from farkas.errors import NotACertificate
from tests.certificates.test_bound import one_variable
from tests.generators.forms import INF, small


def test_fractions_that_floats_cannot_hold_stay_exact():
    # min x, 3x >= 1: y = 1/3 is tight, and its float is not
    form = small([[3.0]], cost=[1.0], row_lower=[1.0], upper=[10.0])
    assert exact_bound(form, [F(1, 3)]) == F(1, 3)
    assert exact_bound(form, [1 / 3]) != F(1, 3)


def test_multipliers_that_are_no_real_numbers_are_refused():
    form = one_variable()
    for multipliers in (["1"], [None], np.array([1 + 0j]), np.array(["1"]), np.longdouble([1])):
        with pytest.raises(NotACertificate, match="multiplier"):
            exact_bound(form, multipliers)
    assert exact_bound(form, np.array([0], dtype=np.int32)) == exact_bound(form, [0.0])


def test_what_doubles_hold_is_proved_by_doubles():
    form = one_variable()
    for given in ([F(1, 2)], [1], [True]):
        raw = np.asarray(given)
        found = as_floats(form, raw if raw.dtype == object else raw.astype(np.int64))
        assert found is not None
        assert found.dtype == np.float64
        assert found.tolist() == [float(given[0])]
    for given in (F(1, 3), F(10) ** 400):
        assert as_floats(form, np.array([given], dtype=object)) is None


def test_multipliers_among_fractions_that_are_no_numbers_name_their_row():
    for bad in (float("nan"), INF):
        with pytest.raises(NotACertificate, match=r"row\[i=0\]"):
            exact_bound(one_variable(), np.array([bad], dtype=object))


def test_proofs_in_fractions_are_those_of_doubles_where_doubles_do():
    form = one_variable()
    for value in (0.5, 0.25, -1.0, 0.0):
        exact = np.array([F(value)], dtype=object)
        assert proof_in_fractions(form, exact) == prove_bound(form, [value])


def test_a_zero_among_fractions_uses_no_side_and_is_not_counted_as_ignored():
    # rows open below and above; the third multiplier is no double, so all three are fractions
    form = small(
        [[1.0], [1.0], [1.0]], cost=[1.0], row_lower=[-INF, 0.0, 1.0], row_upper=[5.0, INF, 3.0],
        lower=[0.0], upper=[4.0],
    )  # fmt: skip
    proof = prove_bound(form, np.array([0, 0, F(1, 3)], dtype=object))
    assert (proof.value, proof.ignored) == (F(1, 3), 0)
    assert prove_bound(form, np.array([F(1, 3), 0, F(-1, 3)], dtype=object)).ignored == 1


def test_one_multiplier_that_a_double_holds_does_not_round_the_other():
    form = small([[1.0], [1.0]], cost=[1.0], row_lower=[1.0, 1.0], lower=[0.0], upper=[4.0])
    multipliers = np.array([F(1, 2), F(1, 3)], dtype=object)
    assert exact_bound(form, multipliers) == F(5, 6)
    with pytest.raises(NotACertificate, match="is no number"):
        exact_bound(form, np.array([1.0, "1"], dtype=object))
