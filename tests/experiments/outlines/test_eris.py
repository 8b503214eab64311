"""Jobs and sites of Eris in a picture."""

from __future__ import annotations

import farkas
from farkas.experiments.outlines import outlines


def made(instance):
    return outlines[instance.kind].made(instance)


def test_a_job_of_eris_is_worth_something_as_long_as_its_utility_says():
    auction = farkas.load("eris/demo")
    shown = made(auction)
    for (start, end), job in zip(shown.spans, auction.jobs, strict=True):
        assert start == job.arrival
        assert end == min(auction.slots, job.arrival + len(job.utility))
    (bars,) = shown.bars
    for k, name in enumerate(auction.resource_names):
        assert bars.amounts[name] == [row[k] for row in auction.site_capacity]
