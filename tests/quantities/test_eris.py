"""Quantities of an auction: payoffs in the state and on the whole system, and their bounds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from farkas.instances import library
from farkas.instances.files import kind_class
from farkas.quantities import eris as module
from farkas.quantities import evaluate
from farkas.quantities.eris import workloads

TINY = library.load("eris/tiny")


def values(stem: str) -> list[float]:
    keys = [f"eris.{stem}[{i}]" for i in range(TINY.num_jobs)]
    found = evaluate(TINY, keys)
    return [found[key] for key in keys]


def test_the_whole_empty_system_pays_no_less_than_what_the_state_leaves() -> None:
    residual, full = values("best_schedule"), values("best_schedule_full")
    # the state leaves nothing for job 2
    assert residual == pytest.approx([35, 41, 0])
    assert full[:2] == pytest.approx([35, 41])
    assert full[2] > 14
    for best, bound in ((residual, values("payoff_bound")), (full, values("payoff_bound_full"))):
        assert all(a <= b + 1e-9 for a, b in zip(best, bound, strict=True))
    assert values("payoff_bound_full")[2] > full[2]


def test_bounds_lie_on_their_sides_of_the_optimum() -> None:
    found = evaluate(TINY, ["eris.offline", "eris.schedule_lp", "eris.dual", "eris.lagrangian"])
    assert found["eris.offline"] <= found["eris.schedule_lp"] + 1e-6
    assert found["eris.schedule_lp"] <= found["eris.dual"] + 1e-6
    assert found["eris.dual"] <= found["eris.lagrangian"] + 1e-6


def test_workloads_are_one_half_and_all_chunks() -> None:
    # of 1, 2 and 5 chunks: {1}, {1, 2} with half 1, {1, 3, 5} with half rounded up
    chunks = [int(count) for count in TINY.chunks]
    expected = {1: [1], 2: [1, 2], 3: [1, 2, 3], 4: [1, 2, 4], 5: [1, 3, 5]}
    for job, count in enumerate(chunks):
        assert [d for i, _, d in workloads(TINY) if i == job] == expected[count]


def test_a_schedule_that_ends_in_the_first_slot_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "eris.algorithm2_feasible[0]"
    monkeypatch.setattr(module, "can_run", lambda *_: True)
    for finish, feasible in ((-1, None), (0, 1.0)):
        found = SimpleNamespace(finish=finish, workers=None, moved=None, payoff=2.0)
        monkeypatch.setattr(module, "printed_schedule", lambda *_, found=found: found)
        assert evaluate(TINY, [key]) == {key: feasible}


def test_an_optimum_that_presolve_loses_is_found() -> None:
    """HiGHS 1.15.1 calls 0 the best payoff of this job, which is 50."""
    auction = kind_class("eris").build(
        slots=1,
        sites=2,
        resource_names=["gpu", "cpu"],
        site_capacity=[[1.0, 2.0], [3.0, 3.0]],
        transfer_budget=3.0,
        chunk_size=1.0,
        price_base_transfer=20.0,
        price_base_resource=[50.0, 20.0],
        jobs=[
            {
                "name": "",
                "arrival": 0,
                "utility": [50.0],
                "data": [2, 2],
                "epochs": 1,
                "worker_rate": 2,
                "worker_demand": [1.0, 2.0],
                "server_demand": [1.0, 0.0],
                "parameter_size": 1.0,
            }
        ],
        occupied=None,
    )
    keys = ["eris.dual", "eris.schedule_lp", "eris.lagrangian", "eris.best_schedule_full[0]"]
    assert evaluate(auction, keys) == pytest.approx(dict.fromkeys(keys, 50.0))
