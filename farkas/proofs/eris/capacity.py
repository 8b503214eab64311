"""Claims that prices keep jobs away from what is full."""

from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.prices import posted_on_arrival
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.eris.samples import auction
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import optimum, refuted_by
from farkas.tolerances import SOLVER_GAP


def _free_and_left(sample: Auction) -> Saying | None:
    job = sample.jobs[0]
    if sample.sites != 2 or any(job.data[1:]) or job.parameter_size <= 0:
        return None
    data = PricedJobs(sample, (0,), posted_on_arrival(sample))
    free = optimum(BestSchedule(capacity="full").form(data))
    left = max(0.0, optimum(BestSchedule(capacity="residual").form(data)))
    least = sum(job.worker_demand) + sum(job.server_demand)  # of the one worker a chunk needs
    return said(
        Stated(free, "<=", left, SOLVER_GAP),
        given=[
            Stated(max(job.utility) / job.parameter_size, "<=", sample.price_base_transfer - 1),
            Stated(max(job.utility) / least, "<=", min(sample.price_base_resource) - 1),
            *worker_and_server_apart(sample),
        ],
        payoff_by_prices=free,
        payoff_that_fits=left,
    )


def _apart() -> Iterator[Auction]:
    """One job, whose worker fits at the first site and whose server at the second, both busy."""
    rng = np.random.default_rng(0)
    for number in range(20):
        units, ports = (float(n) for n in rng.integers(1, 9, 2))
        yield Auction.build(
            name=f"apart {number}",
            slots=1,
            sites=2,
            resource_names=["units", "ports"],
            site_capacity=[[units + float(rng.integers(1, 9)), 0.5], [0.5, ports]],
            transfer_budget=float(rng.integers(10, 100)),
            chunk_size=1.0,
            price_base_transfer=100.0,
            price_base_resource=[100.0, 100.0],
            jobs=[
                {
                    "arrival": 0,
                    "utility": [float(rng.integers(1, 200))],
                    "data": [1, 0],
                    "epochs": 1,
                    "worker_rate": 1,
                    "worker_demand": [units, 0.0],
                    "server_demand": [0.0, ports],
                    "parameter_size": float(rng.integers(1, 5)),
                }
            ],
            occupied={
                "transfer": [0.0],
                "resources": [[[float(rng.integers(0, 4)) / 2], [0.0]], [[0.0], [0.0]]],
            },
        )


@claim(
    "eris.prices_protect_capacity",
    source="Eris section IV-B, text after (6)",
    says=_free_and_left,
    among=Among(samples=_apart),
)
def prices_protect_capacity() -> Verdict:
    """Prices alone keep use within capacity, if f/Σψ <= γ_d - 1 and f/Σφ <= γ_k - 1.

    The payoff on what is left is 0, on the full capacities it is large: only (7a), (7b) stop it.
    Sums are over what a schedule uses: every one of this job has its worker at the first site and
    its server, which fits nowhere else, at the second.
    """
    sample = auction("partly_full")
    units = sum(sample.jobs[0].worker_demand)  # of the one worker that its chunk needs
    capacity, used = float(sample.capacity[0, 0]), float(sample.used[0, 0, 0])
    note = f"of {capacity:g} units {capacity - used:g} are free, and {units:g} of them would pay"
    return refuted_by(_free_and_left, "eris/partly_full", note)


def worker_and_server_apart(sample: Auction) -> list[Stated]:
    """No worker fits at the second site and no server at the first, whatever is free."""
    job, capacity = sample.jobs[0], sample.capacity
    worker = np.max(np.array(job.worker_demand) / capacity[1])
    server = np.max(np.array(job.server_demand) / capacity[0])
    return [Stated(float(worker), ">", 1.0), Stated(float(server), ">", 1.0)]


def mostly_free() -> Auction:
    """One unit of a full resource beside a hundred units of an empty one, worth 999 · 90.

    The server is at another site, so that ninety units of parameters are transferred.
    """
    return Auction.build(
        name="mostly_free",
        slots=1,
        sites=2,
        resource_names=["full", "empty", "ports"],
        site_capacity=[[1.0, 1000.0, 0.5], [0.5, 1.0, 1.0]],
        transfer_budget=100.0,
        chunk_size=1.0,
        price_base_transfer=1000.0,
        price_base_resource=[1000.0, 1000.0, 1000.0],
        jobs=[
            {
                "arrival": 0,
                "utility": [999.0 * 90.0],
                "data": [1, 0],
                "epochs": 1,
                "worker_rate": 1,
                "worker_demand": [1.0, 100.0, 0.0],
                "server_demand": [0.0, 0.0, 1.0],
                "parameter_size": 90.0,
            }
        ],
        occupied={
            "transfer": [0.0],
            "resources": [[[1.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]],
        },
    )


@claim("eris.full_resource_repels", source="Eris section IV-B, text after (6)")
def full_resource_repels() -> Verdict:
    """No schedule that uses a full resource earns anything, under the same assumption.

    Its price is γ - 1 = 999, but a schedule that also uses a hundred units of an empty resource may
    be worth 999 · 90 for its 101 units, its server, and 90 units of parameters.
    """
    sample = mostly_free()
    prices = posted_on_arrival(sample)
    payoff = optimum(BestSchedule(capacity="full").form(PricedJobs(sample, (0,), prices)))
    job = sample.jobs[0]
    worth, limit = max(job.utility), float(prices.resource.max())
    demand, unpriced = np.array(job.worker_demand), prices.resource[0, :, 0] == 0
    return refuted(
        msgspec.to_builtins(sample),
        Stated(payoff, "<=", 0),
        f"{demand[unpriced].sum():g} of the {demand.sum():g} units have price 0",
        given=[
            Stated(float(sample.used[0, 0, 0]), "==", float(sample.capacity[0, 0])),
            Stated(worth / (sum(job.worker_demand) + sum(job.server_demand)), "<=", limit),
            Stated(worth / job.parameter_size, "<=", sample.price_base_transfer - 1),
            *worker_and_server_apart(sample),
        ],
        payoff=payoff,
        worth=worth,
        cost=worth - payoff,
    )
