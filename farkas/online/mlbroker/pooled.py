"""Algorithm mlbroker.pooled."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.base import Count, Nonnegative
from farkas.instances.options import Share
from farkas.models.mlbroker.one_shot import Snapshot
from farkas.numbers import Ints
from farkas.online.driver import algorithm
from farkas.online.mlbroker.rounded import Memory, Placing


@algorithm("mlbroker.pooled", source="added: slots by trees over discounts, dearer deployments")
@dataclasses.dataclass(frozen=True)
class Pooled(Placing):
    """All jobs of a slot placed together, with the discounts that they cause, on few new sites.

    As `mlbroker.one_shot`, but the slot is solved by a tree over the discounts that count, in which
    jobs place themselves one by one, instead of by an integer program; and a new site costs more
    than its deployment: a job that leaves its sites for a slot pays again when it comes back.

    Parameters
    ----------
    deployments
        Deployments that a new site is charged for; 1 looks at the slot alone.
    gap
        Relative gap at which a slot counts as solved.
    most_nodes
        Nodes of a slot's tree.
    """

    deployments: Nonnegative = 1.5
    gap: Share = 1e-4
    most_nodes: Count = 200

    def place(self, now: Snapshot, state: Memory) -> tuple[Ints, Ints]:
        """Solve the slot."""
        # here: for this policy alone
        from farkas.certificates.mlbroker_slots import MOST_SITES, SiteBounds, SlotBounds
        from farkas.relaxations.mlbroker.slot_trees import grow

        market = now.market
        if not market.num_jobs:
            return np.zeros(now.deployed.shape, np.int64), np.zeros(0, np.int64)
        many = market.num_sites > MOST_SITES
        bounds = (SiteBounds if many else SlotBounds)(market)
        new = (~now.deployed).astype(float)
        if not many:
            members = np.arange(bounds.sets)[:, None] >> np.arange(market.num_sites) & 1
            new = new @ members.T.astype(float)
        extra = self.deployments * market.deploy_cost[:, None] * new
        tree = grow(bounds, 0, extra, 0.0, self.most_nodes, _unhurried, share=self.gap)
        return tree.best.workers, tree.best.server


def _unhurried() -> None:
    """Slots take the time they need."""
