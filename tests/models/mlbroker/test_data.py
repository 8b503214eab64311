"""Sets, constants and slots that the programs of kind mlbroker share."""

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.algebra.declare import Declarations
from farkas.models.mlbroker.data import (
    busy_slots,
    declare_data,
    declare_sets,
    deployment_bound,
    of_busy_slots,
    rounded_up,
    valid_big_m,
)
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.tolerances import NORMAL, ULP
from tests.generators.mlbroker import discounted, random_brokerage, single


def test_constants_by_hand():
    # 3 and 2 workers: U = 1 + 3.  M = max(e, (a - b)(H - l)) = max(0.5, 0.5 (5 - 1))
    assert deployment_bound(discounted(), "printed") == 4
    assert valid_big_m(discounted(), "printed") == 2.0
    assert valid_big_m(discounted().replace(big_m=50.0), "printed") == 50.0


def test_an_idle_worker_under_strict_semantics_needs_larger_constants():
    # no data: 1 unit of the server as printed, one more of a worker that keeps the job there;
    # (a - b)(H - l) = 0.5 (1 - 0.5), then 0.5 (2 - 0.5)
    idle = single([[0.0]], discount_price=[[0.5]], discount_threshold=[[0.5]])
    assert (deployment_bound(idle, "printed"), deployment_bound(idle, "strict")) == (1, 2)
    assert (valid_big_m(idle, "printed"), valid_big_m(idle, "strict")) == (0.25, 0.75)


def later_job():
    """Jobs in slots 0-1 and 3 of 5."""
    data = single([[30.0, 0.0], [0.0, 12.0]], num_slots=5)
    late = msgspec.structs.replace(data.jobs[0], arrival=3, departure=3, data=((1.0, 1.0),))
    return data.replace(jobs=[data.jobs[0], late])


def test_slots_without_jobs_are_left_out():
    data = later_job()
    assert busy_slots(data).tolist() == [0, 1, 3]
    assert of_busy_slots(data, np.arange(5.0)[:, None]).tolist() == [[0], [1], [3]]
    assert busy_slots(data.replace(jobs=[])).tolist() == []


def test_pairs_are_first_or_later_and_known_by_slot():
    m = Declarations()
    declare_sets(m, later_job())
    declare_data(m, later_job(), "printed")
    assert m.job_slots.table.tolist() == [[0, 0], [0, 1], [1, 3]]
    assert m.first_slots.table.tolist() == [[0, 0], [1, 3]]
    assert m.later_slots.table.tolist() == [[0, 1]]
    assert (m.jobs_at.counts.tolist(), m.jobs_at.table[:, 0].tolist()) == ([1, 1, 1], [0, 0, 1])
    assert m.needed.values.tolist() == [3, 2, 1]
    assert m.volume.values.tolist() == [[30, 0], [0, 12], [1, 1]]
    assert m.rate.values.tolist() == [10, 10]


@pytest.mark.ids(9)
@pytest.mark.parametrize("unit", [1.0, 1e-150, 1e150, 1e-300])
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_full_usage_costs_no_more_than_what_is_implied_without_rounding(relax, semantics, unit):
    program, met = Relaxed(relax=relax, semantics=semantics), 0
    for seed in range(12):
        data = random_brokerage(seed, sites=2, jobs=3, resources=2)
        rng = np.random.default_rng(seed)
        changes = {"base_price": (unit * rng.random((2, 2))).tolist(), "discount_price": None}
        # what all use adds up exactly where demands are whole; products with prices never do
        demand = rng.random((3, 2, 2)) if seed % 2 else rng.integers(1, 8, (3, 2, 2)) / 1.0
        jobs = [
            msgspec.structs.replace(job, worker_demand=tuple(worker), server_demand=tuple(server))
            for job, (worker, server) in zip(data.jobs, demand.tolist(), strict=True)
        ]
        form = program.form(data.replace(**changes, jobs=jobs, big_m=None))
        family = "cost_on_chord" if relax == "tight" else "cost_at_list_price"
        cost = form.column_block("resource_cost")
        where = np.arange(form.num_rows)[form.row_block(family).where]
        for i, column in zip(where.tolist(), range(cost.start, cost.stop), strict=True):
            columns, entries = (part.tolist() for part in form.matrix.row(i))
            named = {j: form.column_name(j).split("[")[0] for j in columns}
            full = sum(
                (Fraction(-a) * Fraction(float(form.safe_upper[j]))
                 for j, a in zip(columns, entries, strict=True)
                 if named[j].endswith(("workers", "server"))),
                Fraction(0),
            )  # fmt: skip
            implied = Fraction(float(form.safe_upper[column]))
            assert full <= implied <= full * (1 + Fraction(1, 10**6)) + Fraction(2) ** -900
            met += full > implied * (1 - Fraction(1, 2**40))
    assert met > 20 or unit < 1e-200


def test_only_what_is_exactly_nothing_implies_nothing():
    values = np.array([0.0, 0.0, 1.0, 1e300, 5e-324])
    above = rounded_up(values, 3, np.array([False, True, True, True, True]))
    assert above.tolist() == [0.0, NORMAL, 1.0 + 4 * ULP, 1e300 * (1.0 + 4 * ULP), NORMAL]
    assert rounded_up(np.array([np.finfo(float).max]), 1, np.array([True])).tolist() == [np.inf]
