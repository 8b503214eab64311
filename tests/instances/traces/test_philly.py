"""Rows of the Philly trace."""

from __future__ import annotations

from farkas.instances.traces.jobs import TraceJob
from farkas.instances.traces.philly_gadget import PhillyCluster
from farkas.instances.traces.table import seconds
from farkas.instances.traces.understood import Account


def test_jobs_are_read_in_file_order_with_their_units(folder):
    found = PhillyCluster().read(folder / "philly.csv", Account())
    assert [j.num_gpus for j in found] == [2, 4, 1, 1, 0]
    begin = seconds("2017-10-09 08:00:00")
    assert found[1] == TraceJob(begin, 7200.0, 4, 28_800.0, "alpha")
    assert found[1].name == f"alpha@{int(begin)}"
