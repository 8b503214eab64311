"""Programs for Pyomo only: nonlinear rules, executed and written down; no linear form."""

from __future__ import annotations

import math

import pyomo.environ as pyo
import pytest

from farkas.algebra import (
    Exp,
    IndexedSet,
    Param,
    Product,
    Program,
    PyomoProgram,
    Set,
    Sum,
    Var,
    Where,
    constraint,
    expression,
    objective,
)
from farkas.errors import RuleError, UnsupportedForm


class Rockets(PyomoProgram):
    """Rockets of several stages.

    Second paragraph.
    """

    sense = "max"

    def example(self):
        return None

    def declare(self, m, data):
        m.rockets = Set([0, 1], label="rocket")
        m.stages = IndexedSet(m.rockets, [[0, 1], []], label="stage")
        m.all_stages = Set([0, 1], label="stage")
        m.loss = Param(m.all_stages, values=[2.0, 3.0])
        m.burn = Var(m.all_stages, upper=1, initial=0.5, doc="Part of a stage that burns.")
        m.fired = Var(m.rockets, binary=True, doc="Whether it starts.")
        m.count = Var(lower=1, integer=True, doc="Engines.")

    @objective
    def height(m):
        """How high they get."""
        return Sum(m.fired[r] * m.lift[r] for r in m.rockets)

    @expression("4", "rockets")
    def lift(m, r):
        """Product over its stages."""
        return Product(1 - Exp(-(m.loss[s] * m.burn[s])) for s in m.stages[r])

    @expression("", "all_stages")
    def late(m, s):
        """What burns late."""
        return Where(m.burn[s] - 0.5 >= 0, m.burn[s] / m.count)

    @constraint("5", "all_stages")
    def little_burns_late(m, s):
        """Little burns late."""
        return m.late[s] <= 0.25


def test_pyomo_executes_products_powers_and_cases():
    model = Rockets().to_pyomo(None)
    assert [pyo.value(model.burn[s]) for s in (0, 1)] == [0.5, 0.5]
    model.fired[0], model.fired[1], model.count = 1, 1, 2
    model.burn[1] = 0.25
    # (1 − e^(−2/2)) (1 − e^(−3/4)); the second rocket has no stage, an empty product is 1
    want = (1 - math.exp(-1)) * (1 - math.exp(-0.75)) + 1
    assert pyo.value(model.height) == pytest.approx(want, rel=1e-15)
    # 1/2 burns late and is shared by two engines, 1/4 does not burn late
    assert [pyo.value(model.late[s]) for s in (0, 1)] == [0.25, 0.0]
    assert model.fired[0].is_binary()
    assert not model.count.is_binary()


def test_the_rules_are_written_as_they_are_executed():
    assert Rockets().latex() == "\n".join(
        [
            r"\begin{align}",
            r"\max \quad & \sum_{r \in \mathit{rockets}} "
            r"\mathit{fired}_{r} \, \mathit{lift}_{r} \\",
            r"& \mathit{late}_{s} \le 0.25 \quad \forall s \in \mathit{all\_stages} \tag{5} \\",
            r"& \mathit{lift}_{r} = \prod_{s \in \mathit{stages}_{r}} \left(1 - "
            r"e^{-\mathit{loss}_{s} \, \mathit{burn}_{s}}\right) "
            r"\quad \forall r \in \mathit{rockets} \tag{4} \\",
            r"& \mathit{late}_{s} = \left[\mathit{burn}_{s} - 0.5 \ge 0\right] \, "
            r"\frac{\mathit{burn}_{s}}{\mathit{count}} "
            r"\quad \forall s \in \mathit{all\_stages} \notag \\",
            r"& \mathit{burn} \in [0,1] \notag \\",
            r"& \mathit{fired} \in \{0,1\} \notag \\",
            r"& \mathit{count} \in \{1,2,\dots\} \notag",
            r"\end{align}",
        ]
    )


def test_a_product_is_kept_apart_from_the_factor_behind_it():
    class Scaled(Rockets):
        @expression("4", "rockets")
        def lift(m, r):
            """Product before a factor."""
            return Product(m.burn[s] for s in m.stages[r]) * m.fired[r]

    # without parentheses the factor would seem to be taken once a stage
    product = r"\left(\prod_{s \in \mathit{stages}_{r}} \mathit{burn}_{s}\right)"
    assert rf"{product} \, \mathit{{fired}}_{{r}} \quad" in Scaled().latex()


def test_the_words_hold_families_expressions_and_variables():
    assert Rockets().describe().splitlines() == [
        "Rockets of several stages.",
        "",
        "Second paragraph.",
        "",
        "max height: How high they get.",
        "  (5) little_burns_late for every (all_stages): Little burns late.",
        "  lift[rockets]: Product over its stages.",
        "  late[all_stages]: What burns late.",
        "  burn[all_stages] in [0, 1]: Part of a stage that burns.",
        "  fired[rockets] 0 or 1: Whether it starts.",
        "  count 1, 2, ...: Engines.",
    ]


def test_there_is_no_linear_form():
    with pytest.raises(UnsupportedForm, match="is not linear: it has no linear form"):
        Rockets().form(None)


def nonlinear(write):
    """A linear program whose rule is not."""

    class Wrong(Program):
        def declare(self, m, data):
            m.things = Set([0, 1])
            m.x = Var(m.things)

        @objective
        def goal(m):
            return write(m)

    return Wrong()


@pytest.mark.parametrize(
    "write",
    [
        lambda m: Product(m.x[i] for i in m.things),
        lambda m: Exp(m.x[0]),
        lambda m: Where(m.x[0] >= 1, m.x[1]),
    ],
)
def test_a_linear_program_refuses_nonlinear_rules(write):
    with pytest.raises(RuleError, match=r"goal: .*the program must be linear"):
        nonlinear(write).form(None)
