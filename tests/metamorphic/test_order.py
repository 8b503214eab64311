"""Relaxations bound what they relax."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping

import pytest

from farkas.instances import Instance
from farkas.tolerances import SOLVER_GAP
from tests.metamorphic.instances import few, many
from tests.metamorphic.objects import Measured, objects
from tests.metamorphic.symmetries import plain

ORDER: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "coded": (
        ("coded.assignment", "coded.assignment_lp"),
        ("coded.assignment", "coded.assignment_truncated"),
    ),
    "dps": (
        *(
            (f"dps.interval_ip[{reward},{rows}]", f"dps.interval_lp[{reward},{rows}]")
            for reward in ("budget", "capped", "fixed")
            for rows in ("cliques", "scarce")
        ),
        *(
            (f"dps.interval_{sort}[capped,{rows}]", f"dps.interval_{sort}[budget,{rows}]")
            for sort in ("ip", "lp")
            for rows in ("cliques", "scarce")
        ),
        *((f"dps.offline[{prices}]", f"dps.offline_lp[{prices}]")
          for prices in ("free", "capped", "forced")),
        ("dps.offline[forced]", "dps.offline[capped]", "dps.offline[free]",
         "dps.interval_ip[budget,cliques]"),
    ),
    "eris": (
        ("eris.schedule_ilp", "eris.schedule_lp", "eris.dual", "eris.schedule_lp"),
        ("eris.schedule_ilp", "eris.offline[compact]", "eris.offline[explicit]",
         "eris.schedule_ilp"),
    ),
    "gadget": (
        ("gadget.column_ip", "gadget.column_lp", "gadget.augmented", "gadget.node_lp"),
        ("gadget.gvne", "gadget.gvne_lp"),
        ("gadget.offline", "gadget.offline_column_bound", "gadget.offline_bound"),
    ),
    "mlbroker": (
        *(
            ("mlbroker.relaxed[printed,printed]", f"mlbroker.relaxed[tight,{semantics}]",
             f"mlbroker.offline[{semantics},two,split]")
            for semantics in ("printed", "strict")
        ),
        ("mlbroker.relaxed[tight,strict]", "mlbroker.relaxed[sharp,strict]",
         "mlbroker.offline[strict,two,split]", "mlbroker.offline[strict,single,global]",
         "mlbroker.offline[strict,two,global]"),
        ("mlbroker.dual", "mlbroker.relaxed[printed,printed]", "mlbroker.dual"),
        ("mlbroker.offline[printed,two,split]", "mlbroker.offline[strict,two,split]"),
    ),
}  # fmt: skip
"""Names of programs by kind, each optimum at most the next on every instance."""

QUANTITIES = ("coded.assignment", "coded.assignment_lp", "coded.assignment_truncated",
              "coded.expected_integer")  # fmt: skip
"""What stands for the programs of coded, which measure speed and time in shares of the largest."""

PROGRAMS = {
    each.name: each
    for each in objects()
    if each.sort in ("program", "convex") and each.kind != "coded"
} | {key: Measured("quantity", key) for key in QUANTITIES}


@functools.cache
def optimum(name: str, instance: Instance) -> float | None:
    """Optimum of a program as the instance stands; None where it has none."""
    return reached(PROGRAMS[name], plain(instance))


def reached(what: Measured, instance: Instance) -> float | None:
    """Optimum of a program, or value of a quantity."""
    return what.on(instance).get("optimum" if what.sort != "quantity" else what.name)


def beyond(small: float, large: float) -> bool:
    """Whether ``small`` exceeds ``large`` by more than solvers may."""
    return small - large > SOLVER_GAP * max(abs(small), abs(large))


@pytest.mark.parametrize("kind", ORDER)
@pytest.mark.parametrize("instances", [few, pytest.param(many, marks=pytest.mark.slow)])
def test_relaxations_bound_what_they_relax(
    kind: str, instances: Callable[[str], list[Instance]]
) -> None:
    for chain, instance in itertools.product(ORDER[kind], instances(kind)):
        known = [(name, optimum(name, instance)) for name in chain]
        found = [(name, value) for name, value in known if value is not None]
        for (one, low), (other, high) in itertools.pairwise(found):
            assert not beyond(low, high), f"{instance.name}: {one} {low}, {other} {high}"
