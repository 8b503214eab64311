"""Guarantees are about what exists."""

from __future__ import annotations

import pytest

from farkas.algebra import programs
from farkas.experiments.sweeps.guarantee import guarantees
from farkas.offline.ladder import ladders
from farkas.online import algorithms
from farkas.proofs import claims


@pytest.mark.parametrize("name", list(guarantees))
def test_a_guarantee_and_its_witnesses_are_about_algorithms_that_exist(name):
    assert name.partition("[")[0] in algorithms
    assert guarantees[name].witnesses <= {*algorithms, *programs.names(), *ladders}


@pytest.mark.parametrize("name", list(guarantees))
def test_a_guarantee_names_the_claim_that_says_whether_it_is_true(name):
    assert guarantees[name].claim in claims
    assert guarantees[name].claim.partition(".")[0] == name.partition(".")[0]
