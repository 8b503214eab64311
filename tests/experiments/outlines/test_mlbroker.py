"""Jobs and prices of mlBroker in a picture."""

from __future__ import annotations

import farkas
from farkas.experiments.outlines import outlines


def made(instance):
    return outlines[instance.kind].made(instance)


def test_a_job_of_mlbroker_is_there_in_its_last_slot():
    market = farkas.load("mlbroker/tiny")
    shown = made(market)
    for (start, end), job in zip(shown.spans, market.jobs, strict=True):
        assert (start, end) == (job.arrival, job.departure + 1)
        assert end - start == len(job.data)
    (bars,) = shown.bars
    assert bars.amounts["resource 0"] == [row[0] for row in market.base_price]
