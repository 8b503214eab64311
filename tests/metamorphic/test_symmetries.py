"""Optima do not depend on the order of what has no order, nor on what holds nothing.

Algorithms and what is computed of them serve ties in the order of the file; certificates and the
best decisions with hindsight are measured beside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from farkas.tolerances import SOLVER_GAP
from tests.metamorphic.compared import agree
from tests.metamorphic.exceptions import exempt
from tests.metamorphic.instances import few
from tests.metamorphic.objects import Measured, objects
from tests.metamorphic.symmetries import SYMMETRIES, Data, changed, plain

PROGRAMS = [each for each in objects() if each.sort in ("program", "convex")]


def together(changes: Sequence[Callable[[Data], None]]) -> Callable[[Data], None]:
    """One change after the other."""

    def change(data: Data) -> None:
        for each in changes:
            each(data)
            apart = msgspec.json.decode(msgspec.json.encode(data))  # no list in two places
            data.clear()
            data.update(apart)

    return change


@pytest.mark.parametrize("what", PROGRAMS, ids=str)
def test_optima_stay_when_everything_is_written_otherwise_at_once(what: Measured) -> None:
    instance = few(what.kind)[PROGRAMS.index(what) % 2]
    known = what.on(plain(instance))
    free = [
        change
        for name, change in SYMMETRIES[what.kind].items()
        if not any(exempt(f"{what}.{key}", name) for key in known)
    ]
    other = changed(instance, together(free))
    if other is not None:
        found = what.on(other)
        assert known.keys() == found.keys()
        for key, value in known.items():
            assert agree(found[key], value, SOLVER_GAP), f"{key} is {found[key]}, not {value}"
