"""Programs of rules: which families a variant has, their names, and the words for them."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import Between, Program, constraint, objective, option
from farkas.algebra.cells import Cells, reading
from farkas.algebra.expressions import Linear, Relation, Term, Trace
from farkas.errors import InvalidInstance, RuleError
from farkas.forms.feasibility import find_block
from farkas.instances import library
from tests.algebra.toys import toy


def test_rows_carry_names_words_and_labels():
    def everything_is_small(m, i, r):
        """Nothing is large."""
        return m.flow[i, r] <= 1

    form = toy(everything_is_small, "pairs").form(None)
    assert form.row_name(1) == "everything_is_small[thing=2, place=4]  (1)"
    assert find_block(form.rows, 1).doc == "Nothing is large."


def test_an_inherited_family_is_replaced_or_dropped():
    program = toy(lambda m: m.total >= 1)
    parent = type(program)

    class Child(parent):
        family = None

    assert [f.name for f in program.families()] == ["family"]
    assert Child().families() == []


def test_a_family_may_not_take_a_name_of_pyomo():
    def display(m):
        return m.total >= 0

    with pytest.raises(RuleError, match="toy: Pyomo keeps the name display"):
        toy(display).form(None)


class Base(Program):
    """Two families.

    More words.
    """

    size = option("small", "large")

    @objective
    def aim(m):
        """What counts."""

    @constraint("1", "things")
    def first(m, i):
        """One."""

    @constraint("2", when=lambda program: program.size == "large")
    def second(m):
        """Two."""


class Heir(Base):
    @constraint("3")
    def third(m):
        """Three."""

    @constraint("1'")
    def first(m):
        """One again."""


def test_families_keep_the_order_of_definition_and_heirs_replace_in_place():
    assert [f.label for f in Base().families()] == ["1"]
    assert [f.label for f in Base(size="large").families()] == ["1", "2"]
    # what is written anew keeps its place among the inherited
    assert [f.label for f in Heir(size="large").families()] == ["1'", "2", "3"]
    assert Heir().objective_rule().name == "aim"


def test_a_program_needs_an_objective():
    class Aimless(Program):
        name_ = "aimless"

    with pytest.raises(RuleError, match="has no @objective"):
        Aimless().objective_rule()


def test_an_instance_of_another_kind_is_refused():
    class Other(Base):
        kind = "mlbroker"

    with pytest.raises(InvalidInstance, match="takes instances of kind mlbroker, not eris"):
        Other().declarations(library.load("eris/tiny"))


X = Linear((Term(1.0, Cells(np.array(3), ())),))
Y = Linear((Term(2.0, Cells(np.array(5), ())),), 7.0)


def test_between_takes_parameters_around_one_expression():
    with reading(Trace()):
        found = Between(1, X, 2.5)
        assert (found.lower, found.upper, found.body) == (1, 2.5, X)
        assert isinstance(found, Relation)
        for wrong in ((X, Y, 1), (1, Y, X), (1, 2, 3)):
            with pytest.raises(RuleError, match="takes parameters around one expression"):
                Between(*wrong)
