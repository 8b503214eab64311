"""gadget.worker_relaxation: continuous workers and no network."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.relaxations.gadget.workers import WorkerRelaxation
from farkas.solvers.convex import solve_problem
from tests.generators.gadget import small, table


def test_the_worker_relaxation_refuses_what_is_not_concave():
    with pytest.raises(NotApplicable, match="job 0 is not concave"):
        WorkerRelaxation().model(library.load("gadget/late_sigmoid")).problem.is_dcp()
    with pytest.raises(NotApplicable, match="no job can run"):
        WorkerRelaxation().model(library.load("gadget/heavy_worker")).problem.is_dcp()


def value(cluster):
    return solve_problem(WorkerRelaxation().model(cluster).problem).require_optimal().objective


@pytest.mark.parametrize(
    ("utility", "worth"),
    [
        # 1.5 GPUs are 1.5 workers of at most 3, progress 0.5 each: 0.75
        ({"kind": "linear", "slope": 4.0}, 3.0),
        ({"kind": "sqrt", "scale": 2.0}, 2 * np.sqrt(0.75)),
        ({"kind": "log1p", "scale": 2.0}, 2 * np.log(1.75)),
        # -(x² - 1.2 x) is largest at 0.6: 0.36
        ({"kind": "quadratic_cost", "quadratic": 1.0, "linear": -1.2}, 0.36),
        # 4 at 0.5 worker-progress, 6 at 1: halfway between
        ({"kind": "table", "values": [0, 4, 6], "step": 0.5}, 5.0),
    ],
)
def test_utilities_of_one_and_a_half_workers(utility, worth):
    cluster = small([1, 0.5], (), {"efficiency": 0.5, "utility": utility})
    assert value(cluster) == pytest.approx(worth, abs=1e-5)


def test_budgets_and_servers_limit_a_job():
    assert value(small([9], (), {"budget": [2.5]})) == pytest.approx(12.5, rel=1e-6)
    assert value(small([None], (), {"max_workers": 2})) == pytest.approx(10.0, rel=1e-6)
    shared = small([3], (), {"demand": [2.0]} | table(0, 6), table(0, 5, 9))
    # worth per GPU: 3, then 5 and 4: two of the second at 9, half a worker of the first at 3
    assert value(shared) == pytest.approx(12.0, rel=1e-5)


@pytest.mark.parametrize("power", [-60, 40, 60])
def test_tables_of_worth_may_be_in_any_unit(power):
    # pieces of a table were rows in its unit: 0.84 of the optimum at 2^-60, no answer at 2^40
    tables = [table(0, 6), table(0, 5, 9)]
    worth = [table(*np.ldexp(each["utility"]["values"], power).tolist()) for each in tables]
    once, again = (small([3], (), {"demand": [2.0]} | one, two) for one, two in (tables, worth))
    assert value(again) == np.ldexp(value(once), power)
