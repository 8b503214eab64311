"""Bandits with knapsacks against the algorithm written with lists."""

import dataclasses
import math

import msgspec
import numpy as np
import pytest

from farkas.online.dps.cluster import Running
from farkas.online.dps.knapsacks import Knapsacks
from farkas.online.dps.offers import Known, Offer
from farkas.online.dps.posted import run_seller
from tests.generators.dps import random_market, uniform_users
from tests.references.dps_market import sell


def test_resources_that_run_out_gain_weight_over_time():
    # Long jobs in a row on one server: each sale holds it for 9 of 3000 slots.  Short ones hold it
    # for one slot, so that at most as much of its budget is used as of time.  Narrow radii, since
    # 300 offers teach 64 arms nothing under the published ones.
    market = uniform_users(3000, 2).replace(dps={"eta_scale": 0.01})
    scarce = market.replace(
        jobs=[{"arrival": j.arrival, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1,
               "model_size": 0, "epochs": 1, "epoch_compute": 9.0, "budget": j.budget}
              for j in market.jobs]
    )  # fmt: skip
    lead = []
    for case in (market, scarce):
        seller = Knapsacks()
        state = seller.start(Known.of(case), 0)
        for job in range(case.num_jobs):
            state, _ = seller.step(state, Offer.of(case, job))
        worker, _, time = state.log_weight
        lead.append(worker - time)
    assert lead[0] <= 0.0 < lead[1]


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
    found = run_seller(Knapsacks(), market)
    assert [d.outcome if d.outcome != "sold" else "served" for d in found] == [t for t, _ in told]
    prices = {i: (d.worker_price, d.ps_price) for i, d in enumerate(found) if d.worker_price}
    assert prices == quoted


@pytest.mark.parametrize(("occupancy", "slots"), [("closed", 4.0), ("half_open", 3.0)])
def test_a_job_holds_the_slot_in_which_it_ends_only_where_that_is_closed(occupancy, slots):
    market = uniform_users(4, 1).replace(occupancy=occupancy)
    seller, offer = Knapsacks(), Offer.of(market, 0)
    state = seller.start(Known.of(market), 0)
    seller.finished(state, Running(0, 3.0, offer, ()))
    assert state.held[:, offer.worker_type, offer.ps_type].tolist() == [slots, 1.0]


def test_a_sale_uses_its_slots_of_all_unit_slots_of_the_horizon():
    # 2 workers and 1 server for 3 slots, of 4 + 4 workers and 5 servers in 10 slots
    known = dataclasses.replace(
        Known.of(uniform_users(4, 1)),
        horizon=10,
        installed_workers=np.array([[4], [4]]),
        installed_ps=np.array([[5], [0]]),
    )
    offer = dataclasses.replace(Offer.of(uniform_users(4, 1), 0), workers=2, ps=1)
    seller = Knapsacks()
    state = seller.start(known, 0)
    state.held[:, offer.worker_type, offer.ps_type] = 6.0, 2.0
    places, share = seller._use_of_a_sale(state, offer)
    assert places == [0, 1, -1]
    assert share.tolist() == pytest.approx([2 * 3 / 80, 1 * 3 / 50, 0.0])
