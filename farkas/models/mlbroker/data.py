"""Numbers that programs of kind mlbroker share; one slot, and placed workers, as their data."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.instances.rounding import fitted
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.tolerances import NORMAL, ULP


def busy_slots(data: Brokerage) -> Ints:
    """Slots with an active job, ascending; all other slots cost nothing."""
    return np.unique(data.pair_slot)


def rounded_up(values: Floats, roundings: int, positive: Bools) -> Floats:
    """At least the exact results >= 0 of which ``values`` came out after so many operations.

    ``positive``: where the exact result may be above 0; elsewhere 0 is right. What lies below
    `NORMAL` may have lost more than a share of itself, and becomes that.
    """
    with np.errstate(over="ignore"):  # then nothing is implied
        above = np.maximum(values * (1.0 + (roundings + 1) * ULP), NORMAL)
    return floats(np.where(positive, above, 0.0))


def dearest(data: Brokerage, cap: Floats) -> Floats:
    """Most that resources cost, USD, shape of ``cap`` with sites before resources; >= a H + e.

    The rows of (8c), (8d) and of the chord hold products of a price and a demand, each rounded, and
    the slope of the chord is at most a but for three roundings; H adds up two products a job.
    """
    price, surcharge = data.list_price, data.surcharge
    with np.errstate(over="ignore"):
        most = price * cap + surcharge
    return rounded_up(most, 2 * data.num_jobs + 16, (price * (cap > 0) > 0) | (surcharge > 0))


def of_busy_slots(data: Brokerage, values: Floats) -> Floats:
    """Rows of ``values``, shape (slots, ...), that belong to busy slots."""
    return values[busy_slots(data)]


def market_of(instance: Brokerage, slot: int, jobs: Ints) -> Brokerage:
    """Instance of one slot, slot 0, with these jobs only, which are active in it."""
    chosen = []
    for job in (instance.jobs[i] for i in jobs.tolist()):
        row = job.data[slot - job.arrival]
        chosen.append(msgspec.structs.replace(job, arrival=0, departure=0, data=(row,)))
    return msgspec.structs.replace(instance, num_slots=1, big_m=None, jobs=tuple(chosen))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constants:
    """Constants of the printed relaxation, known only when all jobs are."""

    big_m: float  #: Constant of (8c) and (8d), USD; M.
    presence_bound: int  #: Constant of (8g); U.

    @classmethod
    def of(cls, instance: Brokerage, semantics: Semantics = "printed") -> Constants:
        """Smallest valid constants of a whole instance (M as given, where it is)."""
        return cls(
            big_m=instance.valid_big_m(semantics),
            presence_bound=instance.deployment_bound(semantics),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotProblem:
    """Active jobs of one slot with their fractional deployment in the slot before."""

    market: Brokerage  #: Instance of one slot that holds the active jobs, see `market_of`.
    before: Floats  #: Shape (jobs, sites), in [0, 1]; v(t-1), zero at arrival.
    constants: Constants  #: For the printed relaxation.
    #: Shape (1, sites, resources): chords of all jobs of the slot, where some are left out.
    slope: Floats | None = None

    @classmethod
    def of(cls, data: SlotProblem | Brokerage, semantics: Semantics = "printed") -> SlotProblem:
        """Return ``data``, or the first slot with jobs of an instance, nothing deployed before."""
        if isinstance(data, SlotProblem):
            return data
        slot = int(data.pair_slot.min(initial=data.num_slots - 1))
        market = market_of(data, slot, data.jobs_at(slot))
        before = np.zeros((market.num_jobs, market.num_sites))
        return cls(market=market, before=before, constants=Constants.of(data, semantics))

    def some(self, jobs: Ints) -> SlotProblem:
        """Return the problem of some jobs, at the chords of all."""
        chosen = tuple(self.market.jobs[job] for job in jobs.tolist())
        return dataclasses.replace(
            self,
            market=msgspec.structs.replace(self.market, jobs=chosen),
            before=self.before[jobs],
            slope=self.market.chord_slope(),
        )

    @property
    def scale(self) -> Floats:
        """Weight c / σ of the entropy term, USD, shape (jobs, 1)."""
        return (self.market.deploy_cost / self.market.entropy_scale)[:, None]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What is known in one slot."""

    slot: int  #: Slot of the whole instance.
    jobs: Ints  #: Shape (jobs,): numbers of the jobs in the whole instance.
    market: Brokerage  #: Instance of one slot, slot 0, with these jobs only, in this order.
    #: Shape (jobs, sites): the job was at the site one slot before; False at arrival.
    deployed: Bools


def snapshot(instance: Brokerage, slot: int) -> Snapshot:
    """Cut one slot out of an instance, nothing deployed before."""
    jobs = instance.jobs_at(slot)
    nowhere = np.zeros((len(jobs), instance.num_sites), bool)
    return Snapshot(slot, jobs, market_of(instance, slot, jobs), nowhere)


def declare_sets(m: Any, data: Brokerage) -> None:
    """Sites, resources, jobs, busy slots, active pairs and the jobs of every slot."""
    from farkas.algebra import IndexedSet, Set

    pairs = np.column_stack([data.pair_job, data.pair_slot])
    first = data.previous_pair < 0
    slots = busy_slots(data)
    m.sites = Set(range(data.num_sites), label="site")
    m.resources = Set(range(data.num_resources), label="resource")
    m.jobs = Set(range(data.num_jobs), label="job")
    m.slots = Set(slots, label="slot")
    m.job_slots = Set(pairs, label=("job", "slot"))
    m.first_slots = Set(pairs[first], label=("job", "slot"))
    m.later_slots = Set(pairs[~first], label=("job", "slot"))
    m.jobs_at = IndexedSet(m.slots, [data.jobs_at(t) for t in slots], label="job")


def declare_data(m: Any, data: Brokerage, semantics: Semantics) -> None:
    """Parameters over the sets of :func:`declare_sets`."""
    from farkas.algebra import Param

    declare_jobs(m, data)
    m.volume = Param(m.job_slots, m.sites, values=data.trained_volume)
    m.needed = Param(m.job_slots, values=data.workers_needed)
    m.most = Param(m.job_slots, values=data.most_workers(semantics))


def declare_jobs(m: Any, data: Brokerage) -> None:
    """Parameters of jobs, and of links, whatever the volumes are."""
    from farkas.algebra import Param

    m.rate = Param(m.jobs, values=data.worker_capacity)
    m.worker_demand = Param(m.jobs, m.resources, values=data.worker_demand)
    m.server_demand = Param(m.jobs, m.resources, values=data.server_demand)
    m.sync_volume = Param(m.jobs, values=data.sync_volume)
    m.deploy_cost = Param(m.jobs, values=data.deploy_cost)
    m.transfer_price = Param(m.sites, m.sites, values=data.transfer)


def present_at(workers: Ints, server: Ints) -> Bools:
    """Whether placed jobs have workers or their server at a site, shape of ``workers``; v."""
    here: Bools = (workers > 0) | (np.arange(workers.shape[1]) == server[:, None])
    return here


def entered(data: Brokerage, present: Bools) -> Bools:
    """Where pairs are present and were not one slot before, shape (pairs, sites)."""
    before = present[data.previous_pair] & (data.previous_pair >= 0)[:, None]
    return present & ~before


def usage_of(data: Brokerage, pairs: Ints, workers: Ints, server: Ints) -> Floats:
    """Units in use by some placed pairs, shape (slots, sites, resources); h."""
    total = np.zeros((data.num_slots, data.num_sites, data.num_resources))
    jobs, slots = data.pair_job[pairs], data.pair_slot[pairs]
    np.add.at(total, slots, workers[:, :, None] * data.worker_demand[jobs][:, None, :])
    np.add.at(total, (slots, server), data.server_demand[jobs])
    return total


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PlacedWorkers:
    """Workers and servers that have been decided for all active pairs."""

    instance: Brokerage
    workers: Ints  #: Shape (pairs, sites), whole numbers >= 0; ȳ.
    server: Ints  #: Shape (pairs,): site of the parameter server; s̄.

    @classmethod
    def of(
        cls, instance: Brokerage, workers: npt.ArrayLike, server: npt.ArrayLike
    ) -> PlacedWorkers:
        """Keep decisions as arrays."""
        by_site = np.asarray(workers, np.int64).reshape(-1, instance.num_sites)
        return cls(instance, by_site, np.asarray(server, np.int64).reshape(-1))

    @classmethod
    def checkpoint(cls, instance: Brokerage) -> PlacedWorkers:
        """Half of the workers at the first site, the rest at the last, servers in turn.

        ⌈Y/2⌉ workers at site 0, ⌊Y/2⌋ more at the last site, the server of job i at site
        i mod R.  No sensible decision, but one that every instance has.
        """
        workers = np.zeros((instance.num_pairs, instance.num_sites), np.int64)
        workers[:, 0] += (instance.workers_needed + 1) // 2
        workers[:, -1] += instance.workers_needed // 2
        return cls.of(instance, workers, instance.pair_job % instance.num_sites)

    @property
    def present(self) -> Bools:
        """Job has workers or its server at the site, shape (pairs, sites); v."""
        return present_at(self.workers, self.server)

    def usage(self) -> Floats:
        """Units of each resource in use, shape (slots, sites, resources); h."""
        pairs = np.arange(self.instance.num_pairs)
        return usage_of(self.instance, pairs, self.workers, self.server)

    def capacity(self) -> Floats:
        """GB that the workers of a site can train, shape (pairs, sites); P y."""
        rate = self.instance.worker_capacity[self.instance.pair_job]
        return floats(rate[:, None] * self.workers)

    def trained_volume(self) -> Floats:
        """GB that the workers can train, shape (pairs, sites); D up to 1e-9 relative."""
        rooms = [sum(map(Fraction, row), Fraction(0)) for row in self.capacity().tolist()]
        return fitted(self.instance.volume, rooms)


# The relative entropy of (10), for every ε that an instance may have.
#
# Where ε is tiny, deployment grows by a factor near 1/ε and its square overflows; where ε is huge,
# v + ε forgets v.  So squares are taken of small changes only, and ε never meets ε.


#: Relative changes below this are summed as a series; differences would lose their digits.
SMALL = 1e-4


def growth(deployed: Floats, before: Floats, epsilon: float) -> Floats:
    """Logarithm in the derivative of the entropy term; ln((v+ε)/(p+ε)), arrays of one shape."""
    from farkas.portable_functions import log, log1p  # here: only entropies need them

    base = before + epsilon
    change = (deployed - before) / base
    shrunk = log((deployed + epsilon) / base)
    grown: Floats = np.where(change > -0.5, log1p(np.maximum(change, -0.5)), shrunk)
    return grown


def entropy(deployed: Floats, before: Floats, scale: Floats, epsilon: float) -> Floats:
    """Entropy term of (10), USD, >= 0, 0 where nothing changes; arrays of one shape."""
    difference = deployed - before
    change = difference / (before + epsilon)
    few = np.abs(change) < SMALL
    small = np.where(few, change, 0.0)
    series = small * difference * (1 / 2 - small * (1 / 6 - small / 12))
    wide = np.where(few, 0.0, deployed + epsilon)
    exact = wide * growth(deployed, before, epsilon) - np.where(few, 0.0, difference)
    term: Floats = scale * np.where(few, series, exact)
    return np.maximum(term, 0.0)
