"""coded.loads_dual: what a row of each master is worth in time."""

import numpy as np
import pytest

from farkas.duals.coded.assignment_dual import LoadsDual
from farkas.errors import NotApplicable
from farkas.models.coded.loads import Owned
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.coded import by_speed


def test_worth_in_units_of_theorem_1():
    # speeds 1 + 3 for the first master, 2 for the second: 1/4 + 1/2, an idle worker counts nothing
    data = by_speed([[1, 3, 9, 9], [1, 1, 2, 9]])
    form = LoadsDual().form(Owned(data, np.array([0, 0, 1, -1])))
    assert form.cost == pytest.approx([0.25, 0.5])
    assert row(form, "more_load_gains_nothing[1]") == "+1 worth[1] <= 1"
    assert form.sense == "max"
    assert solve(form).objective == pytest.approx(0.75)


def test_an_instance_is_split_in_blocks():
    # two workers each: 1 + 3 and 2 + 9
    form = LoadsDual().form(by_speed([[1, 3, 9, 9], [1, 1, 2, 9]]))
    assert form.cost == pytest.approx([1 / 4, 1 / 11])


def test_the_master_that_waits_for_ever_is_named():
    with pytest.raises(NotApplicable, match="master 0 has no worker"):
        LoadsDual().form(Owned(by_speed([[1, 3], [1, 1]]), np.array([1, 1])))
