"""What (2) and (3) are not, in numbers."""

import pytest


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("lower_price_loses_little", "profit", 8.0),
        ("lower_price_loses_little", "profit_one_step_lower", 1.9),
        ("fixed_price_bound", "profit", 1.0),
        ("fixed_price_bound", "printed_bound", 0.0),
        # p f at (0, 0) and (1, 1): mean 1/2, half way 1/2 · 1/2
        ("offline_is_a_milp", "mean_of_payments", 0.5),
        ("offline_is_a_milp", "payment_half_way", 0.25),
    ],
)
def test_numbers_of_refutations(name, number, expected, verdict_of):
    found = verdict_of(f"dps.{name}").numbers[number]
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)
