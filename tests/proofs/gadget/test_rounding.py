"""Numbers of the claims about Algorithm 2."""

import pytest

from farkas.proofs.gadget.rounding import SIZES, chosen_slot, number_of_variables
from farkas.relaxations.gadget.horizon import Augmented


@pytest.mark.parametrize("servers", SIZES)
def test_variables_are_a_copy_per_host_and_size(servers):
    slot = chosen_slot(servers)
    assert Augmented().form(slot).num_columns == number_of_variables(slot)
