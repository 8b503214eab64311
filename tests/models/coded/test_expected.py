"""coded.expected and coded.expected_integer as printed: what their rows say."""

import numpy as np
import pyomo.environ as pyo
import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.expected import Expected, ExpectedInteger
from farkas.models.coded.surrogate import expected_results


@pytest.mark.parametrize("workers", ["shared", "dedicated"])
@pytest.mark.parametrize(
    ("name", "printed"), [("coded.expected", True), ("coded.expected_integer", False)]
)
def test_the_printed_program_means_what_the_arrays_say(name, printed, workers):
    data = library.load("coded/forbidden_pairs")
    plan = data.plans[0]
    model = programs.build(name, workers=workers).to_pyomo(data)
    share, loads = np.array(plan.probability), np.maximum(np.array(plan.loads, float), 1.0)
    for m, n in model.pairs:
        model.share[m, n].set_value(share[m, n], skip_validation=True)
        model.rows_sent[m, n].set_value(loads[m, n])
    for time in (plan.time, 0.5):
        model.time.set_value(time)
        want = expected_results(data, share * data.allowed, loads, time, printed=printed)
        found = [_results(model, data, m) for m in range(2)]
        assert found == pytest.approx(want.tolist(), rel=1e-12)
    assert model.share[0, 0].is_binary() == (workers == "dedicated")
    assert (0, 1) not in model.pairs


def _results(model, data, master):
    """Expected results of the Pyomo row, whichever side they stand on."""
    row = model.every_master_expects_its_rows[master]
    body = pyo.value(row.body)
    lower, upper = pyo.value(row.lower), pyo.value(row.upper)
    rows = float(data.rows[master])
    if lower is not None and upper is None:
        return body - lower + rows
    return rows + (upper - body)


def one_pair():
    """One worker: T = a l + E l / u with a = 1/2, u = 2."""
    return CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 4}], workers=1, rate=[[2.0]], shift=[[0.5]]
    )


@pytest.mark.parametrize("program", [Expected(), ExpectedInteger()])
def test_one_worker_by_hand(program):
    # half a worker, 4 rows, t = 4: waited 4 - 2 = 2; P = 1 - exp(-2 * 2 / 4) = 1 - 1/e; 4/2 P rows
    model = program.to_pyomo(one_pair())
    model.share[0, 0].set_value(0.5, skip_validation=True)
    model.rows_sent[0, 0].set_value(4)
    model.time.set_value(4.0)
    assert _results(model, one_pair(), 0) == pytest.approx(2 * (1 - np.exp(-1)))
    # t = 1, before a l = 2: as printed 2 (1 - exp(-2 * -1 / 4)) < 0, in truth 0
    model.time.set_value(1.0)
    early = 2 * (1 - np.exp(0.5)) if isinstance(program, Expected) else 0.0
    assert _results(model, one_pair(), 0) == pytest.approx(early)


def test_loads_are_whole_in_p2_only_and_shares_where_workers_are_dedicated():
    for program, whole in ((Expected(), False), (ExpectedInteger(workers="dedicated"), True)):
        model = program.to_pyomo(one_pair())
        assert model.rows_sent[0, 0].is_integer() == whole
        assert model.share[0, 0].is_binary() == whole
        assert model.rows_sent[0, 0].ub is None
        assert model.rows_sent[0, 0].lb == 0
