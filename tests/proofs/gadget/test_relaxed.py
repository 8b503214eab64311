"""Relaxations on the one-way cycle."""

import pytest


def test_half_rings_run_where_no_ring_fits(verdict_of):
    numbers = verdict_of("gadget.embedding_relaxation_is_decomposable").numbers
    assert numbers["rings"] == pytest.approx(0.0, abs=1e-9)
    assert numbers["relaxation"] > 0
