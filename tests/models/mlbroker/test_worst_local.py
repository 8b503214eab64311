"""Program mlbroker.worst_local against all instances of a box."""

import itertools

import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.models.mlbroker.worst_local import drawn_servers, with_volumes
from farkas.models.worst_case import by_family
from farkas.online import algorithms
from tests.tools.boxes import mlbroker_box


def instances(box, parts):
    """Every instance of the box, with what the algorithm and the optimum cost."""
    steps = np.arange(0.0, 4.0 + 1e-9, 2.0 / parts)
    for volumes in itertools.product(steps, repeat=box.volume.size):
        data = with_volumes(box, np.reshape(volumes, box.volume.shape))
        value = algorithms["mlbroker.local"].run(data, 0).value
        yield data, value, farkas.solve(data, "mlbroker.offline").answer.objective


def optimum(box, parts, ratio):
    return farkas.prove(box, f"mlbroker.worst_local[ratio={ratio},parts={parts}]")


@pytest.mark.slow
def test_the_optimum_is_the_largest_loss_over_all_instances_of_the_box():
    box = mlbroker_box(slots=1)
    for parts in (1, 2):
        scored = [(value, best) for _, value, best in instances(box, parts)]
        for ratio in (1.0, 1.5):
            most = max(value - ratio * best for value, best in scored)
            found = optimum(box, parts, ratio)
            assert found.status == "optimal"
            assert float(found.value) == pytest.approx(most, rel=1e-9, abs=1e-9)


@pytest.mark.slow
def test_so_it_is_over_two_slots_with_what_is_entered_again():
    box = mlbroker_box(slots=2)
    scored = [(value, best) for _, value, best in instances(box, 1)]  # 81 of them
    most = max(value - 1.25 * best for value, best in scored)
    assert float(optimum(box, 1, 1.25).value) == pytest.approx(most, rel=1e-9)


def test_a_point_is_decoded_to_the_instance_on_which_the_loss_is_as_large():
    box = mlbroker_box(slots=2)
    program = programs.build("mlbroker.worst_local[ratio=1.25]")
    found = optimum(box, 2, 1.25)
    data = program.decoded(box, by_family(program.form(box), found.point))
    value = algorithms["mlbroker.local"].run(data, 0).value
    best = farkas.solve(data, "mlbroker.offline").answer.objective
    assert value - 1.25 * best == pytest.approx(float(found.value), rel=1e-9)
    assert 0 <= data.volume.min() <= data.volume.max() <= 4.0


@pytest.mark.parametrize(
    ("parts", "volume", "is_on"),
    [(1, 2.0, True), (2, 1.0, True), (1, 1.0, False), (2, 1.0 + 1e-9, False)],
)
def test_volumes_in_whole_parts_are_on_the_grid(parts, volume, is_on):
    box = mlbroker_box(slots=1)
    volumes = np.full(box.volume.shape, 4.0)
    volumes.flat[0] = volume
    program = programs.build(f"mlbroker.worst_local[parts={parts}]")
    assert program.on_grid(box, with_volumes(box, volumes)) == is_on


def test_servers_stand_where_the_algorithm_draws_them():
    data = farkas.load("mlbroker/demo")
    decided = algorithms["mlbroker.local"].run(data, 0).decisions
    stands = drawn_servers(data)
    for slot in decided:
        for job, site in zip(slot["jobs"], slot["server"], strict=True):
            assert np.flatnonzero(stands[job]).tolist() == [site]


def test_a_box_without_whole_parts_is_refused():
    box = with_volumes(mlbroker_box(), np.full((2, 2), 0.9))
    with pytest.raises(NotApplicable, match="no whole part"):
        programs.build("mlbroker.worst_local").form(box)
