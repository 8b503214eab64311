"""Set cover as a placement problem."""

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.proofs.mlbroker.prices import offline
from farkas.proofs.mlbroker.set_cover import set_cover


def test_moving_to_a_subset_that_covers_is_free_and_else_forbidden():
    broker = set_cover([{0}, {0, 1}], 2, forbidding=50.0)
    free = np.argwhere(broker.transfer == 0).tolist()
    # sites: two subsets, then elements 0 and 1
    assert [pair for pair in free if pair[0] != pair[1]] == [[2, 0], [2, 1], [3, 1]]
    assert broker.transfer.max() == 50.0


@pytest.mark.parametrize(
    ("subsets", "cover"), [([{0}, {1}], 2), ([{0}, {0, 1}], 1), ([{0, 1}, {1, 2}, {0, 2}], 2)]
)
def test_the_optimum_is_the_cover_and_two_units_a_slot(subsets, cover):
    elements = len(set().union(*subsets))
    value = offline(set_cover(subsets, elements), prices="two", presence="split")
    assert value == pytest.approx(cover + 2e-4 * elements, rel=1e-6)


def test_elements_outside_are_refused():
    with pytest.raises(InvalidOption, match=r"subsets\[1\] holds 2; elements are < 2"):
        set_cover([{0, 1}, {2}], 2)
