"""The optimum by hand, and its exact bound."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import exact_bound
from farkas.forms import check_point
from farkas.instances import library
from farkas.solvers import solve


@pytest.mark.parametrize("traffic", ["paid", "free"])
def test_every_gigabyte_goes_where_link_and_worker_are_cheapest(traffic):
    # nothing couples the gigabytes
    data = library.load("mlbroker/tiny")
    links = np.array(data.transfer_price) * (traffic == "paid")
    expected = 0.0
    for job in data.jobs:
        gpus = job.worker_demand[0] / job.worker_capacity
        price = links + np.array(data.base_price)[:, 0] * gpus
        expected += float(np.sum(job.data, axis=0) @ price.min(axis=1))
    form = programs.build("mlbroker.home_site", traffic=traffic).form(data)
    answer = solve(form).require_optimal()
    assert check_point(form, answer.point)
    assert answer.objective == pytest.approx(expected)
    assert float(exact_bound(form, answer.row_duals)) == pytest.approx(expected)


def test_free_traffic_costs_no_more():
    data = library.load("mlbroker/demo")
    paid, free = (
        solve(programs.build(f"mlbroker.home_site[{traffic}]").form(data)).require_optimal()
        for traffic in ("paid", "free")
    )
    assert free.objective < paid.objective
