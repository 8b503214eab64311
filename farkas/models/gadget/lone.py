"""How large a ring can be when its job has the cluster to itself."""

import numpy as np

from farkas.models.gadget.forest import Forest, forest
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Ints, ints

MOST_WALKS = 20_000


def lone_sizes(slot: SlotView) -> Ints:
    """Largest allowed size with a locally feasible mapping, shape (participants,), 0 if none.

    On a forest a ring spans the part of the tree that its links connect; elsewhere sets of hosts
    grow as long as a closed walk goes through them.

    Raises
    ------
    NotApplicable
        When the closed walks are too many to list.
    """
    tree = forest(slot.cluster)
    reach = [
        _on_forest(slot, place, tree) if tree is not None else _elsewhere(slot, place)
        for place in range(len(slot.jobs))
    ]
    sizes = np.arange(1, slot.allowed.shape[1] + 1)
    possible = slot.allowed & (sizes[None, :] <= np.array(reach, np.int64)[:, None])
    return ints(np.where(possible, sizes, 0).max(axis=1, initial=0))


def _on_forest(slot: SlotView, place: int, tree: Forest) -> int:
    """Workers in the largest part of the forest that the job's links connect."""
    cap = link_cap(slot.cluster, int(slot.jobs[place]))
    held = slot.cap[place].copy()
    best = int(held.max(initial=0))
    for v in tree.order[::-1].tolist():
        best = max(best, int(held[v]))
        up = int(tree.parent[v])
        if up >= 0 and cap[tree.up[v]] >= 1 and cap[tree.down[v]] >= 1:
            held[up] += held[v]
    return best


def _elsewhere(slot: SlotView, place: int) -> int:
    """Grow sets of hosts that have a common closed walk; they are closed under taking subsets."""
    from farkas.models.gadget.walks import ClosedWalks  # here: forests need none

    cluster, job = slot.cluster, int(slot.jobs[place])
    held, limit = slot.cap[place], int(slot.largest[place])
    walks, cap = ClosedWalks(cluster, MOST_WALKS), link_cap(cluster, job)
    best = int(held.max(initial=0))
    hosts = sorted(np.flatnonzero(held).tolist(), key=lambda u: (-held[u], u))
    joined: list[tuple[int, ...]] = [(u,) for u in hosts]
    rank = {u: place for place, u in enumerate(hosts)}
    while joined and best < limit:
        wider = [(*group, u) for group in joined for u in hosts if rank[u] > rank[group[-1]]]
        joined = [group for group in wider if walks.through(group, cap)]
        best = max([best, *(int(held[list(group)].sum()) for group in joined)])
    return min(best, limit)
