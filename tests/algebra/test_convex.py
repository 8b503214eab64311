"""Labelled CVXPY problems: names, senses, duals, and what is refused."""

from __future__ import annotations

import math

import cvxpy as cp
import pyomo.environ as pyo
import pytest

from farkas.algebra import Between, ConvexModel, ConvexProgram, Exp, Product, Sum, Var, Where
from farkas.algebra.cells import reading
from farkas.algebra.declarations import Declarations
from farkas.algebra.expressions import Trace
from farkas.algebra.latex import Text, _name, domain
from farkas.errors import RuleError, UnknownName
from tests.algebra.toys import toy


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


def test_latex_reads_the_same_rules():
    def covered(m, i):
        return m.weight[i] * Sum(m.grid[i, r] for r in m.places_of[i]) >= m.budget - 1

    program = toy(covered, "things")
    type(program).example = lambda self: None
    text = program.latex()
    assert (
        r"& \mathit{weight}_{i} \, \sum_{r \in \mathit{places\_of}_{i}} \mathit{grid}_{i,r}"
        r" \ge \mathit{budget} - 1 \quad \forall i \in \mathit{things} \tag{1}"
    ) in text
    assert r"\min \quad & \mathit{total}" in text
    assert r"\mathit{total} \in \mathbb{R} \notag" in text


def test_every_index_of_a_family_is_told_with_its_set():
    def both(m, i, r):
        return m.grid[i, r] >= m.budget

    program = toy(both, "things", "places")
    type(program).example = lambda self: None
    assert r"\quad \forall i \in \mathit{things},\ r \in \mathit{places} \tag{1}" in program.latex()


A, B, C = Text("a"), Text("b"), Text("c")


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("written", "text"),
    [
        (A - (B - C), r"a - \left(b - c\right)"),
        (A - (B + C), r"a - \left(b + c\right)"),
        ((A - B) - C, "a - b - c"),
        (A - B * C, r"a - b \, c"),
        ((A + B) * C, r"\left(a + b\right) \, c"),
        (C * (A + B), r"c \, \left(a + b\right)"),
        (2 * A, r"2 \, a"),
        (1 - A, "1 - a"),
        (1 + A, "1 + a"),
        ((A + B) / C, r"\frac{a + b}{c}"),
        (1 / A, r"\frac{1}{a}"),
        ((A * B) ** 2, r"\left(a \, b\right)^{2}"),
        (-(A + B), r"-\left(a + b\right)"),
        (-(A * B), r"-a \, b"),
        (A <= 0.5, r"a \le 0.5"),
        (A >= B, r"a \ge b"),
        (A == B, "a = b"),
    ],
)
def test_parentheses_stand_where_the_meaning_needs_them(written, text):
    assert written.text == text


@pytest.mark.parametrize(
    ("options", "tex", "words"),
    [
        ({}, r"\mathbb{R}_{+}", "a number >= 0"),
        ({"lower": -1}, r"\mathbb{R}", "a number"),
        ({"upper": 1}, "[0,1]", "in [0, 1]"),
        ({"upper": 2}, r"\mathbb{R}_{+}", "a number >= 0"),
        ({"binary": True}, r"\{0,1\}", "0 or 1"),
        ({"integer": True}, r"\mathbb{Z}_{+}", "a whole number >= 0"),
        ({"integer": True, "lower": 1}, r"\{1,2,\dots\}", "1, 2, ..."),
        ({"integer": True, "lower": -1}, r"\mathbb{Z}", "a whole number"),
    ],
)
def test_domains_are_written_and_said(options, tex, words):
    m = Declarations()
    m.x = Var(**options)
    assert domain(m.x) == (tex, words)


def written(rule, *sets, goal=lambda m: m.total):
    program = toy(rule, *sets, goal=goal)
    type(program).example = lambda self: None
    return program.latex()


def test_sums_show_every_range_and_bind_their_body():
    def kept(m):
        return Between(0, Sum(m.rate[i, r] + m.flow[i, r] for i, r in m.pairs), m.budget)

    text = written(kept)
    assert (
        r"& 0 \le \sum_{(i,r) \in \mathit{pairs}} \left(\mathit{rate}_{i,r} + "
        r"\mathit{flow}_{i,r}\right) \le \mathit{budget}"
    ) in text

    def doubled(m, i):
        return Sum(m.grid[j, r] for j in m.things for r in m.places_of[j]) >= m.weight[i]

    assert r"\sum_{j \in \mathit{things},\ r \in \mathit{places\_of}_{j}}" in written(
        doubled, "things"
    )


def test_a_program_that_is_maximised_says_so():
    program = toy(sense="max")
    type(program).example = lambda self: None
    assert program.latex().splitlines()[1].startswith(r"\max \quad & \mathit{total}")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda m: Sum([m.total]) >= 0, "Sum and Product take a generator expression"),
        (lambda m: next(m.amount[i] for i in m.things) >= 0, r"iterated outside Sum\(...\)"),
    ],
)
def test_what_cannot_be_written_is_refused(rule, words):
    with pytest.raises(RuleError, match=words):
        written(rule)


def test_names_of_one_letter_are_plain_and_longer_ones_are_words():
    assert _name("x") == "x"
    assert _name("xy") == r"\mathit{xy}"
    assert _name("a_b") == r"\mathit{a\_b}"
