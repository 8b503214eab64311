"""Problem (2), corrected: compact, explicit and listed forms, and its readings by hand."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import InvalidOption
from farkas.exact.solver import prove_form
from farkas.forms.rational import as_rational
from farkas.instances import library
from farkas.instances.eris import workers_for
from farkas.models.eris.offline import FORGIVEN, forgiven
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import posted_on_arrival
from farkas.models.eris.schedules import compositions
from farkas.online.run import Bound
from farkas.solvers import Conclusion, solve
from farkas.tolerances import ROUNDING
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum
from tests.tools.quadratic import scip_optimum


@pytest.mark.parametrize("seed", range(12))
def test_compact_explicit_and_listed_forms_have_one_optimum(seed: int) -> None:
    auction = random_auction(seed)
    compact = optimum("eris.offline", auction)
    assert optimum("eris.offline[explicit]", auction) == pytest.approx(compact, abs=1e-6)
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(compact, abs=1e-6)
    # counting chunks over all sites together only relaxes
    assert optimum("eris.offline_total", auction) >= compact - 1e-6


FREE = {"worker_demand": [0.0]}


@pytest.mark.parametrize("money", [1.0, 2.0**-40, 2.0**40])
@pytest.mark.parametrize(
    ("units", "changes"),
    [
        # in exact arithmetic 0.1 + 0.2 of a site, and 3 x 0.1 of the budget, are more than 0.3
        ([{"worker_demand": [0.1]}, {"worker_demand": [0.2]}], {"site_capacity": [[0.3], [0.0]]}),
        (
            [FREE | {"server_demand": [0.1]}, FREE | {"server_demand": [0.2]}],
            {"site_capacity": [[0.3], [0.0]]},
        ),
        (
            [{"parameter_size": 0.0}] * 3,
            {"site_capacity": [[0.0], [3.0]], "chunk_size": 0.1, "transfer_budget": 0.3},
        ),
    ],
)
def test_the_tree_of_the_program_bounds_runs_that_fill_a_capacity_up_to_rounding(
    units: list[dict[str, Any]], changes: dict[str, Any], money: float
) -> None:
    jobs = [each | {"data": [1, 0], "utility": [money]} for each in units]
    auction = one_resource(*jobs, slots=1, **changes)
    form = programs.build("eris.offline").form(auction)
    about = {"kind": "eris", "options": {"moves": "compact"}, "instance": auction.sha256}
    tree = prove_form(as_rational(form), embed=False, about=about)
    run = farkas.run(auction, "eris.learned", forecast=0.0)
    assert run.value == len(jobs) * money
    assert tree.bound is not None
    assert tree.bound == run.value
    proved = Bound.of(tree.bound, "tree", msgspec.to_builtins(tree.certificate))
    held = msgspec.structs.replace(run, certificate=proved, ratio=None)
    assert farkas.check(held, auction).ratio == 1


def test_only_limits_that_rounding_decides_about_are_raised() -> None:
    limits = np.array([[0.0, 0.3], [0.4, 2.0]])
    # the double 0.1 is above a tenth: 0.3 and 2 hold one less exactly; 0.4 is four of that double
    raised = np.where(limits == 0.4, limits, limits + FORGIVEN * limits)
    assert (forgiven(limits, [0.1, 0.0]) == raised).all()
    # sums of 0.5 and 0.75 are quarters: 0.3 and 0.4 hold one, and so do limits raised by little
    assert (forgiven(limits, [0.5, 0.75]) == limits).all()
    assert (forgiven(limits, [0.0]) == limits).all()
    assert (forgiven(limits, []) == limits).all()
    for exponent in (-300, 300):
        scaled = forgiven(np.ldexp(limits, exponent), np.ldexp([0.1, 0.5], exponent).tolist())
        assert (scaled == np.ldexp(forgiven(limits, [0.1, 0.5]), exponent)).all()
    # just below a whole number of units, from where the replay forgives what is missing
    least = 3 * (1 - ROUNDING * 65 / 64)
    assert forgiven(np.array(least), [1.0]) >= 3
    assert forgiven(np.array(3 * (1 - 4 * ROUNDING)), [1.0]) < 3


def brute_one_shot(task: SlotTask) -> float:
    """Cheapest of all (chunks per site, chunks at home, server) that fit; inf without any."""
    auction, slot = task.auction, task.slot
    job = auction.jobs[task.job]
    free = auction.capacity - auction.used[:, :, slot]
    price = task.prices.resource[:, :, slot]
    best = np.inf
    for chunks in compositions(task.workload, auction.sites):
        workers = np.array([workers_for(int(q), job.epochs, job.worker_rate) for q in chunks])
        moved = np.maximum(0, chunks - task.remaining).sum()
        for server in range(auction.sites):
            use = np.outer(workers, job.worker_demand)
            use[server] += job.server_demand
            mb = auction.chunk_size * moved
            mb += job.parameter_size * (workers.sum() - workers[server])
            left = auction.transfer_budget - auction.transferred[slot]
            if (use <= free + 1e-9).all() and mb <= left + 1e-9:
                best = min(best, task.prices.transfer[slot] * mb + (use * price).sum())
    return best


@pytest.mark.parametrize("seed", range(30))
def test_one_shot_is_the_cheapest_of_all_placements(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4)
    prices = posted_on_arrival(auction)
    for job in range(auction.num_jobs):
        total = int(auction.chunks[job])
        for workload in range(1, total + 1):
            slot = int(auction.arrival[job])
            task = SlotTask(auction, prices, job, slot, workload, auction.data[job])
            answer = solve(OneShot().form(task))
            expected = brute_one_shot(task)
            if np.isinf(expected):
                assert answer.claim is Conclusion.INFEASIBLE
            else:
                assert answer.require_optimal().objective == pytest.approx(expected, abs=1e-6)


def test_one_shot_of_no_chunks_is_refused_by_name() -> None:
    auction = library.load("eris/tiny")
    with pytest.raises(InvalidOption, match="workload = 0"):
        SlotTask(auction, posted_on_arrival(auction), 0, 0, 0, auction.data[0])


def test_of_an_auction_it_takes_all_chunks_of_the_first_job_that_has_any() -> None:
    auction = one_resource({"data": [0, 0]}, {"arrival": 1, "data": [1, 2]})
    task = SlotTask.of(auction)
    assert (task.job, task.slot, task.workload, task.remaining.tolist()) == (1, 1, 3, [1, 2])


def corrected(name: str) -> float:
    form = programs.build("eris.offline").form(library.load(name))
    return solve(form).require_optimal().objective


def test_a_job_that_arrives_late_is_never_accepted_as_printed() -> None:
    model = programs.build("eris.as_printed").to_pyomo(library.load("eris/late_arrival"))
    assert scip_optimum(model) == pytest.approx(0.0, abs=1e-6)
    assert corrected("eris/late_arrival") == pytest.approx(10.0)


def test_chunks_that_stay_are_charged_as_printed() -> None:
    # one_chunk_twice has no transfer budget, and θ = 1: even data that stay cannot be processed
    model = programs.build("eris.as_printed").to_pyomo(library.load("eris/one_chunk_twice"))
    assert scip_optimum(model) == pytest.approx(0.0, abs=1e-6)
    assert corrected("eris/one_chunk_twice") == pytest.approx(20.0)


def test_a_budget_for_chunks_that_stay_lets_the_job_run_as_printed() -> None:
    # θ = 1 for each of two chunks that stay: with 2 MB a slot the printed program pays for them
    auction = library.load("eris/one_chunk_twice").replace(transfer_budget=2.0)
    model = programs.build("eris.as_printed").to_pyomo(auction)
    assert scip_optimum(model) == pytest.approx(20.0, abs=1e-6)


@pytest.mark.parametrize("server", [0.0, 1.0])
def test_a_server_takes_its_part_of_a_site_as_printed(server: float) -> None:
    auction = one_resource(
        {"server_demand": [server], "utility": [10.0]}, slots=1, sites=1, site_capacity=[[1.0]]
    )
    model = programs.build("eris.as_printed").to_pyomo(auction)
    assert scip_optimum(model) == pytest.approx(10.0 * (server == 0), abs=1e-6)
