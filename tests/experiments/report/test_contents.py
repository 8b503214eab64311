"""What a report says is counted from the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.experiments.report import contents as module
from farkas.experiments.report.contents import collect
from farkas.experiments.sweeps import Store
from tests.experiments.sweeps.made import INSTANCES, result


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "made.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result(at=0, recheck="proved again"))
        made.add(result(at=1, recheck="rejected: row 3"))
        for at in (2, 3):
            made.add(result(at=at, status="failed", error="no licence", value=None, bound="",
                            ratio=None, output=None))  # fmt: skip
        yield made


def test_tasks_are_counted_by_status_and_failures_by_reason(store: Store) -> None:
    found = collect(store)
    assert (found.title, found.store, found.kinds) == ("made", "made.sqlite", ["mlbroker"])
    assert found.statuses == {"done": 2, "failed": 2}
    assert (found.tasks, found.certified) == (4, 1)
    # what a store says was proved is its word; what it says was not is believed
    assert found.rechecks == {"the store's word": 1, "rejected": 1}
    assert found.failures == [
        ("mlbroker.one", "done", "rejected: row 3", 1),
        ("mlbroker.one", "failed", "no licence", 2),
    ]


def test_claims_of_the_kinds_are_checked_on_demand_and_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [claim for claim in module.select() if claim.kind in ("mlbroker", "dps")]
    monkeypatch.setattr(module, "select", lambda: every)
    told: list[tuple[int, int]] = []
    found = collect(store, progress=lambda *step: told.append(step))
    assert found.ledger
    assert all(entry.claim.kind == "mlbroker" for entry in found.ledger)
    assert all(entry.verdict is None for entry in found.ledger)
    assert told == [(k + 1, len(found.ledger)) for k in range(len(found.ledger))]


def test_runs_that_cannot_be_read_are_not_shown(store: Store) -> None:
    assert collect(store).runs == []
