"""coded.loads: the loads of dedicated workers, against Theorem 1."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.law import Allocation
from farkas.models.coded.loads import (
    Loads,
    Owned,
    all_returned,
    blocks_owner,
    even_loads,
    uncoded_mean,
    uncoded_quantile,
)
from farkas.online.coded.simulate import simulate
from farkas.solvers.convex import solve_problem
from tests.generators.coded import by_speed, random_coded_computing


@pytest.mark.parametrize("seed", range(4))
def test_loads_of_dedicated_workers_are_theorem_1(seed):
    data = random_coded_computing(seed, forbid=0.0)
    owner = np.array([0, 1, 0, 1])
    times = theorem1_times(Pairs.of(data).speed, owner)
    answer = solve_problem(programs.build("coded.loads").model(Owned(data, owner)).problem)
    assert answer.require_optimal().objective == pytest.approx(times.sum(), rel=1e-6)
    dual = programs.build("coded.loads_dual").form(Owned(data, owner))
    assert dual.cost.sum() == pytest.approx(times.sum(), rel=1e-14)


def test_a_block_without_worker_has_no_program():
    data = library.load("coded/stuck").replace(
        workers=2, rate=[[5, 5], [1, 1], [1, 1]], shift=[[1, 1]] * 3
    )
    for name in ("coded.loads", "coded.loads_dual"):
        program = programs.build(name)
        with pytest.raises(NotApplicable, match="master 2 has no worker"):
            program.model(data) if name == "coded.loads" else program.form(data)


def test_optimal_loads_are_1_in_their_own_units():
    # speeds 1 + 3 and 2: times 1/4 and 1/2; every load and time is its unit
    owned = Owned(by_speed([[1, 3, 5], [1, 1, 2]]), np.array([0, 0, 1]))
    model = Loads().model(owned)
    assert solve_problem(model.problem).require_optimal().objective == pytest.approx(0.75, rel=1e-6)
    assert model.point()["load"] == pytest.approx(np.ones(3), abs=1e-3)
    assert model.point()["time"] == pytest.approx(np.ones(2), abs=1e-5)


def test_workers_that_are_idle_or_forbidden_carry_nothing():
    owned = Owned(by_speed([[1, 0, 5], [2, 1, 2]]), np.array([0, 0, -1]))
    with pytest.raises(NotApplicable, match="master 1 has no worker"):
        Loads().model(owned)
    owned = Owned(owned.data, np.array([0, 0, 1]))
    model = Loads().model(owned)
    assert solve_problem(model.problem).require_optimal().objective == pytest.approx(1 + 1 / 2)
    assert model.point()["load"].shape == (2,)


def test_blocks_are_contiguous_and_an_instance_stands_for_them():
    data = library.load("coded/demo")  # five workers for two masters: 3 and 2
    assert blocks_owner(data).tolist() == [0, 0, 0, 1, 1]
    assert Owned.of(data).owner.tolist() == [0, 0, 0, 1, 1]
    given = Owned(data, np.array([1, 1, 0, 0, 0]))
    assert Owned.of(given) is given


def test_uncoded_rows_are_split_evenly_and_all_are_needed():
    # 20 rows over blocks of 3 and 2 workers: 7, 7, 6 and 10, 10.
    data = library.load("coded/demo")
    loads = even_loads(data)
    assert loads[0].tolist() == [7, 7, 6, 0, 0]
    assert loads[1].tolist() == [0, 0, 0, 10, 10]
    plan = Allocation((loads > 0).astype(float), loads)
    sample = simulate(data, plan, 20_000, np.random.default_rng(0))
    mean, half = sample.mean(0.9999)
    assert abs(uncoded_mean(data, loads) - mean) <= half
    quantile = uncoded_quantile(data, loads, 0.9)
    _, low, high = sample.reached(quantile, 0.9999)
    assert low <= 0.9 <= high


def pair():
    """Two workers of one master, rate 1; the second starts half a unit a row later."""
    return CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 2}], workers=2, rate=[[1, 1]], shift=[[1, 1.5]]
    )


def test_two_workers_by_hand():
    # one row each: T = 1 + E and 1.5 + E'.  At t = 2 both are done with (1 - 1/e)(1 - e^-1/2)
    loads = even_loads(pair())
    assert loads.tolist() == [[1, 1]]
    want = (1 - np.exp(-1)) * (1 - np.exp(-0.5))
    assert all_returned(pair(), loads, 2.0) == pytest.approx(want)
    assert uncoded_quantile(pair(), loads, want) == pytest.approx(2.0)
    assert all_returned(pair(), loads, 1.5) == 0.0
    # E max(1 + E, 1.5 + E') = 1.5 + 1 + 1/2 e^-1/2: the first is later than 1.5 with e^-1/2, and
    # then half a unit is added on average
    assert uncoded_mean(pair(), loads) == pytest.approx(2.5 + 0.5 * np.exp(-0.5))


def test_a_forbidden_worker_in_a_block_leaves_it_undone():
    data = pair().replace(rate=[[1, None]], shift=[[1, None]])
    assert even_loads(data) is None
