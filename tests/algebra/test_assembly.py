"""Rules to rows: planted errors are refused with program, family and, where known, the index."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
import scipy.sparse as sp

from farkas.algebra import (
    Between,
    Param,
    Program,
    Set,
    Sum,
    Var,
    assembly,
    constraint,
    objective,
    programs,
)
from farkas.errors import RuleError
from farkas.forms.matrices import as_scipy, rows_of_scipy
from tests.algebra.toys import toy

TABLE = np.array([1.0, 2.0, 3.0])


def branch_on_equality(m, i):
    return m.amount[i] >= 1 if i == 0 else m.amount[i] >= 2


def branch_on_order(m, i):
    return m.amount[i] >= (1 if i < 2 else 0)


def branch_on_truth(m, i):
    return m.amount[i] >= 1 if i else m.total >= 1


def filter_in_a_sum(m, i):
    return Sum(m.amount[j] for j in m.things if j != i) >= 1


def filter_by_a_parameter(m, i):
    return Sum(m.amount[j] for j in m.things if m.weight[j] > 2) >= 1


def branch_on_a_variable(m, i):
    return m.amount[i] >= 1 if m.total >= 0 else m.total >= 1


def builtin_sum(m, i):
    return sum(m.amount[j] for j in m.things) >= m.weight[i]


def list_of_terms(m, i):
    return Sum([m.amount[j] for j in m.things]) >= m.weight[i]


def for_statement(m, i):
    total = 0
    for j in m.things:
        total = total + m.amount[j]
    return total >= m.weight[i]


def sum_over_a_range(m, i):
    return Sum(m.amount[i] for _ in range(3)) >= 1


def sum_over_a_set_and_a_range(m, i):
    return Sum(m.amount[j] * k for j in m.things for k in range(3)) >= 1


def sum_over_a_range_and_a_set(m, i):
    return Sum(m.amount[j] * k for k in range(3) for j in m.things) >= 1


def sum_over_nothing(m, i):
    return Sum(m.amount[i] for _ in ()) >= 1


def sum_of_relations(m, i):
    return Sum(m.amount[j] >= 1 for j in m.things)


def forgotten_return(m, i):
    m.amount[i] >= 1  # noqa: B015


def product_of_variables(m, i):
    return m.amount[i] * m.total >= 1


def square(m, i):
    return m.amount[i] ** 2 <= 1


def quotient(m, i):
    return m.weight[i] / m.amount[i] <= 1


def absolute_value(m, i):
    return abs(m.amount[i]) <= 1


def variable_over_a_variable(m, i):
    return m.amount[i] / m.total <= 1


def branch_on_an_expression(m, i):
    return m.amount[i] >= (1 if m.total else 0)


def compared_with_a_word(m, i):
    return m.amount[i] <= "much"


def one_round_of_a_loop(m, i):
    return m.amount[next(iter(m.things))] >= 1


def loop_after_a_sum(m, i):
    spent = Sum(m.amount[j] for j in m.things)
    return spent + sum(m.amount[j] for j in m.things) >= 1


def sum_of_one_expression(m, i):
    return Sum(m.amount[i]) >= 1


def sum_of_words(m, i):
    return Sum("thing" for j in m.things) >= m.amount[i]


def between_and(m, i):
    return Between(0, m.amount[i], 1) and m.total >= 1


def smaller_of_two(m, i):
    return min(m.amount[i], m.total) <= 1


def chained_comparison(m, i):
    return 0 <= m.amount[i] <= 1


def strict_comparison(m, i):
    return m.amount[i] > 1


def unequal(m, i):
    return m.amount[i] != 1


def two_relations(m, i):
    return m.amount[i] >= 1 and m.total >= 1


def pair_of_relations(m, i):
    return m.amount[i] >= 1, m.total >= 1


def an_expression(m, i):
    return m.amount[i] + 1


def a_constant(m, i):
    return 1 <= 2


def constants_only(m, i):
    return m.weight[i] >= 1


def array_at_an_index(m, i):
    return m.amount[i] >= TABLE[i]


def list_at_an_index(m, i):
    return m.amount[i] >= [1.0, 2.0, 3.0][i]


def parameter_as_number(m, i):
    return m.amount[i] >= float(m.weight[i])


def fractional_index(m, i):
    return m.amount[i / 2] >= 1


def too_many_indices(m, i):
    return m.amount[i, i] >= 1


def too_few_indices(m, i):
    return m.grid[i] >= 1


def unknown_declaration(m, i):
    return m.amounts[i] >= 1


def assignment(m, i):
    m.extra = i
    return m.amount[i] >= 1


def variable_on_a_side_of_a_range(m, i):
    return Between(0, m.weight[i], m.amount[i])


def bound_from_a_sum(m, i):
    picked = []
    total = Sum(picked.append(j) or m.amount[j] for j in m.things)
    return total >= m.weight[picked[0]]


PLANTED = {
    branch_on_equality: "branches on an index",
    branch_on_order: "branches on an index",
    branch_on_truth: "branches on an index",
    filter_in_a_sum: "branches on an index",
    filter_by_a_parameter: "branches on the value of a parameter",
    branch_on_a_variable: "truth value",
    builtin_sum: "sum with Sum",
    list_of_terms: "sum with Sum",
    for_statement: "sum with Sum",
    sum_over_a_range: "no index set",
    sum_over_a_set_and_a_range: "no index set",
    sum_over_a_range_and_a_set: "no index set",
    sum_over_nothing: "no index set",
    sum_of_relations: "Sum of Relation",
    forgotten_return: "return the relation",
    product_of_variables: "product of variables",
    square: "nonlinear",
    quotient: "division by a variable",
    variable_over_a_variable: "division by a variable; the program must be linear",
    branch_on_an_expression: "the rule branches on a variable",
    compared_with_a_word: "TypeError: unsupported operand",
    one_round_of_a_loop: r"an index set is iterated outside Sum\(...\)",
    loop_after_a_sum: "sum with Sum",
    sum_of_one_expression: "Sum takes a generator expression",
    sum_of_words: "Sum of str; a sum needs expressions or parameters",
    between_and: "a relation is used as a truth value",
    absolute_value: "nonlinear",
    smaller_of_two: "strict or unequal comparison",
    chained_comparison: "Between",
    strict_comparison: "strict or unequal comparison",
    unequal: "strict or unequal comparison",
    two_relations: "truth value",
    pair_of_relations: "returns tuple",
    an_expression: "returns Linear",
    a_constant: "returns bool",
    constants_only: "holds no variable",
    array_at_an_index: "declare a Param",
    list_at_an_index: "plain number",
    parameter_as_number: "plain number",
    fractional_index: "not an index or integer",
    too_many_indices: r"amount takes 1 index\(es\), got 2",
    too_few_indices: r"grid takes 2 index\(es\), got 1",
    unknown_declaration: r"m\.amount\b",
    assignment: "assigns m.extra",
    variable_on_a_side_of_a_range: "parameters around one expression",
    bound_from_a_sum: "outside the sum",
}


@pytest.mark.ids(99)
@pytest.mark.parametrize("rule", PLANTED, ids=lambda rule: rule.__name__)
def test_a_wrong_rule_is_refused_with_program_and_family(rule):
    with pytest.raises(RuleError) as error:
        toy(rule, "things").form(None)
    message = str(error.value)
    assert message.startswith(f"toy: {rule.__name__} (1): ")
    assert re.search(PLANTED[rule], message), message
    assert "\n" not in message


def test_an_index_outside_its_set_is_named():
    with pytest.raises(RuleError, match=r"^toy: family \(1\): index thing=3 of amount is outside"):
        toy(lambda m, i: m.amount[i + 1] >= 0, "things").form(None)


def test_a_pair_outside_its_set_is_named():
    # (1, 4) is the first of all (thing, place) that is no member of pairs
    with pytest.raises(RuleError, match="index thing=0, place=5 of flow is outside its set pairs"):
        toy(lambda m, i: m.flow[i, 5] >= 0, "things").form(None)
    with pytest.raises(RuleError, match="index thing=1, place=4 of flow"):
        toy(lambda m, i, r: m.flow[i, r] >= 0, "things", "places").form(None)


def test_a_constant_index_outside_its_set_is_named():
    with pytest.raises(RuleError, match="index place=5 of grid"):
        toy(lambda m, i: m.grid[i, 5] >= 0, "things").form(None)


def test_a_rule_with_a_wrong_number_of_arguments_is_named():
    with pytest.raises(RuleError, match=r"^toy: family \(1\): TypeError"):
        toy(lambda m, i, j: m.amount[i] >= 0, "things").form(None)


def test_an_unknown_index_set_is_named():
    with pytest.raises(RuleError, match=r"toy: family: unknown index set 'thing'.*things"):
        toy(lambda m, i: m.amount[i] >= 0, "thing").form(None)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (lambda m: None, "return the expression"),
        (lambda m: m.total >= 0, "Relation"),
        (lambda m: m.total * m.total, "product of variables"),
        (lambda m: sum(m.amount[i] for i in m.things), "sum with Sum"),
        (lambda m: m.amount[next(iter(m.things))], r"iterated outside Sum\(...\)"),
    ],
)
def test_a_wrong_objective_is_refused(goal, words):
    with pytest.raises(RuleError, match=rf"^toy: aim: .*{words}"):
        toy(goal=goal).form(None)


def test_terms_of_one_column_in_one_row_are_added():
    # 2 x0 + 3 x0 - x1 in row 0 and x1 in row 1
    form = toy(lambda m, i: m.amount[i] * 2 + m.amount[0] * 3 >= i, "things").form(None)
    assert as_scipy(form.matrix).toarray()[:, :3].tolist() == [[5, 0, 0], [3, 2, 0], [3, 0, 2]]
    assert form.row_lower.tolist() == [0, 1, 2]
    assert form.row_upper.tolist() == [np.inf] * 3


def test_constants_of_both_sides_meet_on_the_right():
    form = toy(lambda m, i: Between(i, m.amount[i] - 4, 2 * i), "things").form(None)
    assert form.row_lower.tolist() == [4, 5, 6]
    assert form.row_upper.tolist() == [4, 6, 8]


def test_costs_are_added_however_a_term_meets_its_columns():
    def goal(m):
        every = Sum(m.rate[i, p] * m.grid[i, p] for i in m.things for p in m.places)
        turned = Sum(m.rate[i, p] * m.grid[i, p] for p in m.places for i in m.things)
        again = Sum(m.weight[i] * m.amount[1] for i in m.things)  # one column three times
        some = Sum(m.grid[i, p] for i in m.things for p in m.places_of[i])
        return every + turned + again + some + 3 * m.total

    form = toy(goal=goal).form(None)
    # twice the rates, and 1 where a thing has the place
    assert form.values(form.cost, "grid").tolist() == [[3, 21], [0, 40], [7, 60]]
    assert form.values(form.cost, "amount").tolist() == [0, 2 + 3 + 5, 0]
    assert form.values(form.cost, "total").tolist() == 3


def test_columns_have_their_bounds_whether_these_are_numbers_or_arrays():
    def declaring(m):
        m.things, m.places = Set(range(2)), Set(range(3))
        m.plain = Var(m.things)
        m.table = Var(m.things, m.places, lower=np.arange(6).reshape(2, 3), upper=9, integer=True)
        m.one = Var(lower=-1, upper=np.inf, implied_upper=4.0, reason="why")

    form = toy(goal=lambda m: m.one, declaring=declaring).form(None)
    assert form.lower.tolist() == [0, 0, 0, 1, 2, 3, 4, 5, -1]
    assert form.upper.tolist() == [np.inf, np.inf, 9, 9, 9, 9, 9, 9, np.inf]
    assert form.implied_upper.tolist() == [np.inf, np.inf, 9, 9, 9, 9, 9, 9, 4]
    assert form.implied_lower is None
    assert form.integer.tolist() == [False] * 2 + [True] * 6 + [False]


def test_rows_are_those_that_scipy_compresses(monkeypatch):
    # what is declared here is no program of a kind
    monkeypatch.setattr(programs, "add", lambda name, program: None)
    rng = np.random.default_rng(5)

    class Scattered(Program):
        name, kind, sense = "x.scattered", "", "min"

        def declare(self, m, data):
            m.places = Set(range(6))
            m.first, m.second = Var(m.places, m.places), Var(m.places)
            m.one, m.other = (Param(m.places, m.places, values=part) for part in data)

        @objective
        def nothing(m):
            return Sum(m.second[i] for i in m.places)

        @constraint("1", "places")
        def rows(m, i):
            # columns out of order, some twice, some with a coefficient 0
            back = Sum(m.other[i, k] * m.first[k, i] for k in m.places)
            return m.second[i] + Sum(m.one[i, k] * m.first[i, k] for k in m.places) + back >= 1

    one, other = rng.integers(-2, 3, (2, 6, 6)).astype(float)
    form = Scattered().form((one, other))
    dense = np.zeros((6, 42))
    for i in range(6):
        dense[i, 36 + i] = 1.0
        for k in range(6):
            dense[i, 6 * i + k] += one[i, k]
            dense[i, 6 * k + i] += other[i, k]
    expected = rows_of_scipy(sp.coo_array(dense))
    for part in ("starts", "columns", "values"):
        mine, theirs = getattr(form.matrix, part), getattr(expected, part)
        assert mine.dtype == theirs.dtype
        assert mine.tolist() == theirs.tolist()
    assert "scipy" not in inspect.getsource(assembly)
