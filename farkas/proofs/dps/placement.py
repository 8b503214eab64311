"""Algorithm 2: what it minimises and what it does not."""

import numpy as np

from farkas.models.dps.placement import MinServers, Sequence
from farkas.online.dps.placing import colocated, pa
from farkas.online.dps.posted import BestFit, FreeOfCharge
from farkas.proofs.claim import Verdict, claim, refuted
from farkas.proofs.dps.markets import shipped
from farkas.proofs.stated import Stated
from farkas.proofs.trials import Trials, optimum
from farkas.search_tolerances import SOLVER_GAP


@claim("dps.pa_minimises_runtime", source="DPS section IV-A, (15)")
def pa_minimises_runtime() -> Verdict:
    """Algorithm 2 places an arrival with the shortest runtime.

    Runtimes take two values: the short one is possible iff one server has all units idle.
    """
    rng, trials = np.random.default_rng(0), Trials()
    for _ in range(3000):
        servers = int(rng.integers(1, 7))
        idle = rng.integers(0, 6, servers), rng.integers(0, 6, servers)
        workers, ps = (int(x) for x in rng.integers(1, 7, 2))
        units = pa(*idle, workers, ps)
        fits = idle[0].sum() >= workers and idle[1].sum() >= ps
        possible = bool(((idle[0] >= workers) & (idle[1] >= ps)).any())
        placed = Stated(units is not None, "==", bool(fits))
        short = Stated(units is not None and colocated(units), "==", bool(fits) and possible)
        example = {"workers": workers, "ps": ps, "idle": [side.tolist() for side in idle]}
        trials.add(example, placed, short)
    return trials.verdict("states of up to six servers")


@claim("dps.pa_minimises_servers", source="DPS section IV-A")
def pa_minimises_servers() -> Verdict:
    """Algorithm 2 uses as few servers as possible.

    The runtime (1) does not reward it either: it knows one server and several.
    """
    market = shipped("too_many_servers")
    units = pa(market.installed_workers[:, 0], market.installed_ps[:, 0], 3, 3)
    assert units is not None
    used = int(np.count_nonzero(units[0] + units[1]))
    fewest = optimum(MinServers().form(market))
    statement = Stated(used, "<=", fewest, SOLVER_GAP)
    return refuted("dps/too_many_servers", statement, used=used, fewest=fewest)


@claim("dps.pa_minimises_sequences", source="DPS section IV-A")
def pa_minimises_sequences() -> Verdict:
    """Algorithm 2 minimises the total runtime of jobs that arrive one after the other.

    It takes the server with most idle units, which splits the large ones.
    """
    market = shipped("fragmented")
    greedy, fit = FreeOfCharge().simulate(market), BestFit().simulate(market)
    best = optimum(Sequence().form(market))
    served, all_served = int(greedy.served.sum()), int(fit.served.sum())
    return refuted(
        "dps/fragmented",
        Stated(served, ">=", all_served),
        given=Stated(all_served, "==", market.num_jobs),
        served=served,
        served_by_best_fit=all_served,
        runtime_by_best_fit=float(fit.runtime.sum()),
        shortest=best,
    )
