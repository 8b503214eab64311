"""What measured times guarantee: a step function for every pair, and its best pace."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.coded.law import MeasuredPairs, require_measured
from tests.generators.coded import measured_computing


def test_a_law_by_hand():
    # ten times; with δ = e^-2 and one law ε = sqrt(2/20) = 0.316...
    data = measured_computing([[1.0, 2, 2, 2, 2, 4, 4, 4, 4, 4]], confidence=1 - np.exp(-2.0))
    found = MeasuredPairs.of(data)
    margin = np.sqrt(0.1)
    assert data.measured.margins == pytest.approx([margin], rel=1e-11)
    assert found.chances[0][[0, 4, 9]] == pytest.approx([0, 0.5 - margin, 1 - margin])
    # G(2)/2 = 0.092, G(4)/4 = 0.171
    assert found.time_per_row[0, 0] == 4.0
    assert found.speed[0, 0] == pytest.approx((1 - margin) / 4 / data.rows[0])
    steps = found.returned(0, np.zeros(5, int), np.array([0.5, 1.999, 2.0, 3.0, np.inf]))
    assert steps == pytest.approx([0, 0, 0.5 - margin, 0.5 - margin, 1 - margin])


def test_too_few_times_guarantee_nothing():
    # ε = sqrt(ln(20)/2) > 1
    found = MeasuredPairs.of(measured_computing([[1.0]], confidence=0.95))
    assert found.speed.tolist() == [[0.0]]
    assert found.time_per_row.tolist() == [[np.inf]]


def test_a_forbidden_pair_returns_nothing():
    data = measured_computing([[1.0] * 50], law=[[0, None], [None, 0]])
    found = MeasuredPairs.of(data)
    assert (found.speed > 0).tolist() == [[True, False], [False, True]]
    assert found.time_per_row.tolist() == [[1.0, np.inf], [np.inf, 1.0]]
    assert found.returned(0, np.array([0, 1]), np.array([9.0, 9.0]))[1] == 0.0


def test_an_instance_without_measured_times_is_refused():
    with pytest.raises(NotApplicable, match="no measured times"):
        require_measured(library.load("coded/tiny"))
