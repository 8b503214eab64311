"""Guarantees are about what exists."""

from __future__ import annotations

import pytest

from farkas.algebra import programs
from farkas.experiments.sweeps.guarantee import guarantees
from farkas.online import algorithms


@pytest.mark.parametrize("name", list(guarantees))
def test_a_guarantee_and_its_witnesses_are_about_algorithms_that_exist(name):
    assert name.partition("[")[0] in algorithms
    assert guarantees[name].witnesses <= {*algorithms, *programs.names()}
