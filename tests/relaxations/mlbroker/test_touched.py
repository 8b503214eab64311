"""Slots with tangents."""

import dataclasses

import numpy as np

from farkas.models.mlbroker.slot import SlotProblem
from farkas.relaxations.mlbroker.tangents import Touched
from tests.generators.mlbroker import single


def test_an_instance_gives_its_first_busy_slot_with_three_tangents():
    data = single([[5.0, 0.0], [0.0, 5.0]])
    for semantics, start in (("printed", 0.0), ("strict", 0.0)):
        found = Touched.of(data, semantics)
        assert found.problem.market.num_slots == 1
        assert found.problem.market.volume.tolist() == [[5.0, 0.0]]
        assert found.tangents.points.shape == (1, 2, 3)
        assert found.tangents.start.tolist() == [[start, start]]
    assert Touched.of(found) is found
    problem = SlotProblem.of(data)
    assert Touched.of(problem).problem is problem


def test_segments_begin_where_a_job_was_unless_it_may_leave():
    problem = dataclasses.replace(SlotProblem.of(single([[5.0, 0.0]])), before=np.full((1, 2), 0.5))
    assert Touched.of(problem, "printed").tangents.start.tolist() == [[0.5, 0.5]]
    assert Touched.of(problem, "strict").tangents.start.tolist() == [[0.0, 0.0]]
