"""Changes of formulas find the steps that prove nothing."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import sympy as sp

from farkas.proofs.trials import require, require_zero
from tests.tools.steps import broken_steps, changed, unbreakable

x, y = sp.symbols("x y", positive=True)
SQUARE = (x + y) ** 2


def honest() -> None:
    require_zero(expanded=SQUARE - x**2 - 2 * x * y - y**2)
    require(larger=sp.expand(SQUARE - x**2).is_positive)


def cube(of: Any) -> Any:
    return of**3


def called() -> None:
    require_zero(flat=sp.diff(cube(x), x, x, x, x))


def local() -> None:
    side = sp.symbols("side")
    require_zero(same=sp.diff(cube(side), side).subs(side, y) - sp.diff(y**3, y))


def vacuous() -> None:
    require(positive=x.is_positive)
    require_zero(constant=sp.diff(x, y), expanded=sp.expand(SQUARE) - SQUARE, right=2 * x - x - x)


def test_steps_of_an_honest_proof_all_break() -> None:
    assert broken_steps(honest) == {"expanded": False, "larger": False}
    assert unbreakable(honest) == []


def test_a_step_breaks_under_a_change_of_what_a_function_gives() -> None:
    assert broken_steps(called) == {"flat": False}
    assert unbreakable(called) == []


def test_symbols_of_the_check_itself_are_changed() -> None:
    bodies = [ast.unparse(module) for module in changed(local)]
    assert any(".subs(side, y)" in body and "cube(side ** 2)" in body for body in bodies)
    assert not any("side ** 2 =" in body for body in bodies)


def sampled() -> None:
    require_zero(expanded=SQUARE - x**2 - 2 * x * y - y**2)
    for seed in range(3):
        if seed:
            require(larger=sp.expand(seed * (SQUARE - x**2)).is_positive)
    print("samples")


def test_what_comes_after_the_last_step_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert broken_steps(sampled) == {"expanded": False, "larger": False}
    assert unbreakable(sampled) == []
    assert capsys.readouterr().out == ""


def test_steps_that_no_change_breaks_are_named() -> None:
    assert unbreakable(vacuous) == ["constant", "positive"]


def test_changes_are_one_place_each() -> None:
    bodies = {ast.unparse(module) for module in changed(honest)}
    # four powers, operations and numbers of the first step, and the names of SQUARE
    assert len(bodies) == len(list(changed(honest))) >= 8
    assert sum("SQUARE ** 2" in body for body in bodies) == 2
