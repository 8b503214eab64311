"""Proposals of cuts: what they should cut off, they cut off once derived."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.cuts import Rounding, short_above, whole_factor
from farkas.exact.node_bounds import BoundProblem, Deadline, Matrix, floats, moved, objects
from farkas.exact.root_cuts import root_cuts, seen_from, tableau_rows
from farkas.exact.separation import CutProposal, MixedRow, Separation
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import End, Simplex
from tests.generators.rational import keeps, program, random_linear
from tests.tools.quick import some


def proposed(form: RationalForm) -> tuple[Rounding, np.ndarray, list[CutProposal]]:
    simplex = Simplex(form.linear)
    simplex.run()
    rounding = Rounding(BoundProblem(form), form.lower, form.upper)
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
    rounding = Rounding(BoundProblem(form), form.lower, form.upper)
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


def dense(form: RationalForm, i: int) -> list[F]:
    row = [F(0)] * form.num_columns
    for j, v in form.row(i):
        row[j] = F(v) / form.factors[i]
    return row


def test_depths_are_those_of_rounding() -> None:
    # 3/2 t + 5/2 t' - s/2 = 9/4 at t = 1/2, t' = 3/4, s = 3/4
    row = MixedRow(
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
    row = MixedRow(
        factors=np.array([1.5]),
        values=np.array([0.5]),
        ranges=np.array([1.0]),
        columns=np.array([0]),
        side=1.25,
        pulled=1.0,
        length=1e200,
    )
    assert row.depths(np.array([1e-200, 1e-300])).tolist() == [-np.inf, -np.inf]


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


def test_a_row_is_rounded_down() -> None:
    form = program([[2, 2]], cost=[-1, -1], rows=[(None, 3)], ends=[(0, 2)] * 2, whole=[1, 1])
    cut = Rounding(BoundProblem(form), form.lower, form.upper).cut([(0, F(1))], F(1), frozenset())
    assert cut is not None
    assert (cut.terms, cut.side) == ({0: 1, 1: 1}, 1)


def test_there_is_no_cut_without_a_fraction_or_an_end() -> None:
    whole = program([[1, 1]], cost=[-1, -1], rows=[(None, 3)], ends=[(0, 2)] * 2, whole=[1, 1])
    assert (
        Rounding(BoundProblem(whole), whole.lower, whole.upper).cut([(0, F(1))], F(1), frozenset())
        is None
    )
    free = program(
        [[2, 3]], cost=[-1, -1], rows=[(None, "7/2")], ends=[(0, None), (None, 2)], whole=[1, 1]
    )
    rounding = Rounding(BoundProblem(free), free.lower, free.upper)
    assert rounding.cut([(0, F(1))], F(2), frozenset()) is None
    assert rounding.cut([(0, F(1))], F(2), frozenset({1})) is not None
    assert rounding.cut([(0, F(-1))], F(2), frozenset({1})) is None
    # 7/2 divided by 3 leaves y whole, and x at the end it has
    assert rounding.cut([(0, F(1))], F(3), frozenset()) is not None
    assert rounding.cut([(0, F(1))], F(3), frozenset({0})) is None


def drawn(rng: random.Random) -> RationalForm:
    n = rng.randint(1, 4)
    whole = [rng.random() < 0.7 for _ in range(n)]
    return program(
        [[rng.randint(-6, 6) for _ in range(n)] for _ in range(2)],
        cost=[rng.randint(-5, 5) for _ in range(n)],
        rows=[
            (rng.choice([None, -4]), F(rng.randint(0, 30), rng.choice([1, 2, 3]))),
            (-rng.randint(0, 9), rng.choice([None, 7])),
        ],
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
    made, across_made, mixed = 0, 0, 0
    for _ in range(some(15, 150)):
        form = drawn(rng)
        kept = points(form)
        rounding = Rounding(BoundProblem(form), form.lower, form.upper)
        for _ in range(6):
            weights = [(i, F(rng.randint(-3, 3), rng.randint(1, 3))) for i in range(2)]
            turned = frozenset(j for j in range(form.num_columns) if rng.random() < 0.5)
            weights = [(i, w) for i, w in weights if w]
            across = frozenset(i for i in range(2) if rng.random() < 0.4)
            divisor = F(rng.randint(1, 9), rng.randint(1, 4))
            cut = rounding.cut(weights, divisor, turned, across)
            if cut is None:
                continue
            made += 1
            across_made += bool(across)
            mixed += not all(rounding.whole[j] for j in cut.terms)
            for point in kept:
                assert sum(v * point[j] for j, v in cut.terms.items()) <= cut.side
    assert made > some(5, 50)
    assert min(across_made, mixed) > some(2, 25)


def flows() -> RationalForm:
    """Two flows of at most 3 together, each of at most 2 where its arc is open: x, x, y, y."""
    return program(
        [[1, 1, 0, 0], [1, 0, -2, 0], [0, 1, 0, -2]],
        cost=[-2, -2, 1, 1],
        rows=[(None, 3), (None, 0), (None, 0)],
        ends=[(0, 3), (0, 3), (0, 1), (0, 1)],
        whole=[0, 0, 1, 1],
    )


def test_slacks_of_sides_taken_across_stay_in_the_cut() -> None:
    # x + x' <= 3 less x - 2 y <= 0 and x' - 2 y' <= 0: y + y' - (s + s')/2 <= 3/2, rounded
    form = flows()
    rounding = Rounding(BoundProblem(form), form.lower, form.upper)
    weights = [(0, F(1)), (1, F(-1)), (2, F(-1))]
    cut = rounding.cut(weights, F(2), frozenset(), frozenset({1, 2}))
    assert cut is not None
    assert (cut.terms, cut.side, cut.across) == ({0: 1, 1: 1, 2: -1, 3: -1}, 1, (1, 2))
    assert rounding.cut(weights, F(2), frozenset()) is None  # their lower sides are infinite


def test_coefficients_are_short_in_the_units_of_their_columns() -> None:
    # x / 3 in units of 2^-40 beside y / 7: neither loses the other
    values, units = {0: F(2**40, 3), 1: F(1, 7)}, [-40, 0]
    long = {0: values[0] * F(10**9, 10**9 + 7), 1: values[1] * F(10**9, 10**9 + 9)}
    times = whole_factor(long, units)
    assert 2**22 <= long[0] * times / 2**40 < 2**24
    form = program([[2**40, 1]], cost=[0, 0], rows=[(None, 1)],
                   ends=[(0, F(1, 2**40)), (0, 1)], whole=[0, 1])  # fmt: skip
    rounding = Rounding(BoundProblem(form), form.lower, form.upper)
    assert rounding.units == [-40, 0]
    made = rounding.made_whole(long, F(1), times)
    assert made is not None
    terms, side = made
    assert set(terms) == {0, 1}
    assert terms[0] % 2**40 == 0
    for j in (0, 1):
        assert abs(F(terms[j]) / (long[j] * times) - 1) < F(1, 2**20)
    assert side >= times


@pytest.mark.parametrize("seed", range(20))
def test_a_long_side_becomes_a_short_one_little_above_it(seed):
    rng = random.Random(seed)
    exact = F(rng.randrange(-(10**200), 10**200), rng.randrange(1, 10**180))
    near = short_above(exact)
    assert exact <= near <= exact + abs(exact) / 2**120
    assert max(near.numerator.bit_length(), near.denominator.bit_length()) < 1000
    for unit in (-300, -7, 5, 400):  # the same in every unit
        assert short_above(exact * F(2) ** unit) == near * F(2) ** unit


def test_cuts_at_the_root_keep_every_point_and_raise_the_bound() -> None:
    rng = random.Random(9)
    cuts = 0
    for _ in range(some(10, 25)):
        form = drawn(rng)
        kept = points(form)
        simplex = Simplex(form.linear)
        found = root_cuts(BoundProblem(form), form.lower, form.upper, simplex, Deadline(), None)
        cuts += len(found)
        for cut in found:
            for point in kept:
                assert sum(v * point[j] for j, v in cut.terms.items()) <= cut.side
    assert cuts > some(2, 5)


@pytest.mark.parametrize("entry", [2 * 10**400, F(2, 10**400)])
def test_entries_beyond_doubles_leave_no_rows_of_the_tableau(entry: int | F) -> None:
    form = program([[2, 3]], cost=[-1, -1], rows=[(None, 4)], ends=[(0, 1)] * 2, whole=[1, 1])
    simplex = Simplex(form.linear)
    simplex.run()
    beyond = program([[entry, 3]], cost=[-1, -1], rows=[(None, 4)], ends=[(0, 1)] * 2, whole=[1, 1])
    assert list(tableau_rows(BoundProblem(form), simplex.basis, [1]))
    assert not list(tableau_rows(BoundProblem(beyond), simplex.basis, [1]))


def test_columns_without_ends_are_cut_at_the_root() -> None:
    # 1/4 <= x - y and 2x - 2y <= 1: each side is rounded
    form = program([[1, -1], [2, -2]], cost=[0, 0], rows=[("1/4", None), (None, 1)],
                   ends=[(None, None)] * 2, whole=[1, 1])  # fmt: skip
    simplex = Simplex(form.linear)
    assert root_cuts(BoundProblem(form), form.lower, form.upper, simplex, Deadline(), None)
    assert simplex.run() is End.INFEASIBLE


def test_products_are_exact_from_both_sides() -> None:
    rng = random.Random(2)
    for seed in range(60):
        form = random_linear(seed)
        matrix = Matrix.of(form)
        x = [rng.randint(-(2**90), 2**90) for _ in range(form.num_columns)]
        y = [rng.randint(-(2**90), 2**90) for _ in range(form.num_rows)]
        dense = [[0] * form.num_columns for _ in range(form.num_rows)]
        for i in range(form.num_rows):
            for j, v in form.row(i):
                dense[i][j] = v
        direct = [sum(v * a for v, a in zip(row, x, strict=True)) for row in dense]
        turned = [sum(dense[i][j] * y[i] for i in range(form.num_rows))
                  for j in range(form.num_columns)]  # fmt: skip
        assert matrix.times(objects(x)).tolist() == direct
        assert matrix.transposed_times(objects(y)).tolist() == turned


@pytest.mark.parametrize("value", [F(3), F(-3), F(1, 3), F(-1, 3), F(0)])
@pytest.mark.parametrize("power", [-2000, -5, 0, 5, 2000])
def test_numbers_beyond_all_doubles_become_infinite_with_their_sign(value: F, power: int) -> None:
    exact = value * F(2) ** power
    if power == 2000 and value:
        assert moved(value, power) == (np.inf if value > 0 else -np.inf)
        return
    assert moved(value, power) == exact.numerator / exact.denominator


def test_absent_ends_are_infinite_and_others_stand_in_their_units() -> None:
    assert floats([1, None], -np.inf).tolist() == [1.0, -np.inf]
    assert floats([F(3), None, 5], np.inf, [1, 9, -2]).tolist() == [1.5, np.inf, 20.0]
    assert floats([10**400, -(10**400)], 0.0).tolist() == [np.inf, -np.inf]
