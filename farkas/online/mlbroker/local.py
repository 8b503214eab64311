"""Baselines of kind mlbroker: rules, the best integers for one slot, and the best of all."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np

from farkas.errors import NoAnswer, NotApplicable
from farkas.instances.base import Nonnegative, Positive
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.instances.options import Share
from farkas.instances.rounding import guarded_ceil
from farkas.models.mlbroker.data import PlacedWorkers, Snapshot, present_at
from farkas.numbers import Bools, Floats, Ints, Rng
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import Knowledge, PlacedSlot, by_slot, recourse_costs
from farkas.online.policy import Policy
from farkas.rounding.workers import add_missing_workers
from farkas.tolerances import TIE, allowed

if TYPE_CHECKING:
    from farkas.solvers.subproblem import Subproblem, SubproblemAnswer


MOST_CHOICES = 5000  #: Most choices of server sites over which the expectation is taken.


Presence = dict[int, Bools]  #: Where each job was one slot before, shape (sites,) each.


@dataclasses.dataclass(frozen=True)
class SlotBaseline(Policy):
    """Baseline that decides from one slot and the presence one slot before."""

    def start(self, known: Knowledge, seed: int) -> Presence:
        """Nothing is deployed."""
        return {}

    def now(self, state: Presence, arrivals: Snapshot) -> Snapshot:
        """Return the slot with where its jobs were."""
        none = np.zeros(arrivals.market.num_sites, bool)
        before = [state.get(job, none) for job in arrivals.jobs.tolist()]
        deployed = np.reshape(before, (len(before), len(none))).astype(bool)
        return dataclasses.replace(arrivals, deployed=deployed)

    def step(self, state: Presence, arrivals: Snapshot) -> tuple[Presence, PlacedSlot]:
        """Place the slot's jobs."""
        return placed(arrivals, *self.place(self.now(state, arrivals)))

    def place(self, now: Snapshot) -> tuple[Ints, Ints]:
        """Workers, shape (jobs, sites), and server site, shape (jobs,)."""
        raise NotImplementedError


def placed(arrivals: Snapshot, workers: Ints, server: Ints) -> tuple[Presence, PlacedSlot]:
    """Return where the jobs are after a slot, and the decision."""
    decision = PlacedSlot(arrivals.jobs, workers, server)
    return dict(zip(arrivals.jobs.tolist(), present_at(workers, server), strict=True)), decision


def local_workers(market: Brokerage) -> Ints:
    """Workers where the data are, shape (pairs, sites); ⌈D/P⌉, forgiving rounding errors."""
    capacity = market.worker_capacity[market.pair_job]
    workers = guarded_ceil(market.volume / capacity[:, None]).astype(np.int64)
    # Errors forgiven at many sites may add up to a worker.
    for pair in np.flatnonzero(workers.sum(axis=1) < market.workers_needed):
        workers[pair] = add_missing_workers(
            workers[pair], int(market.workers_needed[pair]), market.volume[pair], capacity[pair]
        )
    return workers


@algorithm("mlbroker.local", source="mlBroker section 6.3, LocalWorkers")
@dataclasses.dataclass(frozen=True)
class LocalWorkers(Policy):
    """Data are trained where they are collected; no data move.

    The paper leaves the server open; here every job draws one site on arrival and keeps it.
    """

    def start(self, known: Knowledge, seed: int) -> dict[int, int]:
        """No job has a server site yet."""
        return {}

    def round(
        self, state: dict[int, int], arrivals: Snapshot, answer: Any, rng: Rng
    ) -> tuple[dict[int, int], PlacedSlot]:
        """Place workers with the data, and the servers of new jobs anywhere."""
        market, after = arrivals.market, {}
        for job in arrivals.jobs.tolist():
            known = state.get(job)
            after[job] = int(rng.integers(market.num_sites)) if known is None else known
        servers = np.array(list(after.values()), dtype=np.int64)
        return after, PlacedSlot(arrivals.jobs, local_workers(market), servers)


def local_total(instance: Brokerage, sites: Sequence[int]) -> float:
    """Cost of local with given server sites, one a job, every re-entry paid, USD."""
    server = np.asarray(sites, dtype=np.int64)[instance.pair_job]
    return recourse_costs(PlacedWorkers.of(instance, local_workers(instance), server)).total


def local_expected(instance: Brokerage) -> float:
    """Mean cost of local over all choices of one server site a job, USD.

    Raises `NotApplicable`: more than `MOST_CHOICES` choices.
    """
    count = instance.num_sites**instance.num_jobs
    if count > MOST_CHOICES:
        raise NotApplicable(f"{count} choices of server sites are more than {MOST_CHOICES}")
    choices = itertools.product(range(instance.num_sites), repeat=instance.num_jobs)
    return float(np.mean([local_total(instance, sites) for sites in choices]))


@algorithm("mlbroker.central", source="mlBroker section 6.3, Central")
@dataclasses.dataclass(frozen=True)
class Central(SlotBaseline):
    """Every job moves all its data to the one site where that is cheapest for it alone."""

    def place(self, now: Snapshot) -> tuple[Ints, Ints]:
        """Place all workers and the server of each job at its site."""
        market = now.market
        costs = site_costs(now)
        cheap = costs <= allowed(costs.min(axis=1, keepdims=True), TIE)
        site = np.argmax(cheap, axis=1)  # the first of equally cheap ones
        workers = np.zeros((market.num_jobs, market.num_sites), np.int64)
        workers[np.arange(market.num_jobs), site] = market.workers_needed
        return workers, site


def site_costs(now: Snapshot) -> Floats:
    """Cost of each job if all of it is at one site, other jobs aside, shape (jobs, sites), USD."""
    market = now.market
    usage = market.workers_needed[:, None] * market.worker_demand + market.server_demand
    resources = market.resource_cost(usage[:, None, :]).sum(axis=2)
    entering = market.deploy_cost[:, None] * ~now.deployed
    costs: Floats = market.volume @ market.transfer + resources + entering
    return costs


@algorithm("mlbroker.pooled", source="added: slots by trees over discounts, dearer deployments")
@dataclasses.dataclass(frozen=True)
class PooledPlacement(SlotBaseline):
    """All jobs of a slot placed together, with the discounts that they cause, on few new sites.

    As `mlbroker.one_shot`, but the slot is solved by a tree over the discounts that count, in which
    jobs place themselves one by one, instead of by an integer program; and a new site costs more
    than its deployment: a job that leaves its sites for a slot pays again when it comes back.

    Parameters
    ----------
    deployments
        Deployments that a new site is charged for; 1 looks at the slot alone.
    gap
        Relative gap at which a slot counts as solved.
    """

    deployments: Nonnegative = 1.5
    gap: Share = 1e-4

    def place(self, now: Snapshot) -> tuple[Ints, Ints]:
        """Solve the slot."""
        # here: for this policy alone
        from farkas.certificates.mlbroker_slots import SlotBounds
        from farkas.executor import nothing
        from farkas.relaxations.mlbroker.slot_trees import MOST_NODES, grow, new_sites

        market = now.market
        if not market.num_jobs:
            return np.zeros(now.deployed.shape, np.int64), np.zeros(0, np.int64)
        bounds = SlotBounds(market)
        extra = self.deployments * new_sites(bounds, now)
        tree = grow(bounds, 0, extra, 0.0, MOST_NODES, nothing, share=self.gap)
        return tree.best.found.workers, tree.best.found.server


@algorithm("mlbroker.opt", source="mlBroker (8)")
@dataclasses.dataclass(frozen=True)
class Optimum(Policy):
    """The offline optimum, with all data known in advance: no online algorithm.

    The paper's "Opt" is the relaxation (9) in section 6.3 and (8) in Figs. 9 and 10; every run's
    certificate is a bound of the former kind, this is the latter, with every re-entry paid.

    Parameters
    ----------
    semantics
        "strict" pays every re-entry while optimising; "printed" optimises (8) literally, and is
        charged for re-entries nevertheless.
    solver, time_limit, gap
        Integer solver and its limits; with a limit the best placement found counts.
    """

    hindsight: ClassVar[bool] = True

    semantics: Semantics = "strict"
    solver: str = "highs"
    time_limit: Positive = 60.0
    gap: Nonnegative = 0.0

    def decide(self, instance: Brokerage, seed: int) -> list[PlacedSlot]:
        """Solve the offline program; raises `NoAnswer` when no placement was found in time."""
        from farkas.models.mlbroker.placement import Offline, placement
        from farkas.solvers import Reason, solve

        workers = np.zeros((instance.num_pairs, instance.num_sites), np.int64)
        server = np.zeros(instance.num_pairs, np.int64)
        if instance.num_pairs:
            form = Offline(semantics=self.semantics, prices="two", presence="split").form(instance)
            answer = solve(form, self.solver, time_limit=self.time_limit, gap=self.gap)
            answer.unless_interrupted()
            if not answer.has_point:
                if answer.reason is Reason.TIME_LIMIT:
                    late = f"in {self.time_limit:g} s; raise time_limit"
                    raise NoAnswer(f"mlbroker.opt found no placement {late}")
                raise NoAnswer(f"mlbroker.opt got no placement of the solver {self.solver}")
            workers, server = placement(form, answer)
        return by_slot(instance, workers, server)


@dataclasses.dataclass(frozen=True)
class OneShotPlacement(SlotBaseline):
    """Baseline that solves mlbroker.one_shot in every slot."""

    solver: str = ""
    gap: Nonnegative = 0.0

    def model(self, state: Presence, arrivals: Snapshot) -> Subproblem | None:
        """State the program of the slot."""
        from farkas.models.mlbroker.placement import OneShot, placement
        from farkas.solvers.subproblem import Subproblem  # here: for these alone

        if not arrivals.market.num_jobs:
            return None
        program, now = OneShot(), self.now(state, arrivals)
        return Subproblem(program, now, placement, "slot_tree", {"gap": self.gap})

    def round(
        self, state: Presence, arrivals: Snapshot, answer: SubproblemAnswer | None, rng: Rng
    ) -> tuple[Presence, PlacedSlot]:
        """Take the program's placement."""
        if answer is None:
            none = np.zeros(arrivals.deployed.shape, np.int64)
            return placed(arrivals, none, np.zeros(0, np.int64))
        return placed(arrivals, *answer.decisions)


@algorithm("mlbroker.one_shot", source="added: all jobs of a slot, with discounts")
@dataclasses.dataclass(frozen=True)
class Myopic(OneShotPlacement):
    """All jobs of a slot placed optimally together, blind for the slots to come.

    Parameters
    ----------
    solver
        Integer solver; by default a tree over the discounts that count, and HiGHS where that proves
        less.
    gap
        Relative gap at which a slot counts as solved.
    """


@algorithm("mlbroker.oasis", source="mlBroker section 6.3, OASiS")
@dataclasses.dataclass(frozen=True)
class Oasis(OneShotPlacement):
    """Every job placed optimally by itself at list prices; discounts come as a surprise.

    At list prices jobs do not meet, so that one program places all of a slot.

    Parameters
    ----------
    solver
        Integer solver; by default each job's own search over sites, and HiGHS where that proves
        less.
    gap
        Relative gap at which a program counts as solved.
    """

    def now(self, state: Presence, arrivals: Snapshot) -> Snapshot:
        """Return the slot with where its jobs were, without discounts."""
        now = super().now(state, arrivals)
        market = msgspec.structs.replace(now.market, discount_price=None, discount_threshold=None)
        return dataclasses.replace(now, market=market)
