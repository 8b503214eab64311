"""Prices of capacity by type and slot, from a solver or from a subgradient method.

They are prices of the rows of ``farkas.certificates.dps.PricedMarket``, which proves what any of
them bound.
"""

import numpy as np

from farkas.certificates.dps import PricedMarket, Rewards
from farkas.errors import InvalidOption
from farkas.forms import LinearForm, SparseRows
from farkas.forms.matrices import rows_of_dense
from farkas.instances.dps import Market
from farkas.models.dps.offline import Offline
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.relaxations.dps.interval import IntervalLP
from farkas.solvers import Claimed, Session, solve
from farkas.solvers.session import optimum_by_any


def lp_prices(market: Market, rewards: Rewards = "budget", solver: str = "highs") -> Floats:
    """Prices that are optimal up to rounding: row duals of ``dps.interval_lp``, scarce rows only.

    Raises `NoAnswer` when no solver gives an optimum with duals.

    Parameters
    ----------
    rewards
        ``budget`` or ``capped``.
    solver
        Who is asked first.
    """
    program = PricedMarket(market, f"dps.interval_lp[{rewards}]")
    form = IntervalLP(rewards=rewards, shape="scarce").form(market)
    duals = optimum_by_any(form, solver, duals=True).row_duals
    found = []
    for family, shape in zip(("enough_workers", "enough_ps"), program.shapes, strict=True):
        side, members = np.zeros(shape), form.row_block(family).axes[0].members
        slot = np.searchsorted(program.slots, members[:, 1])
        side[:, members[:, 0], slot] = form.row_values(duals, family)
        found.append(side.ravel())
    return np.concatenate(found)


def subgradient_prices(
    market: Market, rewards: Rewards = "budget", iterations: int = 200
) -> Floats:
    """Prices from projected subgradient steps, for markets too large for a solver.

    y ← max(0, y + s (usage / C - 1)), s = 2 Σ r / (Σ C T) / √(iteration + 1); the best prices met
    are kept.  Raises `InvalidOption`: fewer than 0 iterations.

    Parameters
    ----------
    rewards
        ``budget`` or ``capped``.
    iterations
        Steps, >= 0; with none all prices are 0.
    """
    if iterations < 0:
        raise InvalidOption(f"iterations = {iterations}; give a number >= 0")
    program = PricedMarket(market, f"dps.interval_lp[{rewards}]")
    after = np.searchsorted(program.slots, market.last_slot, "right")
    sides = [_Side(*side, program.first, after) for side in program.sides]
    reward = program.reward
    volume = float(market.worker_capacity.sum() + market.ps_capacity.sum()) * market.horizon
    prices = [np.zeros(len(side.keys)) for side in sides]
    best, kept = float("inf"), prices
    for iteration in range(iterations + 1):
        margin = reward - sum(s.charge(y) for s, y in zip(sides, prices, strict=True))
        value = float(np.maximum(margin, 0.0).sum()) + sum(
            float((s.capacity * y).sum()) for s, y in zip(sides, prices, strict=True)
        )
        if value < best:
            best, kept = value, prices
        step = 2.0 * reward.sum() / max(volume, 1.0) / np.sqrt(iteration + 1.0)
        wanted = margin > 0.0
        prices = [
            np.maximum(0.0, y + step * s.excess(wanted)) for s, y in zip(sides, prices, strict=True)
        ]
    found = []
    for side, y, shape in zip(sides, kept, program.shapes, strict=True):
        row = np.zeros(shape[1] * shape[2])
        row[side.keys] = y
        found.append(np.tile(row, shape[0]))
    return np.concatenate(found)


class _Side:
    """One side with a price for every slot in which a job of the type arrives."""

    def __init__(self, types: Ints, demand: Ints, units: Ints, first: Ints, after: Ints) -> None:
        many = int(first.max(initial=-1)) + 1
        self.demand = demand.astype(float)
        self.keys = np.unique(types * many + first)
        self.low = np.searchsorted(self.keys, types * many + first)
        self.high = np.searchsorted(self.keys, types * many + after)
        self.capacity = units.sum(axis=0)[self.keys // max(1, many)].astype(float)

    def charge(self, price: Floats) -> Floats:
        """Price of what each job holds."""
        before = np.concatenate([[0.0], np.cumsum(price)])
        return floats(self.demand * (before[self.high] - before[self.low]))

    def excess(self, wanted: Bools) -> Floats:
        """Usage over capacity minus 1 by row, 0 where nothing is installed and wanted."""
        units, size = np.where(wanted, self.demand, 0.0), len(self.keys)
        change = np.bincount(self.low, units, size + 1) - np.bincount(self.high, units, size + 1)
        return floats(np.cumsum(change)[:size] / np.maximum(self.capacity, 1.0) - 1.0)


# The offline optimum from few small programs: pool all servers, then try to place.
#
# With all servers as one, but the two runtimes of (1) kept, program (2) is easy and bounds the
# optimum from above.  Most often its jobs can be placed on the servers, which settles the optimum;
# else a smallest set of jobs that cannot be served together becomes a row of the pooled program.


def pooled_form(market: Market, prices: str) -> LinearForm:
    """Program (2) with all servers as one; a relaxation.

    ``prices``: as for `Offline`: ``free``, ``capped`` or ``forced``. Raises `NotApplicable` when
    ``prices`` are not free and the instance has no price cap.
    """
    one_server = market.replace(
        server_workers=[market.worker_capacity.tolist()], server_ps=[market.ps_capacity.tolist()]
    )
    form = Offline(prices=prices).form(one_server)
    upper = form.upper.copy()
    # the short runtime stays out of reach of jobs that no real server can host alone
    upper[form.column_block("whole").where] = market.fits_one_server
    return form.replace(upper=upper)


def best_served(market: Market, prices: str) -> Bools:
    """Jobs served in an optimum of ``dps.offline``, shape (jobs,).

    ``prices``: ``free``, ``capped`` or ``forced``. Raises `NotApplicable` when ``prices`` are not
    free and the instance has no price cap; `NoAnswer` when the solver gives up.
    """
    pooled, by_server = pooled_form(market, prices), Offline(prices=prices).form(market)
    plain = Offline().form(market) if prices == "forced" else by_server
    session = Session(pooled)
    while True:
        point = session.solve(gap=0.0).require_optimal().point
        served = (pooled.values(point, "whole")[:, 0] + pooled.values(point, "spread")) > 0.5
        if can_serve(by_server, served):
            return served
        if prices != "forced" or not can_serve(plain, served):
            together = _smallest_refused(plain, served)
            session.add_rows(_counted(pooled, together), -np.inf, together.sum() - 1.0)
        else:
            # what must be served depends on all jobs served, so only this very choice is refused
            weights = np.where(served, 1.0, -1.0)
            session.add_rows(_counted(pooled, weights), -np.inf, served.sum() - 1.0)


def can_serve(by_server: LinearForm, served: Bools) -> bool:
    """Whether exactly the jobs ``served``, shape (jobs,), can be placed in a form of `Offline`."""
    rows = by_server.row_block("at_most_once").where
    lower, upper = by_server.row_lower.copy(), by_server.row_upper.copy()
    lower[rows] = served
    upper[rows] = served
    fixed = by_server.replace(
        row_lower=lower, row_upper=upper, cost=np.zeros(by_server.num_columns)
    )
    answer = solve(fixed)
    if answer.claim is Claimed.INFEASIBLE:
        return False
    answer.require_optimal()
    return True


def _smallest_refused(plain: LinearForm, served: Bools) -> Bools:
    """Jobs among ``served`` that cannot be served together, though all but any one of them can.

    Without forced jobs every part of a choice that can be placed can be placed too.
    """
    refused = served.copy()
    for job in np.flatnonzero(served):
        refused[job] = False
        refused[job] = can_serve(plain, refused)
    return refused


def _counted(pooled: LinearForm, weights: Floats | Bools) -> SparseRows:
    """Return the row that adds up ``weights``, shape (jobs,), of the jobs served."""
    row = np.zeros((1, pooled.num_columns))
    row[0, pooled.column_block("whole").where] = weights
    row[0, pooled.column_block("spread").where] = weights
    return rows_of_dense(row)
