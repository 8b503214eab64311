"""Program dps.worst_fixed_price against instances of a box."""

import itertools

import msgspec
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.models.worst_case import by_family
from farkas.online import algorithms
from tests.tools.boxes import dps_box

BELOW = 2.0 * (1.0 - 1e-6)
"""A budget just below what is asked: the supremum is not reached where it is asked for exactly."""


def with_budgets(box, budgets):
    jobs = [
        msgspec.structs.replace(job, budget=budget)
        for job, budget in zip(box.jobs, budgets, strict=True)
    ]
    return box.replace(jobs=jobs)


def sides(data):
    value = algorithms["dps.fixed_price"].run(data, 0).value
    program = "dps.offline[capped]" if data.price_cap else "dps.offline[free]"
    return value, farkas.solve(data, program).answer.objective


@pytest.mark.parametrize(("low", "high"), [(1.0, 3.0), (2.0, 7.0)])
@pytest.mark.parametrize("cap", [None, 2.0])
def test_the_optimum_is_the_largest_loss_over_the_box(low, high, cap):
    # cap: two units cost 4 at most
    box = dps_box(low, high).replace(price_cap=cap)
    steps = sorted({low, high, max(low, BELOW), 2.0})
    scored = [sides(with_budgets(box, b)) for b in itertools.product(steps, repeat=3)]
    for ratio in (1.0, 2.0):
        loss = max(best - ratio * value for value, best in scored)
        found = farkas.prove(box, f"dps.worst_fixed_price[ratio={ratio}]")
        assert found.status == "optimal"
        assert float(found.value) >= loss
        assert float(found.value) == pytest.approx(loss, rel=1e-5, abs=1e-5)


def test_jobs_are_served_first_come_and_block_who_comes_later():
    # closed occupancy: each job blocks the next; 2 is paid, and the middle one would pay 7
    found = farkas.prove(dps_box(2.0, 7.0, jobs=2), "dps.worst_fixed_price")
    assert found.value == 5


def test_the_margin_keeps_those_who_decline_away_from_what_is_asked():
    box = dps_box(1.0, 3.0)
    program = programs.build("dps.worst_fixed_price[ratio=3,margin=0.25]")
    found = farkas.prove(box, program)
    data = program.decoded(box, by_family(program.form(box), found.point))
    assert all(job.budget <= 1.5 or job.budget >= 2.0 - 1e-8 for job in data.jobs)
    value, best = sides(data)
    assert best - 3.0 * value == pytest.approx(float(found.value), rel=1e-8)


def test_who_can_always_pay_does_not_decline_in_a_tie():
    assert farkas.prove(dps_box(2.0, 2.0), "dps.worst_fixed_price").value == 0


def test_what_it_is_not_about_is_refused():
    with pytest.raises(NotApplicable, match="needs one server"):
        programs.build("dps.worst_fixed_price").form(farkas.load("dps/tiny"))
    with pytest.raises(NotApplicable, match="fixed_prices"):
        programs.build("dps.worst_fixed_price").form(farkas.load("dps/one_server"))
