"""Every named quantity and algorithm of kind eris on instances at the edge of what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.online import algorithms
from farkas.quantities import evaluate
from farkas.quantities.evaluate import wanted_keys

TINY = library.load("eris/tiny")
JOBS = [{name: getattr(job, name) for name in job.__struct_fields__} for job in TINY.jobs]


def jobs(**changes: Any) -> list[dict[str, Any]]:
    return [{**job, **changes} for job in JOBS]


EDGES: dict[str, dict[str, Any]] = {
    "no jobs": {"jobs": []},
    "no resources": {
        "resource_names": [], "site_capacity": [[], []], "price_base_resource": [],
        "occupied": None, "jobs": jobs(worker_demand=[], server_demand=[]),
    },
    "no capacity": {
        "site_capacity": [[0, 0], [0, 0]], "transfer_budget": 0.0, "occupied": None,
    },
    "no worth": {"jobs": [{**job, "utility": [0.0] * len(job["utility"])} for job in JOBS]},
    "no data": {"jobs": jobs(data=(0, 0))},
    "free moves": {"chunk_size": 0.0, "jobs": jobs(parameter_size=0.0)},
    "full state": {
        "occupied": {
            "transfer": [4, 4, 4],
            "resources": [[[1, 1, 1], [8, 8, 8]], [[2, 2, 2], [7, 7, 7]]],
        }
    },
    "state over capacity by rounding": {
        "occupied": {
            "transfer": [4 + 4e-10] * 3,
            "resources": [
                [[1 + 1e-10] * 3, [8 + 1e-10] * 3], [[2 + 1e-10] * 3, [7 + 1e-10] * 3]
            ],
        }
    },
    "one site": {
        "sites": 1, "site_capacity": [[2, 8]], "occupied": None,
        "jobs": [{**job, "data": (sum(job["data"]),)} for job in JOBS],
    },
    "ties": {"jobs": [JOBS[0]] * 3, "occupied": None},
    "fast workers": {"jobs": jobs(worker_rate=1000, epochs=1)},
    "hopeless workers": {"jobs": jobs(worker_rate=1, epochs=1000)},
}  # fmt: skip


@pytest.mark.ids(1)
@pytest.mark.parametrize("edge", EDGES)
def test_bounds_are_in_order_and_every_run_is_certified(edge: str) -> None:
    fields = {name: getattr(TINY, name) for name in TINY.__struct_fields__}
    auction = Auction.build(**{**fields, **EDGES[edge]})
    values = evaluate(auction, [*wanted_keys(auction), "eris.offline", "eris.schedule_ilp"])
    best = values["eris.offline"]
    assert values["eris.schedule_ilp"] == pytest.approx(best, abs=1e-6)
    assert best <= values["eris.schedule_lp"] + 1e-6 <= values["eris.lagrangian"] + 2e-6
    assert values["eris.dual"] == pytest.approx(values["eris.schedule_lp"], abs=1e-5)
    for job in range(auction.num_jobs):
        payoff = values[f"eris.best_schedule[{job}]"]
        assert payoff <= values[f"eris.best_schedule_full[{job}]"] + 1e-6
        assert payoff <= values[f"eris.payoff_bound[{job}]"] + 1e-6
    for name in algorithms.names("eris."):
        run = algorithms[name].run(auction)
        assert run.violations == []
        assert run.value <= best + 1e-6
        assert float(run.certificate) >= best - 1e-9
