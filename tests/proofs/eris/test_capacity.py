"""Prices of what is full, by hand."""

import pytest


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "prices_protect_capacity",
            {"payoff_by_prices": 1998 - 2 * (1000**0.9 - 1), "payoff_that_fits": 0.0},
        ),
        # a schedule pays 1000 - 1 for the full unit, and nothing for the others
        ("full_resource_repels", {"payoff": 999.0 * 89, "cost": 999.0}),
    ],
)
def test_numbers_of_a_claim_are_those_by_hand(name, expected, verdict_of) -> None:
    numbers = verdict_of(f"eris.{name}").numbers
    for key, value in expected.items():
        assert numbers[key] == pytest.approx(value, abs=1e-4), key


@pytest.mark.parametrize("name", ["prices_protect_capacity", "full_resource_repels"])
def test_a_counterexample_to_the_prices_keeps_both_assumptions(name, verdict_of) -> None:
    # γ - 1 = 999: 1998 over 2 units of parameters and 3 of resources, 89,910 over 90 and 102;
    # 2 units and a port, or 1 and 1, against half of each where the other one has to be
    sides = {(one.left, one.sign, one.right) for one in verdict_of(f"eris.{name}").given}
    worth, apart = {
        "prices_protect_capacity": (1998 / 3, 2.0 / 0.5),
        "full_resource_repels": (999 * 90 / 102, 100.0),
    }[name]
    wanted = [(999.0, "<=", 999.0), (worth, "<=", 999.0), (apart, ">", 1.0), (2.0, ">", 1.0)]
    assert sides >= set(wanted)
