"""A program's full name is a quantity: its optimum."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption, UnknownName, UnsupportedForm
from farkas.instances import library
from farkas.models.coded.surrogate import reference_time
from farkas.quantities import evaluate, find, quantities
from farkas.quantities.optimum import optimum_if_any
from farkas.verbs.solve import solve
from tests.generators.forms import small


@pytest.mark.parametrize(
    "name", ["mlbroker.offline[strict,two]", "mlbroker.outer[tight]", "mlbroker.recourse"]
)
def test_a_variant_that_nobody_registered_has_its_optimum(name: str) -> None:
    assert name not in quantities
    tiny = library.load("mlbroker/tiny")
    assert evaluate(tiny, [name]) == {name: solve(tiny, name).answer.objective}


def test_a_convex_program_has_its_optimum() -> None:
    tiny = library.load("coded/tiny")
    values = evaluate(tiny, ["coded.expected_convex", "coded.expected"])
    # the same problem in units of the time with equal shares
    found = values["coded.expected_convex"] * reference_time(tiny)
    assert found == pytest.approx(values["coded.expected"], rel=1e-6)


def test_a_program_for_pyomo_only_has_none_and_says_what_to_solve() -> None:
    with pytest.raises(UnsupportedForm, match=r"farkas show coded\.chance"):
        evaluate(library.load("coded/tiny"), ["coded.chance"])


@pytest.mark.parametrize(
    ("row_lower", "row_upper", "value"),
    # min -x over x >= 0: x <= 2; nothing is at most -1; -x has no end
    [([-np.inf], [2], -2.0), ([-np.inf], [-1], None), ([1], [np.inf], None)],
)
def test_infeasible_and_unbounded_are_null(row_lower, row_upper, value) -> None:
    form = small([[1]], cost=[-1], row_lower=row_lower, row_upper=row_upper)
    assert optimum_if_any(form) == value


def test_a_quantity_of_that_name_comes_first() -> None:
    # mlbroker.one_shot is a program, and the cost of the baseline that solves it slot by slot
    assert find("mlbroker.one_shot", "mlbroker").doc.startswith("Cost of a baseline")


def test_a_word_that_the_quantity_does_not_take_may_be_a_variant_of_the_program() -> None:
    # {semantics} is printed or strict; the program also has prices and presence
    assert find("mlbroker.offline[strict]", "mlbroker").placeholders == ["semantics"]
    assert find("mlbroker.offline[split]", "mlbroker").placeholders == []


def test_a_misspelt_variant_is_refused_by_its_program() -> None:
    with pytest.raises(InvalidOption, match="did you mean tight"):
        find("mlbroker.relaxed[tigt]", "mlbroker")


def test_a_program_of_another_kind_is_no_quantity() -> None:
    with pytest.raises(UnknownName, match="unknown mlbroker quantity"):
        find("eris.offline", "mlbroker")
