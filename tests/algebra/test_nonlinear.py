"""Products, powers of e and cases: numbers when nobody reads, Pyomo's expressions in models."""

from __future__ import annotations

import math

import pyomo.environ as pyo
import pytest

from farkas.algebra import Exp, Product, Where
from farkas.algebra.expressions import Trace
from farkas.algebra.tracing import reading
from farkas.errors import RuleError


def test_plain_numbers_are_computed():
    assert Product(i for i in (2, 3, 4)) == 24
    assert Product(i for i in ()) == 1
    assert Exp(1.0) == pytest.approx(math.e, rel=1e-15)


def test_a_case_is_zero_where_its_condition_fails():
    model = pyo.ConcreteModel()
    model.x = pyo.Var()
    case = Where(model.x >= 2, 5 * model.x)
    for x, expected in ((1.9, 0.0), (2.0, 10.0), (3.0, 15.0)):
        model.x.value = x
        assert pyo.value(case) == expected


@pytest.mark.parametrize(
    "write", [lambda: Product(i for i in (1, 2)), lambda: Exp(1), lambda: Where(1, 2)]
)
def test_a_trace_takes_none_of_them(write):
    with reading(Trace()), pytest.raises(RuleError, match="the program must be linear"):
        write()
