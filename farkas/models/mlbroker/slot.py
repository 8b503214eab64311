"""One slot as a problem of its own: the jobs that are active, and where they were before."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import numpy as np

from farkas.algebra import Sum, constraint, objective
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.data import deployment_bound, valid_big_m
from farkas.models.mlbroker.placement import Connections, Movement, Presence, resources, traffic
from farkas.numbers import Floats, Ints


class Entering(Movement):
    """Where a job is deployed anew: (8h)."""

    @constraint("8h", "first_slots", "sites")
    def started_at_arrival(m, i, t, r):
        """Every deployment at arrival is new."""
        return m.started[i, t, r] >= m.deployed[i, t, r]

    @constraint("8h", "later_slots", "sites")
    def started_when_new(m, i, t, r):
        """A deployment is new where the job was absent one slot before."""
        return m.started[i, t, r] >= m.deployed[i, t, r] - m.deployed[i, t - 1, r]


class PlacementProgram(Connections, Entering, Presence):
    """Where data, workers and parameter servers go in every slot.  mlBroker (8)."""

    @objective
    def cost(m):
        """Transfer, resource, deployment and synchronisation cost, USD; C1 + C2 + C3 + C4."""
        return (
            traffic(m)
            + resources(m)
            + Sum(m.deploy_cost[i] * m.started[i, t, r] for i, t in m.job_slots for r in m.sites)
        )


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
            big_m=valid_big_m(instance, semantics),
            presence_bound=deployment_bound(instance, semantics),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotProblem:
    """Active jobs of one slot with their fractional deployment in the slot before."""

    market: Brokerage  #: Instance of one slot that holds the active jobs, see `market_of`.
    before: Floats  #: Shape (jobs, sites), in [0, 1]; v(t-1), zero at arrival.
    constants: Constants  #: For the printed relaxation.
    #: What solvers keep from slot to slot of a run: linear programs that are warm.
    kept: dict[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, data: SlotProblem | Brokerage, semantics: Semantics = "printed") -> SlotProblem:
        """Return ``data``, or the first slot with jobs of an instance, nothing deployed before."""
        if isinstance(data, SlotProblem):
            return data
        slot = int(data.pair_slot.min(initial=data.num_slots - 1))
        market = market_of(data, slot, data.jobs_at(slot))
        before = np.zeros((market.num_jobs, market.num_sites))
        return cls(market=market, before=before, constants=Constants.of(data, semantics))

    @property
    def scale(self) -> Floats:
        """Weight c / σ of the entropy term, USD, shape (jobs, 1)."""
        return (self.market.deploy_cost / self.market.entropy_scale)[:, None]
