"""coded.loads: the loads of dedicated workers, against Theorem 1."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.models.coded.loads import Loads, Owned
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
