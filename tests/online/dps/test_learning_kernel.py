"""Values of arms in the kernel against the learner that one can read."""

import msgspec
import numpy as np
import pytest

from farkas.online.dps import kernel as base
from farkas.online.dps import learning_kernel as kernel
from farkas.online.dps.learning import Dps, RandomPlacement
from farkas.online.dps.offers import Known
from farkas.online.dps.posted import run_seller
from farkas.online.dps.pricing import Learner, both_sides
from farkas.online.dps.simulation import SUPPLY, _side
from tests.generators.dps import random_market, uniform_users


@pytest.mark.parametrize("supply", ["published", "turnover", "top"])
@pytest.mark.parametrize("seed", range(8))
def test_arms_are_chosen_as_the_learner_does_while_it_learns(supply, seed):
    market = random_market(seed, jobs=40).replace(dps={"delta": 0.02})
    rules, _ = both_sides(Known.of(market), radii=("unit", "range")[seed % 2])
    closed = market.occupancy == "closed"
    learner = Learner(rules, market.horizon, supply, closed)
    side = _side(rules)
    by = kernel.Supplying(float(market.horizon), SUPPLY[supply], closed)
    kernel._begin.interpret(side, by)
    rng = np.random.default_rng(seed)
    asked = np.flatnonzero(rules.jobs)
    for _ in range(25):
        kind = int(rng.choice(asked))
        arm = kernel._choose.interpret(side, kind, by)
        assert arm == learner.choose(kind)
        units = int(rng.integers(0, 3))
        learner.answered(arm, units)
        kernel._answered.interpret(side, kind, arm, units)
        if rng.random() < 0.4:
            runtime = float(rng.uniform(0, market.horizon * 1.2))
            learner.finish(kind, runtime)
            side.finished[kind] += 1
            side.unused[kind] += max(0.0, market.horizon - runtime)
            side.supply[kind] = -1.0
        wanted = learner.supply(kind)
        assert kernel._supply.interpret(side, kind, by) == pytest.approx(wanted, rel=1e-15)
    kind = int(asked[0])
    arms = range(rules.first[kind], rules.first[kind + 1])
    demand = [kernel._demand.interpret(side, kind, arm) for arm in arms]
    assert side.demand[list(arms)].tolist() == demand


@pytest.mark.parametrize("supply", ["published", "turnover", "top"])
@pytest.mark.parametrize("seed", range(6))
def test_ties_up_to_rounding_and_supplies_that_rise_are_those_of_the_learner(supply, seed):
    # Radii of 0 and prices z/50, of which z sells 30/z units: all earn alike but for rounding, and
    # they lie in two blocks.  The first jobs run for the
    # whole horizon, so that supply binds; short ones bring it back.
    market = random_market(seed, jobs=6, types=1, servers=1)
    market = market.replace(
        horizon=10,
        jobs=[{**msgspec.to_builtins(job), "arrival": 0} for job in market.jobs],
        server_workers=[[80]],
        server_ps=[[80]],
        price_cap=1.0,
        dps={"delta": 0.02, "eta_scale": 0.0},
    )
    rules, _ = both_sides(Known.of(market), grid="uniform")
    closed = market.occupancy == "closed"
    learner = Learner(rules, market.horizon, supply, closed)
    side = _side(rules)
    by = kernel.Supplying(float(market.horizon), SUPPLY[supply], closed)
    kernel._begin.interpret(side, by)
    rng = np.random.default_rng(seed)
    kind, arms = 0, np.arange(rules.first[1])
    near, risen, bound = 0, 0, False
    for step in range(100):
        most = learner.supply(kind)
        demand = rules.jobs[kind] * learner.sold[arms] / np.maximum(learner.offers[arms], 1)
        value = rules.price[arms] * np.minimum(demand, most)
        arm = kernel._choose.interpret(side, kind, by)
        assert arm == learner.choose(kind)
        near += arm != arms[np.flatnonzero(value == value.max())[-1]]
        risen += bound and most > demand.max()
        bound = most < demand.max()
        number = int(rng.choice([1, 2, 3, 5, 6, 10, 15, 30]))
        arm, units = number - 1, 30 // number
        learner.answered(arm, units)
        kernel._answered.interpret(side, kind, arm, units)
        if rng.random() < 0.3:
            runtime = 10.0 if step < 20 else 0.5
            learner.finish(kind, runtime)
            side.finished[kind] += 1
            side.unused[kind] += 10.0 - runtime
            side.supply[kind] = -1.0
    assert near > 0
    assert risen > 0


@pytest.mark.parametrize("swapped", [False, True])
def test_the_last_arrival_to_explore_is_explored_on_either_side(swapped):
    # eight jobs of one type explore four times, four of each other type explore twice; the fourth
    # job is the third of its other type
    one = uniform_users(8, 1)
    jobs = msgspec.to_builtins(one.jobs)
    side = "worker_type" if swapped else "ps_type"
    for job, kind in zip(jobs, (0, 1, 0, 0, 0, 1, 1, 1), strict=True):
        job[side] = kind
    types = {"server_workers": [[1, 1]], "worker_bandwidth": [None] * 2} if swapped else {
        "server_ps": [[1, 1]], "ps_bandwidth": [None] * 2}  # fmt: skip
    market = one.replace(jobs=jobs, dps={"explore_cap": 0.5, "delta": 0.2}, **types)
    run = Dps().simulate(market)
    assert np.flatnonzero(run.exploring).tolist() == [0, 1, 2, 3, 5]
    assert [d.exploring for d in run_seller(Dps(), market)] == run.exploring.tolist()


def test_the_top_of_a_block_is_its_largest_value():
    market = random_market(1, jobs=20).replace(dps={"delta": 0.02})
    rules, _ = both_sides(Known.of(market))
    side = _side(rules)
    by = kernel.Supplying(float(market.horizon), kernel.PUBLISHED, True)
    kernel._begin.interpret(side, by)
    for kind in np.flatnonzero(rules.jobs):
        values = side.value[rules.first[kind] : rules.first[kind + 1]]
        blocks = [values[at : at + kernel.BLOCK] for at in range(0, len(values), kernel.BLOCK)]
        assert len(blocks) > 2
        first, last = side.first_block[kind], side.first_block[kind + 1]
        assert side.top[first:last].tolist() == [block.max() for block in blocks]


def test_arms_without_worth_are_tied_and_the_dearest_is_chosen():
    # nothing installed: the published supply is 0, and so is every value
    market = random_market(1, jobs=6).replace(
        server_workers=[[0, 0]], server_ps=[[1, 1]], worker_bandwidth=[None] * 2,
        ps_bandwidth=[None] * 2,
    )  # fmt: skip
    rules, _ = both_sides(Known.of(market))
    side = _side(rules)
    by = kernel.Supplying(float(market.horizon), kernel.PUBLISHED, True)
    kernel._begin.interpret(side, by)
    kind = int(np.flatnonzero(rules.jobs)[0])
    assert kernel._choose.interpret(side, kind, by) == rules.first[kind + 1] - 1
    assert (
        Learner(rules, market.horizon, "published", True).choose(kind) == rules.first[kind + 1] - 1
    )


@pytest.mark.parametrize("seller", [Dps(), RandomPlacement()], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_whole_runs_decide_as_the_learner_does(seed, seller):
    market = random_market(seed, jobs=40).replace(dps={"delta": 0.2, "explore_cap": 0.1})
    fast = seller.simulate(market, seed)
    for number, slow in enumerate(run_seller(seller, market, seed)):
        code = {"full": base.FULL, "declined": base.DECLINED, "sold": base.SOLD}
        assert fast.outcome[number] == code.get(slow.outcome, base.EXPLORED)
        assert fast.payment[number] == pytest.approx(slow.payment, abs=1e-12)
        assert fast.exploring[number] == slow.exploring
        assert fast.colocated[number] == slow.colocated
