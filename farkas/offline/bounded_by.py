"""What bounds the optimum of an integer program beside its own linear relaxation.

A kind says in ``offline/<kind>/bounded.py`` by name what bounds a program, fast ones first::

    @bounded_by.register("eris.offline")
    def offline(program: Formulation) -> tuple[str, ...]:
        return "eris.pooled_prices", "eris.schedule_ilp"

These are other programs, with their variants, and `price_bounds`.  Every point of the program must
stand for one of theirs that is worth as much or more.
"""

from __future__ import annotations

from collections.abc import Callable

from farkas.algebra.formulation import Formulation
from farkas.registry import Registry

#: Called with a program of the name, in any variant.
BoundedBy = Callable[[Formulation], tuple[str, ...]]
bounded_by: Registry[BoundedBy] = Registry("list of what bounds a program", "farkas.offline")
