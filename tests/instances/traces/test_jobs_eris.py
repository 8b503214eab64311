"""Philly jobs as auctions: from the columns of the trace to sites, chunks and models."""

from __future__ import annotations

import pytest

from farkas.instances.traces import import_trace
from farkas.instances.traces.jobs import TraceJob
from farkas.instances.traces.jobs_eris import chunks_of, nearest_model

# alpha has three jobs in the window, beta two, gamma one; delta comes later.
PHILLY = """timestamp,duration,num_gpus,gpu_time,cluster
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
    path.write_text(PHILLY)
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
    trace.write_text(PHILLY.splitlines()[0] + "\n")
    auction = import_trace("philly", trace, "eris", slots=3).instance
    assert (auction.sites, auction.num_jobs) == (1, 0)
    assert auction.capacity.tolist() == [[0.0, 0.0, 0.0]]


def test_of_clusters_with_equally_many_jobs_the_first_by_name_is_a_site(trace) -> None:
    trace.write_text(PHILLY.replace("beta", "zeta"))
    found = import_trace("philly", trace, "eris", sites=2, slots=4)
    assert "clusters alpha, zeta with" in found.instance.description
    trace.write_text("".join(PHILLY.splitlines(keepends=True)[i] for i in (0, 6, 4)))
    found = import_trace("philly", trace, "eris", sites=1, slots=4)
    assert "clusters beta with" in found.instance.description


def test_jobs_without_gpus_or_without_gpu_time_are_left_out(trace) -> None:
    # a job with a GPU and no GPU time is as useless as one without a GPU
    trace.write_text(PHILLY.replace("600.0,1,600.0,alpha", "600.0,1,0.0,alpha"))
    found = import_trace("philly", trace, "eris", sites=2, slots=4)
    assert found.dropped["without GPU time"] == 2
