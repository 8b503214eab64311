"""Expressions with a name are no constraints."""

from __future__ import annotations

from farkas.algebra import expression
from tests.algebra.toys import toy


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
