"""The inequality behind charges of sites, by hand; any prices bound in `test_mlbroker_charges`."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates.mlbroker_charges import charged_below, share_charges


def test_shares_of_charges_close_what_prices_of_workers_leave_open():
    # two sites with half a load each, moves are dear: both charges are paid
    amount, unit, charge = np.array([0.5, 0.5, 0.0]), np.ones(2), np.array([3.0, 5.0])
    move = np.array([[0.0, 99.0], [99.0, 0.0], [0.0, 0.0]])
    low, high, beta = np.zeros(2, np.int64), np.full(2, 4), np.zeros((3, 2))
    args = amount, move, unit, charge, low, high, unit
    assert charged_below(*args, beta, 1, 8) == pytest.approx(1.0)
    share_charges(*args, beta)
    assert beta.tolist() == [[6.0, 0.0], [0.0, 10.0], [0.0, 0.0]]
    assert charged_below(*args, beta, 1, 8) == pytest.approx(9.0)
    # a site that is open pays its charge in any case, and nobody shares it
    low[0] = 1
    share_charges(*args, beta)
    assert beta.tolist() == [[0.0, 0.0], [0.0, 10.0], [0.0, 0.0]]
