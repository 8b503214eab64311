"""Jobs of a trace, and what the importers count in them."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from farkas.instances.traces import import_trace
from farkas.instances.traces.csv_jobs import PhillyMarket
from farkas.instances.traces.importer import Account
from farkas.instances.traces.jobs import TraceJob, most_at_once, whole_units
from tests.tools.shared import ROOT


def job(begin: float, length: float, gpus: int) -> TraceJob:
    return TraceJob(begin, length, gpus, length * gpus, "alpha")


def test_a_job_is_named_by_the_trace_or_by_its_cluster_and_time():
    assert job(12.4, 1.0, 1).name == "alpha@12"
    assert TraceJob(12.4, 1.0, 1, 1.0, "alpha", job_id="mine").name == "mine"


def test_jobs_without_a_gpu_are_counted_where_there_are_any(folder):
    dropped = Account()
    kept = PhillyMarket().with_gpus(folder / "philly.csv", dropped)
    assert [j.num_gpus for j in kept] == [2, 4, 1, 1]
    assert dropped == {"without a GPU": 1}
    text = (folder / "philly.csv").read_text().splitlines(keepends=True)
    (folder / "philly.csv").write_text("".join(text[:-1]))
    none = Account()
    assert len(PhillyMarket().with_gpus(folder / "philly.csv", none)) == 4
    assert none == {}


def test_the_peak_lets_a_job_end_before_another_begins():
    # [0, 10) with 3 and [10, 20) with 4 GPUs never meet; a third with 2 meets both
    assert most_at_once([job(10, 10, 4), job(0, 10, 3)]) == 4
    assert most_at_once([job(10, 10, 4), job(0, 10, 3), job(5, 10, 2)]) == 6
    assert most_at_once([]) == 0


def test_whole_units_include_both_ends():
    draws = {tuple(whole_units(np.random.default_rng(s), [(0, 1), (7, 7)])) for s in range(30)}
    assert draws == {(0.0, 7.0), (1.0, 7.0)}


PHILLY = """\
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 10:00:00,3600.0,16,1.0,beta
2017-10-09 08:00:00,7200.0,4,28800.0,alpha
2017-10-09 08:30:00,0.0,2,0.0,alpha
2017-10-09 09:00:00,60.0,0,0.0,alpha
"""


def test_philly_clusters_have_servers_of_their_own(folder):
    (folder / "philly.csv").write_text(PHILLY)
    imported = import_trace("philly", folder / "philly.csv", "dps", scale=1.0)
    market = imported.instance
    assert imported.dropped == {"without a GPU": 1}
    # alpha holds 4 GPUs at once: 1 server of 8; beta 16: 2 servers.
    assert market.server_workers == ((8, 0), (0, 8), (0, 8))
    assert market.server_ps == ((4,), (4,), (4,))
    assert market.worker_type.tolist() == [0, 0, 1]
    assert market.arrival.tolist() == [0, 6, 24]
    # 7200 s are 24 slots; a job of no length runs one second, that is one slot.
    assert market.colocated_runtime.tolist() == [24.0, 1.0, 12.0]
    assert market.ps.tolist() == [1, 1, 4]


@pytest.mark.slow
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


def test_the_scale_decides_how_many_servers_a_cluster_has(folder):
    (folder / "philly.csv").write_text(PHILLY)
    # alpha holds 4 and beta 16 GPUs at once (a job of no length none): 1.25 x 4 = 5 and 20 GPUs
    # fill 2 and 5 servers of four
    options = PhillyMarket(scale=1.25, gpus_per_server=4, ps_per_server=1)
    market = options.run("dps", folder / "philly.csv", 0).instance
    assert market.installed_workers.tolist() == [[4, 0]] * 2 + [[0, 4]] * 5
    assert market.installed_ps.tolist() == [[1]] * 7


def test_servers_of_a_cluster_are_for_its_own_jobs(folder):
    # alpha holds 4 and 12 GPUs at once, beta 4 meanwhile, gamma 4 alone
    (folder / "philly.csv").write_text(
        "timestamp,duration,num_gpus,gpu_time,cluster\n"
        "2017-10-09 08:00:00,7200.0,4,1.0,alpha\n"
        "2017-10-09 08:30:00,7200.0,8,1.0,alpha\n"
        "2017-10-09 08:30:00,7200.0,4,1.0,beta\n"
        "2017-10-09 18:30:00,7200.0,4,1.0,gamma\n"
    )
    options = PhillyMarket(scale=1.0, gpus_per_server=4, ps_per_server=1)
    market = options.run("dps", folder / "philly.csv", 0).instance
    assert market.installed_workers.tolist() == [[4, 0, 0]] * 3 + [[0, 4, 0], [0, 0, 4]]
