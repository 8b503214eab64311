"""The Pyomo model of a program: sets, parameters, variables and relations by hand."""

from __future__ import annotations

import math

import pyomo.environ as pyo
import pytest

from farkas.algebra import (
    Between,
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
from farkas.algebra.to_pyomo import product_keys
from farkas.errors import RuleError, UnsupportedForm
from tests.algebra.toys import declare, toy


def test_a_false_row_without_variables_is_named_by_pyomo_too():
    # thing 1 has no places, so its row reads 0 >= 3
    program = toy(lambda m, i: Sum(m.grid[i, r] for r in m.places_of[i]) >= m.weight[i], "things")
    form = program.form(None)
    assert (form.matrix.row(1)[0].size, form.row_lower[1]) == (0, 3.0)  # a claim of infeasibility
    with pytest.raises(RuleError, match=r"toy: family\[1\] holds no variable and is never true"):
        program.to_pyomo(None)


def test_sets_and_parameters_are_those_declared():
    model = toy(lambda m, i: m.amount[i] >= 0, "things").to_pyomo(None)
    assert list(model.pairs) == [(0, 7), (2, 4), (0, 4)]
    assert list(model.places_of[0]) == [4, 7]
    assert list(model.places_of[1]) == []
    assert list(model.things_at[1, 4]) == []
    assert list(model.things_at[1, 7]) == [0, 2]
    assert model.rate[2, 7] == 30.0
    assert model.weight[1] == 3.0
    assert pyo.value(model.budget) == 6.0


def test_keys_of_a_product_are_flat_and_run_fastest_in_the_last_set():
    numbers, pairs = Set([5, 6]), Set([(0, 1), (1, 0), (2, 2)], label=("a", "b"))
    assert product_keys([numbers]) == [5, 6]
    assert product_keys([numbers, pairs]) == [
        (5, 0, 1), (5, 1, 0), (5, 2, 2), (6, 0, 1), (6, 1, 0), (6, 2, 2),
    ]  # fmt: skip


def test_variables_have_bounds_domains_and_a_start():
    def declaring(m):
        declare(m)
        m.count = Var(m.things, integer=True, lower=[0, 1, 2], upper=5, initial=2.0)
        m.chosen = Var(binary=True)

    model = toy(declaring=declaring).to_pyomo(None)
    assert [model.count[i].bounds for i in range(3)] == [(0, 5), (1, 5), (2, 5)]
    assert model.count[1].is_integer()
    assert model.count[1].value == 2.0
    assert model.chosen.is_binary()
    assert model.total.bounds == (None, None)
    assert model.flow[2, 4].bounds == (0, 9)


def test_relations_keep_their_sides_and_the_words_of_the_family():
    def kept(m, i):
        """All is kept."""
        return Between(-m.weight[i], m.amount[i], m.budget)

    model = toy(kept, "things", sense="max").to_pyomo(None)
    assert (pyo.value(model.kept[1].lower), pyo.value(model.kept[1].upper)) == (-3.0, 6.0)
    assert model.kept.doc == "(1) All is kept."
    assert model.aim.sense == pyo.maximize


def test_a_true_row_without_variables_is_left_out():
    # thing 1 has no places: 0 >= -3 says nothing
    model = toy(
        lambda m, i: Sum(m.grid[i, r] for r in m.places_of[i]) >= -m.weight[i], "things"
    ).to_pyomo(None)
    assert list(model.family) == [0, 2]


def test_a_set_without_a_name_of_its_own_is_added():
    hidden = Set([3, 5])

    def declaring(m):
        declare(m)
        m.other = Var(hidden)

    model = toy(goal=lambda m: m.other[3] + 2 * m.other[5], declaring=declaring).to_pyomo(None)
    model.other[3], model.other[5] = 1.0, 10.0
    assert pyo.value(model.aim) == 21.0


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
    class ScaledBandits(Rockets):
        @expression("4", "rockets")
        def lift(m, r):
            """Product before a factor."""
            return Product(m.burn[s] for s in m.stages[r]) * m.fired[r]

    # without parentheses the factor would seem to be taken once a stage
    product = r"\left(\prod_{s \in \mathit{stages}_{r}} \mathit{burn}_{s}\right)"
    assert rf"{product} \, \mathit{{fired}}_{{r}} \quad" in ScaledBandits().latex()


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
