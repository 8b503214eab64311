"""Whoever reads rules answers what sums and sets ask."""

from __future__ import annotations

import inspect

import pytest

from farkas.algebra.assemble import Reader
from farkas.algebra.expressions import Trace
from farkas.algebra.latex import Pen


@pytest.mark.parametrize("made", [Trace, Pen])
def test_readers_have_every_method_with_its_arguments(made):
    asked = {n: f for n, f in vars(Reader).items() if inspect.isfunction(f) and n[0] != "_"}
    assert sorted(asked) == ["between", "enter", "exp", "product", "sum", "where"]
    for name, method in asked.items():
        few = [None] * (len(inspect.signature(method).parameters) - 1)
        inspect.signature(getattr(made, name)).bind(None, *few)
    assert made().draining is False
