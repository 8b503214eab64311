"""Certificates that a program has no point."""

from __future__ import annotations

import json
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.certificates import (
    certify_infeasible,
    check,
    from_json,
    prove_infeasible,
    to_json,
)
from farkas.certificates.tree import UnboundedCertificate
from farkas.errors import NotACertificate
from farkas.exact.solver import prove_form
from farkas.forms.rational import RationalForm
from tests.generators.forms import random_form, small
from tests.generators.rational import program
from tests.references.weak_duality import reference_violation


def test_infeasibility_within_implied_bounds_is_said_to_be_that():
    # x >= 5 contradicts the implied bound 4 only
    implied = small([[1.0]], cost=[0.0], row_lower=[5.0], implied_upper=np.array([4.0]))
    proof = check(from_json(to_json(certify_infeasible(implied, np.ones(1)))))
    said = 'calls "small" has no point within the file\'s implied bounds of 1 variable.'
    assert f"Proved: the program that the file {said}" in proof.statement
    stated = small([[1.0]], cost=[0.0], row_lower=[5.0], upper=[4.0])
    proof = check(from_json(to_json(certify_infeasible(stated, np.ones(1)))))
    assert proof.statement.startswith('Proved infeasible: the program that the file calls "small".')


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


def form(sense: str = "min") -> RationalForm:
    """Min -x - y, x - y in [-2, 3], x <= 9 + y, x whole, y >= 1."""
    sign = 1 if sense == "min" else -1
    return program([[1, -1]], cost=[-sign, -sign], rows=[(-2, 3)], ends=[(0, None), (1, None)],
                   whole=[1, 0], sense=sense)  # fmt: skip


def made(sense: str = "min") -> dict[str, Any]:
    found = prove_form(form(sense))
    assert found.status == "unbounded"
    assert isinstance(found.certificate, UnboundedCertificate)
    tree: dict[str, Any] = json.loads(msgspec.json.encode(found.certificate))
    return tree


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_direction_proves_it(sense: str) -> None:
    proof = from_json(json.dumps(made(sense)).encode()).prove(None, None)
    assert (proof.unbounded, proof.infeasible, proof.bound) == (True, False, None)
    assert (proof.tolerance, proof.implied) == (0.0, 0)
    assert "Proved unbounded" in proof.statement


@pytest.mark.ids(99)
@pytest.mark.parametrize(("changes", "problem"), [
    ({"direction": [[0, "1"]]}, "leaves a side of row 0"),
    ({"direction": [[0, "1"], [1, "2"]]}, "leaves a side of row 0"),
    ({"direction": [[0, "-1"], [1, "-1"]]}, "leaves a bound of column 0"),
    ({"direction": []}, "does not improve"), ({"direction": [[2, "1"]]}, "wrong columns"),
    ({"direction": [[1, "1"], [0, "1"]]}, "wrong columns"),
    ({"point": [], "value": "0"}, "column 1 is outside"),
    ({"point": [[0, "9"], [1, "1"]], "value": "-10"}, "row 0 is outside"),
    ({"point": [[0, "1/2"], [1, "1"]], "value": "-3/2"}, "not whole"),
    ({"point": [[1, "1"]], "value": "-2"}, "another value"),
    ({"numbers": "binary"}, "reading"), ({"sense": "max"}, "sense"), ({"form": "1" * 64}, "hashes"),
    ({"data": None}, "no program"),
])  # fmt: skip
def test_what_does_not_prove_it_is_refused(changes: dict[str, Any], problem: str) -> None:
    tree = {**made(), **changes}
    with pytest.raises(NotACertificate, match=problem):
        from_json(json.dumps(tree).encode()).prove(None, None)


def test_an_integer_program_without_a_point_is_not_unbounded() -> None:
    # 2x = 1 with y free of everything
    empty = program([[2, 0]], cost=[0, -1], rows=[(1, 1)], whole=[1, 0])
    found = prove_form(empty)
    assert found.status == "infeasible"
    assert found.value is None
    assert F(0) not in (found.bound,)
