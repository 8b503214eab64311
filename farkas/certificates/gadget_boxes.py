"""Parts of a slot's decisions: sizes that jobs may have, and least and most of what rings use."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Literal

import numpy as np

from farkas.certificates.gadget_slot import ring_limits
from farkas.certificates.packed import FilePart, Size
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import FLOORS, ROUNDING

ON_A_LINK = 2  #: Workers of a ring that uses a link, at least: it has two hosts.


#: Of a capacity, how much rings may take: floors are forgiven, and the rounding of decimals.
FILLED = (1 + Fraction(FLOORS)) * (1 + Fraction(ROUNDING))


class SlotBranch(FilePart, frozen=True, kw_only=True, array_like=True):
    """First what is at most ``count``, then what is at least one more."""

    prices: int  #: Which prices drop sizes before, -1 for none.
    #: ``size`` of a job's ring, its ``workers`` on a node, its ``uses`` of a link.
    of: Literal["size", "workers", "uses"]
    job: Size  #: Whose.
    place: Size  #: Which node or link; 0 for the size.
    count: Size  #: Most of the first part.


@dataclasses.dataclass(frozen=True, eq=False)
class SlotBox:
    """Decisions of one slot with some sizes, workers and uses of links only.

    Rings are as `farkas.certificates.gadget_slot` looks at them: they use a link no more often than
    they have workers, and none when they have one host.
    """

    cluster: Cluster  #: The instance.
    jobs: Ints  #: Shape (participants,).
    #: Shape (participants, largest size + 1), which sizes a job may have; 0 for no ring.
    sizes: Bools
    least_workers: Ints  #: Shape (participants, nodes).
    most_workers: Ints  #: Shape (participants, nodes).
    least_uses: Ints  #: Shape (participants, links).
    most_uses: Ints  #: Shape (participants, links).

    @classmethod
    def whole(cls, cluster: Cluster, most_workers: Ints) -> SlotBox:
        """All decisions, of jobs with so many workers at most, shape (jobs,)."""
        jobs = np.flatnonzero(most_workers)
        largest = most_workers[jobs]
        sizes = np.arange(int(largest.max(initial=0)) + 1)[None, :] <= largest[:, None]
        fit = [ring_limits(cluster, int(i), int(most_workers[i])) for i in jobs]
        workers = np.array([cap for cap, _ in fit], np.int64).reshape(len(jobs), cluster.num_nodes)
        uses = np.array([most for _, most in fit], np.int64).reshape(len(jobs), cluster.num_links)
        return cls(cluster, jobs, sizes, np.zeros_like(workers), workers, np.zeros_like(uses), uses)

    @property
    def empty(self) -> bool:
        """Whether some job has no size left, or has to use more than it may."""
        return not (
            self.sizes.any(axis=1).all()
            and (self.least_workers <= self.most_workers).all()
            and (self.least_uses <= self.most_uses).all()
        )

    def with_sizes(self, sizes: Bools) -> SlotBox:
        """Allow these sizes only."""
        return dataclasses.replace(self, sizes=sizes)

    def parts(self, branch: SlotBranch) -> tuple[SlotBox, SlotBox]:
        """Both parts of a branch; every decision of the box lies in one of them.

        In the second, others have what is left of the node or the link, and the job has at least
        so many workers.
        """
        i, at, count = branch.job, branch.place, branch.count
        if i >= len(self.jobs) or at >= self._places(branch):
            raise NotACertificate("a branch on what the slot does not have")
        first, second = self._copy(), self._copy()
        if branch.of == "size":
            first.sizes[i, count + 1 :] = False
            second.sizes[i, : count + 1] = False
            return first, second
        cluster = self.cluster
        if branch.of == "workers":
            needs, rooms = cluster.demand[self.jobs], cluster.capacity[at]
            least, most = second.least_workers[:, at], second.most_workers[:, at]
            capped = first.most_workers
        else:
            needs, rooms = cluster.bandwidth[self.jobs][:, None], cluster.link_bandwidth[[at]]
            least, most = second.least_uses[:, at], second.most_uses[:, at]
            capped = first.most_uses
        capped[i, at] = min(int(capped[i, at]), count)
        least[i] = max(int(least[i]), count + 1)
        for need, room in zip(needs.T, rooms.tolist(), strict=True):
            most[:] = np.minimum(most, _left(need, room, least))
        workers = int(second.least_workers[i].sum())
        second.sizes[i, : max(workers, ON_A_LINK if branch.of == "uses" else 0)] = False
        return first, second

    def _places(self, branch: SlotBranch) -> int:
        of = {"size": 1, "workers": self.cluster.num_nodes, "uses": self.cluster.num_links}
        return of[branch.of]

    def _copy(self) -> SlotBox:
        return dataclasses.replace(
            self,
            sizes=self.sizes.copy(),
            least_workers=self.least_workers.copy(),
            most_workers=self.most_workers.copy(),
            least_uses=self.least_uses.copy(),
            most_uses=self.most_uses.copy(),
        )


def _left(need: Floats, room: float, least: Ints) -> Ints:
    """How often everybody may use something of which everybody uses the least, -1 if not so often.

    Parameters
    ----------
    need
        Shape (participants,), units of a use.
    room
        Units, of which rings may take `FILLED`.
    least
        Shape (participants,), uses of everybody.
    """
    many = np.full(len(need), np.iinfo(np.int64).max)
    if math.isinf(room):
        return many
    needs = [Fraction(each) for each in need.tolist()]
    taken = sum((n * k for n, k in zip(needs, least.tolist(), strict=True) if k), Fraction(0))
    left = Fraction(room) * FILLED - taken
    for i in np.flatnonzero(need).tolist():
        more = math.floor(left / needs[i])
        many[i] = max(-1, min(int(many[i]), int(least[i]) + more))
    return many
