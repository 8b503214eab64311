"""Bandits with knapsacks: prices against multiplicative weights of the resources they use up."""

import dataclasses
import math

import numpy as np

from farkas.numbers import Floats
from farkas.online.dps.cluster import Running
from farkas.online.dps.offers import Decision, Known, Offer
from farkas.online.dps.pairs import Pair, joint_grid
from farkas.online.dps.placing import Placing
from farkas.online.dps.seller import Seller, SellerState
from farkas.online.driver import algorithm
from farkas.portable.elementary import exp, log, log1p
from farkas.portable.sums import matmul
from farkas.tolerances import TIE

Key = tuple[int, int]


@dataclasses.dataclass(slots=True, eq=False)
class KnapsackState(SellerState):
    """What was learned about pairs of types, and the weights of resources.

    Parameters
    ----------
    pairs
        Arms of each pair met so far.
    held
        Slots held and number of jobs over, by pair.
    log_weight
        Logarithms of the weights of worker types, server types, and time.
    rounds
        Jobs in all.
    """

    pairs: dict[Key, Pair]
    held: dict[Key, tuple[float, int]]
    log_weight: Floats
    rounds: int


@algorithm("dps.bwk", source="Badanidiyuru, Kleinberg, Slivkins (FOCS 2013), PrimalDualBwK")
@dataclasses.dataclass(frozen=True)
class Knapsacks(Seller):
    """Offers the arm with the most optimistic payment per weighted share of resources.

    Every type is a resource with a budget of C T unit-slots, and every job uses up one round; a
    sale uses demand times the slots a job holds.  Weights of resources grow with their expected
    use.  Resources here renew, which knapsacks do not, so that the guarantee of the source does
    not carry over; runs are measured against the same proved bound as all others.
    """

    placement: Placing = "pa"

    def start(self, known: Known, seed: int) -> KnapsackState:
        """Start with equal weights."""
        plain = super().start(known, seed)
        weights = np.zeros(len(known.worker_jobs) + len(known.ps_jobs) + 1)
        rounds = max(1, int(known.worker_jobs.sum()))
        return KnapsackState(known, plain.cluster, plain.rng, {}, {}, weights, rounds)

    def finished(self, state: KnapsackState, job: Running) -> None:
        """Learn how long a job of the pair holds its units."""
        key = job.offer.worker_type, job.offer.ps_type
        slots, count = state.held.get(key, (0.0, 0))
        closed = 1.0 if state.known.occupancy == "closed" else 0.0
        state.held[key] = slots + job.runtime + closed, count + 1

    def offer(self, state: KnapsackState, offer: Offer, fits: bool) -> Decision:
        """Offer the arm with the best ratio, the dearest among equals."""
        key = offer.worker_type, offer.ps_type
        if key not in state.pairs:
            state.pairs[key] = Pair.new(joint_grid() * state.known.price_cap)
        pair = state.pairs[key]
        resources, sale = self._use_of_a_sale(state, offer)
        eta = state.known.learning.eta_scale * log(max(2, state.rounds))
        use = np.outer(pair.least_sales(eta), sale)
        use[:, -1] = 1.0 / state.rounds
        weight = exp(state.log_weight - state.log_weight.max())
        value = pair.optimistic(eta) / matmul(use, weight[resources] / weight.sum())
        arm = int(np.flatnonzero(value >= value.max() * (1.0 - TIE))[-1])
        worker, ps = pair.prices[arm]
        decision = self.post(state, offer, float(worker), float(ps))
        most = state.known.price_cap * (offer.workers + offer.ps)
        pair.learn(arm, decision.payment / most, decision.served)
        growth = log1p(math.sqrt(log(len(weight)) / state.rounds))
        state.log_weight[resources] += growth * state.rounds * use[arm]
        return decision

    def _use_of_a_sale(self, state: KnapsackState, offer: Offer) -> tuple[list[int], Floats]:
        """Resources a sale touches, and the shares of their budgets it uses; time comes last."""
        known, kinds = state.known, len(state.known.worker_jobs)
        slots, count = state.held.get((offer.worker_type, offer.ps_type), (0.0, 0))
        mean = slots / max(count, 1)
        workers = float(known.installed_workers[:, offer.worker_type].sum()) * known.horizon
        ps = float(known.installed_ps[:, offer.ps_type].sum()) * known.horizon
        share = [offer.workers * mean / workers, offer.ps * mean / ps, 0.0]
        return [offer.worker_type, kinds + offer.ps_type, -1], np.array(share)
