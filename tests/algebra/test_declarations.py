"""Parameters, variables and names: what is refused, and what a rule reads."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import IndexedSet, Param, Set, Var, constraint, expression
from farkas.algebra.declarations import Declarations
from farkas.errors import RuleError, UnknownName
from tests.algebra.toys import declare, toy


def declaring(change):
    def all_of_it(m):
        declare(m)
        change(m)

    return toy(declaring=all_of_it)


@pytest.mark.ids(99)
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


def declared() -> Declarations:
    m = Declarations()
    declare(m)
    return m


def test_columns_follow_the_order_of_declaration():
    m = declared()
    # amount 3, flow 3 (pairs), grid 3 x 2, total 1
    assert [(v.name, v.start, v.size) for v in m.variables] == [
        ("amount", 0, 3), ("flow", 3, 3), ("grid", 6, 6), ("total", 12, 1),
    ]  # fmt: skip
    assert m.num_columns == 13
    # the last set runs fastest: grid[1, 7] is the fourth of its six
    (term,) = m.grid[1, 7].terms
    assert int(term.columns.values) == 6 + 3


def test_one_number_stands_for_all_and_rows_spread_over_columns():
    m = declared()
    m.flat = Param(m.things, m.places, values=4.0)
    m.rows = Param(m.things, m.places, values=[[1.0], [2.0], [3.0]])
    assert float(m.flat[2, 7].values) == 4.0
    assert [float(m.rows[i, 7].values) for i in (0, 1, 2)] == [1.0, 2.0, 3.0]


def test_a_number_without_sets_reads_as_itself_in_rules_only():
    m = declared()
    assert isinstance(m.budget, Param)
    m.read_only()
    assert m.budget == 6.0
    assert m.total.terms[0].columns.values == 12
    with pytest.raises(RuleError, match=r"a rule assigns m.more; declare everything in declare"):
        m.more = Set([1])
    with pytest.raises(UnknownName, match=r"'m.amont'; did you mean m.amount"):
        _ = m.amont


def test_only_zero_and_one_are_binary():
    m = declared()
    m.yes = Var(m.things, binary=True)
    m.fixed = Var(integer=True, lower=1, upper=1)
    m.share = Var(upper=1)
    m.count = Var(integer=True, upper=2)
    m.signed = Var(integer=True, lower=-1, upper=1)
    m.capped = Var(binary=True, upper=0)
    flags = {v.name: v.binary for v in m.variables}
    assert [n for n, is_binary in flags.items() if is_binary] == ["yes", "fixed", "capped"]
    assert float(m.capped.bounds["upper"]) == 0.0


def test_an_expression_is_told_apart_from_the_families() -> None:
    program = toy(lambda m, i: m.amount[i] >= 0, "things")

    def worth(m, i):
        """Twice the amount."""
        return 2 * m.amount[i]

    type(program).worth = expression("3", "things")(worth)  # type: ignore[attr-defined]
    assert [family.name for family in program.families()] == ["family"]
    (named,) = program.expressions()
    assert (named.name, named.label, named.sets) == ("worth", "3", ("things",))
    assert named.doc == "Twice the amount."
    model = program.to_pyomo(None)
    assert str(model.worth[1].expr) == "2*amount[1]"
