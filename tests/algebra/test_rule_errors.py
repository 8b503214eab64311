"""Planted errors: each is refused with program, family and, where known, the index."""

from __future__ import annotations

import re

import numpy as np
import pytest

from farkas.algebra import Between, IndexedSet, Param, Set, Sum, Var, constraint, programs
from farkas.algebra.program import Program
from farkas.errors import InvalidOption, RuleError, UnknownName
from tests.algebra.toys import declare, toy

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
    ],
)
def test_a_wrong_objective_is_refused(goal, words):
    with pytest.raises(RuleError, match=rf"^toy: aim: .*{words}"):
        toy(goal=goal).form(None)


def declaring(change):
    def all_of_it(m):
        declare(m)
        change(m)

    return toy(declaring=all_of_it)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: setattr(m, "more", Param(m.things, values=[1, 2])), r"\(2,\), its sets have"),
        (lambda m: setattr(m, "more", Var(m.things, upper=[1, 2])), "upper bound of more"),
        (lambda m: setattr(m, "more", Param(m.things, values=np.nan)), "NaN"),
        (lambda m: setattr(m, "more", Var(lower=2, upper=1)), "lower bound above"),
        (lambda m: setattr(m, "more", Var(implied_upper=1)), "need a reason"),
        (lambda m: setattr(m, "amount", Var()), "declared twice"),
        (lambda m: setattr(m, "index", Var()), "Pyomo keeps the name"),
        (lambda m: setattr(m, "more", 3), "declare a Set"),
        (lambda m: setattr(m, "more", Set([(1, 2)], label="one")), "another length"),
        (lambda m: setattr(m, "more", Set([1, 2, 1])), "member twice"),
        (lambda m: setattr(m, "more", Set([(1, 2), (1, 2)], label=("a", "b"))), "member twice"),
        (lambda m: setattr(m, "more", IndexedSet(m.things, [[1]])), "1 groups for 3 keys"),
        (lambda m: setattr(m, "more", IndexedSet(m.things, [[1], [2, 2], []])), "member twice"),
        (lambda m: setattr(m, "family", Var()), "both declared and a rule"),
        (lambda m: setattr(m, "aim", Var()), "both declared and a rule"),
    ],
)
def test_a_wrong_declaration_is_refused_with_the_program(change, words):
    program = declaring(change)
    type(program).family = constraint("1")(_family)
    with pytest.raises(RuleError, match=f"^toy: .*{words}"):
        program.form(None)


def _family(m):
    return m.total >= 0


_family.__name__ = "family"


def test_a_family_may_not_take_a_name_of_pyomo():
    def display(m):
        return m.total >= 0

    with pytest.raises(RuleError, match="toy: Pyomo keeps the name display"):
        toy(display).form(None)


def test_a_family_is_defined_once():
    with pytest.raises(RuleError, match="family total is defined twice"):

        class Twice(Program):
            @constraint("1")
            def total(m):
                return m.total >= 0

            @constraint("2")
            def total(m):  # noqa: F811
                return m.total >= 1


def test_a_false_row_without_variables_is_named_by_pyomo_too():
    # thing 1 has no places, so its row reads 0 >= 3
    program = toy(lambda m, i: Sum(m.grid[i, r] for r in m.places_of[i]) >= m.weight[i], "things")
    form = program.form(None)
    assert (form.matrix.row(1)[0].size, form.row_lower[1]) == (0, 3.0)  # a claim of infeasibility
    with pytest.raises(RuleError, match=r"toy: family\[1\] holds no variable and is never true"):
        program.to_pyomo(None)


def test_unknown_variants_name_the_nearest():
    from farkas.algebra import programs

    with pytest.raises(InvalidOption, match="semantics cannot be 'strikt'; did you mean strict"):
        programs["mlbroker.offline"](semantics="strikt")
    with pytest.raises(InvalidOption, match="no option 'semantic'; did you mean semantics"):
        programs["mlbroker.offline"](semantic="strict")
    with pytest.raises(UnknownName, match=r"did you mean mlbroker\.offline"):
        programs.build("mlbroker.ofline")


def test_words_of_a_name_find_the_options_they_fit():
    # "printed" is a value of both options, "strict" of one: the order must not matter
    for name in ("mlbroker.outer[printed,strict]", "mlbroker.outer[strict,printed]"):
        assert programs.build(name).variant == {"semantics": "strict", "relax": "printed"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mlbroker.offline[strict,strict]", "says one option twice; options: semantics=printed"),
        ("mlbroker.offline[semantics=strict,semantics=printed]", "semantics is given twice"),
        ("mlbroker.offline[semantics=strict,printed]", "says one option twice"),
    ],
)
def test_an_option_said_twice_is_refused(name, words):
    with pytest.raises(InvalidOption, match=re.escape(words)):
        programs.build(name)
