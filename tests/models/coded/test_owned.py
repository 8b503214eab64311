"""Instances whose workers are given away."""

import numpy as np

from farkas.instances import library
from farkas.models.coded.loads import Owned, blocks_owner


def test_blocks_are_contiguous_and_an_instance_stands_for_them():
    data = library.load("coded/demo")  # five workers for two masters: 3 and 2
    assert blocks_owner(data).tolist() == [0, 0, 0, 1, 1]
    assert Owned.of(data).owner.tolist() == [0, 0, 0, 1, 1]
    given = Owned(data, np.array([1, 1, 0, 0, 0]))
    assert Owned.of(given) is given
