"""Plans that keep hard limits together, inserted at prices and exchanged while that pays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from farkas.decomposition.column_generation import Left
from farkas.decomposition.neighbourhoods import Targets
from farkas.decomposition.protocol import Demand, Exchanges, Fit, Plans, Pricing
from farkas.numbers import Floats
from farkas.tolerances import TIE

#: Share of prices at which a choice is carried out: they guide, and refuse nobody.
GUIDING = 0.01
NOISE = 0.5  #: Prices are multiplied by draws that lie this share below and above 1.
MOST_OUT = 4  #: Owners that one exchange takes out beside its own.
FREE = 0.25  #: Share of exchanges at no prices.
PASSES = 3  #: Orders of each kind in which a choice is carried out.
MORE_WEIGHT = 1.2  #: Factor of the weight of a plan that found no room in the last order.
COMPILED = 8  #: Times as many exchanges where a kind makes them itself.
BATCHES = 80  #: Of exchanges at a loss, which falls from one to the next.
COOLING = 1.5  #: Power of the share of batches to come, with which it falls.
LOOK = 64  #: Exchanges, or owners, between two looks at the clock.


class Packing:
    """Plans of owners, and what they use of hard limits; begins empty."""

    def __init__(self, problem: Pricing) -> None:
        self.problem, self.rng = problem, np.random.default_rng(0)
        self.used = np.zeros(len(problem.hard))
        self.plans: dict[int, Fit] = {}
        #: Owners by row that they use; as keys, whose order is that of joining.
        self.at: list[dict[int, None]] = [{} for _ in problem.rows]
        self.value = 0.0
        self.plain = np.ones(int(problem.place_of.max(initial=-1)) + 1)

    def put(self, owner: int, fit: Fit) -> None:
        """Give an owner without a plan this one."""
        self.plans[owner] = fit
        self.used[fit.limit] += fit.amount
        self.value += fit.value
        for row in self.rows_of(fit):
            self.at[row][owner] = None

    def take(self, owner: int) -> Fit | None:
        """Take the plan of an owner away; returns it."""
        fit = self.plans.pop(owner, None)
        if fit is not None:
            self.used[fit.limit] -= fit.amount
            self.value -= fit.value
            for row in self.rows_of(fit):
                del self.at[row][owner]
        return fit

    def rows_of(self, fit: Fit) -> list[int]:
        """Rows that a plan uses."""
        rows = np.unique(self.problem.row_of[fit.limit])
        found: list[int] = rows[rows >= 0].tolist()
        return found

    def use_of(self, fit: Fit) -> sparse.csr_array:
        """Use of rows by a plan, shape (1, rows)."""
        row = self.problem.row_of[fit.limit]
        priced = row >= 0
        where = np.zeros(np.count_nonzero(priced), np.int64), row[priced]
        shape = (1, len(self.problem.rows))
        return sparse.coo_array((fit.amount[priced], where), shape=shape).tocsr()

    def restore(self, plans: Mapping[int, Fit]) -> None:
        """Let owners have these plans and no others."""
        plans = dict(plans)
        for owner in [o for o, fit in self.plans.items() if plans.get(o) is not fit]:
            self.take(owner)
        for owner, fit in plans.items():
            if owner not in self.plans:
                self.put(owner, fit)
        if not plans:  # no rounding stays
            self.used[:] = 0.0
            self.value = 0.0

    def noise(self) -> Floats:
        """Draw a factor of prices for each place."""
        return 1.0 + NOISE * (2.0 * self.rng.random(len(self.plain)) - 1.0)

    def insert(
        self,
        owner: int,
        prices: Floats,
        noise: Floats | None = None,
        *,
        above: float = 0.0,
        like: sparse.csr_array | None = None,
    ) -> bool:
        """Give an owner without a plan the best that fits; returns whether one does.

        Parameters are those of `Demand`.
        """
        factors = self.plain if noise is None else noise
        found = self.problem.fits(owner, Demand(self.used, prices, factors, above, like))
        if found:
            self.put(owner, found[0])
        return bool(found)

    def fill(self, prices: Floats, payoff: Floats, left: Left) -> None:
        """Insert owners without a plan, those first that earn most, at the prices or at none."""
        for number, owner in enumerate(np.argsort(-payoff, kind="stable").tolist()):
            if number % LOOK == LOOK - 1 and not left():
                return
            if owner not in self.plans and not self.insert(owner, prices):
                self.insert(owner, prices, 0.0 * self.plain)

    def follow(self, choice: Plans, prices: Floats, payoff: Floats, left: Left) -> None:
        """Carry a choice out from nothing in several orders, fill what is left, keep the best.

        Owners come in their own order, or those first that take most of a hard limit; then again,
        with those first that were missed.
        """
        found = self.problem.follow(choice, prices)
        if found is not None:
            self.restore(found)
            self.fill(prices, payoff, left)
            return
        choice = choice.some(np.argsort(choice.owner, kind="stable"))
        best, plans = -np.inf, dict(self.plans)
        size, like = largest_share(self.problem, choice), each_of(choice)
        for first in (size, np.zeros(len(size))):
            weight = first.copy()
            for number in range(PASSES):
                if number and not left():
                    break
                self.restore({})
                missed = []
                for at in np.argsort(-weight, kind="stable").tolist():
                    owner = int(choice.owner[at])
                    if not self.insert(owner, prices, GUIDING * self.plain, like=like[at]):
                        missed.append(at)
                self.fill(prices, payoff, left)
                better = self.value > best
                if better:
                    best, plans = self.value, dict(self.plans)
                if not missed or not better:
                    break
                weight[missed] = np.maximum(weight[missed], 1e-3) * MORE_WEIGHT
            if not missed:
                break
        self.restore(plans)

    def exchange(
        self, prices: Floats, targets: Targets, tries: int, left: Left, *, planned: bool = False
    ) -> None:
        """Take owners out, insert another and then them; kept unless value is lost.

        ``planned``: whether owners without a plan are to have their target; otherwise
        those that lack some of their greatest value are to have a better one.
        """
        rng = self.rng
        candidates = targets.unserved(self) if planned else targets.improvable(self, targets.owners)
        if not len(candidates):
            return
        if not planned:
            asked = Exchanges(candidates, prices, COMPILED * tries, rng)
            found = self.problem.exchange(self.plans, asked)
            if found is not None:
                self.restore(found)
                return
        for number, owner in enumerate(
            candidates[rng.integers(len(candidates), size=tries)].tolist()
        ):
            if number % LOOK == LOOK - 1 and not left():
                return
            rows = targets.rows(owner)
            if not len(rows) or (planned and owner in self.plans):
                continue
            here = list(self.at[rows[rng.integers(len(rows))]])
            out = [owner]
            for _ in range(int(rng.integers(planned, MOST_OUT + 1)) if here else 0):
                out.append(here[rng.integers(len(here))])
            share = 0.0 if rng.random() < FREE else rng.random()
            self._exchange(list(dict.fromkeys(out)), prices, share, targets if planned else None)

    def anneal(self, prices: Floats, targets: Targets, tries: int, heat: float, left: Left) -> None:
        """Exchange at a loss, too, less and less of it; the best plans stay."""
        best, plans = self.value, dict(self.plans)
        for batch in range(BATCHES):
            candidates = targets.improvable(self, targets.owners)
            if not len(candidates) or not left():
                break
            colder = heat * (1.0 - batch / BATCHES) ** COOLING
            many = COMPILED * tries // BATCHES
            asked = Exchanges(candidates, prices, many, self.rng, colder)
            found = self.problem.exchange(self.plans, asked)
            if found is None:
                return
            self.restore(found)
            if self.value > best:
                best, plans = self.value, dict(self.plans)
        self.restore(plans)

    def _exchange(
        self, out: list[int], prices: Floats, share: float, targets: Targets | None
    ) -> None:
        """Exchange owners, the first of whom is wanted; where plans are targeted, for these."""
        before = self.value
        kept = {owner: self.take(owner) for owner in out}
        now = kept[out[0]]
        above, put = 0.0 if now is None else now.value, []
        for owner in out:
            like = None if targets is None else targets.like(owner)
            noise = (share if like is None else GUIDING) * self.noise()
            if self.insert(owner, prices, noise, above=above, like=like):
                put.append(owner)
            elif owner == out[0]:
                break
            elif like is not None and self.insert(owner, prices, share * noise):
                put.append(owner)
            above = 0.0
        if self.value < before * (1.0 - TIE):
            for owner in put:
                self.take(owner)
            for owner, fit in kept.items():
                if fit is not None:
                    self.put(owner, fit)


def each_of(plans: Plans) -> list[sparse.csr_array]:
    """Use of rows by each plan, shape (1, rows)."""
    return [plans.use[[at]] for at in range(len(plans.owner))]


def largest_share(problem: Pricing, plans: Plans) -> Floats:
    """Largest share that each plan takes of one hard limit, if these are alike; shape (plans,)."""
    if not len(plans.owner):
        return np.zeros(0)
    priced = problem.row_of >= 0
    there = (problem.hard[priced] > 0).astype(np.float64)
    many = np.bincount(problem.row_of[priced], there, len(problem.rows))
    unit = np.maximum(many, 1.0) / np.where(problem.rows > 0, problem.rows, 1.0)
    shares = plans.use.multiply(unit[None, :]).tocsr()
    return np.asarray(shares.max(axis=1).toarray(), np.float64).ravel()
