"""Steps that are counted."""

import math

import pytest

from farkas.proofs.eris.hardness import comparisons


@pytest.mark.parametrize("sites", [2, 5, 16])
def test_sorting_compares_each_ordered_pair_at_least_once(sites) -> None:
    pairs = sites * (sites - 1)
    assert pairs - 1 <= comparisons(sites) <= pairs * math.log2(pairs)
