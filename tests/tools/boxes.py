"""Tiny instances whose numbers span boxes, one for each program of the worst case."""

from __future__ import annotations

from farkas.instances.coded import CodedComputing
from farkas.instances.dps import Market
from farkas.instances.gadget import Cluster
from farkas.instances.mlbroker import Brokerage


def coded_box(workers: int = 3, most: float = 3.0, masters: int = 2) -> CodedComputing:
    """Rates from 1 to ``most`` with shifts that are their inverses, so that speeds span as much."""
    fast, slow = [most] * (workers - 1), [1.0 / most] * (workers - 1)
    return CodedComputing.build(
        success_probability=0.9,
        masters=[{"rows": 10}] * masters,
        workers=workers,
        rate=[[1.0, *fast]] * masters,
        shift=[[1.0, *slow]] * masters,
    )


def dps_box(low: float = 1.0, high: float = 3.0, jobs: int = 3) -> Market:
    """One worker and one server; prices ask 2 of every job, each of which holds them two slots."""
    job = {"worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0.0, "epochs": 1.0,
           "epoch_compute": 1.0}  # fmt: skip
    budgets = [low] + [high] * (jobs - 1)
    return Market.build(
        horizon=jobs + 1,
        price_cap=None,
        server_workers=[[1]],
        server_ps=[[1]],
        worker_bandwidth=[None],
        ps_bandwidth=[None],
        jobs=[job | {"arrival": at, "budget": budget} for at, budget in enumerate(budgets)],
        fixed_prices={"worker": [1.5], "ps": [0.5]},
    )


def gadget_box(jobs: int = 3, most: float = 3.0, horizon: int = 1) -> Cluster:
    """One server of four units, demands from 1 on; later jobs are worth more."""
    return Cluster.build(
        horizon=horizon,
        resources=["gpu"],
        nodes=[{"capacity": [4.0]}],
        links=[],
        jobs=[
            {"arrival": 0, "demand": [most if k else 1.0], "budget": [None], "max_workers": 2,
             "fixed_workers": 1, "bandwidth": 0.0, "efficiency": 1.0,
             "utility": {"kind": "linear", "slope": k + 1.0}}
            for k in range(jobs)
        ],
    )  # fmt: skip


def mlbroker_box(most: float = 4.0, slots: int = 2) -> Brokerage:
    """One job on two sites, whose workers train 2 GB; every one of the four costs occurs."""
    volume = [[0.0, most]] + [[most, most]] * (slots - 1)
    return Brokerage.build(
        num_sites=2,
        num_slots=slots,
        num_resources=1,
        transfer_price=[[0.0, 0.25], [0.125, 0.0]],
        base_price=[[2.0], [1.5]],
        discount_price=[[1.5], [1.25]],
        discount_threshold=[[3.0], [2.0]],
        epsilon=1.0,
        jobs=[{"arrival": 0, "departure": slots - 1, "worker_capacity": 2.0,
               "worker_demand": [1.0], "server_demand": [0.5], "sync_volume": 1.0,
               "deploy_cost": 0.5, "data": volume}],
    )  # fmt: skip
