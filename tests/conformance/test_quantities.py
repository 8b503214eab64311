"""Every named quantity has a value on some shipped instance of its kind."""

from __future__ import annotations

import functools

import pytest

from farkas.errors import NotApplicable
from farkas.instances import Instance, library
from farkas.quantities import evaluate_all, quantities


@functools.cache
def instances(kind: str) -> list[Instance]:
    """Shipped instances, the smallest first."""
    names = sorted(library.names(kind), key=lambda name: library.path(name).stat().st_size)
    return [library.load(name) for name in names]


@pytest.mark.parametrize("pattern", quantities.names())
def test_it_has_a_value_on_some_shipped_instance(pattern: str) -> None:
    item = quantities[pattern]
    place = item.patterns.index(pattern)
    for instance in instances(item.kind):
        # keys come pattern by pattern for each choice of the placeholders
        first = list(item.keys(instance))[: len(item.patterns)]
        for found in evaluate_all(instance, first[place : place + 1]):
            if found.error is None:
                return
            assert isinstance(found.error, NotApplicable), found
    pytest.fail("no shipped instance exercises it")
