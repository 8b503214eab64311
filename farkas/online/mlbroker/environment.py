"""What the broker's algorithms meet: a slot at a time; and what integer decisions cost."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np

from farkas.certificates.doubles import nearest
from farkas.errors import InvalidInstance
from farkas.instances.mlbroker import Brokerage, Job
from farkas.models.mlbroker.data import Constants, PlacedWorkers, Snapshot, entered, snapshot
from farkas.numbers import Floats, Ints
from farkas.online import driver
from farkas.online.driver import Demo, Outcome, environment, plain
from farkas.online.run import Bound, Sense
from farkas.replay.base import Requirements
from farkas.replay.mlbroker import Prices, broken_placements, transfers


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """Costs of decisions by slot, USD; shape (slots,) each."""

    transfer: Floats  #: Moving data; C1.
    resource: Floats  #: Resources under the volume discount, pooled over jobs; C2.
    deploy: Floats  #: Deployments, every entry and re-entry of a site; C3 as the text has it.
    deploy_once: Floats  #: Deployments, each job and site charged once per life; C3 as (8) has it.
    sync: Floats  #: Traffic between workers and server; C4.

    @property
    def total(self) -> float:
        """All costs with every re-entry paid, USD."""
        return float((self.transfer + self.resource + self.deploy + self.sync).sum())

    @property
    def total_sticky(self) -> float:
        """All costs with each job and site paid once, USD."""
        return self.total + float((self.deploy_once - self.deploy).sum())


def recourse_costs(placed: PlacedWorkers) -> Costs:
    """Costs of decided workers and servers, data moved as cheaply as possible."""
    data, present = placed.instance, placed.present
    price, ever = data.deploy_cost[data.pair_job], present.copy()
    for pair in np.flatnonzero(data.previous_pair >= 0):
        ever[pair] |= ever[pair - 1]
    # products of workers are exact
    moved = transfers(data, Prices(data), placed.workers.astype(object), Requirements())
    sent = (data.transfer[:, placed.server].T * placed.workers).sum(axis=1)
    return Costs(
        transfer=_summed(placed, np.array([nearest(cost) for cost in moved])),
        resource=data.resource_cost(placed.usage()).sum(axis=(1, 2)),
        deploy=_summed(placed, price * entered(data, present).sum(axis=1)),
        deploy_once=_summed(placed, price * entered(data, ever).sum(axis=1)),
        sync=_summed(placed, sent * data.sync_volume[data.pair_job]),
    )


def _summed(placed: PlacedWorkers, values: Floats) -> Floats:
    sums = np.zeros(placed.instance.num_slots)
    np.add.at(sums, placed.instance.pair_slot, values)
    return sums


STATED = 32  #: Jobs whose programs are stated at once: memory is a small multiple of theirs.


@functools.lru_cache(maxsize=8)
def tight_bound(instance: Brokerage) -> Bound:
    """Prove a bound on every run from the tight relaxation, solved job by job."""
    from farkas.certificates.mlbroker import Guide, MlbrokerPrices
    from farkas.forms.matrices import part_of
    from farkas.relaxations.mlbroker.relaxed import JobsApart, Relaxation
    from farkas.solvers.session import multipliers_by_any

    guide = Guide.zeros(instance)
    sources: dict[str, None] = {}
    for begin in range(0, instance.num_jobs, STATED):
        jobs = range(begin, min(begin + STATED, instance.num_jobs))
        form = Relaxation(relax="tight").form(JobsApart(instance, jobs))
        pairs = slice(instance.pair_start[jobs.start], instance.pair_start[jobs.stop])
        job_of, rows = instance.pair_job[pairs], np.zeros(form.num_rows)
        for job in jobs:
            part, at = part_of(form, job_of == job)
            rows[at], source = multipliers_by_any(part)
            sources[source] = None
        new = instance.previous_pair[pairs] < 0
        for multipliers, name, some in (
            (guide.server, "server_is_connected", slice(None)),
            (guide.presence, "present_with_server", slice(None)),
            (guide.move, "started_at_arrival", new),
            (guide.move, "started_when_new", ~new),
        ):
            multipliers[pairs][some] = np.abs(form.row_values(rows, name))
    proved = MlbrokerPrices.of(instance, guide, "tight")
    method = f"{' and '.join(sources)} of mlbroker.relaxed[tight,printed], job by job"
    return Bound.of(Fraction(proved.bound), method, proved.plain())


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """What an algorithm may know before the first slot."""

    num_sites: int
    #: printed, strict: constants M and U of the printed relaxation under either semantics. They
    #: depend on the jobs to come; the paper's algorithm needs them, the tight relaxation does not.
    printed: Constants
    strict: Constants


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PlacedSlot:
    """Integer decision for one slot."""

    jobs: Ints  #: Shape (jobs,), numbers in the whole instance, ascending.
    workers: Ints  #: Shape (jobs, sites), whole numbers.
    server: Ints  #: Shape (jobs,), site of the parameter server.
    #: Number of jobs that a rounding left with too few workers and that were then given more.
    repaired: int = 0


def by_pair(instance: Brokerage, decisions: Sequence[PlacedSlot]) -> tuple[Ints, Ints]:
    """Workers, shape (pairs, sites), and server, shape (pairs,), of decisions slot by slot.

    Raises `InvalidInstance` when decisions leave out an active job or place another one.
    """
    workers = np.zeros((instance.num_pairs, instance.num_sites), np.int64)
    server = np.zeros(instance.num_pairs, np.int64)
    if len(decisions) != instance.num_slots:
        raise InvalidInstance(f"{len(decisions)} decisions for {instance.num_slots} slots")
    for slot, decision in enumerate(decisions):
        pairs = instance.pairs_at(slot)
        if not np.array_equal(instance.pair_job[pairs], decision.jobs):
            raise InvalidInstance(f"the decision of slot {slot} is not about its active jobs")
        workers[pairs] = np.reshape(decision.workers, (len(pairs), instance.num_sites))
        server[pairs] = decision.server
    return workers, server


def by_slot(instance: Brokerage, workers: Ints, server: Ints) -> list[PlacedSlot]:
    """Return decisions slot by slot, of workers and servers of all pairs."""
    return [
        PlacedSlot(instance.jobs_at(slot), workers[pairs], server[pairs])
        for slot in range(instance.num_slots)
        for pairs in [instance.pairs_at(slot)]
    ]


@environment(
    "mlbroker",
    demo=Demo("mlbroker.mlbroker", "mlbroker.offline[strict]", "mlbroker.relaxed[sharp,strict]"),
)
class Environment(driver.Environment):
    """Slots in order, each with its active jobs; no capacities, so that every run can go on."""

    sense: Sense = "min"
    arrives = "a `Snapshot`: the active jobs of the slot as a market of one slot"
    decides = "a `PlacedSlot`: workers, shape (jobs, sites), and the site of each server"

    def known(self, instance: Brokerage) -> Knowledge:
        """Return the number of sites and the constants of the printed relaxation."""
        return Knowledge(
            num_sites=instance.num_sites,
            printed=Constants.of(instance, "printed"),
            strict=Constants.of(instance, "strict"),
        )

    def arrivals(self, instance: Brokerage) -> list[Snapshot]:
        """Return one snapshot a slot."""
        return [snapshot(instance, slot) for slot in range(instance.num_slots)]

    def steps(self, instance: Brokerage) -> int:
        """Return the number of slots."""
        return instance.num_slots

    def shown(self, instance: Brokerage, step: int, numbers: Sequence[int]) -> Snapshot:
        """Return the snapshot of the slot; its jobs are numbered as in all that was fed."""
        return dataclasses.replace(snapshot(instance, step), jobs=np.array(numbers, np.int64))

    def stays(self, job: Job, step: int) -> bool:
        """Whether the job is active in the slot."""
        return job.arrival <= step <= job.departure

    def prolonged(self, job: Job, data: Sequence[float]) -> Job:
        """Return the job with another slot and the data of it, GB by site."""
        rows = (*job.data, tuple(data))
        return msgspec.structs.replace(job, departure=job.departure + 1, data=rows)

    def so_far(self, instance: Brokerage, steps: int) -> Brokerage:
        """Return the market that ends with the slots so far, and jobs with it."""
        if steps == instance.num_slots:
            return instance
        cut = []
        for job in instance.jobs:
            seen = job.data[: steps - job.arrival]
            last = job.arrival + len(seen) - 1
            cut.append(msgspec.structs.replace(job, departure=last, data=seen))
        return instance.replace(num_slots=steps, jobs=cut)

    def unusable(self, instance: Brokerage, decisions: Sequence[PlacedSlot]) -> list[str]:
        """Say as the replay does where data cannot be moved to workers, or have no server."""
        by_pair(instance, decisions)  # refuses decisions about other jobs
        return broken_placements(instance, plain(decisions))

    def measure(self, instance: Brokerage) -> str:
        """Say what a value is."""
        return "cost (USD)"

    def worth(self, instance: Brokerage, decisions: Sequence[PlacedSlot]) -> Outcome:
        """Price integer decisions: data moved optimally, discounts pooled, every re-entry paid."""
        workers, server = by_pair(instance, decisions)
        parts = ("transfer", "resource", "deploy", "sync")
        with np.errstate(over="ignore", invalid="ignore"):  # what is infinite then is refused
            costs = recourse_costs(PlacedWorkers.of(instance, workers, server))
            table = np.column_stack([getattr(costs, part) for part in parts])
            sums = {
                "deploy_once": float(costs.deploy_once.sum()),
                "total_sticky": costs.total_sticky,
            }
        slots = [dict(zip(parts, row, strict=True)) for row in table]
        numbers = {**sums, "repaired": float(sum(decision.repaired for decision in decisions))}
        return Outcome(slots, numbers=numbers)

    def bound(self, instance: Brokerage) -> Bound:
        """Prove a lower bound from the tight relaxation."""
        return tight_bound(instance)
