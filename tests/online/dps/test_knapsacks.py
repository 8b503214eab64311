"""Bandits with knapsacks against the algorithm written with lists."""

import math
import types

import msgspec
import numpy as np
import pytest

from farkas.online.dps.pairs import Knapsacks, _weigh
from tests.generators.dps import random_market
from tests.references.dps_market import sell


@pytest.mark.parametrize("seed", range(16))
def test_arms_are_the_best_ratios_of_the_source(seed):
    market = random_market(seed, jobs=25, types=2).replace(price_cap=1.0)
    if seed >= 8:  # narrow radii and many jobs, so that what runs out is learned, and decides
        many = random_market(seed, jobs=240, types=2).jobs
        rows = [{**msgspec.to_builtins(job), "arrival": n // 3} for n, job in enumerate(many)]
        market = market.replace(
            horizon=80,
            jobs=rows,
            server_workers=(market.installed_workers + 1).tolist(),
            server_ps=(market.installed_ps + 1).tolist(),
            dps={"eta_scale": 0.2},
        )
    jobs, horizon = market.jobs, market.horizon
    kinds, others = market.num_worker_types, market.num_ps_types
    grid = [(i / 8, j / 8) for i in range(1, 9) for j in range(1, 9)]
    arms, held = {}, {}
    weight = [0.0] * (kinds + others + 1)
    rounds, quoted = market.num_jobs, {}
    eta = market.learning.eta_scale * math.log(rounds)

    def over(number, runtime):
        job = jobs[number]
        slots, count = held.get((job.worker_type, job.ps_type), (0.0, 0))
        slots += runtime + (market.occupancy == "closed")
        held[job.worker_type, job.ps_type] = slots, count + 1

    def pays(number):
        job = jobs[number]
        key = job.worker_type, job.ps_type
        known = arms.setdefault(key, [[0, 0, 0.0] for _ in grid])
        slots, count = held.get(key, (0.0, 0))
        mean = slots / max(count, 1)
        sale = [
            job.workers * mean / (sum(row[key[0]] for row in market.server_workers) * horizon),
            job.ps * mean / (sum(row[key[1]] for row in market.server_ps) * horizon),
        ]
        places = [key[0], kinds + key[1], kinds + others]
        top = max(weight)
        share = [math.exp(x - top) for x in weight]
        worth, uses = [], []
        for offers, sales, paid in known:
            n = 1 + offers
            reward, rate = paid / max(offers, 1), sales / max(offers, 1)
            high = reward + eta / n + math.sqrt(eta * reward / n)
            low = max(0.0, rate - eta / n - math.sqrt(eta * rate / n))
            use = [low * sale[0], low * sale[1], 1 / rounds]
            uses.append(use)
            cost = sum(u * share[p] for u, p in zip(use, places, strict=True)) / sum(share)
            worth.append(high / cost)
        arm = max(a for a, value in enumerate(worth) if value >= max(worth) * (1 - 1e-11))
        worker, ps = grid[arm]
        payment = worker * job.workers + ps * job.ps
        sold = payment <= job.budget * (1 + 1e-9)
        quoted[number] = worker, ps
        known[arm][0] += 1
        known[arm][1] += sold
        known[arm][2] += payment * sold / (job.workers + job.ps)
        growth = math.log(1 + math.sqrt(math.log(len(weight)) / rounds))
        for p, u in zip(places, uses[arm], strict=True):
            weight[p] += growth * rounds * u
        return payment if sold else None

    told = sell(market, pays, over)
    found = Knapsacks().simulate(market)
    assert [d.outcome if d.outcome != "sold" else "served" for d in found] == [t for t, _ in told]
    prices = {i: (d.worker_price, d.ps_price) for i, d in enumerate(found) if d.worker_price}
    assert prices == quoted


def test_weights_are_relative_to_the_largest_whose_power_may_be_no_double():
    sack = types.SimpleNamespace(log_weight=np.array([0.0, 2000.0, 2000.0]), weight=np.zeros(3))
    assert _weigh.interpret(sack) == 2.0
    assert sack.weight.tolist() == [0.0, 1.0, 1.0]
