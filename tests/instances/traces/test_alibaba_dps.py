"""Pods as users of a market: what comes from the trace, what is drawn, what is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace
from farkas.instances.traces.alibaba_dps import read_nodes, read_pods
from tests.instances.traces.made import NODES, PODS
from tests.tools.shared import shared

PRICES = """\
instance,gpu,gpu_count,vcpu,memory,network,region,on_demand_usd_per_hour,reserved_usd_per_hour
g4,NVIDIA T4,4,48,192 GB,50 Gigabit,west,8.0,4.0
g4,NVIDIA T4,4,48,192 GB,50 Gigabit,east,,4.0
p4,NVIDIA A100,8,48,192 GB,50 Gigabit,west,32.0,4.0
g6,NVIDIA L4,0.25,4,16 GB,50 Gigabit,west,0.4,0.2
"""


def test_pods_become_jobs_on_nodes_with_gpus(folder):
    imported = import_trace("alibaba", folder / "pods.csv", "dps")
    market = imported.instance
    assert imported.dropped == {"without a GPU": 1, "without an end": 1}
    # Types P100, T4 and CPU classes 64, 96; 64/8 = 8 and 96/8 = 12 parameter servers.
    assert market.server_workers == ((2, 0), (0, 4), (0, 8))
    assert market.server_ps == ((8, 0), (0, 12), (0, 12))
    assert market.arrival.tolist() == [0, 1, 4]
    assert market.workers.tolist() == [1, 2, 3]
    assert market.ps.tolist() == [1, 1, 1]
    # 600 s are 2 slots of 300 s, 1 s is 1, 3600 s are 12.
    assert market.colocated_runtime.tolist() == [2.0, 1.0, 12.0]
    assert market.worker_type[[0, 2]].tolist() == [0, 1]


def test_prices_of_models_are_relative_to_the_dearest(folder):
    (folder / "prices.csv").write_text(PRICES)
    many = "\n".join(f"x{i},1,1,1,1000,T4,LS,Running,{i},9000,0" for i in range(400))
    (folder / "many.csv").write_text(PODS + many + "\n")
    options = {"nodes": str(folder / "openb_node_list_gpu_node.csv"), "cores_per_ps": 8}
    market = import_trace(
        "alibaba", folder / "many.csv", "dps", prices=str(folder / "prices.csv"), **options
    ).instance
    # T4 costs 2 USD, A100 4 per GPU hour: base price 1/2.  The median noise is 1, and the server
    # side adds between 0.1 and 0.8 for one unit.
    budgets = market.budget[market.workers == 1]
    assert 0.5 + 0.05 < np.median(budgets) < 0.5 + 0.9


def test_nodes_are_picked_evenly_and_lists_without_gpus_refused(folder):
    two = import_trace("alibaba", folder / "pods.csv", "dps", servers=2).instance
    assert two.server_workers == ((2, 0), (0, 8))
    (folder / "openb_node_list_gpu_node.csv").write_text(NODES.splitlines()[0] + "\n")
    with pytest.raises(InvalidOption, match="no node with a GPU"):
        import_trace("alibaba", folder / "pods.csv", "dps")
    with pytest.raises(FileProblem, match="no such file"):
        import_trace("alibaba", folder / "pods.csv", "dps", nodes=str(folder / "none.csv"))


def test_the_public_pods_make_a_market():
    pods = shared("data", "alibaba", "openb_pod_list_default.csv")
    prices = shared("data", "prices", "gpu_prices.csv")
    imported = import_trace(
        "alibaba", pods, "dps", slots=50_000, servers=60, prices=str(prices), seed=1
    )
    assert imported.kept > 5000
    assert imported.instance.num_servers == 60
    assert imported.kept + imported.dropped.total() == 8152


def test_nodes_have_whole_cores_and_pods_their_models(folder):
    nodes = read_nodes(folder / "openb_node_list_gpu_node.csv")
    assert [(n.cores, n.gpus, n.model) for n in nodes] == [
        (64, 2, "P100"), (96, 4, "T4"), (96, 0, ""), (96, 8, "T4"),
    ]  # fmt: skip
    dropped: Counter[str] = Counter()
    pods = read_pods(folder / "pods.csv", dropped)
    assert [(p.submitted, p.duration, p.num_gpus, p.models) for p in pods] == [
        (0.0, 600.0, 1, ("P100",)), (300.0, 1.0, 2, ()), (1200.0, 3600.0, 3, ("T4", "V100M16")),
    ]  # fmt: skip
    assert dropped == {"without a GPU": 1, "without an end": 1}


def test_a_price_without_model_or_amount_leaves_drawn_prices(folder):
    prices, header = str(folder / "prices.csv"), "gpu,gpu_count,on_demand_usd_per_hour\n"
    bare = import_trace("alibaba", folder / "pods.csv", "dps").instance
    for line in ("", ",4,8.0\n", "T4,0,8.0\n", "T4,4,\n"):
        (folder / "prices.csv").write_text(header + line)
        given = import_trace("alibaba", folder / "pods.csv", "dps", prices=prices).instance
        assert given.jobs == bare.jobs
    (folder / "prices.csv").write_text(header + "T4,4,0.0\n")  # free: only the server is paid
    free = import_trace("alibaba", folder / "pods.csv", "dps", prices=prices).instance
    assert free.jobs[2].budget < bare.jobs[2].budget
    assert str(folder) not in free.description
