"""Bounds of integer programs: which is kept, what ends the work, and what is passed over."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from farkas.certificates import LinearCertificate
from farkas.certificates.tree import TreeCertificate
from farkas.errors import NoAnswer, NotACertificate, NotApplicable
from farkas.forms import LinearForm
from farkas.relaxations.integrality import relax
from farkas.solvers import Answer, Reason, solve
from farkas.verbs.certified import (
    NEAR,
    RELAXATION,
    SEARCH,
    Other,
    best_bound,
    by_multipliers,
    by_relaxation,
    fractions,
    in_fractions,
)
from farkas.verbs.solution import Solution
from tests.generators.forms import small

ABOUT = {"embed": True}


def whole(sense: str = "min") -> LinearForm:
    """Least 2 x + 2 y >= 7 in whole numbers: 4, relaxed 7/2; as a maximum of negated costs -4."""
    sign = 1.0 if sense == "min" else -1.0
    form = small([[2, 2]], cost=[sign, sign], row_lower=[7])
    return form.replace(sense=sense, upper=np.full(2, 10.0), integer=np.ones(2, dtype=bool))


def saying(bound: Fraction | Exception | None, name: str = "other") -> Other:
    """Say a bound, whatever the program, or raise."""

    def prove(seconds: float) -> tuple[Fraction | None, Any]:
        assert 0 < seconds <= 10
        if isinstance(bound, BaseException):
            raise bound
        return bound, f"certificate of {name}"

    return Other(name, prove)


def bounded(*others: Other, sense: str = "min", gap: Fraction = Fraction(0)) -> Solution:
    form = whole(sense)
    return best_bound(
        form, solve(form), solve(relax(form)), ABOUT, others=others, seconds=20.0, gap=gap
    )


@pytest.fixture
def unsearched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is searched for."""

    def never(*_: Any) -> Solution:
        raise AssertionError

    monkeypatch.setattr("farkas.verbs.certified.searched", never)


@pytest.mark.parametrize(("sense", "sign"), [("min", 1), ("max", -1)])
@pytest.mark.usefixtures("unsearched")
def test_another_bound_that_meets_the_point_ends_the_work(sense: str, sign: int) -> None:
    for off in (Fraction(0), NEAR / 2):
        bound = sign * (4 - off)
        found = bounded(saying(bound), saying(NoAnswer("never asked")), sense=sense)
        assert (found.bound, found.proved_by) == (bound, "other")
        assert found.certificate == "certificate of other"
        assert isinstance(found.own, LinearCertificate)


@pytest.mark.parametrize(("sense", "sign"), [("min", 1), ("max", -1)])
def test_a_bound_that_leaves_a_gap_is_beaten_by_the_search(sense: str, sign: int) -> None:
    for other in (Fraction(1), Fraction(7, 2), Fraction(15, 4), 4 - 8 * NEAR):
        found = bounded(saying(sign * other), sense=sense)
        assert (found.bound, found.proved_by, found.own) == (4 * sign, SEARCH, None)
        assert isinstance(found.certificate, TreeCertificate)


@pytest.mark.parametrize(("sense", "sign"), [("min", 1), ("max", -1)])
def test_the_tightest_of_all_is_kept(
    sense: str, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("farkas.verbs.certified.searched", lambda found, *_: found)
    said = [saying(sign * Fraction(n, 8), f"{n}") for n in (29, 31, 30, 20)]
    found = bounded(*said, sense=sense)
    assert (found.bound, found.proved_by) == (sign * Fraction(31, 8), "31")
    found = bounded(said[3], sense=sense)  # the relaxation is tighter
    assert (found.bound, found.proved_by) == (sign * Fraction(7, 2), RELAXATION)


@pytest.mark.usefixtures("unsearched")
def test_a_gap_that_the_relaxation_keeps_asks_nobody() -> None:
    found = bounded(saying(AssertionError()), gap=Fraction(1, 8))
    assert (found.bound, found.proved_by) == (Fraction(7, 2), RELAXATION)
    assert bounded(saying(Fraction(15, 4)), gap=Fraction(1, 16)).bound == Fraction(15, 4)


def test_what_has_no_bound_for_an_instance_is_passed_over() -> None:
    none = [saying(NotApplicable("too many")), saying(NoAnswer("no multipliers")), saying(None)]
    assert bounded(*none).proved_by == SEARCH
    found = bounded(*none, saying(Fraction(4)))
    assert (found.bound, found.proved_by) == (4, "other")
    with pytest.raises(ZeroDivisionError):  # a mistake is none
        bounded(saying(ZeroDivisionError()))


def test_ctrl_c_keeps_what_is_proved() -> None:
    found = bounded(saying(Fraction(15, 4)), saying(KeyboardInterrupt()))  # type: ignore[arg-type]
    assert (found.bound, found.interrupted) == (Fraction(15, 4), True)


def test_without_multipliers_others_and_the_search_prove_all_the_same() -> None:
    form = whole()
    silent = Answer(solver="s", reason=Reason.TIME_LIMIT)
    with pytest.raises(NoAnswer, match="nothing to prove a bound with"):
        by_multipliers(form, solve(form), silent, ABOUT)
    prove: Callable[..., Solution] = best_bound
    for others, way in (((), SEARCH), ((saying(Fraction(4)),), "other")):
        found = prove(form, solve(form), silent, ABOUT, others=others, seconds=20.0)
        assert (found.bound, found.proved_by) == (4, way)
    found = by_relaxation(form, solve(form), silent, ABOUT, 20.0)
    assert (found.bound, found.proved_by) == (4, SEARCH)
    endless = form.replace(cost=np.array([1.0, -1.0]), upper=np.full(2, np.inf))
    with pytest.raises(NoAnswer, match="nothing to prove a bound with"):
        prove(endless, solve(form), silent, ABOUT, seconds=0.0)


def test_a_solver_that_is_proved_wrong_is_told() -> None:
    odd = small([[2]], cost=[1], row_lower=[1], row_upper=[1]).replace(
        integer=np.ones(1, dtype=bool), upper=np.ones(1)
    )
    proved = in_fractions(odd, solve(odd), ABOUT, 20.0)
    assert proved is not None
    assert proved.status == "infeasible"
    with pytest.raises(NotACertificate, match="but as doubles it is proved infeasible"):
        fractions(odd, solve(odd), ABOUT, 20.0)
