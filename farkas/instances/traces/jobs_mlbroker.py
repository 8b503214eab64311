"""Jobs of a trace on the regions of a cloud: kind mlbroker.

A job's active window comes from its submit time and duration, its workers from its GPUs.  Sites are
the regions that quote an on-demand and a reserved price for the instance type; these are base and
discount price of the GPU.  Everything else is drawn from the published ranges, in this order:
transfer prices, base prices, discounts and thresholds of the other resources, GPU thresholds, then
job by job worker capacity, worker demand, server demand, synchronisation volume, image size,
deployment rate, and per slot its load and shares.
"""

from typing import Any, ClassVar

import numpy as np

from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.generate.mlbroker import Published, ShareRange
from farkas.instances.options import require_option
from farkas.instances.traces.importer import Account, Path
from farkas.instances.traces.jobs import JobTable, TraceJob, whole_units
from farkas.instances.traces.market import GpuPrice, read_prices
from farkas.instances.variates import dirichlet
from farkas.numbers import Floats
from farkas.portable_functions import uniform

RANGES = Published()
HOUR, DAY = 3600.0, 86400.0


class BrokerageOfJobs(JobTable, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    prices
        Path of the price table; required.
    instance
        Instance type whose regions are the sites.
    sites
        At most this many regions, in the order of their names; all if left out.
    epsilon
        ε.
    load
        Share of the capacity of its GPUs that a job's data fill in a slot.
    threshold_scale
        Multiple of the published discount thresholds.
    """

    paths: ClassVar[tuple[str, ...]] = ("prices",)
    valued: ClassVar[bool] = False

    prices: str = ""
    instance: str = "g4dn.12xlarge"
    sites: Count | None = None
    epsilon: Positive = RANGES.epsilon
    load: ShareRange = (0.6, 1.0)
    threshold_scale: Nonnegative = 1.0

    def check(self, what: str) -> None:
        """Check ranges, and that there is a price table."""
        super().check(what)
        require_option(bool(self.prices), f"{what}: name the price table (prices)")

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Make a brokerage from jobs and a table of GPU prices."""
        regions = read_prices(self.prices, self.instance)[: self.sites]
        trace = self.cut(self.with_gpus(path, dropped), dropped)
        return {
            "name": f"{self.source}-{self.instance}",
            "description": (
                f"{self.origin}; sites are {', '.join(region.region for region in regions)}; GPU "
                f"prices of {self.instance} on demand (base) and reserved (discount); one GPU per "
                "worker, data fill the share `load` of a job's workers, Dirichlet over the sites; "
                "other prices, demands and thresholds from the published ranges, daily prices per "
                "slot length"
            ),
            "num_slots": self.slots,
            "epsilon": self.epsilon,
            **self._sites(regions, rng),
            "jobs": [self._job(len(regions), slot, job, rng) for slot, job in trace],
        }

    def _sites(self, regions: list[GpuPrice], rng: np.random.Generator) -> dict[str, Any]:
        """Prices and thresholds; GPU first, then the other published resources per slot."""
        sites = len(regions)
        hours, days = self.slot_seconds / HOUR, self.slot_seconds / DAY
        transfer = uniform(rng, *RANGES.transfer_price, (sites, sites))
        np.fill_diagonal(transfer, 0.0)
        low, high = np.array(RANGES.base_price[1:]).T
        base = uniform(rng, low, high, (sites, len(low))) * days
        reduced = base * uniform(rng, *RANGES.discount, base.shape)
        low, high = np.array(RANGES.discount_threshold[1:]).T
        thresholds = uniform(rng, low, high, base.shape)
        gpu_threshold = uniform(rng, *RANGES.discount_threshold[0], (sites, 1))
        on_demand = hours * np.array([[region.on_demand] for region in regions])
        reserved = hours * np.array([[region.reserved] for region in regions])
        return {
            "num_sites": sites,
            "num_resources": 1 + base.shape[1],
            "transfer_price": transfer,
            "base_price": np.hstack([on_demand, base]),
            "discount_price": np.hstack([reserved, reduced]),
            "discount_threshold": self.threshold_scale * np.hstack([gpu_threshold, thresholds]),
        }

    def _job(
        self, sites: int, arrival: int, job: TraceJob, rng: np.random.Generator
    ) -> dict[str, Any]:
        departure = self.last_slot(arrival, job)
        capacity = uniform(rng, *RANGES.worker_capacity)
        worker = [1.0, *whole_units(rng, RANGES.worker_demand[1:])]
        server = [0.0, *whole_units(rng, RANGES.server_demand[1:])]
        sync = uniform(rng, *RANGES.sync_volume)
        deploy = uniform(rng, *RANGES.image_size) * uniform(rng, *RANGES.deploy_rate)
        window = departure - arrival + 1
        load = uniform(rng, *self.load, window)
        shares = dirichlet(rng, RANGES.share_concentration, (window, sites))
        data: Floats = shares * (job.num_gpus * capacity * load)[:, None]
        return {
            "name": job.name,
            "arrival": arrival,
            "departure": departure,
            "worker_capacity": capacity,
            "worker_demand": worker,
            "server_demand": server,
            "sync_volume": sync,
            "deploy_cost": deploy,
            "data": data,
        }
