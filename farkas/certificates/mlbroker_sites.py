r"""Bounds on the offline optimum of a broker with many sites: tolls of single sites.

As `farkas.certificates.mlbroker_slots`, with tolls that add up: π_t(V) = Σ_{r in V} π_t^r, where
-c <= π_t^r <= 0.  They need a number for each site instead of each set of sites, and what a job
pays in a slot besides its work is a charge of every site where it is, so that
`farkas.certificates.mlbroker_charges` bounds it without listing sets.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from farkas.certificates.files import certificate_type
from farkas.certificates.mlbroker_charges import place_charged
from farkas.certificates.mlbroker_slots import SlotBounds, SlotTrees
from farkas.numbers import Ints


class SiteBounds(SlotBounds):
    """Bounds slots of an instance at tolls of single sites; these stand where sets do."""

    place = place_charged

    def sizes(self) -> Ints:
        """Return ones, for every site."""
        return np.ones(self.data.num_sites, np.int64)

    def drops(self, toll: Ints) -> Iterator[Ints]:
        """By how much tolls fall with one more site, all sites at once."""
        yield -toll


@certificate_type
class SiteTrees(SlotTrees, frozen=True, kw_only=True, tag="mlbroker_sites"):
    """Tolls of sites, and for every slot with jobs a tree over the prices that count.

    Parameters
    ----------
    tolls
        Base64 of the deflated doubles, for every pair but the last ones of jobs and every site.
    """

    slots = SiteBounds
