"""Where value is missing, and who could bring it: what prices say of plans that are carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from farkas.decomposition.choice import shortfall
from farkas.decomposition.master import Pool
from farkas.decomposition.prices import Settled
from farkas.decomposition.protocol import Pricing
from farkas.numbers import Floats, Ints
from farkas.tolerances import TIE, WHOLE

if TYPE_CHECKING:
    from farkas.decomposition.packing import Packing

MOST_STEPS = 20  #: From row to row while a neighbourhood is collected.


class Wishes:
    """The best known plan of each owner at prices, of those that may be in something better.

    ``value``: that is reached.
    """

    def __init__(self, problem: Pricing, pool: Pool, settled: Settled, value: float) -> None:
        plans = pool.plans
        self.problem, self.prices, self.payoff = problem, settled.prices, settled.payoff
        short = shortfall(plans, settled)
        order = np.lexsort((short, plans.owner))
        owner = plans.owner[order]
        first = order[np.flatnonzero(np.diff(owner, prepend=-1))]
        near = short[first] <= settled.bound - value + WHOLE * abs(settled.bound)
        self._plan = first[near]
        self.owners: Ints = plans.owner[self._plan]
        self._use = plans.use[self._plan]
        self._by_row = self._use.tocsc()
        self._number = {owner: at for at, owner in enumerate(self.owners.tolist())}
        self._short = short[self._plan]

    def rows(self, owner: int) -> Ints:
        """Rows that an owner's plan uses; none without one."""
        at = self._number.get(owner)
        if at is None:
            return np.zeros(0, np.int64)
        found: Ints = self._use.indices[self._use.indptr[at] : self._use.indptr[at + 1]]
        return found

    def like(self, owner: int) -> sparse.csr_array | None:
        """Use of rows by an owner's plan, shape (1, rows); None without one."""
        at = self._number.get(owner)
        return None if at is None else self._use[[at]]

    def missing(self, packing: Packing) -> Floats:
        """Value that is missing, by row: idle units, and losses of those for whom it is dearest.

        Both together are the distance of the bound.
        """
        problem, prices = self.problem, self.prices
        priced = problem.row_of >= 0
        used = np.bincount(problem.row_of[priced], packing.used[priced], len(problem.rows))
        missing = np.maximum(np.where(prices > 0, problem.rows, 0.0) - used, 0.0) * prices
        for owner in self.owners.tolist():
            fit, loss = packing.plans.get(owner), float(self.payoff[owner])
            if fit is not None:
                row = problem.row_of[fit.limit]
                paid = np.where(row >= 0, prices[row], 0.0)
                loss -= fit.value - float(paid @ fit.amount)
            rows = self.rows(owner)
            if loss > 0 and len(rows):
                missing[rows[np.argmax(prices[rows])]] += loss
        return missing

    def around(self, packing: Packing, row: int, many: int) -> list[int]:
        """Owners on a row: of half those that wish to be there, then who is, then on other rows."""
        rng, most, plans = packing.rng, self.problem.most, packing.plans
        by_row = self._by_row
        there = by_row.indices[by_row.indptr[row] : by_row.indptr[row + 1]]
        nearest = self.owners[there[np.argsort(self._short[there], kind="stable")]].tolist()
        lacking = [
            owner
            for owner in nearest
            if owner not in plans or plans[owner].value < most[owner] * (1.0 - TIE)
        ]
        found = dict.fromkeys(lacking[: many // 2])
        for _ in range(MOST_STEPS):
            here = list(packing.at[row])
            rng.shuffle(here)
            found.update(dict.fromkeys(here[: many - len(found)]))
            if len(found) >= many or not found:
                break
            one = list(found)[int(rng.integers(len(found)))]
            fit = plans.get(one)
            rows = self.rows(one).tolist() if fit is None else packing.rows_of(fit)
            row = int(rows[int(rng.integers(len(rows)))]) if rows else row
        return list(found)
