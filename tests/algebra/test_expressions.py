"""Affine expressions: signs, constants and sums over dimensions, term by term."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from farkas.algebra import Set, Sum
from farkas.algebra.cells import Cells, Dim, reading
from farkas.algebra.expressions import Linear, Term, Trace
from farkas.errors import RuleError

ROWS = Dim(0, 2)
X = Linear((Term(1.0, Cells(np.array([0, 1]), (ROWS,))),))
Y = Linear((Term(2.0, Cells(np.array(5), ())),), 7.0)


def said(expression):
    """Coefficients in order, and the constant."""
    return [t.coefficient for t in expression.terms], expression.constant


def test_signs_and_constants():
    assert said(X - Y) == ([1.0, -2.0], -7.0)
    assert said(10 - Y) == ([-2.0], 3.0)
    assert said(Y * 3 - 1) == ([6.0], 20.0)
    assert said(4 * Y / 8) == ([1.0], 3.5)
    assert said(-Y) == ([-2.0], -7.0)
    assert +Y is Y


@pytest.mark.parametrize(
    ("relation", "lower", "upper"),
    [(X <= Y, -math.inf, 0.0), (X >= Y, 0.0, math.inf), (X == Y, 0.0, 0.0)],
)
def test_relations_bring_everything_to_the_left(relation, lower, upper):
    assert (relation.lower, relation.upper) == (lower, upper)
    assert said(relation.body) == ([1.0, -2.0], -7.0)


def test_a_parameter_on_the_left_turns_the_relation_round():
    weight = Cells(np.array([3.0, 4.0]), (ROWS,))
    relation = weight <= X  # X >= weight
    assert (relation.lower, relation.upper) == (0.0, math.inf)
    assert relation.body.constant.values.tolist() == [-3.0, -4.0]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda: X * Y, "product of variables; the program must be linear"),
        (lambda: X / Y, "division by a variable; the program must be linear"),
        (lambda: 1 / X, "division by a variable; the program must be linear"),
        (lambda: X**2, "a nonlinear function of a variable; the program must be linear"),
        (lambda: 2**X, "a nonlinear function of a variable; the program must be linear"),
        (lambda: abs(X), "a nonlinear function of a variable; the program must be linear"),
        (lambda: float(X), "a nonlinear function of a variable; the program must be linear"),
        (lambda: bool(X), "the rule branches on a variable"),
        (lambda: X < Y, "strict or unequal comparison; use <=, >= or =="),
        (lambda: X != Y, "strict or unequal comparison; use <=, >= or =="),
        (lambda: bool(X <= Y), "return exactly one relation, or use Between"),
    ],
)
def test_what_is_not_affine_is_refused(write, words):
    with pytest.raises(RuleError, match=words):
        write()


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_other_things_are_no_operands(op):
    with pytest.raises(TypeError):
        op(X, None)


def test_a_sum_remembers_what_it_ran_over_and_sums_its_constant():
    things = Set([3, 4, 5])
    with reading(Trace()) as _, pytest.MonkeyPatch.context():
        summed = Sum(X + i for i in things)
        again = Sum(2.0 for i in things)
        zero = Sum(X for _ in things)
    (term,) = summed.terms
    assert [d.size for d in term.over] == [3]
    assert float(summed.constant.values) == 12.0
    assert float(again.values) == 6.0
    assert zero.constant == 0.0


def test_an_inner_sum_closes_its_dimension():
    trace, things = Trace(), Set([1, 2])
    with reading(trace):
        Sum(Sum(i * j for j in things) for i in things)
    assert trace.open == []


@pytest.mark.parametrize("name", ["product", "exp", "where"])
def test_a_trace_refuses_what_only_pyomo_reads(name):
    with pytest.raises(RuleError, match="a product, power of e or case in a rule"):
        getattr(Trace(), name)(X, X)


def test_the_finest_open_dimension_that_refines_is_found():
    trace = Trace()
    coarse = trace.push(2)
    fine = trace.push(3, {coarse: np.array([0, 1, 1])})
    other = trace.push(4)
    assert trace.finest(coarse) is fine
    assert trace.finest(other) is other
