"""Algorithms of mlBroker: fractional decisions slot by slot, and roundings of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import msgspec
import numpy as np

from farkas.instances.base import Nonnegative
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.data import SlotProblem, Snapshot, growth
from farkas.numbers import Floats, Ints, Rng, floats
from farkas.online.driver import Outcome, algorithm, plain
from farkas.online.mlbroker.environment import Knowledge, PlacedSlot, tight_bound
from farkas.online.policy import Increments, Policy
from farkas.online.run import Bound
from farkas.rounding.workers import (
    Combine,
    add_missing_workers,
    draw_servers,
    round_workers,
    snap,
    snap_workers,
)

if TYPE_CHECKING:
    from farkas.certificates.mlbroker import Guide
    from farkas.relaxations.mlbroker.regularized import SlotSolution
    from farkas.solvers.subproblem import Subproblem, SubproblemAnswer


ROUNDED = Fraction(1, 2**40)  #: Share by which a logarithm in doubles may be too small, and more.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """Positive entries of an array over (jobs, sites, sites)."""

    #: job, origin, target: shape (entries,); the job by its place in the slot.
    job: Ints
    origin: Ints
    target: Ints
    amount: Floats  #: Shape (entries,), > 0.

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Keep what is positive."""
        job, origin, target = np.nonzero(values > 0)
        return cls(job, origin, target, values[job, origin, target])

    def dense(self, num_jobs: int, num_sites: int) -> Floats:
        """Shape (jobs, sites, sites)."""
        values = np.zeros((num_jobs, num_sites, num_sites))
        values[self.job, self.origin, self.target] = self.amount
        return values


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class FractionalSlot:
    """Fractional decision for one slot."""

    jobs: Ints  #: Shape (jobs,), numbers in the whole instance.
    #: workers, server, deployed: shape (jobs, sites); y, s and v.
    workers: Floats
    server: Floats
    deployed: Floats
    #: moved, connected: GB and workers from site to site; q and g.
    moved: Lanes
    connected: Lanes
    #: By how much the slot's objective may exceed its optimum, USD; None where its solver does not
    #: say.
    gap: float | None


class Points(NamedTuple):
    """Fractional decisions as a replay reads them."""

    decisions: list[Any]
    options: dict[str, Any]
    algorithm: str = "mlbroker.fractional"
    kind: str = "mlbroker"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class FractionalState:
    """Deployment of the slot before by job, and the multipliers of all slots so far."""

    known: Knowledge
    before: dict[int, Floats]
    solved: tuple[SlotSolution | None, ...] = ()  #: One a slot; None without jobs.


@algorithm(
    "mlbroker.fractional",
    source="mlBroker Algorithm 1",
    variants={"tight": {"relax": "tight"}},
    relaxed=True,
)
@dataclasses.dataclass(frozen=True)
class Fractional(Policy):
    """Fractional decisions, slot by slot, with relative entropy in place of deployment cost.

    Every slot solves (10), with the deployment v of the slot before as its only memory.  Since the
    entropy term is least where v stays, v never falls during a job's life (under printed
    semantics).  ``relax="printed"`` is the paper's: it needs constants M and U that depend on
    future jobs, and takes the smallest valid ones.  The variant ``[tight]`` prices resources on
    the chord and needs nothing.

    Parameters
    ----------
    relax, semantics
        As in mlbroker.regularized.
    epsilon
        ε; 0 takes the instance's.
    solver
        Solver of (10): ``cutting_planes``, ``filling`` (of the tight variant), ``clarabel``,
        ``scs``, ``mosek``; by default the fastest that is exact.  Where (10) has many optima,
        decisions depend on it.
    """

    relax: Literal["printed", "tight"] = "printed"
    semantics: Semantics = "printed"
    epsilon: Nonnegative = 0.0
    solver: str = ""

    def start(self, known: Knowledge, seed: int) -> FractionalState:
        """Nothing is deployed."""
        return FractionalState(known, {})

    def model(self, state: FractionalState, arrivals: Snapshot) -> Subproblem | None:
        """State (10) for the jobs of the slot."""
        # here: who looks for the name of an algorithm solves nothing
        from farkas.relaxations.mlbroker.regularized import RegularizedSlot

        if not arrivals.market.num_jobs:
            return None
        program = RegularizedSlot(relax=self.relax, semantics=self.semantics)
        return program.asked(self._problem(state, arrivals))

    def _problem(self, state: FractionalState, arrivals: Snapshot) -> SlotProblem:
        market = self._seen(arrivals.market)
        none = np.zeros(market.num_sites)
        before = np.array([state.before.get(job, none) for job in arrivals.jobs.tolist()])
        before = before.reshape(market.num_jobs, market.num_sites)
        constants = state.known.printed if self.semantics == "printed" else state.known.strict
        return SlotProblem(market=market, before=before, constants=constants)

    def round(
        self, state: FractionalState, arrivals: Snapshot, answer: SubproblemAnswer | None, rng: Rng
    ) -> tuple[FractionalState, Any]:
        """Keep what noise leaves of the solution: v := min(1, max(v(t−1), need))."""
        solution = None if answer is None else answer.decisions
        decision = self._decision(self._problem(state, arrivals), arrivals.jobs, solution)
        after = dict(zip(arrivals.jobs.tolist(), decision.deployed, strict=True))
        solved = (*state.solved, solution)
        return dataclasses.replace(state, before=after, solved=solved), decision

    def _decision(
        self, problem: SlotProblem, jobs: Ints, solution: SlotSolution | None
    ) -> FractionalSlot:
        if solution is None:
            none, lanes = np.zeros_like(problem.before), Lanes.of(np.zeros((0, 0, 0)))
            return FractionalSlot(jobs, none, none, none, lanes, lanes, 0.0)
        deployed = np.minimum(1.0, solution.deployed)
        if self.semantics == "printed":
            need = self._need(problem, solution)
            deployed = np.minimum(1.0, np.maximum(problem.before, need))
        return FractionalSlot(
            jobs=jobs,
            workers=solution.workers,
            server=solution.server,
            deployed=deployed,
            moved=Lanes.of(solution.moved),
            connected=Lanes.of(solution.connected),
            gap=solution.gap,
        )

    def _need(self, problem: SlotProblem, solution: SlotSolution) -> Floats:
        """Least deployment that (8g) allows, shape (jobs, sites)."""
        if self.relax == "printed":
            return (solution.workers + solution.server) / problem.constants.presence_bound
        needed = problem.market.workers_needed[:, None]
        share = np.zeros_like(solution.workers)
        np.divide(solution.workers, needed, out=share, where=needed > 0)
        return np.maximum(solution.server, share)

    def evaluate(self, instance: Brokerage, decisions: Sequence[Any]) -> Outcome | None:
        """Price the decisions under the relaxation."""
        return self.price(instance, decisions)

    def price(self, instance: Brokerage, decisions: Sequence[FractionalSlot]) -> Outcome:
        """Price fractional decisions under the relaxation."""
        data = self._seen(instance)
        costs = [self._costs(data, slot, decision) for slot, decision in enumerate(decisions)]
        deployed = deployment(data, decisions)
        entered = np.maximum(deployed - one_slot_before(data, deployed), 0.0).sum(axis=1)
        moving = data.deploy_cost[data.pair_job] * entered
        for slot, part in enumerate(costs):
            part["deploy"] = float(moving[data.pairs_at(slot)].sum())
        static = sum((sum(part.values(), 0.0) - part["deploy"] for part in costs), 0.0)
        numbers = {
            "static": static,
            "moving": float(moving.sum()),
            "certificate": trajectory_bound(data, static, deployed),
        }
        gaps = [decision.gap for decision in decisions]
        if None not in gaps:
            numbers["gap"] = sum(filter(None, gaps), 0.0)
        return Outcome(costs, numbers=numbers)

    def certify(
        self, instance: Brokerage, state: FractionalState, decisions: Sequence[Any]
    ) -> Bound:
        """Complete the multipliers of the slots to a dual point of the whole relaxation."""
        from farkas.certificates.mlbroker import MlbrokerPrices

        data = self._seen(instance)
        guide = self.guide(data, state)
        proved = MlbrokerPrices.of(instance, guide, self.relax, self.semantics)
        method = f"dual point of the run, mlbroker.relaxed[{self.relax},{self.semantics}]"
        return Bound.of(Fraction(proved.bound), method, proved.plain())

    def theorem(
        self, instance: Brokerage, state: FractionalState, decisions: Sequence[Any]
    ) -> Increments | None:
        """Hold every slot against (12), (13): P(t) <= (2 + σ (1 + ε)) D(t).

        P(t) is what the slot costs, D(t) its part of the dual objective of the run's multipliers,
        with Σ ξ, which (11) leaves out.  Summed over slots this is Theorem 3.
        """
        from farkas.certificates.mlbroker import complete

        if self.relax != "printed" or self.semantics != "printed" or not state.solved:
            return None
        from farkas.replay.mlbroker_fractional import slot_costs  # here: for one inequality

        data = self._seen(instance)
        said = Points(plain(decisions), {"relax": self.relax, "semantics": self.semantics})
        paid = slot_costs(instance, said)
        if paid is None:
            return None
        point = complete(data, self.guide(data, state), self.relax, self.semantics)
        sigma = Fraction(data.entropy_scale) * (1 + ROUNDED)
        factor = 2 + sigma * (1 + Fraction(data.epsilon))
        words = "mlBroker (12), (13)"
        return Increments(words, paid, [factor * part for part in point.by_slot])

    def guide(self, data: Brokerage, state: FractionalState) -> Guide:
        """Collect the multipliers of all slots by pair."""
        from farkas.certificates.mlbroker import Guide

        guide, saved = Guide.zeros(data), np.zeros((data.num_pairs, data.num_sites))
        for slot, solution in enumerate(state.solved):
            if solution is None:
                continue
            pairs = data.pairs_at(slot)
            saved[pairs] = solution.deployed_price
            guide.server[pairs] = solution.server_price
            guide.presence[pairs] = solution.presence_price
            guide.worker[pairs] = solution.worker_price
            guide.absence[pairs] = solution.absence_price
            guide.list_share[slot] = solution.list_price
            guide.reduced_share[slot] = solution.reduced_price
        guide.move[:], guide.leave[:] = move_prices(data, saved)
        return guide

    def _seen(self, instance: Brokerage) -> Brokerage:
        """Return the instance with the ε in use, which no cost depends on."""
        if self.epsilon > 0:
            return msgspec.structs.replace(instance, epsilon=self.epsilon)
        return instance

    def _costs(self, data: Brokerage, slot: int, decision: FractionalSlot) -> dict[str, float]:
        moved, connected = decision.moved, decision.connected
        sync = data.sync_volume[decision.jobs]
        lane = data.transfer[moved.origin, moved.target]
        wire = data.transfer[connected.origin, connected.target] * sync[connected.job]
        return {
            "transfer": float((lane * moved.amount).sum()),
            "resource": self._resource_cost(data, slot, decision),
            "deploy": 0.0,
            "sync": float((wire * connected.amount).sum()),
        }

    def _resource_cost(self, data: Brokerage, slot: int, decision: FractionalSlot) -> float:
        """C2 of the relaxation; in printed mode the least x that (8c), (8d), (8e) leave."""
        usage = decision.workers.T @ data.worker_demand[decision.jobs]
        usage = usage + decision.server.T @ data.server_demand[decision.jobs]
        if self.relax == "tight":
            return float((data.chord_slope(self.semantics)[slot] * usage).sum())
        if not len(decision.jobs):
            return 0.0
        return float(switched_cost(data, usage, data.valid_big_m(self.semantics))[0].sum())


def switched_cost(data: Brokerage, usage: Floats, big_m: float) -> tuple[Floats, Floats]:
    """Least x that (8c), (8d), (8e) leave, USD, and the fraction u¹ that leaves it."""
    dear, cheap = data.list_price * usage, data.reduced_price * usage + data.surcharge
    off = np.full(usage.shape, 0.5)
    if big_m > 0:
        off = np.clip((dear - cheap) / (2 * big_m) + 0.5, 0.0, 1.0)
    least = np.maximum(dear - big_m * off, cheap - big_m * (1 - off))
    return np.maximum(least, 0.0), off


def one_slot_before(data: Brokerage, deployed: Floats) -> Floats:
    """Deployment one slot before that of every pair, 0 at arrival; v(t−1)."""
    return floats(np.where(data.previous_pair[:, None] >= 0, deployed[data.previous_pair], 0.0))


def deployment(data: Brokerage, decisions: Sequence[FractionalSlot]) -> Floats:
    """Deployment of the whole run, shape (pairs, sites); v."""
    deployed = np.zeros((data.num_pairs, data.num_sites))
    for slot, decision in enumerate(decisions):
        deployed[data.pairs_at(slot)] = decision.deployed
    return deployed


def move_prices(data: Brokerage, saved: Floats) -> tuple[Floats, Floats]:
    """Multipliers of (8h) that slot optima call for, by pair, and those after departure, by job.

    At the optimum of (10) more deployment saves (c/σ) ln((v(t)+ε)/(v(t−1)+ε)), in ``saved``, so
    that subtracting it slot by slot from c telescopes to μ(t) = (c/σ) ln((1+ε)/(v(t−1)+ε)). Prices
    of the solver fit its other multipliers better than logarithms of its v. As printed, μ̃ has 1+σ
    for 1+ε and loses + ε; see errata.
    """
    most = np.repeat(data.deploy_cost[data.pair_job][:, None], data.num_sites, axis=1)
    move, left = most.copy(), np.zeros_like(most)
    for pair in range(data.num_pairs):
        if data.previous_pair[pair] >= 0:
            move[pair] = left[pair - 1]
        left[pair] = np.clip(move[pair] - saved[pair], 0.0, most[pair])
    return move, left[data.pair_start[1:] - 1]


def trajectory_bound(data: Brokerage, static: float, deployed: Floats) -> float:
    """Bound that exact slot optima prove: Σ static + Σ (c/σ) v(t) ln((v(t)+ε)/(v(t−1)+ε)), USD.

    ``static`` is C1 + C2 + C4 of the run under the relaxation; ``deployed``, shape (pairs, sites),
    v.
    """
    before = one_slot_before(data, deployed)
    scale = (data.deploy_cost / data.entropy_scale)[data.pair_job]
    return static + float(
        (scale[:, None] * deployed * growth(deployed, before, data.epsilon)).sum()
    )


TIGHT = {"tight": {"relax": "tight"}}  #: Variants of every algorithm that rounds.


@dataclasses.dataclass(frozen=True)
class RoundedFractional(Fractional):
    """Fractional algorithm whose decisions are rounded by slot; it never sees the rounding."""

    def round(
        self, state: FractionalState, arrivals: Snapshot, answer: SubproblemAnswer | None, rng: Rng
    ) -> tuple[FractionalState, PlacedSlot]:
        """Decide fractionally, then round."""
        state, decision = super().round(state, arrivals, answer, rng)
        return state, self.whole(decision, arrivals.market, rng)

    def whole(self, decision: FractionalSlot, market: Brokerage, rng: Rng) -> PlacedSlot:
        """Make the fractional decision of a slot integer."""
        raise NotImplementedError

    def evaluate(self, instance: Brokerage, decisions: Sequence[Any]) -> None:
        """Whole decisions are worth what the environment says."""

    def theorem(self, instance: Brokerage, state: Any, decisions: Sequence[Any]) -> None:
        """Theorem 5 is about means over draws, not about a slot."""

    def certify(
        self, instance: Brokerage, state: FractionalState, decisions: Sequence[Any]
    ) -> Bound:
        """Prove the bound of the fractional run or the tight one, whichever is higher.

        Both hold for integer runs of every semantics; with a single constant M the run's own is far
        below the tight one, which costs a small share of the run.
        """
        own = super().certify(instance, state, ())
        return max(own, tight_bound(instance), key=lambda bound: bound.fraction)


def clean(decision: FractionalSlot, market: Brokerage) -> tuple[Floats, Floats]:
    """Workers and server shares of a slot without solver noise, shape (jobs, sites) each."""
    workers = snap_workers(decision.workers, market.workers_needed)
    return workers.reshape(decision.workers.shape), snap(decision.server)


@algorithm("mlbroker.mlbroker", source="mlBroker Algorithms 1, 2 and 3", variants=TIGHT)
@dataclasses.dataclass(frozen=True)
class MlBroker(RoundedFractional):
    """Fractional decisions, rounded dependently so that all data are trained.

    Parameters
    ----------
    combine
        ``"max"`` is the paper's: the largest of a rounding per resource and one per job.
        ``"round2"`` takes the rounding per job alone, which is feasible already and cheaper.
    """

    combine: Combine = "max"

    def whole(self, decision: FractionalSlot, market: Brokerage, rng: Rng) -> PlacedSlot:
        """Round workers by Algorithm 3 and draw one server a job."""
        workers, server = clean(decision, market)
        placed = round_workers(workers, market.worker_demand, rng, combine=self.combine)
        return PlacedSlot(decision.jobs, placed, draw_servers(server, rng))


@algorithm("mlbroker.ir", source="mlBroker section 6.2, IR", variants=TIGHT)
@dataclasses.dataclass(frozen=True)
class IndependentRounding(RoundedFractional):
    """Workers rounded to the nearest integer, server drawn by its shares; too few are added to.

    The paper does not say what happens to a job left with too few workers.  Here the decision
    counts such jobs and repairs them where most data are untrained.
    """

    def whole(self, decision: FractionalSlot, market: Brokerage, rng: Rng) -> PlacedSlot:
        """Round to the nearest, then repair."""
        workers, server = clean(decision, market)
        nearest = np.floor(workers + 0.5).astype(np.int64)
        short = nearest.sum(axis=1) < market.workers_needed
        for job in np.flatnonzero(short):
            nearest[job] = add_missing_workers(
                nearest[job],
                int(market.workers_needed[job]),
                market.volume[job],
                float(market.worker_capacity[job]),
            )
        return PlacedSlot(decision.jobs, nearest, draw_servers(server, rng), int(short.sum()))


@algorithm("mlbroker.gr", source="mlBroker section 6.2, GR", variants=TIGHT)
@dataclasses.dataclass(frozen=True)
class GreedyRounding(RoundedFractional):
    """Workers rounded up, server where its share is largest, the first such site on ties."""

    def whole(self, decision: FractionalSlot, market: Brokerage, rng: Rng) -> PlacedSlot:
        """Round up."""
        workers, server = clean(decision, market)
        return PlacedSlot(
            decision.jobs, np.ceil(workers).astype(np.int64), np.argmax(server, axis=1)
        )
