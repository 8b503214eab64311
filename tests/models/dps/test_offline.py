"""dps.offline, dps.offline_lp and dps.placement_sequence against complete search."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pyomo.environ as pyo
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.dps import Side
from farkas.models.dps import windows
from farkas.models.dps.offline import Offline, OfflineLP
from farkas.models.dps.placement import Idle, MinServers, Placement, Sequence
from farkas.online.dps.cluster import placed
from farkas.solvers import Conclusion, solve
from farkas.testing import variants
from tests.generators.dps import empty_market, forced_jobs, random_market
from tests.references.dps_search import best_by_search
from tests.tools.quadratic import scip_optimum
from tests.tools.samples import seeds


def optimum(program, market) -> float:
    return solve(program.form(market), gap=0.0).require_optimal().objective


@seeds(15, 40)
def test_the_linear_program_is_the_search_over_acceptance_and_placement(seed):
    market = random_market(seed, jobs=4, servers=2)
    assert optimum(Offline(), market) == pytest.approx(best_by_search(market, market.budget))
    if market.price_cap is None:
        with pytest.raises(NotApplicable, match="needs a price_cap"):
            Offline(prices="capped").form(market)
        return
    capped = market.capped_reward
    assert optimum(Offline(prices="capped"), market) == pytest.approx(
        best_by_search(market, capped)
    )
    assert optimum(Offline(prices="forced"), market) == pytest.approx(
        best_by_search(market, capped, forced=forced_jobs(market))
    )


def test_a_sequence_that_cannot_be_served_is_infeasible():
    assert solve(Sequence().form(library.load("dps/one_server"))).claim is Conclusion.INFEASIBLE
    # Half open each of the three runs one slot.
    assert optimum(Sequence(), library.load("dps/one_server_half_open")) == pytest.approx(3.0)


def test_a_market_without_jobs_is_worth_nothing():
    market = empty_market()
    for program in (Offline(), OfflineLP(), Sequence()):
        assert optimum(program, market) == 0.0


def test_spread_units_sit_where_capacity_is():
    market = random_market(5, jobs=5, servers=3)
    form = Offline().form(market)
    point = solve(form, gap=0.0).require_optimal().point
    workers = form.values(point, "spread_workers")
    assert np.allclose(workers.sum(axis=1), market.workers * form.values(point, "spread"))


@pytest.mark.parametrize("workers", [True, False])
def test_a_forced_job_that_just_fits_beside_an_earlier_one_is_served(workers):
    # 4 of each are installed.  Job 0 holds 2 workers (or servers), job 1 needs the other 2, no
    # price keeps either out, and job 2 pays more but needs all 4: it is lost
    def job(arrival: int, units: int, budget: float, slots: float) -> dict:
        side = {"workers": units, "ps": 1} if workers else {"workers": 1, "ps": units}
        kind = {"worker_type": 0, "ps_type": 0, "model_size": 0.0, "epochs": 1.0}
        return kind | side | {"arrival": arrival, "budget": budget, "epoch_compute": slots}

    market = library.load("dps/forced_acceptance")
    market = market.replace(jobs=[job(0, 2, 9.0, 2.0), job(1, 2, 9.0, 4.0), job(4, 4, 9.0, 1.0)])
    assert optimum(Offline(prices="capped"), market) == pytest.approx(3 + 5)
    assert optimum(Offline(prices="forced"), market) == pytest.approx(3 + 3)
    assert best_by_search(market, market.capped_reward, forced=forced_jobs(market)) == 6.0


@pytest.mark.parametrize("cap", [0.25, 1.0, 8.0])
def test_jobs_are_forced_that_can_pay_the_cap_for_every_unit(cap):
    for seed in range(8):
        market = random_market(seed, jobs=8, servers=2)
        jobs = [msgspec.structs.replace(job, budget=cap * job.budget) for job in market.jobs]
        market = market.replace(price_cap=cap, jobs=msgspec.to_builtins(jobs))
        form = Offline(prices="forced").form(market)
        names = [block.name for block in form.rows]
        found = []
        if "served_unless_blocked" in names:
            found = form.row_block("served_unless_blocked").axes[0].members[:, 0].tolist()
        wanted = [
            i
            for i, job in enumerate(market.jobs)
            if job.budget * (1 + 1e-9) >= cap * (job.workers + job.ps)
        ]
        assert found == wanted


@pytest.mark.parametrize("seed", range(12))
def test_a_job_is_whole_only_where_both_sides_of_it_fit_and_spread_only_where_it_fits(seed):
    # some jobs ask for more than a server has, one for more than all servers have
    market = random_market(seed, jobs=8, servers=3).replace(price_cap=1.0)
    jobs = msgspec.to_builtins(market.jobs)
    jobs[0]["workers"], jobs[1]["ps"], jobs[2]["workers"] = 9, 9, 99
    market = market.replace(jobs=jobs)
    for program in (Offline(), OfflineLP(), Offline(prices="forced")):
        form = program.form(market)
        whole = form.values(form.upper, "whole").astype(bool).tolist()
        spread = form.values(form.upper, "spread").astype(bool).tolist()
        for job, able, together in zip(market.jobs, whole, spread, strict=True):
            workers = [row[job.worker_type] for row in market.server_workers]
            ps = [row[job.ps_type] for row in market.server_ps]
            one = [w >= job.workers and p >= job.ps for w, p in zip(workers, ps, strict=True)]
            assert able == one
            assert together == (sum(workers) >= job.workers and sum(ps) >= job.ps)


def test_a_part_of_a_job_that_fits_nowhere_is_worth_nothing():
    # 4 of 5 workers would hold 4/5 of the job
    one = library.load("dps/one_server").replace(server_workers=[[4]], server_ps=[[4]])
    job = msgspec.to_builtins(one.jobs[0])
    for units, worth in ((4, job["budget"]), (5, 0.0)):
        for side in ("workers", "ps"):
            assert optimum(OfflineLP(), one.replace(jobs=[{**job, side: units}])) == worth


LAST = np.array([2, 1, 4, 5])
LONGER = np.array([3, 1, 4, 5])


def side():
    """Jobs of type 0 from slots 0, 1, 3, and one of type 1 from slot 1."""
    ones = np.ones(4, int)
    return Side(
        types=np.array([0, 0, 0, 1]),
        units=ones,
        arrival=np.array([0, 1, 3, 1]),
        capacity=np.array([2, 2]),
        installed=np.array([[1, 2], [3, 4], [5, 6]]),
    )


def test_capacity_is_stated_where_the_last_of_some_jobs_arrives():
    # jobs 0 and 1 meet in slot 1, job 2 comes when both are gone; slot 0 is part of slot 1
    assert windows.clique_rows(side(), [LAST]).tolist() == [[0, 1], [0, 3], [1, 1]]
    # a job that may stay until slot 3 meets job 2, yet jobs 0 and 1 still meet without it
    assert windows.clique_rows(side(), [LONGER]).tolist() == [[0, 1], [0, 3], [1, 1]]
    # one that stays in every case makes slot 1 needless only when nobody leaves before slot 3
    whole = np.array([3, 3, 4, 5])
    assert windows.clique_rows(side(), [whole]).tolist() == [[0, 3], [1, 1]]
    assert windows.clique_rows(side(), [whole, LAST]).tolist() == [[0, 1], [0, 3], [1, 1]]


def test_who_holds_units_in_a_row():
    rows = windows.clique_rows(side(), [LAST])
    assert [j.tolist() for j in windows.jobs_at(rows, side(), LAST)] == [[0, 1], [2], [3]]
    assert [j.tolist() for j in windows.jobs_at(rows, side(), LONGER)] == [[0, 1], [0, 2], [3]]


def test_earlier_jobs_of_the_type_that_are_still_there():
    assert [j.tolist() for j in windows.earlier(side(), LAST, [0, 1, 2, 3])] == [[], [0], [], []]
    assert [j.tolist() for j in windows.earlier(side(), LONGER, [2])] == [[0]]


def test_units_on_servers_are_those_of_the_type_asked_for():
    assert side().on_server.tolist() == [[1, 3, 5], [1, 3, 5], [1, 3, 5], [2, 4, 6]]
    market = library.load("dps/tiny")
    workers, ps = market.sides
    assert workers.units.tolist() == [2, 2, 3, 4, 1]
    assert ps.units.tolist() == [1, 2, 1, 1, 3]
    assert (workers.capacity.tolist(), ps.capacity.tolist()) == ([4, 3], [3])


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_scarce_where_all_who_meet_there_ask_for_too_much(seed):
    market = random_market(seed, jobs=9)
    sides = market.sides
    for each, rows in zip(sides, windows.scarce_rows(market), strict=True):
        wanted = []
        for kind, slot in windows.clique_rows(each, [market.last_slot]).tolist():
            asked = sum(
                each.units[job]
                for job in range(market.num_jobs)
                if each.types[job] == kind
                and each.arrival[job] <= slot <= market.last_slot[job]
                and market.fits[job]
            )
            if asked > each.capacity[kind]:
                wanted.append([kind, slot])
        assert rows.tolist() == wanted


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
        units = placed(
            "pa",
            idle.workers[:, market.worker_type[job]], idle.ps[:, market.ps_type[job]],
            int(market.workers[job]), int(market.ps[job]),
        )  # fmt: skip
        faster = market.colocated_runtime[job] < market.spread_runtime[job]
        assert units is not None
        assert units[0].sum() == market.workers[job]
        assert units[1].sum() == market.ps[job]
        if faster:
            alone = np.count_nonzero(units[0] + units[1]) == 1
            assert alone == (whole[place] > 0.5)


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
    units = placed("pa", np.array([3, 2, 1]), np.array([0, 1, 3]), 3, 3)
    assert units is not None
    assert (units[0].tolist(), units[1].tolist()) == ([3, 0, 0], [0, 1, 2])
    form = MinServers().form(library.load("dps/too_many_servers"))
    assert solve(form).require_optimal().objective == pytest.approx(2.0)


def printed(market) -> pyo.ConcreteModel:
    return programs.build("dps.as_printed").to_pyomo(market)


@pytest.mark.parametrize("seed", range(8))
def test_the_letter_is_the_search_over_acceptance_and_placement(seed):
    market = random_market(seed, jobs=3, servers=2)
    found = scip_optimum(printed(market))
    assert found == pytest.approx(best_by_search(market, market.budget), abs=1e-5)


def test_what_is_yes_or_no_is_binary_and_units_are_whole():
    model = printed(random_market(1, jobs=3, servers=2))
    kinds = {
        var.name: {one.domain.name for one in var.values()}
        for var in model.component_objects(pyo.Var)
    }
    for name in ("accepted", "alone", "short_of_workers", "short_of_ps", "dear"):
        assert kinds[name] <= {"Binary"}
    for name in ("workers", "ps"):
        assert all("Integers" in kind for kind in kinds[name])


def holds(row) -> bool:
    body, lower, upper = pyo.value(row.body), pyo.value(row.lower), pyo.value(row.upper)
    return (lower is None or body >= lower) and (upper is None or body <= upper)


@pytest.mark.parametrize("side", ["workers", "ps"])
def test_too_few_units_are_idle_exactly_when_a_job_may_be_turned_away(side):
    market = random_market(3, jobs=4)
    model = printed(market)
    needs = model.needs if side == "workers" else model.needs_ps
    every = getattr(model, f"all_{side}")
    busy, short = getattr(model, f"busy_{side}"), getattr(model, f"short_of_{side}")
    fits, lacks = getattr(model, f"{side}_suffice"), getattr(model, f"{side}_short")
    for i in model.jobs:
        assert short[i].is_binary()
        assert model.accepted[i].is_binary()
        need, have = pyo.value(needs[i]), pyo.value(every[i])
        for taken in range(int(have) + 3):
            busy[i].set_value(taken, skip_validation=True)
            for one in (0, 1):
                model.accepted[i].set_value(one)
                short[i].set_value(one)
                assert holds(fits[i]) == (need * one + taken <= have)
                assert holds(lacks[i]) == (not one or taken > have - need)


@pytest.mark.parametrize("side", ["workers", "ps"])
def test_accepted_jobs_get_all_their_units_of_those_that_earlier_jobs_leave(side):
    market = random_market(3, jobs=4, servers=2)
    model = printed(market)
    one, other = ("needs", "idle_workers") if side == "workers" else ("needs_ps", "idle_ps")
    units, whole = getattr(model, side), getattr(model, f"all_{side}_placed")
    needs, idle = getattr(model, one), getattr(model, other)
    alike = getattr(model, f"same_{side}")
    installed = model.installed if side == "workers" else model.installed_ps
    rng, broken = np.random.default_rng(1), 0
    for _ in range(60):
        for i, s in itertools.product(model.jobs, model.servers):
            units[i, s].set_value(int(rng.integers(0, 4)), skip_validation=True)
            model.alone[i, s].set_value(int(rng.integers(0, 2)))
        for i in model.jobs:
            model.accepted[i].set_value(int(rng.integers(0, 2)))
        value = pyo.value
        for i in model.jobs:
            placed_units = sum(value(units[i, s]) for s in model.servers)
            assert holds(whole[i]) == (placed_units == value(needs[i] * model.accepted[i]))
            for s in model.servers:
                taken = sum(value(model.held[j, i] * units[j, s]) for j in alike[i])
                fits = value(units[i, s]) + taken <= value(installed[i, s])
                assert holds(idle[i, s]) == fits
                broken += not fits and value(units[i, s]) <= value(installed[i, s])
    assert broken  # by what earlier jobs hold


def test_a_server_has_all_of_a_job_exactly_when_it_is_alone():
    market = random_market(5, jobs=4, servers=2)
    model = printed(market)
    for i in model.jobs:
        job = market.jobs[i]
        for workers in range(job.workers + 1):
            for ps in range(job.ps + 1):
                for alone in (0, 1):
                    model.workers[i, 0].set_value(workers)
                    model.ps[i, 0].set_value(ps)
                    model.alone[i, 0].set_value(alone)
                    both = holds(model.alone_has_all[i, 0]) and holds(model.all_is_alone[i, 0])
                    assert both == (alone == (workers + ps == job.workers + job.ps))


def test_rows_carry_the_number_under_which_the_paper_prints_their_side():
    # (2b), (2e), (2g) are about parameter servers, (2c), (2d), (2f) about workers
    sides = {"ps": {"2b", "2e", "2g"}, "worker": {"2c", "2d", "2f"}}
    seen = set()
    for name in programs.names("dps."):
        for family in (f for v in variants(programs[name]) for f in v.families()):
            labels = set(family.label.split(","))
            for side, numbers in sides.items():
                if labels & numbers:
                    assert side in family.name, f"{name}: {family.name} is ({family.label})"
                    seen |= labels & numbers
    assert seen == sides["ps"] | sides["worker"]
