"""Random rates of coded computing: order of draws and laws."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances.generate import generate


def test_the_published_generator_draws_the_rates_first():
    data = generate("coded", seed=9)
    expected = np.random.default_rng(9).uniform(1.0, 5.0, (4, 50))
    assert np.array_equal(data.rates, expected)
    assert np.array_equal(data.shifts, 1.0 / expected)
    assert data.rows.tolist() == [1e5] * 4
    assert data.success_probability == 0.98


@pytest.mark.parametrize(("law", "values"), [("ends", {1, 5}), ("integers", {1, 2, 3, 4, 5})])
def test_other_laws_of_rates(law, values):
    assert set(generate("coded", law=law).rates.ravel()) == values


def test_integers_stay_within_ends_that_are_none():
    # whole numbers from 1.5 to 3.5 are 2 and 3
    rates = generate("coded", "figure2", 1, law="integers", rate=[1.5, 3.5]).rates
    assert set(np.unique(rates)) == {2.0, 3.0}
