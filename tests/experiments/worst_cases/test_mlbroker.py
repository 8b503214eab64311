"""Workers of jobs at sites, whole and fractional."""

from __future__ import annotations

import pytest

import farkas
from farkas.experiments.worst_cases.mlbroker import workers
from farkas.instances import library


@pytest.mark.parametrize("name", ["mlbroker.local", "mlbroker.fractional"])
def test_blocks_are_the_workers_of_the_run(name: str) -> None:
    broker = library.load("mlbroker/tiny")
    run = farkas.run(broker, name)
    layout = workers(broker, [run.decisions])
    found = {(b.start, b.owner, b.lane): b.amount for b in layout.sides[0].blocks}
    wanted = {
        (slot, job, site): float(amount)
        for slot, decision in enumerate(run.decisions)
        for job, row in zip(decision["jobs"], decision["workers"], strict=True)
        for site, amount in enumerate(row)
        if amount > 0
    }
    assert found == wanted
    assert wanted
    most = max(
        sum(amount for (t, _, r), amount in found.items() if (t, r) == (slot, site))
        for slot, _, site in found
    )
    assert layout.tops == pytest.approx([most] * broker.num_sites)
