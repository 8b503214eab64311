"""Algorithm 2: what it minimises and what it does not."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from farkas.instances.dps import Market
from farkas.models.dps.placement import MinServers, Sequence
from farkas.online.dps.posted import BestFit, FreeOfCharge
from farkas.online.dps.pricing import colocated, pa
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.dps.horizon import shipped
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import Trials, optimum, refuted_by
from farkas.tolerances import SOLVER_GAP


def _placed(state: Mapping[str, Any]) -> Saying:
    idle = [np.array(side) for side in state["idle"]]
    workers, ps = int(state["workers"]), int(state["ps"])
    units = pa(idle[0], idle[1], workers, ps)
    fits = idle[0].sum() >= workers and idle[1].sum() >= ps
    possible = bool(((idle[0] >= workers) & (idle[1] >= ps)).any())
    return said(
        Stated(units is not None, "==", bool(fits)),
        Stated(units is not None and colocated(units), "==", bool(fits) and possible),
    )


def _arrivals(count: int = 20, seed: int = 1) -> Iterator[dict[str, Any]]:
    """States of up to six servers, and what a job asks for."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        servers = int(rng.integers(1, 7))
        idle = rng.integers(0, 6, servers), rng.integers(0, 6, servers)
        workers, ps = (int(x) for x in rng.integers(1, 7, 2))
        yield {"workers": workers, "ps": ps, "idle": [side.tolist() for side in idle]}


@claim(
    "dps.pa_minimises_runtime",
    source="DPS section IV-A, (15)",
    says=_placed,
    among=Among(samples=_arrivals),
)
def pa_minimises_runtime() -> Verdict:
    """Algorithm 2 places an arrival with the shortest runtime.

    Runtimes take two values: the short one is possible iff one server has all units idle.
    """
    trials = Trials()
    for state in _arrivals(3000, seed=0):
        trials.hear(state, _placed(state))
    return trials.verdict("states of up to six servers")


def _servers_used(market: Market) -> Saying | None:
    """Servers of the first job, which comes alone."""
    market = market.replace(jobs=market.jobs[:1])
    job = market.jobs[0]
    idle = (
        market.installed_workers[:, job.worker_type],
        market.installed_ps[:, job.ps_type],
    )
    units = pa(*idle, job.workers, job.ps)
    if units is None:
        return None
    used = int(np.count_nonzero(units[0] + units[1]))
    fewest = optimum(MinServers().form(market))
    return said(Stated(used, "<=", fewest, SOLVER_GAP), used=used, fewest=fewest)


@claim(
    "dps.pa_minimises_servers",
    source="DPS section IV-A",
    says=_servers_used,
    among=Among(size={"servers": 4, "jobs": 2}),
)
def pa_minimises_servers() -> Verdict:
    """Algorithm 2 uses as few servers as possible.

    The runtime (1) does not reward it either: it knows one server and several.
    """
    return refuted_by(_servers_used, "dps/too_many_servers")


def _sequence(market: Market) -> Saying:
    greedy, fit = FreeOfCharge().simulate(market), BestFit().simulate(market)
    served, all_served = int(greedy.served.sum()), int(fit.served.sum())
    return said(
        Stated(served, ">=", all_served),
        given=[Stated(all_served, "==", market.num_jobs)],
        served=served,
        served_by_best_fit=all_served,
        runtime_by_best_fit=float(fit.runtime.sum()),
    )


@claim("dps.pa_minimises_sequences", source="DPS section IV-A", says=_sequence)
def pa_minimises_sequences() -> Verdict:
    """Algorithm 2 minimises the total runtime of jobs that arrive one after the other.

    It takes the server with most idle units, which splits the large ones.
    """
    best = optimum(Sequence().form(shipped("fragmented")))
    return refuted_by(_sequence, "dps/fragmented", shortest=best)
