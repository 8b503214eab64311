"""The demo shows certified numbers on shipped instances."""

from __future__ import annotations

import pytest

from farkas.experiments.demo import SHOWN, demo, solve_line
from farkas.instances.library import load


@pytest.mark.parametrize("kind", SHOWN)
def test_the_offline_solve_of_the_demo_is_certified(kind: str) -> None:
    _, program, relaxation = SHOWN[kind]
    line = solve_line(program, relaxation, load(f"{kind}/demo"))
    assert line.bound is not None
    assert line.ratio is not None
    assert 1.0 <= line.ratio < 1.1  # the demo instance is one whose relaxation is nearly tight


def test_every_line_of_the_demo_has_a_ratio_and_repeats() -> None:
    first, second = demo(), demo()
    assert all(line.ratio is not None and line.ratio >= 1.0 for line in first)
    values = [[(x.what, x.value, x.bound, x.ratio) for x in lines] for lines in (first, second)]
    assert values[0] == values[1]
