"""Bandits with knapsacks: prices against multiplicative weights of the resources they use up."""

import dataclasses
import math
from collections.abc import Iterable

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.online.dps.cluster import Running
from farkas.online.dps.offers import Ask, Known, Quote
from farkas.online.dps.pair_kernel import run_knapsacks
from farkas.online.dps.pairs import (
    Pair,
    dearest,
    joint_grid,
    of_pairs,
    pair_arms,
    pairs_named,
    share_paid,
    simulate_knapsacks,
)
from farkas.online.dps.pricing import Placing
from farkas.online.dps.seller import Numbers, Seller, SellerState
from farkas.online.dps.simulation import Simulation
from farkas.online.driver import algorithm

Key = tuple[int, int]


@dataclasses.dataclass(slots=True, eq=False)
class KnapsackState(SellerState):
    """What was learned about pairs of types, and the weights of resources."""

    pairs: dict[Key, Pair]  #: Arms of each pair met so far.
    #: Slots held, and number of jobs over, by worker type and server type, shape (2, K, M).
    held: Floats
    log_weight: Floats  #: Logarithms of the weights of worker types, server types, and time.
    rounds: int  #: Jobs in all.


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
    one_pass = run_knapsacks

    def start(self, known: Known, seed: int) -> KnapsackState:
        """Start with equal weights."""
        plain = super().start(known, seed)
        kinds, others = len(known.worker_jobs), len(known.ps_jobs)
        weights, held = np.zeros(kinds + others + 1), np.zeros((2, kinds, others))
        rounds = _rounds(known)
        return KnapsackState(known, plain.cluster, plain.rng, {}, held, weights, rounds)

    def finished(self, state: KnapsackState, job: Running) -> None:
        """Learn how long a job of the pair holds its units."""
        closed = 1.0 if state.known.occupancy == "closed" else 0.0
        state.held[:, job.ask.worker_type, job.ask.ps_type] += job.runtime + closed, 1.0

    def quote(self, state: KnapsackState, ask: Ask) -> Quote:
        """Quote the arm with the best ratio, the dearest among equals.

        Raises
        ------
        InvalidOption
            No job of its types is foretold, see `Known.require_foretold`.
        """
        state.known.require_foretold(ask)
        pair = self._pair(state, (ask.worker_type, ask.ps_type))
        resources, sale = self._use_of_a_sale(state, ask)
        eta = self._eta(state.known)
        use = np.outer(pair.least_sales(eta), sale)
        use[:, -1] = 1.0 / state.rounds
        weight = np.array([math.exp(x) for x in state.log_weight - state.log_weight.max()])
        cost = (use * (weight[resources] / float(np.cumsum(weight)[-1]))).sum(axis=1)
        with np.errstate(divide="ignore"):  # what costs nothing is best
            value = pair.optimistic(eta) / cost
        arm = dearest(value)
        worker, ps = pair.prices[arm]
        return self.at(ask, float(worker), float(ps), arm, resources, use[arm])

    def answered(self, state: KnapsackState, ask: Ask, quote: Quote, accepted: bool) -> None:
        """Learn the payment, and make dearer what the arm was expected to use up."""
        arm, resources, use = quote.arms
        pair = state.pairs[ask.worker_type, ask.ps_type]
        pair.learn(arm, share_paid(state.known, ask, quote, accepted), accepted)
        growth = _growth(len(state.log_weight), state.rounds)
        state.log_weight[resources] += growth * state.rounds * use

    def remembered(self, state: KnapsackState) -> dict[str, Numbers]:
        """Return what was learned about pairs, slots held, and weights."""
        return {**of_pairs(state.pairs), "held": state.held.ravel(), "weight": state.log_weight}

    def recall(self, state: KnapsackState, names: Iterable[str]) -> dict[str, Numbers]:
        """Meet the pairs of these names."""
        for key in pairs_named(names):
            self._pair(state, key)
        return self.remembered(state)

    def _pair(self, state: KnapsackState, key: Key) -> Pair:
        if key not in state.pairs:
            state.pairs[key] = Pair.new(joint_grid() * state.known.price_cap)
        return state.pairs[key]

    def _eta(self, known: Known) -> float:
        return known.learning.eta_scale * math.log(max(2, _rounds(known)))

    def simulate(self, market: Market, seed: int = 0, *, log: bool = False) -> Simulation:
        """Run on the whole market at once, compiled; the same decisions as step by step."""
        known = Known.of(market)
        rounds, resources = _rounds(known), market.num_worker_types + market.num_ps_types + 1
        arms = pair_arms(
            market, lambda kind: joint_grid() * known.price_cap, lambda *pair: self._eta(known)
        )
        growth = _growth(resources, rounds)
        return simulate_knapsacks(market, arms, rounds, growth, self.placement, seed, log=log)

    def _use_of_a_sale(self, state: KnapsackState, ask: Ask) -> tuple[list[int], Floats]:
        """Resources a sale touches, and the shares of their budgets it uses; time comes last."""
        known, kinds = state.known, len(state.known.worker_jobs)
        slots, count = state.held[:, ask.worker_type, ask.ps_type].tolist()
        mean = slots / max(count, 1.0)
        workers = float(known.installed_workers[:, ask.worker_type].sum()) * known.horizon
        ps = float(known.installed_ps[:, ask.ps_type].sum()) * known.horizon
        share = [ask.workers * mean / workers, ask.ps * mean / ps, 0.0]
        return [ask.worker_type, kinds + ask.ps_type, -1], np.array(share)


def _rounds(known: Known) -> int:
    return max(1, int(known.worker_jobs.sum()))


def _growth(resources: int, rounds: int) -> float:
    """Growth of the logarithm of a weight for a use of one share of its budget a round."""
    return math.log1p(math.sqrt(math.log(resources) / rounds))
