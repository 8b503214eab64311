"""Rings of a slot by their sizes: these are chosen as if all servers were one, and then laid."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from farkas.certificates.priced_tree import Case
from farkas.decomposition.choice import choose
from farkas.decomposition.column_generation import price_rows
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Fit, Plans, Pricing
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats
from farkas.relaxations.gadget.ring_search import distances
from farkas.relaxations.gadget.slot_pricing import SlotPricing

PRICED = 0.02  #: Share of the gap asked for at which the bound is good enough.
CHOSEN = 0.3  #: Share of the gap asked for at which the choice of sizes is.
CHOICES = 8  #: Of sizes, most of them without those that found no room before.
PATIENCE = 60  #: Moves without a gain after which sizes are chosen anew.
MOST_NEAR = 8  #: Rings near a server that are taken away at once, at most.
SPREAD = 0.5  #: By how much of it the need of a ring is drawn lower when rings are put in order.
SCARCE = 0.1  #: Share of the rings that find no room at first where links are scarce.


class SizePricing(Pricing):
    """Jobs of a slot as owners whose plans are sizes; a row is a resource of all servers."""

    def __init__(self, slot: SlotView) -> None:
        cluster = slot.cluster
        held = np.where(cluster.is_server[:, None], cluster.capacity, 0.0).sum(axis=0)
        limited = np.flatnonzero(np.isfinite(held))
        gaining = slot.pair_gains > 0
        job, size = slot.pairs[gaining].T
        use = size[:, None] * cluster.demand[job][:, limited]
        self.plans = Plans(job, slot.pair_gains[gaining], sparse.csr_array(use))
        self.owners, self.rows = cluster.num_jobs, held[limited]
        self.most = np.zeros(self.owners)
        np.maximum.at(self.most, job, self.plans.value)

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """See `Pricing.replies`; the plans are all there are."""
        payoff = np.zeros(self.owners)
        np.maximum.at(payoff, self.plans.owner, self.plans.value - self.plans.use @ prices)
        return payoff, self.plans


def chosen_sizes(slot: SlotView, value: float, gap: float) -> tuple[Mapping[int, int], float]:
    """Choose sizes that all servers together hold, and bound what any rings are worth.

    ``value``: what is reached; sizes that are in nothing better are left out.  Returns sizes by
    job, within a part of ``gap`` of the best.
    """
    problem = SizePricing(slot)
    pool = Pool(problem)
    *_, dual = price_rows(problem, Master(problem, pool), gap=PRICED * gap, left=lambda: math.inf)
    chosen = choose(
        problem, pool, dual, value=value, gap=CHOSEN * gap, left=lambda: math.inf,
        start=np.zeros(0, np.int64),
    )  # fmt: skip
    plans, sizes = pool.plans.some(chosen), dict[int, int]()
    for job, gain in zip(plans.owner.tolist(), plans.value.tolist(), strict=True):
        place = int(slot.jobs.searchsorted(job))
        # of sizes that gain the same, the smallest
        sizes[job] = 1 + int((slot.allowed[place] & (slot.gains[place] == gain)).argmax())
    return sizes, dual.bound


def worth(plans: Mapping[int, Fit]) -> float:
    """Value of plans together."""
    return sum((fit.value for fit in plans.values()), 0.0)


class SizedRings:
    """Rings of chosen sizes within the limits of a slot.

    Where links are plentiful, prices of single servers say nothing: a choice of sizes is the best
    there is, and only has to be laid.  Where links are scarce it ends early.
    """

    def __init__(self, problem: SlotPricing) -> None:
        self.problem, self.rng = problem, np.random.default_rng(0)

    def run(self, gap: float) -> tuple[Mapping[int, Fit], float]:
        """Return plans, within ``gap`` of the bound where that is reached, and the bound."""
        slot = whole = self.problem.slot
        best, bound = dict[int, Fit](), math.inf
        for _ in range(CHOICES):
            sizes, most = chosen_sizes(slot, worth(best), gap)
            bound = most if math.isinf(bound) else bound  # later ones are of some sizes only
            begun = {} if slot is whole else best
            kept = {job: fit for job, fit in begun.items() if sizes.get(job) == size_of(fit)}
            plans = self._beside(kept, sizes)
            if len(sizes) - len(plans) > SCARCE * len(sizes) + 1:
                break
            plans = self._moved(plans, sizes)
            best = max(best, plans, key=worth)
            if bound - worth(best) <= gap * bound:
                break
            if len(plans) == len(sizes):
                if slot is whole:
                    break
                slot = whole  # from nothing, in other orders, all of the best may find room
                continue
            allowed = slot.allowed.copy()
            for job in sizes.keys() - plans.keys():  # nor is there room for larger ones
                allowed[slot.jobs.searchsorted(job), sizes[job] - 1 :] = False
            slot = slot.restrict(allowed)
        return best, bound

    def _moved(self, plans: dict[int, Fit], sizes: Mapping[int, int]) -> dict[int, Fit]:
        """Take rings near some room away and lay all again, until each size has a ring."""
        waited = 0
        while len(plans) < len(sizes) and waited < PATIENCE:
            away = self._near_room(plans)[: self.rng.integers(1, MOST_NEAR + 1)]
            new = self._beside({job: plans[job] for job in plans.keys() - set(away)}, sizes)
            waited = 0 if worth(new) > worth(plans) else waited + 1
            plans = max(new, plans, key=worth)
        return plans

    def _near_room(self, plans: Mapping[int, Fit]) -> list[int]:
        """Jobs by the distance of their rings from a drawn node that is not full."""
        problem, rng, cluster = self.problem, self.rng, self.problem.slot.cluster
        left = problem.split(problem.hard - self._used(plans), np.inf)[0]
        start = int(rng.choice(np.append(np.flatnonzero((left > 0).all(axis=1)), 0)))
        links = cluster.num_links
        hops = distances(problem.network, np.ones(links), np.ones(links, np.int64), start, False)
        far = {job: hops[fit.what[0] > 0].min() + rng.random() for job, fit in plans.items()}
        return sorted(far, key=lambda job: far[job])

    def _beside(self, kept: Mapping[int, Fit], sizes: Mapping[int, int]) -> dict[int, Fit]:
        """Lay the other rings beside some, those first that need most of the links."""
        need = self.problem.slot.cluster.bandwidth
        rank = {
            job: size * need[job] * self.rng.uniform(1.0 - SPREAD, 1.0)
            for job, size in sizes.items()
            if job not in kept
        }
        plans, used = dict(kept), self._used(kept)
        for job in sorted(rank, key=lambda job: -rank[job]):
            fit = self.problem.lay(job, sizes[job], used, self.rng)
            if fit is not None:
                plans[job] = fit
                used[fit.limit] += fit.amount
        return plans

    def _used(self, plans: Mapping[int, Fit]) -> Floats:
        used = np.zeros(len(self.problem.hard))
        for fit in plans.values():
            used[fit.limit] += fit.amount
        return used


def size_of(fit: Fit) -> int:
    """Workers of a plan's ring."""
    return int(fit.what[0].sum())
