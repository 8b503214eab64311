"""A choice of plans within rows: an integer program over those that prices call near the best."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from farkas.decomposition.column_generation import DualPoint, Left
from farkas.decomposition.master import Pool
from farkas.decomposition.protocol import Plans, Pricing
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.solvers.columns import best_columns
from farkas.tolerances import TIE, WHOLE

FEW_CHOICES = 2_000  #: Plans of which none is left out for that.
MOST_CHOICES = 20_000  #: Plans to choose from; those that are short by more are left out.
#: Plans are chosen among that are short of the best by this share of their owner's greatest value.
SLACK = 0.3
MOST_NODES = 200  #: Of the search that chooses.


def padded(share: Floats, many: int) -> Floats:
    """Shares of plans, 0 of those that joined later; shape (many,)."""
    return np.concatenate([share, np.zeros(many - len(share))])


def shortfall(plans: Plans, dual: DualPoint) -> Floats:
    """By how much plans earn less than the best of their owners; shape (plans,)."""
    earned = plans.value - plans.use @ dual.prices
    return floats(dual.payoff[plans.owner] - earned)


def totals(use: sparse.csr_array) -> Floats:
    """Use of each row by all plans together."""
    return np.asarray(use.sum(axis=0), dtype=np.float64).ravel()


def one_plan_each(owner: Ints) -> sparse.csr_array:
    """Rows that let an owner have one plan; shape (plans, owners that have some)."""
    owners, number = np.unique(owner, return_inverse=True)
    many = len(owner)
    return sparse.csr_array((np.ones(many), number, np.arange(many + 1)), shape=(many, len(owners)))


def choose(
    problem: Pricing,
    pool: Pool,
    dual: DualPoint,
    *,
    value: float,
    gap: float,
    left: Left,
    start: Ints | None = None,
) -> Ints:
    """Choose a plan or none of each owner, within rows.

    Without a start the plans that the program takes whole stay, and what they leave is shared.

    ``value``: That is reached; plans that cannot be part of a better one are left out.  ``gap``:
    Share of the bound within which the choice is the best.  ``start``: Plans that are chosen
    already.  Returns: numbers of plans.
    """
    plans = pool.plans
    whole: Ints = np.zeros(0, np.int64)
    if start is None and dual.share is not None:
        whole = np.flatnonzero(padded(dual.share, len(pool)) > 1.0 - WHOLE)
    room = problem.rows - totals(plans.use[whole])
    near = nearest(problem, plans, dual, dual.bound - value, plans.owner[whole])
    if start is not None:
        near = np.union1d(near, start)
    if not len(near):
        return whole
    some = plans.some(near)
    scarce = np.flatnonzero(totals(some.use) > room)
    owners = one_plan_each(some.owner)
    use = sparse.hstack([some.use.tocsc()[:, scarce], owners]).tocsr()
    limits = np.concatenate([np.maximum(room[scarce], 0.0), np.ones(owners.shape[1])])
    open_worth = max(dual.bound - float(plans.value[whole].sum()), gap * abs(dual.bound))
    chosen = best_columns(
        some.value, use, limits,
        start=None if start is None else np.isin(near, start).astype(np.float64),
        gap=min(1.0, gap * abs(dual.bound) / open_worth) if open_worth else 0.0,
        nodes=MOST_NODES, seconds=left(),
    )  # fmt: skip
    if chosen is None:
        return whole if start is None else start
    return np.concatenate([whole, near[chosen > 0]])


def nearest(problem: Pricing, plans: Plans, dual: DualPoint, missing: float, out: Ints) -> Ints:
    """Numbers of the plans that are least short of the best, as shares of their owner's value.

    ``missing``: What a plan may be short of at most, if it is part of something better.  ``out``:
    Owners whose plans are left out.
    """
    short = shortfall(plans, dual)
    # of an owner that is worth next to nothing, the share would exceed the largest double
    most = np.maximum(problem.most[plans.owner], TIE * np.abs(short))
    share = np.divide(short, most, out=np.zeros_like(short), where=most > 0.0)
    tolerance = WHOLE * abs(dual.bound)
    able: Bools = (short <= max(missing, 0.0) + tolerance) & ~np.isin(plans.owner, out)
    if np.count_nonzero(able) > FEW_CHOICES:
        able &= share <= SLACK
    order = np.argsort(share, kind="stable")
    found: Ints = np.sort(order[able[order]][:MOST_CHOICES])
    return found
