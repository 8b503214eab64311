"""Every named quantity has a value on some shipped instance of its kind."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from farkas.errors import NotApplicable
from farkas.instances import Instance, library
from farkas.quantities import evaluate_all, quantities


@functools.cache
def instances(kind: str) -> list[Instance]:
    """Shipped instances, the smallest first."""
    names = sorted(library.names(kind), key=lambda name: library.path(name).stat().st_size)
    return [library.load(name) for name in names]


def written() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every pattern with every choice of the placeholders that no instance decides."""
    for pattern in quantities.names():
        fixed = {k: v for k, v in quantities[pattern].domains.items() if not callable(v)}
        for values in itertools.product(*fixed.values()):
            yield pattern, dict(zip(fixed, values, strict=True))


@pytest.mark.parametrize(("pattern", "chosen"), [*written()], ids=str)
def test_it_has_a_value_on_some_shipped_instance(pattern: str, chosen: dict[str, Any]) -> None:
    item = quantities[pattern]
    for instance in instances(item.kind):
        admitted = (found for found in item.arguments(instance) if chosen.items() <= found.items())
        first = [pattern.format(**found) for found in itertools.islice(admitted, 1)]
        for found in evaluate_all(instance, first):
            if found.error is None:
                return
            assert isinstance(found.error, NotApplicable), found
    pytest.fail("no shipped instance exercises it")
