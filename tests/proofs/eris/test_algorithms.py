"""What Algorithms 2 and 3 do, by hand."""

import numpy as np
import pytest

from farkas.proofs.eris.algorithms import algorithm_3, cheap_move, cheapest, metric
from farkas.proofs.eris.samples import auction


def test_two_moves_are_planned_where_one_fits() -> None:
    sample = auction("two_moves")
    total = int(sample.chunks[0])
    assert algorithm_3(sample, 0, int(sample.arrival[0]), total) == (np.inf, True)
    assert np.isfinite(cheapest(sample, 0, int(sample.arrival[0]), total))


def test_more_than_all_sites_can_host_is_impossible() -> None:
    sample = auction("two_moves")
    slot = int(sample.arrival[0])
    assert cheapest(sample, 0, slot, 10_000) == np.inf


def test_the_metric_by_hand() -> None:
    # one chunk at 1 less 1 · (3 - 0), and the other way round
    assert metric(cheap_move(), 0, 1) == pytest.approx(1.0 - 3.0)
    assert metric(cheap_move(), 1, 0) == pytest.approx(1.0 + 3.0)
