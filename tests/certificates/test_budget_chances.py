"""Chances by budget: against the recursion in words, all fixed loads, and coarser cells."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import coded_dedicated
from farkas.certificates.coded_dedicated import RowCells, chance_by_budget
from farkas.errors import NotACertificate
from tests.generators.coded import random_coded_computing
from tests.references import coded_budgets as reference


def order(data, master, prices):
    """Workers of a master as they are asked: the dearest first, then by rate and by shift."""
    able = np.flatnonzero(data.allowed[master]).tolist()
    rate, shift = data.rate[master], data.shift[master]
    return sorted(able, key=lambda n: (prices[n], rate[n], shift[n]), reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_chances_are_those_of_loads_that_wait(seed):
    data = random_coded_computing(seed, workers=4, rows=7)
    prices = np.random.default_rng(seed).integers(0, 4, 4)
    for master in range(2):
        for time in (0.7, 2.0, 6.0):
            found, _ = chance_by_budget(data, master, prices, time, 7, 8)
            for b, above in enumerate(found.tolist()):
                exact = reference.waiting(
                    data, master, order(data, master, prices), prices.tolist(), time, b
                )
                assert exact * (1 - 1e-15) <= above <= max(exact * (1 + 1e-13), 1e-280)


@pytest.mark.parametrize("seed", range(6))
def test_no_fixed_loads_do_better_in_fine_cells_or_coarse_ones(seed):
    data = random_coded_computing(seed, workers=3, rows=6)
    prices = np.random.default_rng(seed).integers(1, 4, 3)
    for master in range(2):
        finer = np.ones(7)
        for cells in (1, 2, 3, 6):
            found, _ = chance_by_budget(data, master, prices, 2.0, cells, 6)
            # not always finer: 4 cells of 2 rows for 7; but never below what loads can do
            finer = found if cells == 6 else finer
            for b, above in enumerate(found.tolist()):
                assert reference.planned(data, master, prices.tolist(), 2.0, b) <= above * (
                    1 + 1e-13
                )
        loose, _ = chance_by_budget(data, master, prices, 2.0, 1, 6)
        assert (finer <= loose * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", range(4))
def test_workers_that_are_alike_count_one_by_one(seed):
    data = random_coded_computing(seed, masters=1, workers=1, rows=6, forbid=0.0)
    four = data.replace(
        workers=4, rate=(data.rate[0] * 4,), shift=(data.shift[0] * 4,)
    )  # fmt: skip
    prices = np.full(4, 2)
    found, steps = chance_by_budget(four, 0, prices, 2.0, 6, 9)
    for b, above in enumerate(found.tolist()):
        exact = reference.waiting(four, 0, range(4), [2] * 4, 2.0, b)
        assert exact * (1 - 1e-15) <= above <= max(exact * (1 + 1e-13), 1e-280)
    # budgets below 6 pay for two workers of the four
    fewer, less = chance_by_budget(four, 0, prices, 2.0, 6, 5)
    assert (fewer == found[:6]).all() or np.allclose(fewer, found[:6], rtol=1e-13)
    assert less * 4 * 10 == pytest.approx(steps * 2 * 6)


def test_cells_round_needed_rows_up_and_loads_down():
    data = random_coded_computing(0, masters=1, workers=1, rows=7, forbid=0.0)
    rows = data.masters[0].rows
    cells = RowCells(data, 0, 3)
    assert cells.rows == -(-rows // 3)
    assert cells.rows * (cells.needed - 1) < rows <= cells.rows * cells.needed
    found = cells.chances(0, 3.0)
    for k, above in enumerate(found.tolist()):
        exact = reference.returned(data, 0, 0, k * cells.rows + 1, 3.0)
        assert exact * (1 - 1e-15) <= above <= exact * (1 + 1e-12)
    # the loads that are left out never return by then
    assert len(found) == cells.needed or not reference.returned(
        data, 0, 0, len(found) * cells.rows + 1, 3.0
    )  # fmt: skip


def test_too_large_tables_and_too_many_steps_are_refused(monkeypatch):
    data = random_coded_computing(0, workers=4, rows=7)
    with pytest.raises(NotACertificate, match="too large"):
        chance_by_budget(data, 0, np.ones(4, np.int64), 2.0, 7, 2**23)
    monkeypatch.setattr(coded_dedicated, "MOST_STEPS", 100)
    with pytest.raises(NotACertificate, match="steps"):
        chance_by_budget(data, 0, np.ones(4, np.int64), 2.0, 7, 8)
