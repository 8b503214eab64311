"""The offline optimum from few small programs: pool all servers, then try to place.

With all servers as one, but the two runtimes of (1) kept, program (2) is easy and bounds the
optimum from above.  Most often its jobs can be placed on the servers, which settles the optimum;
else a smallest set of jobs that cannot be served together becomes a row of the pooled program.
"""

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.dps import Market
from farkas.models.dps.offline import Offline
from farkas.numbers import Bools, Floats
from farkas.solvers import Claimed, open_session, solve


def pooled_form(market: Market, prices: str) -> LinearForm:
    """Program (2) with all servers as one; a relaxation.

    Parameters
    ----------
    market
        The instance.
    prices
        As for `Offline`: ``free``, ``capped`` or ``forced``.

    Raises
    ------
    NotApplicable
        When ``prices`` are not free and the instance has no price cap.
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

    Parameters
    ----------
    market
        The instance.
    prices
        ``free``, ``capped`` or ``forced``.

    Raises
    ------
    NotApplicable
        When ``prices`` are not free and the instance has no price cap.
    NoAnswer
        When the solver gives up.
    """
    pooled, by_server = pooled_form(market, prices), Offline(prices=prices).form(market)
    plain = Offline().form(market) if prices == "forced" else by_server
    session = open_session(pooled)
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


def _counted(pooled: LinearForm, weights: Floats | Bools) -> Floats:
    """Return the row that adds up ``weights``, shape (jobs,), of the jobs served."""
    row = np.zeros((1, pooled.num_columns))
    row[0, pooled.column_block("whole").where] = weights
    row[0, pooled.column_block("spread").where] = weights
    return row
