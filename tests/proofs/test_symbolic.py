"""Steps of symbolic proofs go through or are an error."""

import sys

import pytest
import sympy as sp

from farkas.proofs.trials import Deferred, NotProved, require, require_zero, vanishes

X = sp.symbols("x", positive=True)


def test_expressions_vanish_for_all_positive_values_or_not():
    assert vanishes(sp.log(X**2) - 2 * sp.log(X), (X + 1) ** 2 - X**2 - 2 * X - 1)
    assert not vanishes(sp.Integer(0), sp.log(2 * X) - 2 * sp.log(X))


def test_an_expression_that_does_not_vanish_is_named():
    require_zero(square=(X + 1) ** 2 - X**2 - 2 * X - 1, zero=0)
    with pytest.raises(NotProved, match="second part: x does not vanish"):
        require_zero(first=sp.Integer(0), second_part=X)


@pytest.mark.parametrize("condition", [False, None, sp.false, sp.symbols("y") > 0])
def test_what_is_false_or_undecided_is_not_proved(condition):
    require(one=True, other=X > 0)
    with pytest.raises(NotProved, match="it holds"):
        require(it_holds=condition)


def test_a_deferred_module_is_imported_when_something_of_it_is_used(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    colors = Deferred("colorsys")
    assert "colorsys" not in sys.modules
    assert colors.rgb_to_yiq is sys.modules["colorsys"].rgb_to_yiq
    with pytest.raises(AttributeError, match="nothing"):
        colors.nothing  # noqa: B018
