"""Implied bounds hold at some optimal point: by the rows, or by moving a point, exactly."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.algebra import Program, programs
from farkas.certificates import exact_feasibility, exact_value, repaired
from farkas.certificates.repair import snap
from farkas.duals.eris import ScheduleDual
from farkas.forms import LinearForm
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from farkas.testing import variants
from tests.generators.coded import random_coded_computing
from tests.generators.eris import random_auction
from tests.generators.mlbroker import random_brokerage

SAMPLE = 12
"""Columns of a form, at most, of which bounds are proved by linear programs."""

PLACEMENT = {"workers", "deployed", "started", "connected", "resource_cost"}

BY_MOVING = {
    "eris.dual": {"payoff", "transfer_price", "resource_price"},
    **{f"mlbroker.{name}": PLACEMENT for name in ("offline", "one_shot", "outer", "relaxed")},
    "mlbroker.worst_local": PLACEMENT,
}
"""Variables whose bounds not all feasible points keep; the tests below move those that do not."""

FACTORS = [0.0, 0.3, 1.0, 1.0 + 2.0**-50, 2.0]
"""What prices are in units of their implied bounds."""

BOXES = ("mlbroker.dual", "mlbroker.dual_as_printed")
"""Programs of free multipliers in a box, which `tests.duals.mlbroker.test_dual` holds."""

LINEAR = [
    variant
    for name in programs
    if issubclass(programs[name], Program) and name not in BOXES
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


class Wasteful:
    """A point of mlbroker.relaxed that holds more of everything than it needs, exactly."""

    def __init__(self, data, program, rng) -> None:
        self.data, self.program, self.rng = data, program, rng
        self.pairs = list(zip(data.pair_job.tolist(), data.pair_slot.tolist(), strict=True))
        self.most = data.most_workers(program.semantics).tolist()
        self.moved, self.server, self.connected, self.deployed = {}, {}, {}, {}
        for p, (i, t) in enumerate(self.pairs):
            self.draw(p, i, t)

    def shares(self) -> list[Fraction]:
        cuts = sorted(Fraction(int(k), 8) for k in self.rng.integers(0, 9, self.data.num_sites - 1))
        return [b - a for a, b in itertools.pairwise([Fraction(0), *cuts, Fraction(1)])]

    def draw(self, p: int, i: int, t: int) -> None:
        sites, strict = range(self.data.num_sites), self.program.semantics == "strict"
        server, needed = self.shares(), int(self.data.workers_needed[p])
        for o in sites:
            for r, part in enumerate(self.shares()):
                amount = Fraction(float(self.data.trained_volume[p, o]))
                self.moved[i, t, o, r] = part * amount
        for r, q in itertools.product(sites, sites):
            surplus = 0 if strict else Fraction(int(self.rng.integers(0, 5)), 2)
            # as many as all data need, at every site and beyond
            self.connected[i, t, r, q] = max(needed, self.most[p] * strict) * server[q] + surplus
        for r in sites:
            self.server[i, t, r] = server[r]
            here = sum(self.connected[i, t, r, q] for q in sites)
            self.deployed[i, t, r] = here + server[r]

    def cut(self) -> None:
        """Move the point as the reasons of the implied bounds say."""
        sites = range(self.data.num_sites)
        for p, (i, t) in enumerate(self.pairs):
            needed = int(self.data.workers_needed[p])
            for r in sites:
                lanes = [(i, t, r, q) for q in sites]
                others = [sum(self.connected[i, t, e, q] for e in sites if e != r) for q in sites]
                least = [max(Fraction(0), needed * self.server[i, t, q] - others[q]) for q in sites]
                surplus = sum(self.connected[lane] for lane in lanes) - self.most[p]
                for lane, floor in zip(lanes, least, strict=True):
                    taken = max(Fraction(0), min(surplus, self.connected[lane] - floor))
                    self.connected[lane] -= taken
                    surplus -= taken
                self.deployed[i, t, r] = min(self.deployed[i, t, r], Fraction(1))

    def point(self, form: LinearForm) -> list[Fraction]:
        """Values by column; prices and starts as cheap as the rows allow."""
        values = {"moved": self.moved, "server": self.server, "connected": self.connected,
                  "deployed": self.deployed, "workers": {}, "started": {}}  # fmt: skip
        sites = range(self.data.num_sites)
        for i, t in self.pairs:
            for r in sites:
                values["workers"][i, t, r] = sum(self.connected[i, t, r, q] for q in sites)
                grown = self.deployed[i, t, r] - self.deployed.get((i, t - 1, r), 0)
                values["started"][i, t, r] = max(Fraction(0), grown)
        found = [Fraction(0)] * form.num_columns
        for block in form.columns:
            members = itertools.product(*(map(tuple, axis.members.tolist()) for axis in block.axes))
            for j, member in enumerate(members, start=block.start):
                key = tuple(itertools.chain(*member))
                half = Fraction(1, 2) if block.name.startswith("not_") else None
                found[j] = values[block.name][key] if block.name in values else half
        cost = form.column_block("resource_cost")
        for i in range(form.num_rows):
            columns, entries = (part.tolist() for part in form.matrix.row(i))
            for j in columns:
                if cost.start <= j < cost.stop:
                    rest = sum((Fraction(a) * found[k] for k, a in zip(columns, entries,
                               strict=True) if k != j), Fraction(0))  # fmt: skip
                    found[j] = max(found[j] or 0, Fraction(float(form.row_lower[i])) - rest)
        return found


def kept(form: LinearForm, point: list[Fraction]) -> bool:
    """Whether an exact point keeps every row and stated bound."""
    box = zip(form.lower.tolist(), point, form.upper.tolist(), strict=True)
    rows = []
    for i in range(form.num_rows):
        columns, entries = (part.tolist() for part in form.matrix.row(i))
        value = sum((Fraction(a) * point[j] for j, a in zip(columns, entries, strict=True)),
                    Fraction(0))  # fmt: skip
        rows.append((float(form.row_lower[i]), value, float(form.row_upper[i])))
    return all(low <= value <= high for low, value, high in itertools.chain(box, rows))


@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_wasteful_placements_can_be_cut_to_the_implied_bounds(relax, semantics):
    program, cut = Relaxation(relax=relax, semantics=semantics), 0
    for seed in range(10):
        data = random_brokerage(seed, sites=3, jobs=2, resources=2)
        form = program.form(data)
        wasteful = Wasteful(data, program, np.random.default_rng(seed))
        point = wasteful.point(form)
        assert kept(form, point)
        wasteful.cut()
        moved_ = wasteful.point(form)
        assert kept(form, moved_)
        limits = [Fraction(x) for x in form.safe_upper.tolist()]
        assert all(x <= limit for x, limit in zip(moved_, limits, strict=True))
        costs = [sum(Fraction(c) * x for c, x in zip(form.cost.tolist(), one, strict=True))
                 for one in (point, moved_)]  # fmt: skip
        assert costs[1] <= costs[0]
        cut += sum(x > limit for x, limit in zip(point, limits, strict=True))
    assert cut > 20
