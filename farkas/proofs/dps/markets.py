"""Markets on which claims are tried."""

import functools

import numpy as np

from farkas.instances.dps import Job, Market
from farkas.portable import uniform
from farkas.proofs import trials
from farkas.proofs.trials import drawn

small = functools.partial(drawn, Market, "small")  #: Draw a market of a few servers and jobs.
#: Draw a market of the published size.
published = functools.partial(drawn, Market, "published", seed=1)
shipped = functools.partial(trials.shipped, Market)  #: Shipped instance of this kind.


def unit_users(
    jobs: int, seed: int, worker_types: int = 1, ps_types: int = 1, *, units: int = 2
) -> Market:
    """One unit of each a job, one job a slot for one slot, budgets uniform in [0, 2].

    Capacity never binds, T = N, and the best fixed price earns N/2: a job that is asked for p pays
    with probability 1 - p/2, and p (1 - p/2) is largest at p = 1.
    """
    rng = np.random.default_rng(seed)
    kinds = rng.integers(worker_types, size=jobs), rng.integers(ps_types, size=jobs)
    drawn = zip(
        kinds[0].tolist(), kinds[1].tolist(), uniform(rng, 0.0, 2.0, jobs).tolist(), strict=True
    )
    # records are valid by construction; reading them back would take most of the time
    return Market(
        horizon=jobs,
        occupancy="half_open",
        server_workers=((units,) * worker_types,),
        server_ps=((units,) * ps_types,),
        worker_bandwidth=(None,) * worker_types,
        ps_bandwidth=(None,) * ps_types,
        jobs=tuple(
            Job(
                arrival=i, worker_type=worker, workers=1, ps_type=ps, ps=1, model_size=0.0,
                epochs=1.0, epoch_compute=0.5, budget=budget,
            )
            for i, (worker, ps, budget) in enumerate(drawn)
        ),
    )  # fmt: skip
