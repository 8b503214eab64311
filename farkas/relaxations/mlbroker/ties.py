"""What ties the slots of a job: tolls of sets of sites, or of single sites where these are many."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from farkas.certificates.mlbroker_sites import SiteTrees
from farkas.certificates.mlbroker_slots import MOST_SITES, TOLL_BITS, SlotTrees
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.mlbroker.in_parts import SiteGrowth, SlotGrowth


class SetTies:
    """Tolls of all sets of sites.

    Parameters
    ----------
    data
        The instance.
    links
        Pairs after which the same job has another one.
    """

    growth: ClassVar[type[SlotGrowth]] = SlotGrowth
    trees: ClassVar[type[SlotTrees]] = SlotTrees

    def __init__(self, data: Brokerage, links: Ints) -> None:
        self.data, self.links = data, links

    def shown(self, present: Bools) -> Floats:
        """Mark the toll that counts, of each row of present sites; shape (rows, sets)."""
        sites = self.data.num_sites
        found = np.zeros((len(present), 1 << sites))
        found[np.arange(len(present)), (present << np.arange(sites)).sum(axis=1)] = 1.0
        return found

    def closed(self, tolls: Floats, exponent: int) -> Floats:
        """Lower tolls to whole units, and until they fall with each site as far as they may.

        Parameters
        ----------
        tolls
            Shape (links, sets), USD.
        exponent
            Units are ``2**-exponent`` USD.
        """
        toll = np.floor(np.ldexp(tolls, exponent))
        self.fall(toll, self._most(exponent))
        room = 2.0 ** (TOLL_BITS - 1)
        found: Floats = np.ldexp(np.clip(toll, -room, room), -exponent)
        return found

    def fall(self, toll: Floats, most: Floats) -> None:
        """Make tolls fall with each site, and by no more than a deployment."""
        every = np.arange(toll.shape[1])
        for site in range(self.data.num_sites):
            without = every[(every >> site) & 1 == 0]
            low, high = toll[:, without], toll[:, without | (1 << site)]
            toll[:, without] = np.minimum(low, high + most)
            toll[:, without | (1 << site)] = np.minimum(low, high)

    def _most(self, exponent: int) -> Floats:
        deploy = np.floor(np.ldexp(self.data.deploy_cost, exponent))
        found: Floats = deploy[self.data.pair_job[self.links]][:, None]
        return found


class SiteTies(SetTies):
    """Tolls of single sites, which add up."""

    growth = SiteGrowth
    trees = SiteTrees

    def shown(self, present: Bools) -> Floats:
        """Mark the tolls that count, of each row of present sites; shape (rows, sites)."""
        return present.astype(float)

    def fall(self, toll: Floats, most: Floats) -> None:
        """Make a site's toll no gain, and no more of a loss than a deployment."""
        np.clip(toll, -most, 0.0, out=toll)


def ties_of(data: Brokerage, links: Ints) -> SetTies:
    """Ties for the number of sites of an instance."""
    return (SiteTies if data.num_sites > MOST_SITES else SetTies)(data, links)
