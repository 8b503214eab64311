"""dps.placement and dps.min_servers against enumeration; Algorithm 2 against both."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.dps.placement import Idle, MinServers, Placement
from farkas.online.dps.pricing import best_fit, colocated, fill, pa
from farkas.solvers import solve
from tests.generators.dps import empty_market, random_market


def some_idle(seed: int) -> Idle:
    """A market with some units taken away."""
    market = random_market(seed, jobs=5, servers=4)
    rng = np.random.default_rng(seed)
    taken = (
        rng.integers(0, units + 1) for units in (market.installed_workers, market.installed_ps)
    )
    workers, ps = taken
    return Idle(market=market, workers=market.installed_workers - workers // 2, ps=ps)


@pytest.mark.parametrize("seed", range(25))
def test_algorithm_2_reaches_the_shortest_runtime_of_an_arrival(seed):
    idle = some_idle(seed)
    market, form = idle.market, Placement().form(idle)
    point = solve(form, gap=0.0).require_optimal().point
    whole = form.values(point, "whole").sum(axis=1)
    for place, job in enumerate(idle.fitting):
        units = pa(
            idle.workers[:, market.worker_type[job]], idle.ps[:, market.ps_type[job]],
            int(market.workers[job]), int(market.ps[job]),
        )  # fmt: skip
        faster = market.colocated_runtime[job] < market.spread_runtime[job]
        assert units is not None
        assert units[0].sum() == market.workers[job]
        assert units[1].sum() == market.ps[job]
        if faster:
            assert colocated(units) == (whole[place] > 0.5)


@pytest.mark.parametrize("seed", range(25))
def test_the_fewest_servers_are_the_smallest_subset_that_suffices(seed):
    idle = some_idle(seed)
    market, form = idle.market, MinServers().form(idle)
    used = form.values(solve(form, gap=0.0).require_optimal().point, "used").sum(axis=1)
    for place, job in enumerate(idle.fitting):
        workers = idle.workers[:, market.worker_type[job]]
        ps = idle.ps[:, market.ps_type[job]]
        fewest = min(
            len(chosen)
            for size in range(1, market.num_servers + 1)
            for chosen in itertools.combinations(range(market.num_servers), size)
            if workers[list(chosen)].sum() >= market.workers[job]
            and ps[list(chosen)].sum() >= market.ps[job]
        )
        assert used[place] == pytest.approx(fewest)


def test_algorithm_2_may_use_a_server_too_many():
    # (3, 0), (2, 1), (1, 3): workers fill the first, parameter servers the second and third.
    units = pa(np.array([3, 2, 1]), np.array([0, 1, 3]), 3, 3)
    assert units is not None
    assert (units[0].tolist(), units[1].tolist()) == ([3, 0, 0], [0, 1, 2])
    form = MinServers().form(library.load("dps/too_many_servers"))
    assert solve(form).require_optimal().objective == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("workers", "ps", "server"),
    [([2, 3, 3], [5, 1, 2], 2), ([3, 3, 2], [2, 2, 2], 0), ([1, 2, 2], [9, 1, 1], 1)],
)
def test_the_first_host_has_most_idle_workers_then_servers_then_the_lower_number(
    workers, ps, server
):
    units = pa(np.array(workers), np.array(ps), 1, 1)
    assert units is not None
    assert int(np.flatnonzero(units[0])[0]) == server


def test_best_fit_leaves_least_idle_and_spreads_as_algorithm_2_does():
    idle = np.array([4, 2, 3]), np.array([4, 2, 1])
    units = best_fit(*idle, 2, 1)
    assert units is not None
    assert np.flatnonzero(units[0]).tolist() == [1]  # leaves 1 of (2, 2); (3, 1) leaves 1 too
    spread, greedy = best_fit(*idle, 7, 5), pa(*idle, 7, 5)
    assert spread is not None
    assert greedy is not None
    assert [u.tolist() for u in spread] == [u.tolist() for u in greedy]


def test_what_does_not_fit_is_not_placed():
    assert pa(np.array([1, 1]), np.array([5, 5]), 3, 1) is None
    assert fill(np.array([1, 0]), np.array([1, 1]), np.array([1, 0]), 1, 2) is None
    assert pa(np.zeros(0, int), np.zeros(0, int), 1, 1) is None


def test_names_and_empty_markets():
    for program, name in ((Placement(), "dps.placement"), (MinServers(), "dps.min_servers")):
        assert program.full_name == name
        assert solve(program.form(empty_market())).require_optimal().objective == 0.0
