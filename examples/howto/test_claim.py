"""Both sides of the refutation by hand; that verdicts stay what they are is the ledger's affair."""

import pytest

from farkas.proofs import claims


def test_an_idle_worker_avoids_the_traffic_it_should_pay():
    # surplus_worker: 1.3 as printed, 5.7 as the text says
    verdict = claims["mlbroker.example_same_cost"].run()
    assert verdict.numbers == {"printed": pytest.approx(1.3), "strict": pytest.approx(5.7)}
    assert str(verdict.fails[0]) == "5.7 == 1.3 (tolerance 1e-06)"
