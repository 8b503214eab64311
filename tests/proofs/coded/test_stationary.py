"""What the claims about successive convex approximation found."""

import dataclasses

from farkas.proofs import Standing, claims
from farkas.proofs.coded import stationary


def test_a_step_that_gets_later_refutes_monotony(monkeypatch):
    def later(data, point, split, alpha, rounds):
        return [dataclasses.replace(point, time=point.time * 1.01)]

    monkeypatch.setattr(stationary, "iterates", later)
    assert claims["coded.sca_monotone"].run().standing is Standing.REFUTED
