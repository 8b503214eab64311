"""What a solution says of its bound."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.solvers import Answer, Reason
from farkas.verbs.solution import Solution
from tests.generators.forms import small


def solution(bound: Fraction | None, sense: str = "min", proved_by: str = "") -> Solution:
    form = small([[1]], cost=[1], row_lower=[1], sense=sense)
    answer = Answer(solver="s", reason=Reason.TIME_LIMIT)
    return Solution(form, answer, bound=bound, proved_by=proved_by)


@pytest.mark.parametrize(("sense", "tight", "loose"), [("min", 3, 2), ("max", 2, 3)])
def test_a_bound_nearer_to_the_optimum_is_tighter(sense: str, tight: int, loose: int) -> None:
    near, far = solution(Fraction(tight), sense), solution(Fraction(loose), sense)
    none = solution(None, sense)
    assert near.tighter(far)
    assert not far.tighter(near)
    assert not near.tighter(near)
    assert far.tighter(none)
    assert not none.tighter(far)
    assert not none.tighter(none)


def test_what_proved_the_bound_is_said() -> None:
    found = solution(Fraction(2), proved_by="eris.pooled_prices")
    assert "proved bound 2 by eris.pooled_prices" in repr(found)
    assert found.to_builtins()["proved_by"] == "eris.pooled_prices"
    plain = solution(Fraction(2))
    assert repr(plain).endswith("proved bound 2>")
    assert plain.to_builtins()["proved_by"] is None


def test_the_value_is_that_of_the_point() -> None:
    form = small([[1, 0]], cost=[2, 3], row_lower=[1], offset=0.5)
    found = Solution(
        form,
        Answer.at(np.array([1.0, 2.0]), form, optimal=False, solver="s", reason=Reason.TIME_LIMIT),
    )
    assert found.value == 2 + 6 + 0.5
    assert solution(None).value is None
