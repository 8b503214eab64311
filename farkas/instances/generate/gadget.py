"""Random clusters and jobs as in the evaluation of GADGET.

The published fat tree is modelled as a tree core - rack - server whose links have the same
bandwidth in both directions.  Draw order: number of racks, rack of each server, GPUs of each
server, server bandwidths, rack bandwidths, arrivals (sorted), then, each for all jobs at once,
largest rings, iterations, efficiencies, ring bandwidths, utility scales, steepnesses, midpoints,
fixed rings.
"""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.instances.base import Count, Nonnegative
from farkas.instances.options import (
    CountRange,
    NonnegativeRange,
    PositiveRange,
    Settings,
    UnitRange,
    Units,
    require_option,
)
from farkas.instances.variates import exponential
from farkas.portable_functions import uniform


class Published(Settings, frozen=True, kw_only=True):
    """Published settings; ``num_jobs``, ``arrivals`` and the scales are choices."""

    horizon: Count = 200  #: Number of slots; T.
    #: num_servers, racks: servers, and the range of the number of racks.
    num_servers: Count = 50
    racks: CountRange = (2, 5)
    gpus: tuple[Units, ...] = (1, 2, 4, 8)  #: Values of a server's GPUs, drawn with equal chance.
    #: server_bandwidth, rack_bandwidth: Gbps, integers.
    server_bandwidth: UnitRange = (10, 100)
    rack_bandwidth: UnitRange = (200, 3200)
    #: max_workers, fixed_workers: ring sizes; N and the baselines'.
    max_workers: CountRange = (1, 5)
    fixed_workers: CountRange = (1, 10)
    #: Iterations over a job's life; F. A worker-slot takes ``efficiency`` of them.
    iterations: UnitRange = (1000, 6000)
    efficiency: PositiveRange = (50.0, 500.0)  #: ζ.
    bandwidth: NonnegativeRange = (0.1, 5.0)  #: Gbps per ring edge; b.
    #: height, steepness, midpoint: of the sigmoid utility; λ1, λ2, λ3.
    height: NonnegativeRange = (1.0, 100.0)
    steepness: NonnegativeRange = (0.0, 1.0)
    midpoint: NonnegativeRange = (300.0, 3000.0)
    #: ``"sigmoid"`` as published, another shape with the height as scale, or ``"energy"``, the
    #: decreasing quadratic cost of the third example.
    utility: Literal["sigmoid", "sqrt", "log1p", "linear", "energy"] = "sigmoid"
    #: What F bounds: ``"iterations"`` takes the efficiency of it per worker-slot;
    #: ``"worker_slots"`` reads (3) literally.
    budget: Literal["iterations", "worker_slots"] = "iterations"
    #: Number of jobs; the paper sweeps it without naming the values.
    num_jobs: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 100
    #: ``"uniform"`` over the horizon, ``"poisson"`` (exponential gaps scaled to the horizon) or
    #: ``"start"``: all at slot 0.
    arrivals: Literal["uniform", "poisson", "start"] = "uniform"
    #: server_scale, link_scale: multiples of all GPUs and of all bandwidths, for sweeps.
    server_scale: Nonnegative = 1.0
    link_scale: Nonnegative = 1.0

    def check(self, what: str) -> None:
        """Check ranges, and that GPUs have values."""
        for name in self.__struct_fields__:
            if name != "gpus":
                self.check_ranges(name, what)
        require_option(bool(self.gpus), f"{what}: gpus = []; give at least one value")


PRESETS: dict[str, dict[str, Any]] = {
    # A size at which every algorithm runs in seconds.
    "reduced": {"horizon": 30, "num_servers": 6, "num_jobs": 40},
    # Published size with links that fill up: embedding becomes the hard part.
    "scarce_links": {
        "gpus": [1, 2],
        "rack_bandwidth": [40, 200],
        "bandwidth": [5.0, 40.0],
        "utility": "sqrt",
        "arrivals": "start",
    },
    # Small enough for exact slot programs, with links scarce enough to matter.
    "small": {
        "horizon": 4,
        "num_servers": 4,
        "racks": [2, 2],
        "gpus": [1, 2],
        "server_bandwidth": [2, 6],
        "rack_bandwidth": [4, 10],
        "max_workers": [1, 3],
        "fixed_workers": [1, 3],
        "iterations": [200, 1200],
        "bandwidth": [1.0, 3.0],
        "utility": "sqrt",
        "num_jobs": 5,
    },
}


def draw(settings: Published, rng: np.random.Generator) -> dict[str, Any]:
    """Return the fields of a cluster, drawn in the order given at the top of the module."""
    nodes, links = _tree(settings, rng)
    return {
        "horizon": settings.horizon,
        "resources": ["gpu", "iterations"] if settings.budget == "iterations" else ["gpu"],
        "nodes": nodes,
        "links": links,
        "jobs": _jobs(settings, rng),
    }


def _tree(
    settings: Published, rng: np.random.Generator
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    servers = settings.num_servers
    racks = int(rng.integers(*settings.racks, endpoint=True))
    rack_of = rng.integers(racks, size=servers)
    gpus = np.array(settings.gpus)[rng.integers(len(settings.gpus), size=servers)]
    up = rng.integers(*settings.server_bandwidth, servers, endpoint=True)
    core = rng.integers(*settings.rack_bandwidth, racks, endpoint=True)
    metered = settings.budget == "iterations"
    unlimited, nothing = ([None], [0.0]) if metered else ([], [])
    nodes: list[dict[str, Any]] = [
        {"name": f"server{i}", "capacity": [settings.server_scale * float(gpus[i]), *unlimited]}
        for i in range(servers)
    ]
    switches = [*(f"rack{index}" for index in range(racks)), "core"]
    nodes += [{"name": name, "server": False, "capacity": [0.0, *nothing]} for name in switches]
    cables = [(i, servers + int(rack_of[i]), float(up[i])) for i in range(servers)]
    cables += [(servers + i, servers + racks, float(core[i])) for i in range(racks)]
    links = [
        {"from": source, "to": target, "bandwidth": settings.link_scale * bandwidth}
        for one, two, bandwidth in cables
        for source, target in ((one, two), (two, one))
    ]
    return nodes, links


def _jobs(settings: Published, rng: np.random.Generator) -> list[dict[str, Any]]:
    count = settings.num_jobs
    arrival = np.sort(rng.integers(settings.horizon, size=count))
    if settings.arrivals == "start":
        arrival[:] = 0
    elif settings.arrivals == "poisson":
        times = np.cumsum(exponential(rng, count + 1))
        arrival = np.floor(settings.horizon * times[:-1] / times[-1]).astype(np.int64)
    metered = settings.budget == "iterations"
    most = rng.integers(*settings.max_workers, count, endpoint=True)
    iterations = rng.integers(*settings.iterations, count, endpoint=True)
    efficiency = uniform(rng, *settings.efficiency, count)
    bandwidth = uniform(rng, *settings.bandwidth, count)
    height = uniform(rng, *settings.height, count)
    steepness = uniform(rng, *settings.steepness, count)
    midpoint = uniform(rng, *settings.midpoint, count)
    fixed = rng.integers(*settings.fixed_workers, count, endpoint=True)
    return [
        {
            "arrival": arrival[i],
            "demand": [1.0, efficiency[i]] if metered else [1.0],
            "budget": [None, float(iterations[i])] if metered else [float(iterations[i])],
            "max_workers": most[i],
            "fixed_workers": fixed[i],
            "bandwidth": bandwidth[i],
            "efficiency": efficiency[i],
            "utility": _utility(settings, height[i], steepness[i], midpoint[i]),
        }
        for i in range(count)
    ]


def _utility(
    settings: Published, height: float, steepness: float, midpoint: float
) -> dict[str, Any]:
    if settings.utility == "sigmoid":
        return {
            "kind": "sigmoid", "height": height, "steepness": steepness, "midpoint": midpoint,
        }  # fmt: skip
    if settings.utility == "linear":
        return {"kind": "linear", "slope": height}
    if settings.utility == "energy":
        return {"kind": "quadratic_cost", "quadratic": height, "linear": 0.0}
    return {"kind": settings.utility, "scale": height}
