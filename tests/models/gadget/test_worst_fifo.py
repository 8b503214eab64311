"""Program gadget.worst_fifo against all instances of a box."""

import itertools

import msgspec
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.models.worst_case import by_family
from farkas.online import algorithms
from tests.tools.boxes import gadget_box


def with_demands(box, demands):
    jobs = [
        msgspec.structs.replace(job, demand=(units,))
        for job, units in zip(box.jobs, demands, strict=True)
    ]
    return box.replace(jobs=jobs)


def sides(data):
    value = algorithms["gadget.fifo"].run(data, 0).value
    return value, farkas.solve(data, "gadget.offline").answer.objective


@pytest.mark.ids(1)
@pytest.mark.parametrize(("most", "horizon", "jobs"), [(3.0, 1, 3), (3.0, 2, 2), (5.0, 1, 2)])
def test_the_optimum_is_the_largest_loss_over_all_instances_of_the_box(most, horizon, jobs):
    # with demands up to 5 of 4 units some jobs are passed over
    box = gadget_box(jobs=jobs, most=most, horizon=horizon)
    steps = [float(k) for k in range(1, int(most) + 1)]
    scored = [sides(with_demands(box, d)) for d in itertools.product(steps, repeat=jobs)]
    for ratio in (1.0, 3.0):
        loss = max(best - ratio * value for value, best in scored)
        found = farkas.prove(box, f"gadget.worst_fifo[ratio={ratio}]")
        assert found.status == "optimal"
        assert float(found.value) == pytest.approx(loss, rel=1e-9)


def test_jobs_queue_by_arrival_and_run_from_there_on():
    box = gadget_box(jobs=2, horizon=2)
    late = msgspec.structs.replace(box.jobs[0], arrival=1)
    box = box.replace(jobs=[late, *box.jobs[1:]])
    steps = [1.0, 2.0, 3.0]
    scored = [sides(with_demands(box, d)) for d in itertools.product(steps, repeat=2)]
    loss = max(best - 2.0 * value for value, best in scored)
    found = farkas.prove(box, "gadget.worst_fifo[ratio=2]")
    assert float(found.value) == pytest.approx(loss, rel=1e-9)


def test_a_point_is_decoded_to_the_instance_on_which_the_loss_is_as_large():
    box = gadget_box()
    program = programs.build("gadget.worst_fifo[ratio=2]")
    found = farkas.prove(box, program)
    data = program.decoded(box, by_family(program.form(box), found.point))
    value, best = sides(data)
    assert best - 2.0 * value == pytest.approx(float(found.value), rel=1e-9)


@pytest.mark.parametrize(
    ("units", "is_on"), [(1.0, True), (2.0, True), (1.5, False), (1 + 1e-9, False)]
)
def test_demands_in_whole_parts_are_on_the_grid(units, is_on):
    box = gadget_box()
    program = programs.build("gadget.worst_fifo")
    assert program.on_grid(box, with_demands(box, [3.0, units, 1.0])) == is_on


def test_what_it_is_not_about_is_refused():
    with pytest.raises(NotApplicable, match="needs one server, this cluster has 2"):
        programs.build("gadget.worst_fifo").form(farkas.load("gadget/tiny"))
    job = msgspec.structs.replace(gadget_box().jobs[0], budget=(4.0,))
    with pytest.raises(NotApplicable, match="without budgets"):
        programs.build("gadget.worst_fifo").form(gadget_box().replace(jobs=[job]))
    flat = with_demands(gadget_box(), [1.1, 1.2, 1.3])
    with pytest.raises(NotApplicable, match="no whole part"):
        programs.build("gadget.worst_fifo").form(flat)
