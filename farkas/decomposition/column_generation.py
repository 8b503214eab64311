"""Prices by columns: owners reply, their plans join the program, its duals are the next prices."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np

from farkas.certificates.priced_tree import Case
from farkas.decomposition.master import Master, Pool, raised
from farkas.decomposition.protocol import Pricing, Tree
from farkas.numbers import Floats
from farkas.solvers.options import CtrlC
from farkas.tolerances import LOOSE_GAP

Left = Callable[[], float]  #: Seconds that are left, 0 where a search is to end.

MOST_ROUNDS = 200


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DualPoint:
    """Where prices stand."""

    bound: float  #: The least one of all rounds.
    #: prices, payoff: of rows and owners, those of the least bound.
    prices: Floats
    payoff: Floats
    value: float = -math.inf  #: Of the program over known plans.
    share: Floats | None = None  #: Of known plans in its solution; None without one.
    rounds: int = 0


def rent(problem: Pricing, prices: Floats) -> float:
    """Return what all rows cost together."""
    used = prices > 0
    return float(problem.rows[used] @ prices[used])


def price_rows(
    problem: Pricing,
    master: Master,
    *,
    gap: float,
    left: Left,
    case: Case | None = None,
    start: Floats | None = None,
    rounds: int = MOST_ROUNDS,
    below: float = -math.inf,
) -> Iterator[DualPoint]:
    """Price round by round until bound and program meet; yields where prices stand.

    ``gap``: Distance of both, as a share of the bound, that is near enough.  ``case``: In which
    owners reply; every plan counts by default.  ``start``: First prices, none by default.
    ``below``: Bound that is low enough.
    """
    case, extra = case or {}, raised(case or {})
    prices = np.zeros(len(problem.rows)) if start is None else start
    best = DualPoint(math.inf, prices, np.zeros(problem.owners))
    for number in range(1, rounds + 1):
        payoff, plans = problem.replies(prices, case)
        bound = rent(problem, prices) + float(payoff.sum()) - extra
        if bound < best.bound:
            best = dataclasses.replace(best, bound=bound, prices=prices, payoff=payoff)
        new = master.pool.add(plans)
        if number == 1:
            master.enter(np.asarray(plans.use.sum(axis=0)).ravel())
        best = dataclasses.replace(best, rounds=number)
        near = best.bound - best.value <= gap * abs(best.bound)
        if near or best.bound <= below or (number > 1 and not new):
            break
        yield best
        point = master.solve(case, left()) if left() else None
        if point is None:
            return
        prices, best = point.prices, dataclasses.replace(best, share=point.share, value=point.value)
    yield best


def price_tree(problem: Pricing, *, gap: float = LOOSE_GAP, left: Left = lambda: math.inf) -> Tree:
    """Return the tree of one leaf with the best prices of all plans.

    ``gap``: share of the bound within which no prices prove less.  Raises `KeyboardInterrupt` after
    Ctrl-C.
    """
    master = Master(problem, Pool(problem))
    prices = np.zeros(len(problem.rows))
    with CtrlC() as key:
        for dual in price_rows(problem, master, gap=gap, left=left):
            prices = dual.prices
            if key.pressed:
                break
    if key.pressed:
        raise KeyboardInterrupt
    return Tree.of(prices)
