"""coded.assignment_truncated: between the dedicated optimum and the linear program."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.instances import library
from farkas.models.coded.kernel import Pairs
from farkas.online.coded.exhaustive import best_owner, every_owner
from farkas.online.coded.local_search import least_level
from farkas.relaxations.coded.sca import AssignmentTruncated, Capped
from farkas.solvers import solve
from tests.generators.coded import by_speed


def test_all_exact_dedicated_methods_agree_on_the_demo():
    speed = Pairs.of(library.load("coded/demo")).speed
    assert least_level(speed, best_owner(speed)) == least_level(speed, every_owner(speed))


def test_a_cap_is_a_cap():
    data = library.load("coded/demo")
    cap = Pairs.of(data).speed.max() / 3
    program = programs.build("coded.assignment_truncated")
    assert program.speeds(Capped(data, cap)).max() == cap
    assert solve(program.form(Capped(data, cap))).require_optimal().objective > 0


def test_an_instance_is_cut_at_the_slowest_master_with_everybody():
    # 100 + 1 and 2 + 1: nobody counts for more than 3
    speeds = AssignmentTruncated().speeds(by_speed([[100, 1], [2, 1]]))
    assert speeds == pytest.approx(np.array([[3, 1], [2, 1]]))
