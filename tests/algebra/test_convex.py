"""Labelled CVXPY problems: names, senses, duals, and what is refused."""

from __future__ import annotations

import math

import cvxpy as cp
import numpy as np
import pyomo.environ as pyo
import pytest

from farkas.algebra import ConvexModel, ConvexProgram, Exp, Product, Where
from farkas.algebra.cells import reading
from farkas.algebra.expressions import Trace
from farkas.errors import RuleError, UnknownName


def square(sense: str = "min") -> ConvexModel:
    """min (x - 3)^2 with x <= limit; its dual is 2 (3 - limit)."""
    model = ConvexModel("square", sense)
    x = model.variable("x")
    limit = model.parameter("limit", 2.0)
    model.constrain("4", "small", x <= limit)
    model.optimise(cp.square(x - 3) if sense == "min" else -cp.square(x - 3))
    return model


@pytest.mark.parametrize(("sense", "value"), [("min", 1.0), ("max", -1.0)])
def test_a_model_is_solved_in_its_sense_and_again_with_another_parameter(sense, value):
    model = square(sense)
    assert model.problem.solve(solver="CLARABEL") == pytest.approx(value, abs=1e-6)
    assert model.point()["x"] == pytest.approx(2.0, abs=1e-6)
    assert model.dual("small") == pytest.approx(2.0, abs=1e-5)
    before = model.problem
    model.limit.value = 1.0
    assert model.problem is before
    assert abs(model.problem.solve(solver="CLARABEL")) == pytest.approx(4.0, abs=1e-5)


def test_shapes_and_signs_of_variables_and_parameters_are_kept():
    model = ConvexModel("shapes", "min")
    assert model.variable("x", (2, 3), nonneg=True).shape == (2, 3)
    assert model.x.is_nonneg()
    assert model.parameter("a", [1.0, 2.0]).value.tolist() == [1.0, 2.0]
    assert model.parameter("b", np.ones((2, 2)), (2, 2)).shape == (2, 2)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda m: m.variable("x"), "square: x is declared twice"),
        (lambda m: m.variable("limit"), "square: limit is declared twice"),
        (lambda m: m.parameter("x", 1.0), "square: x is declared twice"),
        (
            lambda m: m.constrain("5", "small", m.x >= 0),
            "constraint small is defined twice",
        ),
    ],
)
def test_a_name_is_taken_once(spoil, words):
    with pytest.raises(RuleError, match=words):
        spoil(square())


def test_a_problem_needs_a_convex_objective():
    model = ConvexModel("empty", "min")
    with pytest.raises(RuleError, match="empty sets no objective"):
        _ = model.problem
    model.optimise(cp.sqrt(model.variable("x")))
    with pytest.raises(RuleError, match="empty is not convex by the rules of CVXPY"):
        _ = model.problem


def test_unknown_names_are_refused():
    with pytest.raises(UnknownName, match="constraint family of square 'smal'; did you mean small"):
        square().dual("smal")
    with pytest.raises(AttributeError, match="square has no limits"):
        _ = square().limits


def test_the_words_hold_every_family_with_its_label():
    class Squared(ConvexProgram):
        """Nearest point."""

        def example(self):
            return None

        def declare(self, m, data):
            made = square()
            m.variables, m.constraints, m.labels = made.variables, made.constraints, made.labels
            m.optimise(cp.square(made.x - 3))

    told = Squared().describe().splitlines()
    assert told[:2] == ["Nearest point.", ""]
    assert told[2].startswith("min ")
    assert "(x + -3.0, 2.0)" in told[2]
    assert told[3] == "  (4) small: x <= limit"


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
