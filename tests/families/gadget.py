"""Small clusters that make one point each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from farkas.instances.gadget import Cluster


def two_ring_star() -> Cluster:
    """Two servers behind one switch: a ring of two uses every duplex link once per direction.

    The printed constraint (9) forbids it.  Slot optimum 2√2, offline optimum 4.
    """
    return Cluster.build(
        name="two_ring_star",
        description="Two one-GPU servers behind a switch; the only ring of two fills all links.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 1), _server("server1", 1), _switch("switch")],
        links=_duplex([(0, 2, 2.0), (1, 2, 2.0)]),
        jobs=[_job(workers=2, bandwidth=2.0, utility={"kind": "sqrt", "scale": 2.0})],
    )


def idle_cluster() -> Cluster:
    """Nothing can run in the first slot: one job is too large, the other comes later."""
    return Cluster.build(
        name="idle_cluster",
        description="One job needs more than a server has, the other arrives after the slot.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 1)],
        links=[],
        jobs=[
            {**_job(2, 1.0, {"kind": "sqrt", "scale": 2.0}), "demand": [2.0]},
            {**_job(1, 1.0, {"kind": "sqrt", "scale": 1.0}), "arrival": 1},
        ],
    )


def slow_start(midpoint: float = 4.0) -> Cluster:
    """Sigmoid utility: gains grow at first, so rewards are not concave where proofs need it.

    Parameters
    ----------
    midpoint
        Progress at which the sigmoid is at half its height.
    """
    sigmoid = {"kind": "sigmoid", "height": 12.0, "steepness": 1.5, "midpoint": midpoint}
    return Cluster.build(
        name="slow_start",
        description="A sigmoid and a linear job on one server; the sigmoid's gains grow at first.",
        horizon=3,
        resources=["gpu"],
        nodes=[_server("server0", 2)],
        links=[],
        jobs=[_job(2, 1.0, sigmoid), _job(2, 1.0, {"kind": "linear", "slope": 1.0})],
    )


def worker_bound_trap() -> Cluster:
    """Exclude, by the printed bound on ring sizes, the only ring that can run.

    Job 0 earns 10 per worker but needs two GPUs, more than any server has.  Without whole servers
    it takes all GPUs: q = (1, 0).  So the printed sizes of job 1 are empty and the printed program
    is worth 0, while job 1 can earn 2.
    """
    linear = {"kind": "linear", "slope": 10.0}
    return Cluster.build(
        name="worker_bound_trap",
        description="Two one-GPU servers; the relaxation prefers a job that fits on none.",
        horizon=1,
        resources=["gpu"],
        nodes=[_server("server0", 1), _server("server1", 1)],
        links=_duplex([(0, 1, 10.0)]),
        jobs=[
            {**_job(1, 1.0, linear), "demand": [2.0]},
            _job(2, 1.0, {"kind": "linear", "slope": 1.0}),
        ],
    )


def step_greedy(prize: float = 100.0) -> Cluster:
    """Pay with the second worker-slot only: greedy never sees it.

    One GPU, two slots.  Greedy runs the linear job twice and earns 2; the optimum is ``prize``.

    Parameters
    ----------
    prize
        Reward of the other job after two worker-slots.
    """
    return Cluster.build(
        name="step_greedy",
        description="One GPU; a job that pays after two slots against one that pays 1 per slot.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 1)],
        links=[],
        jobs=[
            _job(1, 1.0, {"kind": "table", "values": [0.0, 0.0, prize]}),
            _job(1, 1.0, {"kind": "linear", "slope": 1.0}),
        ],
    )


def late_sigmoid() -> Cluster:
    """Take a published sigmoid: the sixth worker-slot gains 10^10 times the fifth."""
    sigmoid = {"kind": "sigmoid", "height": 100.0, "steepness": 0.5, "midpoint": 300.0}
    return Cluster.build(
        name="late_sigmoid",
        description="One GPU and one job whose published utility is convex for five slots.",
        horizon=10,
        resources=["gpu"],
        nodes=[_server("server0", 1)],
        links=[],
        jobs=[{**_job(1, 1.0, sigmoid), "efficiency": 50.0}],
    )


def budget_of_two() -> Cluster:
    """Maximal schedules of different sizes: {two workers at once} and {one worker, twice}.

    With a budget of two worker-slots both are maximal, so schedules are no matroid.
    """
    return Cluster.build(
        name="budget_of_two",
        description="One server with two GPUs, two slots, a job with a budget of two worker-slots.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 2)],
        links=[],
        jobs=[{**_job(2, 1.0, {"kind": "linear", "slope": 1.0}), "budget": [2.0]}],
    )


def one_gpu(horizon: int = 6) -> Cluster:
    """One GPU and one linear job: half of (10) may be none of the marginal gain.

    Parameters
    ----------
    horizon
        Number of slots; the ratio is 1 to this.
    """
    return Cluster.build(
        name="one_gpu",
        description="One GPU, one job that earns 1 per slot.",
        horizon=horizon,
        resources=["gpu"],
        nodes=[_server("server0", 1)],
        links=[],
        jobs=[_job(1, 1.0, {"kind": "linear", "slope": 1.0})],
    )


def seven_ninths() -> Cluster:
    """Exact greedy slots reach 14 of 18 although all utilities are concave."""
    table = {"kind": "table", "values": [0.0, 4.0, 8.0, 11.0, 14.0, 15.0, 15.0]}
    return Cluster.build(
        name="seven_ninths",
        description="Two one-GPU servers, two slots: the tie of the first slot decides.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 1), _server("server1", 1)],
        links=_duplex([(0, 1, 10.0)]),
        jobs=[
            _job(2, 1.0, {"kind": "table", "values": [0.0, 6.0, 10.0]}),
            _job(1, 1.0, table),
        ],
    )


def half_server() -> Cluster:
    """Ring selection by the relaxation picks size 3; only size 2 fits whole servers."""
    return Cluster.build(
        name="half_server",
        description="Two servers of three GPUs, two GPUs per worker, rings of up to three.",
        horizon=1,
        resources=["gpu"],
        nodes=[_server("server0", 3), _server("server1", 3)],
        links=_duplex([(0, 1, 1.0)]),
        jobs=[{**_job(3, 1.0, {"kind": "sqrt", "scale": 1.0}), "demand": [2.0]}],
    )


def unlinked_pair() -> Cluster:
    """Ring selection picks size 2 on two servers without a link: nothing runs instead of 1."""
    return Cluster.build(
        name="unlinked_pair",
        description="Two one-GPU servers that are not connected.",
        horizon=1,
        resources=["gpu"],
        nodes=[_server("server0", 1), _server("server1", 1)],
        links=[],
        jobs=[_job(2, 1.0, {"kind": "linear", "slope": 1.0})],
    )


def heavy_worker() -> Cluster:
    """Need ten times the only server for a worker: the relaxation runs a tenth of it."""
    return Cluster.build(
        name="heavy_worker",
        description="One server with one GPU, one job with ten GPUs per worker.",
        horizon=1,
        resources=["gpu"],
        nodes=[_server("server0", 1)],
        links=[],
        jobs=[{**_job(1, 1.0, {"kind": "linear", "slope": 1.0}), "demand": [10.0]}],
    )


def six_cycle_half() -> Cluster:
    """Close six servers to a one-way cycle: the relaxation runs two half rings, none is whole.

    Every ring of three circles all links once and two of them would need bandwidth 1; the links
    have 1/2.
    """
    links = [{"from": u, "to": (u + 1) % 6, "bandwidth": 0.5} for u in range(6)]
    return Cluster.build(
        name="six_cycle_half",
        description="Six one-GPU servers on a one-way cycle with half the bandwidth of a ring.",
        horizon=1,
        resources=["gpu"],
        nodes=[_server(f"server{u}", 1) for u in range(6)],
        links=links,
        jobs=[{**_job(3, 1.0, {"kind": "table", "values": [0.0, 0.0, 0.0, 1.0]})}],
    )


def shared_link() -> Cluster:
    """Paths 0-switch-1 and 2-switch-1 share a link of 10 that two rings of 6 overload.

    (8) caps each path alone and holds; the link carries 12.
    """
    return Cluster.build(
        name="shared_link",
        description="Three servers behind a switch; two rings meet at the link of server 1.",
        horizon=1,
        resources=["gpu"],
        nodes=[_server("server0", 1), _server("server1", 2), _server("server2", 1), _switch("sw")],
        links=_duplex([(0, 3, 10.0), (1, 3, 10.0), (2, 3, 10.0)]),
        jobs=[
            _job(2, 6.0, {"kind": "table", "values": [0.0, 0.0, 1.0]}),
            _job(2, 6.0, {"kind": "table", "values": [0.0, 0.0, 1.0]}),
        ],
    )


def two_triangles() -> Cluster:
    """Two triangles without a link between them: every server has degree two, no ring spans six.

    The printed (9) admits the six-worker "ring".
    """
    cables = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (3, 4, 1.0), (4, 5, 1.0), (5, 3, 1.0)]
    return Cluster.build(
        name="two_triangles",
        description="Six one-GPU servers in two separate triangles.",
        horizon=1,
        resources=["gpu"],
        nodes=[_server(f"server{u}", 1) for u in range(6)],
        links=_duplex(cables),
        jobs=[_job(6, 1.0, {"kind": "table", "values": [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 5.0]})],
    )


def energy() -> Cluster:
    """Reward by the energy utility of the third example: best is to do nothing."""
    return Cluster.build(
        name="energy",
        description="Two one-GPU servers; a job that only costs energy and one that earns.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 1), _server("server1", 1)],
        links=_duplex([(0, 1, 5.0)]),
        jobs=[
            _job(2, 1.0, {"kind": "quadratic_cost", "quadratic": 0.5, "linear": 0.1}),
            _job(1, 1.0, {"kind": "log1p", "scale": 2.0}),
        ],
    )


SHIPPED: dict[str, Callable[[], Cluster]] = {
    "two_ring_star": two_ring_star,
    "idle_cluster": idle_cluster,
    "slow_start": slow_start,
    "worker_bound_trap": worker_bound_trap,
    "step_greedy": step_greedy,
    "late_sigmoid": late_sigmoid,
    "budget_of_two": budget_of_two,
    "one_gpu": one_gpu,
    "seven_ninths": seven_ninths,
    "half_server": half_server,
    "unlinked_pair": unlinked_pair,
    "heavy_worker": heavy_worker,
    "six_cycle_half": six_cycle_half,
    "shared_link": shared_link,
    "two_triangles": two_triangles,
    "energy": energy,
}
"""Library instances by name (without the kind) and what makes them."""


def _server(name: str, gpus: float) -> dict[str, Any]:
    return {"name": name, "server": True, "capacity": [gpus]}


def _switch(name: str) -> dict[str, Any]:
    return {"name": name, "server": False, "capacity": [0.0]}


def _duplex(cables: list[tuple[int, int, float]]) -> list[dict[str, Any]]:
    return [
        {"from": source, "to": target, "bandwidth": bandwidth}
        for one, two, bandwidth in cables
        for source, target in ((one, two), (two, one))
    ]


def _job(workers: int, bandwidth: float, utility: dict[str, Any]) -> dict[str, Any]:
    return {
        "arrival": 0,
        "demand": [1.0],
        "budget": [None],
        "max_workers": workers,
        "fixed_workers": workers,
        "bandwidth": bandwidth,
        "efficiency": 1.0,
        "utility": utility,
    }
