"""What placed workers and servers cost.  mlBroker problem P_rt, with the costs of section 3.2."""

import dataclasses

import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.recourse import PlacedWorkers, Recourse
from farkas.numbers import Bools, Floats, Ints
from farkas.solvers.highs_session import optimum_by_any


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """Costs of decisions by slot, USD; shape (slots,) each."""

    transfer: Floats  #: Moving data; C1.
    resource: Floats  #: Resources under the volume discount, pooled over jobs; C2.
    deploy: Floats  #: Deployments, every entry and re-entry of a site; C3 as the text has it.
    deploy_once: Floats  #: Deployments, each job and site charged once per life; C3 as (8) has it.
    sync: Floats  #: Traffic between workers and server; C4.

    @property
    def total(self) -> float:
        """All costs with every re-entry paid, USD."""
        return float((self.transfer + self.resource + self.deploy + self.sync).sum())

    @property
    def total_sticky(self) -> float:
        """All costs with each job and site paid once, USD."""
        return self.total + float((self.deploy_once - self.deploy).sum())


def recourse_costs(placed: PlacedWorkers) -> Costs:
    """Costs of decided workers and servers, data moved as cheaply as possible.

    Parameters
    ----------
    placed
        Decisions for whole lives of jobs: a pair left out counts as an absence, after which
        sites are paid again.

    Raises
    ------
    NoAnswer
        When the transport program is not solved.
    """
    entered, first = _entries(placed)
    price = placed.instance.deploy_cost[placed.jobs]
    return Costs(
        transfer=transfer_costs(placed),
        resource=placed.instance.resource_cost(placed.usage()).sum(axis=(1, 2)),
        deploy=_by_slot(placed, price * entered.sum(axis=1)),
        deploy_once=_by_slot(placed, price * first.sum(axis=1)),
        sync=_by_slot(placed, sync_costs(placed)),
    )


def transfer_costs(placed: PlacedWorkers) -> Floats:
    """Optimal transport costs, shape (slots,), USD; C1."""
    form = Recourse().form(placed)
    point = optimum_by_any(form).point
    slots = form.column_block("moved").axes[0].members[:, 1]
    return _sums(slots, form.cost * point, placed.instance.num_slots)


def sync_costs(placed: PlacedWorkers) -> Floats:
    """Traffic of all workers to the server's site, shape (pairs,), USD; C4 with g = ȳ s̄."""
    data: Brokerage = placed.instance
    price = data.transfer[:, placed.server].T
    sent: Floats = (price * placed.workers).sum(axis=1)
    return sent * data.sync_volume[placed.jobs]


def _entries(placed: PlacedWorkers) -> tuple[Bools, Bools]:
    """Sites newly entered, and entered for the first time, shapes (pairs, sites)."""
    present = placed.present
    before = np.zeros_like(present)
    ever = np.zeros_like(present)
    where = {int(pair): row for row, pair in enumerate(placed.pairs)}
    for row, pair in enumerate(placed.pairs):
        previous = where.get(int(placed.instance.previous_pair[pair]))
        if previous is not None:
            before[row] = present[previous]
            ever[row] = present[previous] | ever[previous]
    return present & ~before, present & ~ever


def _by_slot(placed: PlacedWorkers, values: Floats) -> Floats:
    return _sums(placed.slots, values, placed.instance.num_slots)


def _sums(slots: Ints, values: Floats, num_slots: int) -> Floats:
    sums = np.zeros(num_slots)
    np.add.at(sums, slots, values)
    return sums
