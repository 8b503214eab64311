"""Certificates that a program has no point."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.certificates import (
    certify_infeasible,
    check,
    from_json,
    prove_infeasible,
    reference_violation,
    to_json,
)
from farkas.errors import NotACertificate
from farkas.forms.matrices import as_scipy
from tests.generators.forms import INF, random_form, small


def test_infeasibility_is_certified():
    empty = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    proof = check(from_json(to_json(certify_infeasible(empty, np.array([1.0, -1.0])))))
    assert proof.infeasible
    assert proof.statement.startswith('Proved infeasible: the program that the file calls "small".')


def test_infeasibility_within_implied_bounds_is_said_to_be_that():
    # x >= 5 contradicts the implied bound 4 only
    implied = small([[1.0]], cost=[0.0], row_lower=[5.0], implied_upper=np.array([4.0]))
    proof = check(from_json(to_json(certify_infeasible(implied, np.ones(1)))))
    said = 'calls "small" has no point within the file\'s implied bounds of 1 variable.'
    assert f"Proved: the program that the file {said}" in proof.statement
    stated = small([[1.0]], cost=[0.0], row_lower=[5.0], upper=[4.0])
    proof = check(from_json(to_json(certify_infeasible(stated, np.ones(1)))))
    assert proof.statement.startswith('Proved infeasible: the program that the file calls "small".')


def test_a_proof_of_infeasibility_counts_the_implied_bounds_it_needs():
    # x + y >= 3 with y <= 1 stated and x <= 1 only implied: 3 - 2 = 1
    wide = small([[1.0, 1.0]], cost=[0, 0], row_lower=[3.0], upper=[INF, 1.0])
    narrow = wide.replace(implied_upper=np.array([1.0, 1.0]))
    proof = check(from_json(to_json(certify_infeasible(narrow, np.array([1.0])))))
    assert (proof.infeasible, proof.implied) == (True, 1)


@pytest.mark.parametrize(("claim", "fine"), [("2", True), ("1/9", True), ("0", False),
                                             ("-1", False), ("201/100", False)])  # fmt: skip
def test_a_violation_is_above_zero_and_at_most_what_the_ray_proves(claim, fine):
    empty = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    made = msgspec.structs.replace(
        certify_infeasible(empty, np.array([1.0, -1.0])), violation=claim
    )
    if fine:
        proof = check(made)
        assert (proof.infeasible, proof.bound, proof.value) == (True, None, None)
        assert (proof.tolerance, proof.implied) == (0.0, 0)
    else:
        with pytest.raises(NotACertificate, match="claims the violation"):
            check(made)


def test_implied_bounds_that_a_ray_does_not_need_are_not_counted():
    # x >= 3 and x <= 1 miss each other wherever x may lie
    empty = small([[1.0], [1.0]], cost=[0.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0],
                  implied_upper=np.array([7.0]))  # fmt: skip
    assert check(certify_infeasible(empty, np.array([1.0, -1.0]))).implied == 0


def test_contradicting_rows_are_infeasible_by_their_difference():
    # x >= 3 and x <= 1: ray (1, -1) misses by 3 - 1 = 2
    form = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    assert prove_infeasible(form, [1.0, -1.0]) == 2
    assert prove_infeasible(form.replace(sense="max"), [1.0, -1.0]) == 2


def test_a_ray_that_only_touches_proves_nothing():
    # x >= 1 and x <= 1 has a point
    form = small([[1.0], [1.0]], cost=[5.0], row_lower=[1.0, -INF], row_upper=[INF, 1.0])
    with pytest.raises(NotACertificate, match="misses by 0"):
        prove_infeasible(form, [1.0, -1.0])


def test_no_ray_proves_a_feasible_program_infeasible():
    rng = np.random.default_rng(5)
    for _ in range(300):
        form = random_form(rng)
        low, high = np.maximum(form.lower, -9), np.minimum(form.upper, 9)
        point = rng.uniform(np.minimum(low, high), high)
        activity = as_scipy(form.matrix) @ point if form.num_rows else np.zeros(0)
        form = form.replace(
            row_lower=np.minimum(form.row_lower, activity - 0.1),
            row_upper=np.maximum(form.row_upper, activity + 0.1),
            lower=np.minimum(form.lower, point),
            upper=np.maximum(form.upper, point),
        )
        ray = rng.integers(-3, 4, form.num_rows).astype(float)
        with pytest.raises(NotACertificate):
            prove_infeasible(form, ray)


def test_infeasibility_agrees_with_fractions():
    rng = np.random.default_rng(6)
    found = 0
    for _ in range(2000):
        form = random_form(rng, most_rows=3, most_columns=2)
        ray = rng.integers(-2, 3, form.num_rows).astype(float)
        try:
            expected = reference_violation(form, ray)
        except NotACertificate:
            continue
        if expected > 0:
            found += 1
            assert prove_infeasible(form, ray) == expected
    assert found > 20
