"""Algorithm 2 and its rivals, by hand and with lists."""

import numpy as np
import pytest

from farkas.online.dps.pricing import best_fit, colocated, fill, pa
from tests.references.dps_market import algorithm_2


def as_lists(units):
    return tuple(part.tolist() for part in units)


@pytest.mark.parametrize("seed", range(60))
def test_placements_are_those_of_the_rules(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    idle_workers, idle_ps = rng.integers(0, 4, (2, count))
    workers, ps = (int(x) for x in rng.integers(1, 5, 2))
    found = pa(idle_workers, idle_ps, workers, ps)
    if idle_workers.sum() < workers or idle_ps.sum() < ps:
        assert found is None
        assert best_fit(idle_workers, idle_ps, workers, ps) is None
        return
    wanted = algorithm_2(idle_workers.tolist(), idle_ps.tolist(), workers, ps)
    assert as_lists(found) == wanted
    hosts = [s for s in range(count) if idle_workers[s] >= workers and idle_ps[s] >= ps]
    if hosts:
        least = min(hosts, key=lambda s: (idle_workers[s] + idle_ps[s], s))
        wanted = (
            [workers * (s == least) for s in range(count)],
            [ps * (s == least) for s in range(count)],
        )
    assert as_lists(best_fit(idle_workers, idle_ps, workers, ps)) == wanted
    assert colocated(found) == bool(hosts)


def test_a_tie_goes_to_the_first_server_and_more_workers_beat_more_parameter_servers():
    twins = np.array([2, 2]), np.array([1, 1])
    assert as_lists(pa(*twins, 1, 1)) == ([1, 0], [1, 0])
    assert as_lists(best_fit(*twins, 1, 1)) == ([1, 0], [1, 0])
    assert as_lists(pa(np.array([2, 3]), np.array([9, 1]), 1, 1)) == ([0, 1], [0, 1])


def test_servers_are_filled_in_the_order_given_both_times_from_its_start():
    order = np.array([2, 0, 1])
    units = fill(order, np.array([1, 5, 2]), np.array([0, 3, 1]), 4, 2)
    assert as_lists(units) == ([1, 1, 2], [0, 1, 1])
    assert not colocated(units)
    assert colocated((np.array([0, 2]), np.array([0, 1])))
    assert not colocated((np.array([2, 0]), np.array([0, 1])))
