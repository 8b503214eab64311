"""Tolerances are shares: the unit of what is compared decides nothing."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from farkas import search_tolerances, tolerances
from farkas.search_tolerances import FINE_GAP, LEVEL, LOOSE_GAP, SIMPLEX, SOLVER_GAP
from farkas.tolerances import ROUNDING, TIE, ULP


def test_looser_meanings_have_looser_values():
    # rounding of one operation < equal choices < levels < sums < vertices < solvers < chains
    steps = [ULP, TIE, LEVEL, ROUNDING, SIMPLEX, SOLVER_GAP, LOOSE_GAP]
    assert steps == sorted(set(steps))
    assert FINE_GAP <= SIMPLEX


@pytest.mark.parametrize("home", [tolerances, search_tolerances])
def test_every_tolerance_says_what_it_is(home: ModuleType) -> None:
    source = Path(str(home.__file__)).read_text(encoding="utf-8")
    names = [name for name in vars(home) if name.isupper() and len(name) > 1]
    assert len(names) > 8
    missing = [name for name in names if f"\n{name} = " not in source]
    assert not missing
    for name in names:
        after = source.split(f"\n{name} = ", 1)[1].split("\n", 1)[1]
        assert after.startswith('"""'), name
