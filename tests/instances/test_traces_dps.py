"""Imports to kind dps: what comes from the trace, what is drawn, what is refused."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace, kinds_of
from tests.tools.shared import ROOT, shared

NODES = """\
sn,cpu_milli,memory_mib,gpu,model
node-0,64000,262144,2,P100
node-1,96000,393216,4,T4
node-2,96000,393216,0,
node-3,96000,393216,8,T4
"""
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
a,4000,1,1,1000,P100,LS,Running,0,600,0
b,4000,1,2,1000,,LS,Running,300,301,300
c,4000,1,0,0,,LS,Running,300,900,300
d,4000,1,1,1000,T4,LS,Running,900,,900
e,4000,1,3,1000,T4|V100M16,LS,Running,1200,4800,1200
"""
PRICES = """\
instance,gpu,gpu_count,vcpu,memory,network,region,on_demand_usd_per_hour,reserved_usd_per_hour
g4,NVIDIA T4,4,48,192 GB,50 Gigabit,west,8.0,4.0
g4,NVIDIA T4,4,48,192 GB,50 Gigabit,east,,4.0
p4,NVIDIA A100,8,48,192 GB,50 Gigabit,west,32.0,4.0
g6,NVIDIA L4,0.25,4,16 GB,50 Gigabit,west,0.4,0.2
"""
PHILLY = """\
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 10:00:00,3600.0,16,1.0,beta
2017-10-09 08:00:00,7200.0,4,28800.0,alpha
2017-10-09 08:30:00,0.0,2,0.0,alpha
2017-10-09 09:00:00,60.0,0,0.0,alpha
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pods.csv").write_text(PODS)
    (tmp_path / "openb_node_list_gpu_node.csv").write_text(NODES)
    (tmp_path / "prices.csv").write_text(PRICES)
    (tmp_path / "philly.csv").write_text(PHILLY)
    return tmp_path


def test_both_traces_make_markets():
    assert "dps" in kinds_of("alibaba")
    assert "dps" in kinds_of("philly")


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


def test_philly_clusters_have_servers_of_their_own(folder):
    imported = import_trace("philly", folder / "philly.csv", "dps", scale=1.0)
    market = imported.instance
    assert imported.dropped == {"without a GPU": 1}
    # alpha holds 4 + 2 GPUs at once: 1 server of 8; beta 16: 2 servers.
    assert market.server_workers == ((8, 0), (0, 8), (0, 8))
    assert market.server_ps == ((4,), (4,), (4,))
    assert market.worker_type.tolist() == [0, 0, 1]
    assert market.arrival.tolist() == [0, 6, 24]
    # 7200 s are 24 slots; a job of no length runs one second, that is one slot.
    assert market.colocated_runtime.tolist() == [24.0, 1.0, 12.0]
    assert market.ps.tolist() == [1, 1, 4]


def test_an_import_is_repeatable_and_tells_its_choices(folder):
    first, again, other = (
        import_trace("philly", folder / "philly.csv", "dps", seed=s).instance for s in (1, 1, 2)
    )
    assert first.sha256 == again.sha256 != other.sha256
    assert "gpus_per_server" in first.description
    empty = import_trace("philly", folder / "philly.csv", "dps", jobs=0)
    assert empty.kept == empty.instance.num_jobs == 0


def test_the_example_runs_on_its_synthetic_twin(monkeypatch, capsys, tmp_path):
    spec = importlib.util.spec_from_file_location("twin", ROOT / "examples/philly_market.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    monkeypatch.setattr(example, "DATA", tmp_path / "absent.csv")
    monkeypatch.setattr("sys.argv", ["philly_market.py"])
    example.main()
    told = capsys.readouterr().out
    assert "400 jobs imported" in told
    assert "dps.bfp_fluid" in told


def test_the_public_pods_make_a_market():
    pods = shared("data", "alibaba", "openb_pod_list_default.csv")
    prices = shared("data", "prices", "gpu_prices.csv")
    imported = import_trace(
        "alibaba", pods, "dps", slots=50_000, servers=60, prices=str(prices), seed=1
    )
    assert imported.kept > 5000
    assert imported.instance.num_servers == 60
    assert imported.kept + imported.dropped.total() == 8152
