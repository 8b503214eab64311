"""What a traced rule means: each case by hand, and against Pyomo."""

from __future__ import annotations

import math
import re

import pytest

from farkas.algebra import (
    Between,
    IndexedSet,
    Param,
    Program,
    Set,
    Sum,
    Var,
    constraint,
    option,
    programs,
)
from farkas.algebra.formulation import Formulation, described, rules_in_words
from farkas.algebra.program import by_option
from farkas.errors import InvalidInstance, InvalidOption, RuleError, UnknownName, UnsupportedForm
from farkas.instances import library
from tests.algebra.test_rules import Base
from tests.algebra.toys import declare, toy
from tests.conformance.oracle import differences, traced


def rows_of(program):
    """Rows by name, after the comparison with Pyomo."""
    form = program.form(None)
    assert list(differences(form, program.to_pyomo(None))) == []
    return traced(form).rows


def test_a_sum_counts_a_body_that_does_not_mention_its_index():
    # three things: 3 total + 2 * 3 amount[i] = 2 + 3 + 5
    def rule(m, i):
        often = Sum(m.total for _ in m.things) + Sum(m.amount[i] for _ in m.things) * 2
        return often == Sum(m.weight[j] for j in m.things)

    assert rows_of(toy(rule, "things"))["family[2]"] == ({"total": 3.0, "amount[2]": 6.0}, 10, 10)


def test_a_ragged_sum_counts_a_body_that_does_not_mention_its_index():
    # places_of: 2, 0 and 1 members
    rows = rows_of(
        toy(lambda m, i: Sum(m.total for _ in m.places_of[i]) + m.amount[i] >= 0, "things")
    )
    assert [rows[f"family[{i}]"][0].get("total", 0) for i in range(3)] == [2, 0, 1]


def test_a_ragged_sum_of_parameters_is_a_number_per_row():
    # rate: thing 0 has places 4 and 7 (1 + 10), thing 1 none, thing 2 place 4 (3)
    rows = rows_of(
        toy(lambda m, i: m.amount[i] >= Sum(m.rate[i, r] for r in m.places_of[i]), "things")
    )
    assert [rows[f"family[{i}]"][1] for i in range(3)] == [11, 0, 3]


def test_two_ragged_sums_over_one_index_run_over_all_pairs():
    # thing 0: places 4, 7 twice; grid[0,r] * rate[0,s]: each r meets 1 + 10
    def rule(m, i):
        return (
            Sum(m.rate[i, s] * m.grid[i, r] for r in m.places_of[i] for s in m.places_of[i])
            + m.amount[i]
            >= 0
        )

    rows = rows_of(toy(rule, "things"))
    assert rows["family[0]"][0] == {"amount[0]": 1, "grid[0,4]": 11, "grid[0,7]": 11}
    assert rows["family[1]"][0] == {"amount[1]": 1}


def test_a_ragged_set_of_a_ragged_member():
    # things_at[i, r] for r in places_of[i]: thing 0: {0} at 4, {1, 2} at 7; thing 2: {1} at 4
    def rule(m, i):
        return (
            Sum(m.grid[j, r] for r in m.places_of[i] for j in m.things_at[i, r]) + m.amount[i] <= 1
        )

    rows = rows_of(toy(rule, "things"))
    assert rows["family[0]"][0].keys() == {"amount[0]", "grid[0,4]", "grid[1,7]", "grid[2,7]"}
    assert rows["family[2]"][0].keys() == {"amount[2]", "grid[1,4]"}


def test_a_ragged_set_keyed_by_two_sets():
    rows = rows_of(
        toy(
            lambda m, i, r: Sum(m.amount[j] for j in m.things_at[i, r]) + m.total <= 0,
            "things",
            "places",
        )
    )
    assert rows["family[1,7]"][0] == {"amount[0]": 1, "amount[2]": 1, "total": 1}
    assert rows["family[2,7]"][0] == {"total": 1}


def test_tuple_sets_give_one_index_per_component():
    rows = rows_of(toy(lambda m, i, r: m.flow[i, r] <= m.rate[i, r] * m.amount[i], "pairs"))
    assert rows["family[2,4]"][0] == {"flow[2,4]": 1, "amount[2]": -3}
    assert list(rows) == ["family[0,7]", "family[2,4]", "family[0,4]"]  # the order given


def test_index_arithmetic_reaches_the_neighbour():
    def declaring(m):
        declare(m)
        m.later = Set([1, 2], label="thing")

    rows = rows_of(toy(lambda m, i: m.amount[i] >= m.amount[i - 1], "later", declaring=declaring))
    assert rows["family[2]"][0] == {"amount[2]": 1, "amount[1]": -1}


def test_between_keeps_parameters_on_both_sides():
    rows = rows_of(toy(lambda m, i: Between(-m.weight[i], m.amount[i] + 1, m.budget), "things"))
    assert rows["family[2]"] == ({"amount[2]": 1.0}, -6.0, 5.0)


def test_both_sides_may_hold_variables_and_constants():
    # 2 (total + 1) - amount / 4 <= amount - 3  :  2 total - 1.25 amount <= -5
    rows = rows_of(
        toy(lambda m, i: 2 * (m.total + 1) - m.amount[i] / 4 <= m.amount[i] - 3, "things")
    )
    assert rows["family[0]"] == ({"total": 2.0, "amount[0]": -1.25}, -math.inf, -5.0)


@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_objective_keeps_sense_and_constant(sense):
    # 6 * sum weight * amount + (2 + 3 + 5) - 1
    program = toy(
        goal=lambda m: (
            m.budget * Sum(m.weight[i] * m.amount[i] + m.weight[i] for i in m.things) - 51
        ),
        sense=sense,
    )
    form = program.form(None)
    assert list(differences(form, program.to_pyomo(None))) == []
    assert form.sense == sense
    assert form.offset == 60 - 51
    assert form.values(form.cost, "amount").tolist() == [12, 18, 30]


def test_empty_sets_give_no_rows_and_no_columns():
    def declaring(m):
        m.things = Set([], label="thing")
        m.places = Set([3], label="place")
        m.pairs = Set([], label=("thing", "place"))
        m.places_of = IndexedSet(m.things, [], label="place")
        m.things_at = IndexedSet(m.places, [[]], label="thing")
        m.weight = Param(m.things, values=[])
        m.amount = Var(m.things)
        m.flow = Var(m.pairs)
        m.total = Var()

    def rule(m, i):
        return Sum(m.amount[i] for r in m.places_of[i]) >= m.weight[i]

    program = toy(rule, "things", declaring=declaring)
    assert (program.form(None).num_rows, program.form(None).num_columns) == (0, 1)
    rows = rows_of(
        toy(
            lambda m, r: m.total >= Sum(m.weight[i] * m.amount[i] for i in m.things_at[r]),
            "places",
            declaring=declaring,
        )
    )
    assert rows["family[3]"][0] == {"total": 1.0}


def test_sparse_tuple_sets_are_found_by_bisection():
    # a span of 10^18 keys, far beyond any table
    far = [(0, 0), (10**9, 10**9), (10**9, 1)]

    def declaring(m):
        m.far = Set(far, label=("a", "b"))
        m.one = Set([10**9], label="a")
        m.x = Var(m.far)
        m.total = Var()

    rows = rows_of(toy(lambda m, a: m.x[a, 1] + 2 * m.x[a, a] >= 0, "one", declaring=declaring))
    assert rows["family[1000000000]"][0] == {
        "x[1000000000,1]": 1.0,
        "x[1000000000,1000000000]": 2.0,
    }


def test_words_take_the_options_that_they_fit_in_any_order():
    both = {"speed": "fast", "depth": "deep"}
    assert by_option(Switched, ["fast", "deep"]) == by_option(Switched, ["deep", "fast"]) == both
    assert by_option(Switched, ["depth=deep", "fast"]) == both
    assert by_option(Switched, []) == {}


def test_two_words_of_one_option_are_refused():
    with pytest.raises(InvalidOption, match="says one option twice"):
        by_option(Switched, ["fast", "slow"])


def test_a_family_is_defined_once():
    with pytest.raises(RuleError, match="family total is defined twice"):

        class Twice(Program):
            @constraint("1")
            def total(m):
                return m.total >= 0

            @constraint("2")
            def total(m):  # noqa: F811
                return m.total >= 1


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


class Switched(Formulation):
    """Has two switches
    of three values.

    Not this.
    """

    speed = option("slow", "fast")
    depth = option("flat", "deep", "deeper")


def test_the_first_value_of_a_switch_is_the_default():
    assert Switched().variant == {"speed": "slow", "depth": "flat"}
    assert Switched(depth="deep").full_name == "[slow,deep]"
    assert Switched(speed="fast").speed == "fast"
    assert Switched.options() == {"speed": ("slow", "fast"), "depth": ("flat", "deep", "deeper")}


def test_what_is_not_linear_has_no_form_and_no_mathematics():
    with pytest.raises(UnsupportedForm, match="is not linear: it is shown in words only"):
        Switched().latex()
    with pytest.raises(UnsupportedForm, match="is not linear: it has no linear form"):
        Switched().form(None)
    assert Switched().describe() == "Has two switches of three values."


@pytest.mark.parametrize("name", ["mlbroker.offline[", "[strict]", "", "a[b]c"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(InvalidOption, match=r"is no program name; write kind\.program\[value"):
        programs.build(name)


def test_a_word_that_no_option_knows_names_the_nearest():
    with pytest.raises(InvalidOption, match="has no variant 'strikt'; did you mean strict"):
        programs.build("mlbroker.offline[strikt]")
    assert programs.build(" mlbroker.offline[ semantics=strict ] ").variant["semantics"] == "strict"
    assert programs.build("mlbroker.offline", semantics="strict").variant["semantics"] == "strict"


def test_only_instances_of_another_kind_are_refused():
    class Ownership(Switched):
        kind = "eris"

    Ownership().check_kind(library.load("eris/tiny"))
    Ownership().check_kind({"plain": "data"})
    Switched().check_kind(library.load("eris/tiny"))  # takes any kind
    with pytest.raises(InvalidInstance, match="takes instances of kind eris, not dps"):
        Ownership().check_kind(library.load("dps/demo"))


def test_a_program_is_said_in_words_with_sets_and_labels():
    rules = [
        "min aim: What counts.", "  (1) first for every (things): One.", "  (2) second: Two.",
    ]  # fmt: skip
    assert rules_in_words(Base(size="large")) == rules
    assert described(Base(size="large")).splitlines() == ["Two families.", "", *rules]
    assert Base().describe() == described(Base())
