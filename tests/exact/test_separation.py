"""Proposals of cuts: what they should cut off, they cut off once derived."""

from __future__ import annotations

import random
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.bounding import Bounding, Deadline
from farkas.exact.cuts import Rounding
from farkas.exact.root_cuts import root_cuts, seen_from
from farkas.exact.separation import CutProposal, Mixed, Separation, odd_bits
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import Simplex
from tests.exact.test_cuts import drawn, flows
from tests.generators.rational import program


def proposed(form: RationalForm) -> tuple[Rounding, np.ndarray, list[CutProposal]]:
    simplex = Simplex(form.linear)
    simplex.run()
    rounding = Rounding(Bounding(form), form.lower, form.upper)
    return rounding, simplex.point, list(Separation(rounding, simplex.point).proposals([]))


def lots(demands: list[int], most: int) -> RationalForm:
    """Lots of at most ``most`` a period, paid for where made; stock is carried: x, stock, y."""
    n = len(demands)
    rows, sides = [], []
    for t, demand in enumerate(demands):
        row = [0] * (3 * n)
        row[t], row[n + t] = 1, -1
        if t:
            row[n + t - 1] = 1
        rows.append(row)
        sides.append((demand, demand))
        bound = [0] * (3 * n)
        bound[t], bound[2 * n + t] = 1, -most
        rows.append(bound)
        sides.append((None, 0))
    return program(
        rows,
        cost=[0] * n + [1] * n + [30] * n,
        rows=sides,
        ends=[(0, None)] * (2 * n) + [(0, 1)] * n,
        whole=[0] * (2 * n) + [1] * n,
    )


def test_variable_bounds_are_put_in_for_flows() -> None:
    rounding, point, found = proposed(flows())
    made = {}
    for p in found:
        cut = rounding.cut(p.weights, p.divisor, p.complemented, p.across)
        assert cut is not None
        assert p.depth > 0
        assert seen_from(point, cut, rounding.units)[1] > 0.05
        made[tuple(sorted(cut.terms.items())), cut.side] = p.across
    # of the row across the bounds, or of the negated row along them
    assert made[((0, 1), (1, 1), (2, -1), (3, -1)), 1] in ({1, 2}, {0})


def test_balances_of_periods_are_added_up() -> None:
    # stock covers every single period, but three lots of at most 4 cannot be 1 1/2
    form = lots([1, 1, 4], 4)
    point = np.array([4, 2, 0, 3, 4, 0, 1, 0.5, 0])
    rounding = Rounding(Bounding(form), form.lower, form.upper)
    cuts = [
        rounding.cut(p.weights, p.divisor, p.complemented, p.across)
        for p in Separation(rounding, point).proposals([])
    ]
    assert ({6: -1, 7: -1, 8: -1}, -2) in [(cut.terms, cut.side) for cut in cuts if cut]
    assert all(len({i for i, _ in cut.rows} & {0, 2, 4}) > 1 for cut in cuts if cut)


@pytest.mark.ids(6)
@pytest.mark.parametrize("seed", range(12))
def test_every_proposal_cuts_the_point_off_once_derived(seed: int) -> None:
    rng = random.Random(seed)
    forms = [lots([rng.randint(1, 9) for _ in range(4)], rng.randint(10, 20))]
    forms += [drawn(rng) for _ in range(10)]
    for form in forms:
        rounding, point, found = proposed(form)
        for p in found:
            cut = rounding.cut(p.weights, p.divisor, p.complemented, p.across)
            assert cut is not None
            assert seen_from(point, cut, rounding.units)[1] > 0


def test_powers_of_two_are_not_counted() -> None:
    assert [odd_bits(n) for n in (0, 1, 2, 3, 12, -12, 5 << 900)] == [0, 1, 1, 2, 2, 2, 3]


def in_unit(form: RationalForm, unit: F) -> RationalForm:
    """The same lots, with goods counted in another unit: rows and columns that are not whole."""
    sizes = [F(1) if w else unit for w in form.integer.tolist()]
    return program(
        [
            [v * unit / u for v, u in zip(dense(form, i), sizes, strict=True)]
            for i in range(form.num_rows)
        ],
        cost=[c / u for c, u in zip(form.cost, sizes, strict=True)],
        rows=[
            (a and a * unit, b and b * unit)
            for a, b in zip(form.row_lower, form.row_upper, strict=True)
        ],
        ends=[(0, b and b * u) for b, u in zip(form.upper, sizes, strict=True)],
        whole=form.integer.tolist(),
    )


def rounds(form: RationalForm) -> tuple[float, int]:
    """Bound after rounds of cuts, and how many cuts add up rows of the tableau."""
    simplex, bounding = Simplex(form.linear), Bounding(form)
    made = root_cuts(bounding, form.lower, form.upper, simplex, Deadline(), None)
    simplex.run()
    return simplex.value, sum(len(cut.rows) > 2 for cut in made)


def dense(form: RationalForm, i: int) -> list[F]:
    row = [F(0)] * form.num_columns
    for j, v in form.row(i):
        row[j] = F(v) / form.factors[i]
    return row


def test_depths_are_those_of_rounding() -> None:
    # 3/2 t + 5/2 t' - s/2 = 9/4 at t = 1/2, t' = 3/4, s = 3/4
    row = Mixed(
        factors=np.array([1.5, 2.5]),
        values=np.array([0.5, 0.75]),
        ranges=np.array([1.0, 1.0]),
        columns=np.array([0, 1]),
        side=2.25,
        pulled=0.375,
        length=0.25,
    )
    # f = 1/4: (1 + 1/3) t + (2 + 1/3) t' - 2/3 s <= 2
    over = 4 / 3 * 0.5 + 7 / 3 * 0.75 - 2 / 3 * 0.75 - 2
    length = ((4 / 3) ** 2 + (7 / 3) ** 2 + (2 / 3) ** 2) ** 0.5
    assert row.depths(np.array([1.0]))[0] == pytest.approx(over / length)
    turned = row.turned(1)
    assert turned.factors.tolist() == [1.5, -2.5]
    assert turned.values.tolist() == [0.5, 0.25]
    assert turned.side == -0.25
    assert row.turned(1).turned(1).side == row.side
    assert row.between().tolist() == [0, 1]


def test_a_column_is_measured_from_its_nearer_end_and_by_its_own_coefficient() -> None:
    form = program([[3, 2]], cost=[-5, -3], rows=[(None, 4)], ends=[(0, 1)] * 2, whole=[1, 1])
    rounding, point, found = proposed(form)
    assert point.tolist() == [1.0, 0.5]
    best = max(found, key=lambda proposal: proposal.depth)
    assert best.complemented >= {0}
    assert best.divisor in {F(2), F(1), F(1, 2), F(1, 4)}
    cut = rounding.cut(best.weights, best.divisor, best.complemented, best.across)
    assert cut is not None
    assert seen_from(point, cut, rounding.units)[1] > 0.2


def test_numbers_beyond_doubles_propose_nothing() -> None:
    row = Mixed(
        factors=np.array([1.5]),
        values=np.array([0.5]),
        ranges=np.array([1.0]),
        columns=np.array([0]),
        side=1.25,
        pulled=1.0,
        length=1e200,
    )
    assert row.depths(np.array([1e-200, 1e-300])).tolist() == [-np.inf, -np.inf]


@pytest.mark.ids(2)
@pytest.mark.parametrize("power", [-300, -60, 60, 300])
def test_rounds_of_cuts_reach_the_same_bound_in_every_unit(power: int) -> None:
    form = lots([2, 3, 4, 1], 6)
    value, tableau = rounds(form)
    scaled, same = rounds(in_unit(form, F(2) ** power))
    assert value == pytest.approx(scaled, rel=1e-6)
    assert tableau == same


def test_whole_columns_without_ends_are_divided_by_what_leaves_them_whole() -> None:
    # 12x + 20y + z <= 9/2 with z in [0, 3]: divided by 4 x and y are whole, by 12 or 20 not
    form = program([[12, 20, 1]], cost=[-12, -20, 0], rows=[(None, "9/2")],
                   ends=[(None, None)] * 2 + [(0, 3)], whole=[1, 1, 1])  # fmt: skip
    rounding, point, found = proposed(form)
    assert {proposal.divisor for proposal in found} == {4}
    cut = rounding.cut(found[0].weights, found[0].divisor, found[0].complemented)
    assert cut is not None
    # 3x + 5y + z/4 <= 9/8, in which 1/4 becomes (1/4 - 1/8) / (1 - 1/8) = 1/7
    assert (cut.terms, cut.side) == ({0: 21, 1: 35, 2: 1}, 7)
    assert seen_from(point, cut, rounding.units)[1] > 0


def test_a_free_continuous_column_without_variable_bounds_stays() -> None:
    # the free y stands in no row beside one whole column alone; the last row is none of its own
    form = program([[3, 1, 2], [2, 5, 3], [1, 0, 4]], cost=[-2, -1, -1],
                   rows=[(None, 7), (None, 9), (None, "5/2")],
                   ends=[(0, 4), (None, None), (0, 4)], whole=[1, 0, 1])  # fmt: skip
    for proposal in proposed(form)[2]:
        assert min(i for i, _ in proposal.weights) >= 0
