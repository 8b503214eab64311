"""One slot as a problem of its own: the jobs that are active, and where they were before."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.cut import market_of
from farkas.models.mlbroker.data import deployment_bound, valid_big_m
from farkas.numbers import Floats


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
