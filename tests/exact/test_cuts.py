"""Rounding cuts cut off no whole point."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.bounding import Bounding
from farkas.exact.cuts import Rounding, _nearer, root_cuts, rounded, whole_factor
from farkas.exact.deadline import Deadline
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import Simplex
from tests.generators.rational import keeps, program


def test_rounding_of_one_coefficient() -> None:
    assert rounded(F(3, 4), F(1, 2)) == F(1, 2)
    assert rounded(F(-1, 4), F(1, 2)) == F(-1, 2)
    assert rounded(F(5), F(1, 3)) == 5


@pytest.mark.parametrize(("values", "factor"), [
    ([F(1, 2), F(1, 3)], 6), ([F(4), F(6)], F(1, 2)), ([F(-1)], 1), ([F(2, 3), F(4, 9)], F(9, 2)),
])  # fmt: skip
def test_short_coefficients_become_whole(values: list[F], factor: F) -> None:
    assert whole_factor(values) == factor


def test_long_coefficients_become_short() -> None:
    values = [F(1, 10**9 + 7), F(3, 10**9 + 9)]
    factor = whole_factor(values)
    assert max(abs(v * factor) for v in values) < 2**24


def test_a_row_is_rounded_down() -> None:
    form = program([[2, 2]], cost=[-1, -1], rows=[(None, 3)], ends=[(0, 2)] * 2, whole=[1, 1])
    cut = Rounding(Bounding(form), form.lower, form.upper).cut([(0, F(1))], F(1), frozenset())
    assert cut is not None
    assert (cut.terms, cut.side) == ({0: 1, 1: 1}, 1)


def test_there_is_no_cut_without_a_fraction_or_an_end() -> None:
    whole = program([[1, 1]], cost=[-1, -1], rows=[(None, 3)], ends=[(0, 2)] * 2, whole=[1, 1])
    assert (
        Rounding(Bounding(whole), whole.lower, whole.upper).cut([(0, F(1))], F(1), frozenset())
        is None
    )
    free = program(
        [[2, 3]], cost=[-1, -1], rows=[(None, "7/2")], ends=[(0, None), (None, 2)], whole=[1, 1]
    )
    rounding = Rounding(Bounding(free), free.lower, free.upper)
    assert rounding.cut([(0, F(1))], F(2), frozenset()) is None
    assert rounding.cut([(0, F(1))], F(2), frozenset({1})) is not None
    assert rounding.cut([(0, F(-1))], F(2), frozenset({1})) is None


def drawn(rng: random.Random) -> RationalForm:
    n = rng.randint(1, 4)
    whole = [rng.random() < 0.7 for _ in range(n)]
    return program(
        [[rng.randint(-6, 6) for _ in range(n)] for _ in range(2)],
        cost=[rng.randint(-5, 5) for _ in range(n)],
        rows=[(None, F(rng.randint(0, 30), rng.choice([1, 2, 3]))), (-rng.randint(0, 9), None)],
        ends=[(F(rng.randint(-2, 0)), F(rng.randint(1, 3))) for _ in range(n)],
        whole=[int(w) for w in whole],
    )


def points(form: RationalForm) -> list[list[F]]:
    """Whole columns at every value, others in quarters."""
    choices = []
    for low, high, kind in zip(form.lower, form.upper, form.integer.tolist(), strict=True):
        assert low is not None
        assert high is not None
        step = 1 if kind else 4
        choices.append([F(k, step) for k in range(int(low) * step, int(high) * step + 1)])
    return [list(p) for p in itertools.product(*choices) if keeps(form, list(p))][:2000]


def test_random_cuts_keep_every_point() -> None:
    rng = random.Random(4)
    made = 0
    for _ in range(60):
        form = drawn(rng)
        kept = points(form)
        rounding = Rounding(Bounding(form), form.lower, form.upper)
        for _ in range(6):
            weights = [(i, F(rng.randint(-3, 3), rng.randint(1, 3))) for i in range(2)]
            turned = frozenset(j for j in range(form.num_columns) if rng.random() < 0.5)
            weights = [(i, w) for i, w in weights if w]
            cut = rounding.cut(weights, F(rng.randint(1, 9), rng.randint(1, 4)), turned)
            if cut is None:
                continue
            made += 1
            for point in kept:
                assert sum(v * point[j] for j, v in cut.terms.items()) <= cut.side
    assert made > 50


def test_cuts_at_the_root_keep_every_point_and_raise_the_bound() -> None:
    rng = random.Random(9)
    cuts = 0
    for _ in range(25):
        form = drawn(rng)
        kept = points(form)
        simplex = Simplex(form.linear)
        found = root_cuts(Bounding(form), form.lower, form.upper, simplex, Deadline(), None)
        cuts += len(found)
        for cut in found:
            for point in kept:
                assert sum(v * point[j] for j, v in cut.terms.items()) <= cut.side
    assert cuts > 5


def test_rows_of_the_tableau_are_found_for_broken_columns() -> None:
    form = program([[2, 3]], cost=[-1, -1], rows=[(None, 4)], ends=[(0, 1)] * 2, whole=[1, 1])
    simplex = Simplex(form.linear)
    simplex.run()
    found = root_cuts(Bounding(form), form.lower, form.upper, simplex, Deadline(), None)
    assert any(keeps_not(cut, [F(1), F(2, 3)]) for cut in found)


def keeps_not(cut, point: list[F]) -> bool:  # type: ignore[no-untyped-def]
    return bool(sum(v * point[j] for j, v in cut.terms.items()) > cut.side)


@pytest.mark.parametrize("order", [-300, -30, -3, 0, 3, 30])
@pytest.mark.parametrize("sign", [1, -1])
def test_long_coefficients_keep_their_bits_in_every_unit(order: int, sign: int) -> None:
    unit = sign * F(2) ** order
    values = [unit / (10**9 + 7), unit * 3 / (10**9 + 9), unit * F(10**9, 10**9 + 21)]
    largest = max(abs(v * whole_factor(values)) for v in values)
    assert 2**22 <= largest < 2**24


@pytest.mark.parametrize("moved", [-50, 0, 50])
def test_columns_are_measured_from_their_nearer_end(moved: int) -> None:
    # ends at 0 and 4, from below only, from above only
    ends = [(moved, moved + 4), (moved, None), (None, moved + 4)]
    form = program([[1, 1, 1]], cost=[0] * 3, rows=[(None, 1)], ends=ends)
    rounding = Rounding(Bounding(form), form.lower, form.upper)
    for at, turned in ((1, {2}), (2, {2}), (3, {0, 2})):
        point = np.full(3, float(moved + at))
        assert _nearer(rounding, [(0, F(1))], point) == turned
