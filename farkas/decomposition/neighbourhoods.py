"""Where value is missing, and who could bring it: what prices say of plans that are carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse

from farkas.decomposition.choice import shortfall
from farkas.decomposition.column_generation import DualPoint
from farkas.decomposition.master import Pool
from farkas.decomposition.protocol import Plans, Pricing
from farkas.numbers import Floats, Ints
from farkas.tolerances import TIE, WHOLE

if TYPE_CHECKING:
    from farkas.decomposition.packing import Packing

MOST_STEPS = 20  #: From row to row while a neighbourhood is collected.


class Targets:
    """A plan of each of some owners, which a choice or prices say are worth a place.

    ``plans``: One of each owner.  ``short``: By how much each earns less than the best of its
    owner, shape (plans,).
    """

    def __init__(self, problem: Pricing, dual: DualPoint, plans: Plans, short: Floats) -> None:
        self.problem, self.prices, self.payoff = problem, dual.prices, dual.payoff
        self.bound = dual.bound
        self.owners, self._use, self._short = plans.owner, plans.use, short
        self._by_row = plans.use.tocsc()
        self._like: dict[int, sparse.csr_array] = {}
        self._number = {owner: at for at, owner in enumerate(self.owners.tolist())}

    @classmethod
    def nearest(cls, problem: Pricing, pool: Pool, dual: DualPoint, value: float) -> Self:
        """Target the best known plan of each owner, of those that may be in something better.

        ``value``: that is reached.
        """
        plans = pool.plans
        short = shortfall(plans, dual)
        order = np.lexsort((short, plans.owner))
        first = order[np.flatnonzero(np.diff(plans.owner[order], prepend=-1))]
        near = first[short[first] <= dual.bound - value + WHOLE * abs(dual.bound)]
        return cls(problem, dual, plans.some(near), short[near])

    @classmethod
    def chosen(cls, problem: Pricing, dual: DualPoint, choice: Plans) -> Self:
        """Target what was chosen."""
        return cls(problem, dual, choice, shortfall(choice, dual))

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
        if at is not None and owner not in self._like:
            self._like[owner] = self._use[[at]]
        return self._like.get(owner)

    def losses(self, packing: Packing) -> Floats:
        """Return what each owner earns less than at best, shape (owners,)."""
        prices, row_of = self.prices, self.problem.row_of
        found = self.payoff[self.owners]
        for at, owner in enumerate(self.owners.tolist()):
            fit = packing.plans.get(owner)
            if fit is not None:
                row = row_of[fit.limit]
                found[at] -= fit.value - float(np.where(row >= 0, prices[row], 0.0) @ fit.amount)
        return np.maximum(found, 0.0)

    def gap_by_row(self, packing: Packing, losses: Floats) -> Floats:
        """Value that is missing, by row: idle units, and losses of those for whom it is dearest.

        Both together are the distance of the bound.
        """
        problem, prices = self.problem, self.prices
        priced = problem.row_of >= 0
        used = np.bincount(problem.row_of[priced], packing.used[priced], len(problem.rows))
        missing = np.maximum(np.where(prices > 0, problem.rows, 0.0) - used, 0.0) * prices
        for at in np.flatnonzero(losses).tolist():
            rows = self.rows(int(self.owners[at]))
            if len(rows):
                missing[rows[np.argmax(prices[rows])]] += losses[at]
        return missing

    def improvable(self, packing: Packing, owners: Ints) -> Ints:
        """Return those of some owners that lack some of their greatest value."""
        most, plans = self.problem.most, packing.plans
        lacks = [
            owner not in plans or plans[owner].value < most[owner] * (1.0 - TIE)
            for owner in owners.tolist()
        ]
        return owners[np.array(lacks, np.bool_)]

    def unserved(self, packing: Packing) -> Ints:
        """Return those that have no plan."""
        out = [owner not in packing.plans for owner in self.owners.tolist()]
        return self.owners[np.array(out, np.bool_)]

    def competitors(self, packing: Packing, owner: int, many: int) -> list[int]:
        """Return an owner, and others whose plans share most rows with the one that it targets."""
        there = [list(packing.at[row]) for row in self.rows(owner).tolist()]
        others, shared = np.unique(np.concatenate([[owner], *there]), return_counts=True)
        order = np.argsort(-shared, kind="stable")
        found: list[int] = others[order].astype(np.int64).tolist()
        return [owner, *(other for other in found if other != owner)][: many + 1]

    def slot_neighbourhood(
        self, packing: Packing, slot: int, slots: Ints, wider: float
    ) -> list[int]:
        """Owners on rows of a slot or near it, and half as many of those whose target is there.

        ``slots``: Of each row.  ``wider``: How often more owners are asked for than meet in the
        slot.
        """
        away, found = np.abs(slots - slot), dict[int, None]()
        count, last = 0.0, int(away.max(initial=0))
        for distance in range(last + 1):
            here = [packing.at[row] for row in np.flatnonzero(away == distance).tolist()]
            found.update(dict.fromkeys(sorted(set().union(*here))))
            count = count or wider * len(found)
            if len(found) >= count or distance == last:
                break
        users = np.unique(self._by_row[:, np.flatnonzero(away <= distance)].indices)
        nearest = self.owners[users[np.argsort(self._short[users], kind="stable")]]
        candidates = [one for one in self.improvable(packing, nearest) if one not in found]
        return [*list(found)[: int(count)], *candidates[: 1 + int(count) // 2]]

    def row_neighbourhood(self, packing: Packing, row: int, many: int) -> list[int]:
        """Owners on a row: of half those whose target is there, then who is, then on other rows."""
        rng, plans, by_row = packing.rng, packing.plans, self._by_row
        there = by_row.indices[by_row.indptr[row] : by_row.indptr[row + 1]]
        nearest = self.owners[there[np.argsort(self._short[there], kind="stable")]]
        found = dict.fromkeys(self.improvable(packing, nearest)[: many // 2].tolist())
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
