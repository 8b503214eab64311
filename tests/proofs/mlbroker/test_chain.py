"""Lines of (12) and (13) on a run, against each other."""

import numpy as np
import pytest

from farkas.instances import library
from farkas.proofs.mlbroker.chain import line_12c, line_13c, line_13d, printed_dual, scaled, usage
from farkas.proofs.mlbroker.runs import dual_bound, trace


@pytest.fixture(scope="module")
def by_name():
    names = ("mlbroker/tiny", "mlbroker/quiet_slot", "mlbroker/unit_scaling")
    return {name: trace(name, library.load(name), "printed") for name in names}


def test_the_corrected_line_13d_equals_13c_and_the_printed_one_is_its_opposite(by_name):
    run = by_name["mlbroker/quiet_slot"]
    assert line_13d(run, 1.0) == pytest.approx(line_13c(run), rel=1e-3)
    assert line_13d(run, -1.0) == -line_13d(run, 1.0)


def test_the_printed_dual_objective_leaves_out_the_switches(by_name):
    for run in by_name.values():
        assert printed_dual(run) + run.point.xi.sum() == pytest.approx(dual_bound(run), rel=1e-9)


def test_a_site_without_data_makes_12c_infinite_and_a_slot_without_data_adds_nothing(by_name):
    assert line_12c(by_name["mlbroker/tiny"]) == np.inf
    assert not np.isnan(line_12c(by_name["mlbroker/quiet_slot"]))


def test_usage_counts_units_of_workers_and_servers(by_name):
    run = by_name["mlbroker/unit_scaling"]
    broker = run.instance
    workers = sum(float(d.workers.sum()) for d in run.decisions)
    servers = sum(float(d.server.sum()) for d in run.decisions)
    units = workers * broker.worker_demand[0] + servers * broker.server_demand[0]
    np.testing.assert_allclose(usage(run).sum(axis=(0, 1)), units)


def test_the_factor_of_13f(by_name):
    # σ (1 + ε) with σ = ln(1 + 1/ε)
    run = by_name["mlbroker/tiny"]
    epsilon = run.instance.epsilon
    assert scaled(run, 2.0) == pytest.approx(2 * (1 + epsilon) * np.log1p(1 / epsilon))
