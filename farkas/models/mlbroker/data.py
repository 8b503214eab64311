"""Sets and parameters that the programs of kind mlbroker share."""

from typing import Any

import numpy as np

from farkas.algebra import IndexedSet, Param, Set
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.tolerances import NORMAL, ULP


def deployment_bound(data: Brokerage, semantics: Semantics) -> int:
    """Bound on workers + server at a site, 1 + max Ȳ over all active (job, slot); U of (8g)."""
    return 1 + int(data.most_workers(semantics).max(initial=0))


def valid_big_m(data: Brokerage, semantics: Semantics) -> float:
    """Return the constant in force, raised where idle workers under strict semantics need it; M."""
    first, second = data.two_big_ms(semantics)
    return max(data.single_big_m, float(first.max(initial=0)), float(second.max(initial=0)))


def busy_slots(data: Brokerage) -> Ints:
    """Slots with an active job, ascending; all other slots cost nothing."""
    return np.unique(data.pair_slot)


def declare_sets(m: Any, data: Brokerage) -> None:
    """Sites, resources, jobs, busy slots, active pairs and the jobs of every slot."""
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
    m.rate = Param(m.jobs, values=data.worker_capacity)
    m.worker_demand = Param(m.jobs, m.resources, values=data.worker_demand)
    m.server_demand = Param(m.jobs, m.resources, values=data.server_demand)
    m.sync_volume = Param(m.jobs, values=data.sync_volume)
    m.deploy_cost = Param(m.jobs, values=data.deploy_cost)
    m.transfer_price = Param(m.sites, m.sites, values=data.transfer)
    m.volume = Param(m.job_slots, m.sites, values=data.trained_volume)
    m.needed = Param(m.job_slots, values=data.workers_needed)
    m.most = Param(m.job_slots, values=data.most_workers(semantics))


def rounded_up(values: Floats, roundings: int, positive: Bools) -> Floats:
    """At least the exact results >= 0 of which ``values`` came out after so many operations.

    Parameters
    ----------
    positive
        Where the exact result may be above 0; elsewhere 0 is right.  What lies below `NORMAL` may
        have lost more than a share of itself, and becomes that.
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
