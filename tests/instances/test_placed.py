"""The first place at which a list of an instance breaks a rule is named."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidInstance
from farkas.instances.market import require_nowhere, require_sorted


def test_equal_neighbours_are_sorted_and_a_fall_is_named():
    require_sorted([1, 1, 2], "$.jobs", "arrival")
    require_sorted([], "$.jobs", "arrival")
    with pytest.raises(InvalidInstance, match=r"Expected arrival 1 >= 2 .*`\$\.jobs\[2\]`"):
        require_sorted([1, 2, 1, 0], "$.jobs", "arrival")


def test_the_first_bad_place_is_named():
    require_nowhere(np.zeros((2, 0), bool), "no", "$.x")
    require_nowhere(np.zeros(3, bool), "no", "$.x")
    with pytest.raises(InvalidInstance, match=r"^no - at `\$\.x\[0\]\[2\]`$"):
        require_nowhere(np.array([[False, False, True], [True, True, True]]), "no", "$.x")
