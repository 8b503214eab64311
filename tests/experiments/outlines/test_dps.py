"""Jobs and servers of DPS in a picture."""

from __future__ import annotations

import farkas
from farkas.experiments.outlines import outlines


def made(instance):
    return outlines[instance.kind].made(instance)


def test_a_job_of_dps_runs_as_long_as_where_it_runs_best():
    market = farkas.load("dps/demo")
    shown = made(market)
    for number, (start, end) in enumerate(shown.spans):
        assert start == market.jobs[number].arrival
        slots = range(market.horizon)
        held = [t for t in slots if start <= t <= market.last_held(market.least_end)[number]]
        assert end == (held[-1] + 1 if held else start + 1)
    (bars,) = shown.bars
    assert bars.amounts["workers of type 1"] == [row[1] for row in market.server_workers]
    assert bars.amounts["parameter servers of type 0"] == [row[0] for row in market.server_ps]
