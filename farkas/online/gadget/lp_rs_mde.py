"""Ring selection, decomposition and rounding in one slot.  GADGET Algorithm 2 (LP-RS-MDE)."""

import dataclasses
from typing import Literal

import numpy as np

from farkas.forms import LinearForm
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import lone_sizes
from farkas.models.gadget.column import ColumnIP, Columns
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, Ints
from farkas.relaxations.gadget.decompose import Mixture, decompose
from farkas.relaxations.gadget.embedding import GvneLP, NodeLP
from farkas.relaxations.gadget.horizon import Augmented
from farkas.rounding.rings import Mix, RoundedRings, round_printed, round_repaired, violation_factor
from farkas.solvers.highs_session import optimum_by_any
from farkas.tolerances import SHARE

Rounding = Literal["repair", "printed", "milp"]
#: Columns up to which the printed relaxation is solved; beyond, the node relaxation equals it.
SMALL_EMBEDDING = 200_000


@dataclasses.dataclass(frozen=True, eq=False)
class Slotwise:
    """What one slot of Algorithm 2 did."""

    rings: Rings  #: Rings to run.
    relaxation: float  #: Value of the augmented relaxation at the selected sizes.
    mixture: Mixture  #: Its decomposition.
    rounded: RoundedRings  #: Outcome of the rounding.


def lp_rs_mde(
    slot: SlotView, rounding: Rounding, rounds: int, rng: np.random.Generator, alpha: float = 1 / 3
) -> Slotwise:
    """Run Algorithm 2 on one slot.

    Sizes that do not fit alone are dropped first: without that the value guarantee is false.

    Parameters
    ----------
    slot
        The slot; both relaxations take its gains.
    rounding
        ``printed`` may violate capacities, ``repair`` drops what does not fit, ``milp`` picks the
        best rings of the decomposition.
    rounds
        u_b.
    alpha
        Share of the relaxation that a printed round must reach.
    """
    fitting = only_lone(slot)
    chosen = select_sizes(fitting)
    nothing = Rings.none(slot.cluster)
    if not len(chosen.jobs):
        empty = np.zeros(0, np.int64)
        mixture = Mixture(nothing, np.zeros(0), 0)
        return Slotwise(nothing, 0.0, mixture, RoundedRings(empty, True, 0, 0.0))
    form = Augmented().form(chosen)
    answer = optimum_by_any(form)
    mixture = decompose(chosen, form, answer.point)
    mix, factor = rounding_problem(chosen, mixture)
    if rounding == "printed":
        rounded = round_printed(mix, alpha * answer.objective, factor, rounds, rng)
    elif rounding == "repair":
        rounded = round_repaired(mix, mixture.rings.size, rounds, rng)
    else:
        rounded = _best_subset(chosen, mixture, mix)
    return Slotwise(mixture.rings.take(rounded.picked), answer.objective, mixture, rounded)


def only_lone(slot: SlotView) -> SlotView:
    """Keep the sizes that fit when their job is alone."""
    sizes = np.arange(1, slot.allowed.shape[1] + 1)
    return slot.restrict(slot.allowed & (sizes[None, :] <= lone_sizes(slot)[:, None]))


def relaxation_of(slot: SlotView) -> LinearForm:
    """Program of line 3: the embedding relaxation, or its equal without ring edges if large."""
    q = slot.allowed.sum(axis=1)
    edges = int((q * (q + 1) // 2).sum()) * (slot.cluster.num_nodes + slot.cluster.num_links)
    return GvneLP().form(slot) if edges <= SMALL_EMBEDDING else NodeLP().form(slot)


def select_sizes(slot: SlotView) -> SlotView:
    """One size per job that the relaxation runs: largest gain x share, ties smallest; line 3."""
    if not len(slot.jobs):
        return slot
    form = relaxation_of(slot)
    share = np.zeros(slot.gains.shape)
    share[slot.allowed] = form.values(optimum_by_any(form).point, "chosen")
    weight = np.where(slot.allowed & (share > SHARE), slot.gains * share, -np.inf)
    best = weight.argmax(axis=1)
    return slot.fixed(np.where(np.isfinite(weight.max(axis=1)), best + 1, 0))


def rounding_problem(slot: SlotView, mixture: Mixture) -> tuple[Mix, Floats]:
    """Collect loads and rooms of everything that can fill up, and the factors of Theorem 8."""
    cluster, rings = slot.cluster, mixture.rings
    nodes = np.isfinite(cluster.capacity) & cluster.is_server[:, None]
    links = np.isfinite(cluster.link_bandwidth)
    load = [rings.node_load(cluster)[:, nodes], rings.link_load(cluster)[:, links]]
    room = [cluster.capacity[nodes], cluster.link_bandwidth[links]]
    gain = Columns(slot, rings).gains
    mix = Mix(rings.job, mixture.share, gain, np.concatenate(load, axis=1), np.concatenate(room))
    beta = node_factors(cluster, slot.jobs, slot.largest)
    gamma = violation_factor(cluster.bandwidth[slot.jobs], slot.largest, room[1], cluster.num_links)
    resource = np.argwhere(nodes)[:, 1]
    return mix, np.concatenate([beta[resource], np.full(len(room[1]), gamma)])


def node_factors(cluster: Cluster, jobs: Ints, size: Ints) -> Floats:
    """β of every resource, shape (resources,)."""
    servers = int(cluster.is_server.sum())
    found = []
    for r in range(cluster.num_resources):
        room = cluster.capacity[cluster.is_server, r]
        demand = cluster.demand[jobs, r]
        found.append(violation_factor(demand, size, room[np.isfinite(room)], servers))
    return np.array(found)


def _best_subset(slot: SlotView, mixture: Mixture, mix: Mix) -> RoundedRings:
    """Best rings of the decomposition that fit together."""
    rings = mixture.rings
    local = np.array([is_local(slot.cluster, rings, c) for c in range(len(rings))], np.bool_)
    form = ColumnIP().form(Columns(slot, rings.take(local)))
    used = optimum_by_any(form, gap=0.0).point > 0.5
    picked = np.flatnonzero(local)[used]
    return RoundedRings(picked, True, 0, float(mix.fullness(picked).max(initial=0.0)))


def is_local(cluster: Cluster, rings: Rings, place: int) -> bool:
    """Whether a ring fits when it is alone."""
    job = int(rings.job[place])
    hosts = (rings.workers[place] <= cluster.host_cap[job]).all()
    return bool(hosts and (rings.flow[place] <= link_cap(cluster, job)).all())
