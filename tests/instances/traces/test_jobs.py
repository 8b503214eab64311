"""Jobs of a trace, and what the importers count in them."""

from __future__ import annotations

import numpy as np
import pytest

from farkas import instances
from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace
from farkas.instances.traces.importer import Account, importers
from farkas.instances.traces.jobs import TraceJob, most_at_once
from farkas.instances.traces.jobs_eris import chunks_of, nearest_model
from tests.instances.traces.made import SNDLIB
from tests.tools.shared import shared


def job(begin: float, length: float, gpus: int) -> TraceJob:
    return TraceJob(begin, length, gpus, length * gpus, "alpha")


def test_a_job_is_named_by_the_trace_or_by_its_cluster_and_time():
    assert job(12.4, 1.0, 1).name == "alpha@12"
    assert TraceJob(12.4, 1.0, 1, 1.0, "alpha", job_id="mine").name == "mine"


def test_jobs_without_a_gpu_are_counted_where_there_are_any(folder):
    dropped = Account()
    kept = importers["philly:dps"]().with_gpus(folder / "philly.csv", dropped)
    assert [j.num_gpus for j in kept] == [2, 4, 1, 1]
    assert dropped == {"without a GPU": 1}
    text = (folder / "philly.csv").read_text().splitlines(keepends=True)
    (folder / "philly.csv").write_text("".join(text[:-1]))
    none = Account()
    assert len(importers["philly:dps"]().with_gpus(folder / "philly.csv", none)) == 4
    assert none == {}


def test_the_peak_lets_a_job_end_before_another_begins():
    # [0, 10) with 3 and [10, 20) with 4 GPUs never meet; a third with 2 meets both
    assert most_at_once([job(10, 10, 4), job(0, 10, 3)]) == 4
    assert most_at_once([job(10, 10, 4), job(0, 10, 3), job(5, 10, 2)]) == 6
    assert most_at_once([]) == 0


TIMES = """\
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 10:00:00,3600.0,16,1.0,beta
2017-10-09 08:00:00,7200.0,4,28800.0,alpha
2017-10-09 08:30:00,0.0,2,0.0,alpha
2017-10-09 09:00:00,60.0,0,0.0,alpha
"""


def test_philly_clusters_have_servers_of_their_own(folder):
    (folder / "philly.csv").write_text(TIMES)
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


def test_the_scale_decides_how_many_servers_a_cluster_has(folder):
    (folder / "philly.csv").write_text(TIMES)
    # alpha holds 4 and beta 16 GPUs at once (a job of no length none): 1.25 x 4 = 5 and 20 GPUs
    # fill 2 and 5 servers of four
    options = importers["philly:dps"](scale=1.25, gpus_per_server=4, ps_per_server=1)
    market = options.run("dps", folder / "philly.csv", 0).instance
    assert market.installed_workers.tolist() == [[4, 0]] * 2 + [[0, 4]] * 5
    assert market.installed_ps.tolist() == [[1]] * 7


# alpha has three jobs in the window, beta two, gamma one; delta comes later.
ERIS_TIMES = """timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 07:00:00,7200.0,2,14400.0,alpha
2017-10-09 07:30:00,3600.0,4,14400.0,alpha
2017-10-09 09:00:00,600.0,1,600.0,alpha
2017-10-09 08:00:00,3600.0,8,28800.0,beta
2017-10-09 08:00:00,10.0,0,0.0,beta
2017-10-09 08:30:00,3600.0,100,999999.0,gamma
2017-10-10 07:00:00,3600.0,1,3600.0,delta
"""


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "philly.csv"
    path.write_text(ERIS_TIMES)
    return path


def test_sites_are_the_clusters_with_most_jobs_and_their_peak_of_gpus(trace) -> None:
    found = import_trace("philly", trace, "eris", sites=2, slots=4)
    auction = found.instance
    # alpha runs 2 + 4 GPUs at 07:30, beta 8; published 6 CPUs and 8 GB per GPU
    assert auction.capacity.tolist() == [[6.0, 36.0, 48.0], [8.0, 48.0, 64.0]]
    assert found.kept == 4
    assert found.dropped == {"outside the window": 1, "of other clusters": 1, "without GPU time": 1}
    half = import_trace("philly", trace, "eris", sites=2, slots=4, scale=0.5).instance
    assert half.capacity[:, 0].tolist() == [3.0, 4.0]


def test_chunks_are_slots_of_gpu_time_half_of_them_at_home(trace) -> None:
    auction = import_trace("philly", trace, "eris", sites=2, slots=4, seed=3).instance
    # 14400 s fill 4 hours of a GPU, 600 s one, 28800 s eight
    assert auction.chunks.tolist() == [4, 4, 8, 1]
    assert [job.arrival for job in auction.jobs] == [0, 0, 1, 2]
    homes = [0, 0, 1, 0]
    for job, home in zip(auction.jobs, homes, strict=True):
        assert job.data[home] >= (sum(job.data) + 1) // 2
        assert job.epochs == job.worker_rate
        assert job.worker_demand[0] == 1.0


def test_models_are_those_of_the_nearest_number_of_chunks() -> None:
    assert nearest_model(1).name == "ResNet-50"
    assert nearest_model(120).name == "GoogLeNet"
    assert nearest_model(400).name == "AlexNet"


def test_large_jobs_and_later_ones_are_counted_as_left_out(trace) -> None:
    found = import_trace("philly", trace, "eris", sites=3, slots=4, jobs=2)
    assert found.dropped["larger than most_chunks"] == 1
    assert found.dropped["beyond the number asked for"] == 2
    assert "2 jobs imported" in found.report()


def test_chunks_are_rounded_up_but_not_by_noise() -> None:
    def chunks(gpu_time: float) -> int:
        return chunks_of(TraceJob(0.0, 1.0, 1, gpu_time, "a"), 3600.0)

    assert [chunks(t) for t in (1.0, 3600.0, 3601.0, 7200.0)] == [1, 1, 2, 2]


def test_a_trace_without_jobs_leaves_one_empty_site(trace) -> None:
    trace.write_text(ERIS_TIMES.splitlines()[0] + "\n")
    auction = import_trace("philly", trace, "eris", slots=3).instance
    assert (auction.sites, auction.num_jobs) == (1, 0)
    assert auction.capacity.tolist() == [[0.0, 0.0, 0.0]]


def test_of_clusters_with_equally_many_jobs_the_first_by_name_is_a_site(trace) -> None:
    trace.write_text(ERIS_TIMES.replace("beta", "zeta"))
    found = import_trace("philly", trace, "eris", sites=2, slots=4)
    assert "clusters alpha, zeta with" in found.instance.description
    trace.write_text("".join(ERIS_TIMES.splitlines(keepends=True)[i] for i in (0, 6, 4)))
    found = import_trace("philly", trace, "eris", sites=1, slots=4)
    assert "clusters beta with" in found.instance.description


GADGET_TIMES = """timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 08:00:00,5400.0,4,21600.0,alpha
2017-10-09 10:30:00,60.0,16,960.0,beta
"""


@pytest.mark.parametrize("name", ["net.graphml", "net.txt", ""])
def test_philly_jobs_run_on_any_network(folder, name):
    (folder / "net.txt").write_text(SNDLIB)
    (folder / "philly.csv").write_text(GADGET_TIMES)
    options = {"network": str(folder / name)} if name else {"servers": 4}
    imported = import_trace("philly", folder / "philly.csv", "gadget", 3, slots=4, **options)
    cluster = imported.instance
    assert imported.kept == 2
    # 1.5 slots of 4 GPUs, and less than a slot of 16: rings of at most 8
    assert cluster.most_slots.tolist() == [6, 16]
    assert cluster.max_workers.tolist() == [4, 8]
    assert cluster.arrival.tolist() == [0, 2]
    again = import_trace("philly", folder / "philly.csv", "gadget", 3, slots=4, **options)
    assert again.instance == cluster


def test_servers_take_their_gpus_from_a_node_list(folder):
    (folder / "nodes.csv").write_text("sn,gpu\na,3\nb,3\n")
    imported = import_trace(
        "philly", folder / "philly.csv", "gadget", node_list=str(folder / "nodes.csv"), servers=2
    )
    servers = imported.instance.capacity[imported.instance.is_server]
    assert servers.tolist() == [[3.0], [3.0]]


def test_links_of_a_public_network_go_both_ways_and_are_scaled(folder):
    options = {"network": str(folder / "net.graphml"), "link_scale": 2.0}
    cluster = import_trace("philly", folder / "philly.csv", "gadget", 1, **options).instance
    ends = [(k.source, k.target) for k in cluster.links]
    # one cable of 2.5 Gbps from Rome to Rome7, and two without a speed from Rome7 to 9
    assert ends == [(0, 1), (1, 0), (1, 2), (2, 1), (1, 2), (2, 1)]
    widths = [k.bandwidth for k in cluster.links]
    assert widths[:2] == [5.0, 5.0]
    assert widths[2] == widths[3]
    assert all(2 * 10 <= width <= 2 * 100 for width in widths[2:])
    assert cluster.is_server.all()


def test_a_node_list_without_nodes_is_refused(folder):
    (folder / "nodes.csv").write_text("sn,gpu\n")
    with pytest.raises(FileProblem, match=r"nodes\.csv: lists no node"):
        import_trace("philly", folder / "philly.csv", "gadget", node_list=str(folder / "nodes.csv"))


@pytest.mark.parametrize("count", ["1.5", "-1", "1e-300"])
def test_a_node_has_a_whole_number_of_gpus(folder, count):
    (folder / "nodes.csv").write_text(f"sn,gpu\na,2\nb,{count}\n")
    with pytest.raises(FileProblem, match=f"gpu = '{count}'; expected an integer >= 0"):
        import_trace("philly", folder / "philly.csv", "gadget", node_list=str(folder / "nodes.csv"))


def test_fixed_rings_are_drawn_from_the_published_range_ends_included(folder):
    line = "2017-10-09 08:00:00,60.0,1,60.0,alpha\n"
    (folder / "philly.csv").write_text(GADGET_TIMES.splitlines(keepends=True)[0] + line * 300)
    cluster = import_trace("philly", folder / "philly.csv", "gadget").instance
    assert set(cluster.fixed_workers.tolist()) == set(range(1, 11))


def brokerage(folder, **options):
    given = {"prices": str(folder / "prices.csv"), "instance": "g4.big", "slots": 3, **options}
    return import_trace("philly", folder / "philly.csv", "mlbroker", **given)


def test_jobs_outside_the_window_are_counted(folder):
    imported = brokerage(folder)
    assert imported.kept == imported.instance.num_jobs == 3
    assert imported.dropped == {"outside the window": 1, "without a GPU": 1}
    told = "3 jobs imported; 2 jobs left out: 1 outside the window, 1 without a GPU"
    assert imported.report() == told


def test_windows_come_from_submit_time_and_duration(folder):
    data = brokerage(folder).instance
    # 7,200 s are two slots, 7,201 s three (cut at the horizon), 60 s one.
    assert data.arrival.tolist() == [0, 0, 2]
    assert data.departure.tolist() == [1, 2, 2]


def test_gpu_prices_are_per_gpu_and_slot_in_regions_with_both_prices(folder):
    data = brokerage(folder, slot_seconds=1800.0, slots=6).instance
    # Sites east, west by name: 6/4 and 8/4 USD per GPU hour, half of it per slot.
    assert data.base_price[0][0] == 0.75
    assert data.base_price[1][0] == 1.0
    assert [row[0] for row in data.discount_price] == [0.625, 0.5]
    # Other resources cost the published daily price for half an hour.
    assert all(0.13 / 48 <= row[1] <= 0.24 / 48 for row in data.base_price)


def test_data_fill_the_workers_of_all_gpus(folder):
    data = brokerage(folder, load=[1.0, 1.0]).instance
    assert data.workers_needed.tolist() == [4, 4, 1, 1, 1, 2]
    assert data.worker_demand[:, 0].tolist() == [1.0, 1.0, 1.0]
    assert data.server_demand[:, 0].tolist() == [0.0, 0.0, 0.0]


def test_an_import_is_repeatable_and_tells_its_choices(folder):
    first, again = brokerage(folder, seed=5).instance, brokerage(folder, seed=5).instance
    assert first == again
    assert brokerage(folder, seed=6).instance.sha256 != first.sha256
    assert instances.read_bytes(instances.to_bytes(first)) == first
    for word in ("east, west", "g4.big", "seed 5", "slot_seconds", "outside the window"):
        assert word in first.description
    assert str(folder) not in first.description


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"instance": "g4.bog"}, "no prices for instance 'g4.bog'; did you mean g4.big"),
        ({"prices": ""}, r"name the price table \(prices\)"),
        ({"load": [1.0, 0.6]}, r"load = \[1.0, 0.6\]; the lower end comes first"),
    ],
)
def test_wrong_options_are_refused(folder, options, message):
    with pytest.raises(InvalidOption, match=message):
        brokerage(folder, **options)


def test_the_public_trace_becomes_a_brokerage_of_23_regions():
    prices = shared("data", "prices", "gpu_prices.csv")
    imported = import_trace(
        "philly", shared("data", "philly", "philly.csv"), "mlbroker", seed=1,
        prices=str(prices), start="2017-10-09 07:00", slots=12, jobs=40,
    )  # fmt: skip
    data = imported.instance
    assert (data.num_sites, data.num_jobs, data.num_slots) == (23, 40, 12)
    assert imported.kept + imported.dropped.total() == 82_247
    gpu = data.list_price[:, 0]
    assert np.all(data.reduced_price[:, 0] < gpu)
    assert np.all((gpu > 0.5) & (gpu < 2.0))  # g4dn.12xlarge: about 4 to 7 USD per hour for 4 GPUs


def test_gpu_thresholds_are_drawn_last_and_scaled(folder):
    options = {"prices": str(folder / "prices.csv"), "instance": "g4.big", "slots": 3}
    one, two = (
        importers["philly:mlbroker"](**options, threshold_scale=scale).run(
            "mlbroker", folder / "philly.csv", 4
        )
        for scale in (1.0, 2.0)
    )
    threshold = one.instance.threshold
    assert np.all((threshold[:, 0] >= 500) & (threshold[:, 0] <= 600))
    assert np.all((threshold[:, 1] >= 800) & (threshold[:, 1] <= 1000))
    assert np.array_equal(two.instance.threshold, 2 * threshold)
    assert np.array_equal(two.instance.transfer, one.instance.transfer)
