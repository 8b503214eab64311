"""The Pyomo model of a program: sets, parameters, variables and relations by hand."""

from __future__ import annotations

import pyomo.environ as pyo
import pytest

from farkas.algebra import Between, Set, Sum, Var
from farkas.algebra.to_pyomo import product_keys
from farkas.errors import RuleError
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
