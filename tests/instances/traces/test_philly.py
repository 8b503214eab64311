"""Rows of the Philly trace."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem
from farkas.instances.traces.csv_jobs import PhillyCluster
from farkas.instances.traces.importer import Account
from farkas.instances.traces.jobs import TraceJob
from farkas.instances.traces.table import seconds


def test_jobs_are_read_in_file_order_with_their_units(folder):
    found = PhillyCluster().read(folder / "philly.csv", Account())
    assert [j.num_gpus for j in found] == [2, 4, 1, 1, 0]
    begin = seconds("2017-10-09 08:00:00")
    assert found[1] == TraceJob(begin, 7200.0, 4, 28_800.0, "alpha")
    assert found[1].name == f"alpha@{int(begin)}"


def test_lines_that_lack_a_cell_are_refused_or_left_out(folder):
    path = folder / "philly.csv"
    path.write_text(path.read_text().replace("7200.0,4", ",4").replace("60.0,alpha", "60.0,None"))
    with pytest.raises(FileProblem, match=r"line 3: duration is empty; incomplete=leave_out leav"):
        PhillyCluster().read(path, Account())
    dropped = Account()
    found = PhillyCluster(incomplete="leave_out").read(path, dropped)
    assert [j.num_gpus for j in found] == [2, 1, 0]
    assert dropped == {"incomplete": 2}
    # other words are missing than the usual ones
    named = PhillyCluster(incomplete="leave_out", missing="beta").read(path, Account())
    assert [j.cluster for j in named] == ["alpha", "None", "alpha"]
