"""What a report says is counted from the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.experiments.report import contents as module
from farkas.experiments.report.contents import collect
from farkas.experiments.sweeps import Rechecked, Store
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


@pytest.mark.slow
def test_worst_runs_are_shown_as_many_as_fit_and_the_others_counted(
    swept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_worst", lambda *_: [])
    monkeypatch.setattr(module, "_ledger", lambda *_: [])
    with Store(swept, readonly=True) as held:
        # fractional with two options, and local; the program has no slots
        for most, shown in ((12, 3), (3, 3), (2, 2)):
            monkeypatch.setattr(module, "MOST_SHOWN", most)
            found = collect(held)
            assert (len(found.runs), found.unshown) == (shown, 3 - shown)


def test_what_is_rejected_now_is_told_by_its_address(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (r.key for r in store.results() if r.bound)
    among = frozenset({one, two})
    for words, counted in (
        ({one: "rejected: now"}, {"rejected": 2}),
        ({one: "proved again"}, {"proved again": 1, "rejected": 1}),
        # rejected before, proved now: what a store says against itself is believed
        ({one: "proved again", two: "proved again"}, {"proved again": 1, "rejected": 1}),
    ):
        again = Rechecked(words, among)
        monkeypatch.setattr(Rechecked, "of", lambda *_, said=again: said)
        found = collect(store)
        assert found.rechecks == counted
        assert found.objections == {k: w for k, w in words.items() if w.startswith("rejected")}
    later = Rechecked({}, frozenset({two}))  # the first came while the other was proved
    monkeypatch.setattr(Rechecked, "of", lambda *_: later)
    assert collect(store).statuses == {"done": 1, "failed": 2}


def test_claims_are_run_only_when_asked(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (claim, *_) = [claim for claim in module.select() if claim.kind == "mlbroker"]
    said = object()
    monkeypatch.setattr(type(claim), "run", lambda self: said)
    monkeypatch.setattr(module, "select", lambda: [claim])
    assert [entry.verdict for entry in collect(store).ledger] == [None]
    assert [entry.verdict for entry in collect(store, check_claims=True).ledger] == [said]


def test_versions_are_counted_and_who_has_no_worst_case_is_named(tmp_path: Path) -> None:
    versions = {"farkas": "1", "python": "3", "numpy": "2"}
    manifest = {**versions, "solvers": {"highs": "1.2"}, "seed": 4, "instance_sha256": "0"}
    output = {"sense": "min", "violations": [], "manifest": manifest}
    with Store(tmp_path / "made.sqlite") as made:
        made.add_instances((instance.sha256, instance) for instance in INSTANCES)
        made.add(result(at=0, output=output))
        made.add(result(at=1, output=output))
        made.add(result("mlbroker.local", at=1))
        found = collect(made)
    assert found.manifests == [({**versions, "highs": "1.2"}, 2)]
    assert [case.name for case in found.worst] == ["mlbroker.local"]
    assert found.unsearched == ["mlbroker.one"]
