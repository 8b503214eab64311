"""Implied bounds hold at some optimal point: by the rows, or by moving a point, exactly."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra import Program, programs
from farkas.certificates import exact_feasibility, exact_value, repaired
from farkas.certificates.bound import snap
from farkas.duals.dps.interval_dual import IntervalDual
from farkas.duals.eris.schedule_dual import ScheduleDual
from farkas.forms import LinearForm
from farkas.relaxations.eris.aggregated import Aggregated
from farkas.solvers import solve
from tests.conformance.oracle import variants
from tests.generators.coded import random_coded_computing
from tests.generators.dps import random_market
from tests.generators.eris import random_auction

SAMPLE = 12
"""Columns of a form, at most, of which bounds are proved by linear programs."""

BY_MOVING = {
    "dps.interval_dual": {"worker_price", "ps_price", "margin"},
    "eris.aggregated": {"remote"},
    "eris.dual": {"payoff", "transfer_price", "resource_price"},
}
"""Variables whose bounds not all feasible points keep; the tests below move those that do not."""

FACTORS = [0.0, 0.3, 1.0, 1.0 + 2.0**-50, 2.0]
"""What prices are in units of their implied bounds."""

WITH_ROOM = ("mlbroker.",)
"""Programs whose implied bounds are a millionth wider than what is argued for; see their tests."""

LINEAR = [
    variant
    for name in programs
    if issubclass(programs[name], Program) and not name.startswith(WITH_ROOM)
    for variant in variants(programs[name])
]


def propagated(form: LinearForm, sweeps: int = 3) -> list[Fraction | None]:
    """Upper bounds that single rows prove, one after the other, of columns that are >= 0."""
    assert (form.lower == 0).all()
    upper = [Fraction(x) if x < np.inf else None for x in form.upper.tolist()]
    for _, i in itertools.product(range(sweeps), range(form.num_rows)):
        columns, values = (part.tolist() for part in form.matrix.row(i))
        for side, sign in ((form.row_upper[i], 1), (form.row_lower[i], -1)):
            terms = [(j, sign * Fraction(a)) for j, a in zip(columns, values, strict=True)]
            if not np.isfinite(side) or any(a < 0 and upper[j] is None for j, a in terms):
                least = None
            else:
                least = sum((a * upper[j] for j, a in terms if a < 0), Fraction(0))
            for j, a in terms:
                if a > 0 and least is not None:
                    found = (sign * Fraction(float(side)) - least) / a
                    upper[j] = found if upper[j] is None else min(found, upper[j])
    return upper


def combined_upper(form: LinearForm, column: int) -> Fraction:
    """Upper bound of a column over all points that satisfy rows and stated bounds, exact."""
    bare = form.replace(
        sense="max",
        cost=np.eye(1, form.num_columns, column)[0],
        offset=0.0,
        integer=np.zeros(form.num_columns, bool),
        implied_lower=None,
        implied_upper=None,
    )
    duals = solve(bare).require_optimal().row_duals
    # the multipliers are short numbers; solvers leave errors in their last bits
    return min(repaired(bare, y)[1].value for y in (duals, snap(duals, 30), snap(duals, 10)))


@pytest.mark.parametrize("program", LINEAR, ids=lambda program: program.full_name)
def test_every_feasible_point_keeps_the_implied_bounds(program):
    form = program.form(program.example())
    assert (form.safe_lower == form.lower).all()
    tighter = np.flatnonzero(form.safe_upper < form.upper)
    argued = BY_MOVING.get(program.name, set())
    own = {
        int(j)
        for block in form.columns
        if block.name not in argued
        for j in np.arange(form.num_columns)[block.where]
    }
    chosen = [int(j) for j in tighter if int(j) in own]
    by_rows = propagated(form) if chosen else []
    for j in np.random.default_rng(0).permutation(chosen)[:SAMPLE].tolist():
        bound = Fraction(float(form.safe_upper[j]))
        if by_rows[j] is None or by_rows[j] > bound:
            assert combined_upper(form, j) <= bound, form.column_name(j)


@pytest.mark.parametrize("name", ["coded.assignment", "coded.assignment_lp"])
def test_the_level_is_at_most_the_sum_of_the_speeds_without_rounding(name):
    # with one master the sum of its speeds is the optimum, and the nearest double is too low often
    nearest_is_too_low = 0
    for seed in range(200):
        form = programs.build(name).form(random_coded_computing(seed, masters=1, workers=7))
        bound = float(form.implied_upper[form.column_block("level").where][0])
        optimum = optimum_of_one_master(form)
        assert Fraction(np.nextafter(bound, 0.0)) < optimum <= Fraction(bound)
        nearest_is_too_low += Fraction(float(optimum)) < optimum
    assert nearest_is_too_low > 50


def optimum_of_one_master(form: LinearForm) -> Fraction:
    """Sum of the speeds in the row of the only master."""
    row = form.row_block("every_master_reaches_the_level").where
    columns, values = form.matrix.row(int(np.arange(form.num_rows)[row][0]))
    level = int(np.arange(form.num_columns)[form.column_block("level").where][0])
    pairs = zip(columns.tolist(), values.tolist(), strict=True)
    return sum((abs(Fraction(a)) for j, a in pairs if j != level), Fraction(0))


def moved(form: LinearForm, point) -> None:
    """Cut a point off at the implied bounds: still feasible exactly, and no worse."""
    exact_feasibility(form, point)
    cut = np.minimum(point, form.safe_upper)
    assert (cut < point).any()
    exact_feasibility(form, cut)
    before, after = exact_value(form, point), exact_value(form, cut)
    assert after <= before if form.sense == "min" else after >= before


def completed(form: LinearForm, prices, last: str) -> np.ndarray:
    """Add to prices the least numbers of the family ``last`` that keep every row, rounded up."""
    point = np.maximum(prices, 0.0)
    own = np.arange(form.num_columns)[form.column_block(last).where].ravel()
    point[own] = 0.0
    for i in range(form.num_rows):
        columns, values = form.matrix.row(i)
        pairs = zip(columns.tolist(), values.tolist(), strict=True)
        lacking = Fraction(float(form.row_lower[i])) - sum(
            (Fraction(a) * Fraction(float(point[j])) for j, a in pairs if j not in set(own)),
            Fraction(0),
        )
        here = [j for j in columns.tolist() if j in set(own.tolist())]
        point[here[0]] = max(point[here[0]], np.nextafter(float(lacking), np.inf))
    return point


def test_prices_of_schedules_are_cut_off_at_the_dearest():
    moves = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        form = ScheduleDual().form(random_auction(rng))
        if form.num_rows:
            prices = form.safe_upper * rng.choice(FACTORS, form.num_columns)
            point = completed(form, prices, "payoff")
            point[form.column_block("payoff").where] += 1.0
            moved(form, point)
            moves += 1
    assert moves >= 6


@pytest.mark.parametrize("rewards", ["budget", "capped"])
def test_prices_of_capacity_are_cut_off_at_the_largest_reward(rewards):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        form = IntervalDual(rewards=rewards).form(random_market(seed).replace(price_cap=1.0))
        prices = form.safe_upper * rng.choice(FACTORS, form.num_columns)
        point = completed(form, prices, "margin")
        point[form.column_block("margin").where] += 1.0
        moved(form, point)


def test_no_more_remote_workers_are_needed_than_there_are():
    moves = 0
    for seed in range(12):
        form = Aggregated().form(random_auction(np.random.default_rng(seed)))
        if form.num_columns:
            # doing nothing but calling workers remote, with transfer for all of them
            sides = form.row_upper.copy()
            sides[form.row_block("transfer_of_slot").where] = np.inf
            point, remote = np.zeros(form.num_columns), form.column_block("remote").where
            point[remote] = 2.0 * form.safe_upper[remote] + 1.0
            moved(form.replace(row_upper=sides), point)
            moves += 1
    assert moves >= 4
