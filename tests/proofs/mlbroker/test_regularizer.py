"""The entropy term, by hand."""

import math

import pytest

from farkas.proofs.mlbroker.regularizer import entropy_term


def test_the_term_and_its_slope_below_the_deployment_before(verdict_of):
    # (1/1) ((v + 1) ln((v + 1)/(p + 1)) - v) at v = 1/10, p = 1/2, and ln(1.1 / 1.5)
    value = entropy_term(0.1, 0.5, 1, 1, 1)
    assert float(value) == pytest.approx(1.1 * math.log(1.1 / 1.5) - 0.1)
    slope = verdict_of("mlbroker.entropy_increases").numbers["derivative"]
    assert slope == pytest.approx(math.log(1.1 / 1.5))
