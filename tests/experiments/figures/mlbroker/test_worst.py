"""Figure 5w: what is drawn is what was proved, and its sentences follow from it."""

from __future__ import annotations

import pytest

from farkas.experiments.figures.mlbroker.worst import _below, claimed, corrected, harmonic
from tests.experiments.figures.made import reduced


def test_lines_by_hand():
    # r₁ = 2 + (1+ε) ln(1+1/ε); σ = ln 2 at ε = 1
    assert claimed(1.0) == pytest.approx(3.3862944)
    assert corrected(4, 1.0) == pytest.approx(1 + 4 * 0.6931472)
    assert corrected(2, 0.01) == pytest.approx(4.6151205 * 1.02)
    assert harmonic(4) == pytest.approx(25 / 12)


@pytest.mark.slow
def test_eight_sites_are_above_r1_at_ten():
    figure = reduced("mlbroker", "figure5w")
    found = {line.name: dict(zip(line.x, line.y, strict=True)) for line in figure.series}
    assert found["found, ε = 10"][8] > claimed(10.0) > found["found, ε = 10"][4]
    said = {finding.statement: finding for finding in figure.findings}
    assert not said["at most r₁ at ε = 10"].holds
    assert said["at most r₁ at ε = 10"].note.startswith("from R = 8 on: 3.1")
    assert said["at most r₁ at ε = 1"].holds
    assert said["the corrected bound holds"].holds


def test_the_sentence_follows_from_the_numbers():
    assert _below([2, 4], 1.0, [1.0, 2.0]).holds
    above = _below([2, 4, 8], 1.0, [1.0, 4.0, 5.0])
    assert (above.holds, above.note) == (False, "from R = 4 on: 4.000 > 3.386")
    lone = _below([2, 4, 8], 1.0, [1.0, 4.0, 3.0])
    assert (lone.holds, lone.note) == (False, "R = 4: 4.000 > 3.386")
