"""Monte Carlo of plans, draw by draw."""

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.coded.completion_times import Allocation
from farkas.online import algorithms
from farkas.online.coded.simulation import Sample, simulate

DEMO = library.load("coded/demo")


def plan_of(name, data, stretch=1.0):
    plan = algorithms[name].policy().plan(data, 0)
    return Allocation(plan.share, plan.loads * stretch)


@pytest.mark.parametrize("name", ["coded.expected", "coded.round_lp"])
def test_simulation_is_a_loop_over_draws_and_workers(name):
    data = generate("coded", num_masters=3, num_workers=11, rows=500, seed=2)
    plan, draws = plan_of(name, data), 300
    found = simulate(data, plan, draws, np.random.default_rng(0)).times
    rng = np.random.default_rng(0)
    shared = [n for n in range(11) if ((plan.share[:, n] > 0) & (plan.share[:, n] < 1)).any()]
    choice, delay = rng.random((draws, len(shared))), -np.log(1 - rng.random((draws, 11)))
    for i in range(draws):
        results = [[] for _ in range(3)]
        for n in range(11):
            upper = np.cumsum(plan.share[:, n])
            drawn = choice[i, shared.index(n)] if n in shared else 0.0
            m = int(np.argmax(drawn < upper)) if n in shared else int(plan.share[:, n].argmax())
            load = plan.loads[m, n]
            finish = load * data.shifts[m, n] + delay[i, n] * load / data.rates[m, n]
            results[m].append((finish, load))
        for m in range(3):
            total, when = 0.0, np.inf
            for finish, load in sorted(results[m]):
                total += load
                if total >= data.rows[m] * (1 - 1e-12):
                    when = finish
                    break
            assert found[i, m] == when or found[i, m] == pytest.approx(when, rel=1e-12)


def test_draws_are_at_least_one():
    with pytest.raises(InvalidOption, match="draws = 0"):
        simulate(DEMO, plan_of("coded.uniform", DEMO), 0, np.random.default_rng(0))


def test_the_last_master_ends_a_draw():
    sample = Sample(np.array([[1.0, 2.0], [3.0, 1.0], [np.inf, 1.0], [2.0, 2.0]]))
    assert sample.last.tolist() == [2, 3, np.inf, 2]


def test_chunks_draw_one_after_the_other(monkeypatch):
    plan = plan_of("coded.expected", DEMO)
    monkeypatch.setattr("farkas.online.coded.simulation.CHUNK", 3)
    whole = simulate(DEMO, plan, 5, np.random.default_rng(4)).times
    rng = np.random.default_rng(4)
    parts = [simulate(DEMO, plan, draws, rng).times for draws in (3, 2)]
    assert whole.tolist() == np.concatenate(parts).tolist()
