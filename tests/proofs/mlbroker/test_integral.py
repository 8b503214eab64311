"""What integer decisions cost, by hand."""

import numpy as np
import pytest

from farkas.proofs.mlbroker.integral import ClaimedRatio
from farkas.proofs.mlbroker.runs import shipped


def test_theorem_4_falls_with_the_unit_of_money(verdict_of):
    # λ = 100·2/1000 = 0.2: ϱ₂ = 1.2/100, ϱ₃ = 2.2/1000, together 0.0142; in cents a hundredth.
    numbers = verdict_of("mlbroker.theorem4").numbers
    assert numbers["r2"] == pytest.approx(0.0142)
    assert numbers["r2_in_cents"] == pytest.approx(0.000142)
    assert numbers["ratio"] == numbers["ratio_in_cents"] == pytest.approx(1.0)


def test_the_ratio_of_theorem_4_in_its_parts():
    # λ = 100·2/1000 = 0.2: ϱ₂ = 1.2/100, ϱ₃ = 2.2/1000; one site and nothing to synchronise
    ratio = ClaimedRatio.of(shipped("unit_scaling"))
    assert (ratio.resource, ratio.deploy) == (pytest.approx(0.012), pytest.approx(0.0022))
    assert ratio.total == ratio.transfer + ratio.resource + ratio.deploy + ratio.sync
    assert np.isinf(ClaimedRatio.of(shipped("tiny")).transfer)


def test_jensen_by_hand(verdict_of):
    # (F(0) + F(6)) / 2 = (0 + 9) / 2 and F(3) = min(6, 6)
    assert verdict_of("mlbroker.expected_price").numbers == {"left": 4.5, "right": 6.0}
