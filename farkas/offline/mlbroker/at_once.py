"""Placements of a broker that are there at once, and a bound that asks nobody.

Data stay where they are, and all guiding prices are zero: what a search has before anything else,
however little time it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from farkas.certificates.mlbroker import Guide, MlbrokerPrices
from farkas.instances.mlbroker import Brokerage
from farkas.offline.ladder import Ascent, Rung
from farkas.offline.policies import decided
from farkas.online.run import Bound


def at_once(instance: Brokerage, ascent: Ascent) -> Iterator[Rung]:
    """Find the placement of mlbroker.local, with the bound of no prices."""
    words = "no guiding prices"
    proved = MlbrokerPrices.of(instance, Guide.zeros(instance), "tight")
    # before the placement, so that no run asks for a dearer bound
    yield Rung(words, bound=Bound.of(Fraction(proved.bound), words, proved.plain()))
    yield Rung("mlbroker.local", decided("mlbroker.local", instance)[0])
