"""Families of rows and columns."""

from __future__ import annotations

from farkas.forms import Block
from tests.forms.test_words import MOVED


def test_a_family_covers_as_many_places_as_its_sets_have_members_together():
    assert (MOVED.shape, MOVED.size, MOVED.stop, MOVED.where) == ((2, 3), 6, 10, slice(4, 10))
    total = Block("total", "", 2)
    assert (total.shape, total.size, total.stop) == ((), 1, 3)
