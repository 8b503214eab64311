"""The cheapest placement of kind mlbroker when all data volumes are known."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from farkas.algebra.formulation import Formulation
from farkas.certificates.mlbroker import Guide, MlbrokerPrices
from farkas.instances.mlbroker import Brokerage
from farkas.offline.climbing import bounded_by, decided, policies
from farkas.offline.ladder import Ascent, Ladder, Rung, ladders
from farkas.offline.mlbroker.tolls import tolls
from farkas.online.run import Bound

# Placements of a broker that are there at once, and a bound that asks nobody.
#
# Data stay where they are, and all guiding prices are zero: what a search has before anything else,
# however little time it is given.


def at_once(instance: Brokerage, ascent: Ascent) -> Iterator[Rung]:
    """Find the placement of mlbroker.local, with the bound of no prices."""
    words = "no guiding prices"
    proved = MlbrokerPrices.of(instance, Guide.zeros(instance), "tight")
    # before the placement, so that no run asks for a dearer bound
    yield Rung(words, bound=Bound.of(Fraction(proved.bound), words, proved.plain()))
    yield Rung("mlbroker.local", decided("mlbroker.local", instance)[0])


ladders.add(
    "mlbroker.optimum",
    Ladder(
        "mlbroker.optimum",
        climbers=(
            at_once,
            tolls,
            policies("mlbroker.one_shot", "mlbroker.central", "mlbroker.local"),
        ),
        options={"semantics": "strict"},
    ),
)


@bounded_by.register("mlbroker.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name the relaxations on the convex envelope, and the variant whose own one is tightest."""
    semantics = program.variant["semantics"]
    tight = f"mlbroker.relaxed[tight,{semantics}]"
    sharp = ("mlbroker.relaxed[sharp,strict]",) if semantics == "strict" else ()
    same = f"mlbroker.offline[{semantics},choice,split]"
    return tight, *sharp, *((same,) if program.full_name != same else ())
