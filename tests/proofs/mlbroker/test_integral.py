"""What integer decisions cost, by hand."""

import numpy as np
import pytest

from farkas.proofs.mlbroker.integral import ClaimedRatio
from farkas.proofs.mlbroker.runs import shipped


def test_the_ratio_of_theorem_4_in_its_parts():
    # λ = 100·2/1000 = 0.2: ϱ₂ = 1.2/100, ϱ₃ = 2.2/1000; one site and nothing to synchronise
    ratio = ClaimedRatio.of(shipped("unit_scaling"))
    assert (ratio.resource, ratio.deploy) == (pytest.approx(0.012), pytest.approx(0.0022))
    assert ratio.total == ratio.transfer + ratio.resource + ratio.deploy + ratio.sync
    assert np.isinf(ClaimedRatio.of(shipped("tiny")).transfer)
