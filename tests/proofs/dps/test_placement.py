"""What Algorithm 2 does not minimise, in numbers."""

import pytest


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("pa_minimises_servers", "used", 3),
        ("pa_minimises_servers", "fewest", 2),
        # Tight servers: 2 + 2 + 1 slots whole would be 3 x 4 + 3 x 2 + 3 x 1.
        ("pa_minimises_sequences", "shortest", 21.0),
    ],
)
def test_numbers_of_refutations(name, number, expected, verdict_of):
    found = verdict_of(f"dps.{name}").numbers[number]
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)
