"""One slot cut out of an instance of kind mlbroker."""

import dataclasses

import numpy as np
import numpy.typing as npt

from farkas.errors import NotApplicable
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.cut import market_of
from farkas.numbers import Bools, Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What is known in one slot."""

    slot: int  #: Slot of the whole instance.
    jobs: Ints  #: Shape (jobs,): numbers of the jobs in the whole instance.
    market: Brokerage  #: Instance of one slot, slot 0, with these jobs only, in this order.
    #: Shape (jobs, sites): the job was at the site one slot before; False at arrival.
    deployed: Bools


def snapshot(
    instance: Brokerage,
    slot: int,
    deployed: npt.ArrayLike | None = None,
    jobs: npt.ArrayLike | None = None,
) -> Snapshot:
    """Cut one slot out of an instance.

    Parameters
    ----------
    deployed
        Shape (jobs, sites): where each of the chosen jobs was one slot before; nowhere by
        default.
    jobs
        Which of the active jobs; all by default.

    Raises
    ------
    NotApplicable
        When a job is not active in the slot.
    """
    chosen = instance.jobs_at(slot) if jobs is None else np.asarray(jobs, np.int64).reshape(-1)
    absent = np.setdiff1d(chosen, instance.jobs_at(slot))
    if len(absent):
        raise NotApplicable(f"job {absent[0]} is not active in slot {slot}")
    before = np.zeros((len(chosen), instance.num_sites), bool)
    if deployed is not None:
        before |= np.asarray(deployed, bool)
        before[instance.arrival[chosen] == slot] = False
    return Snapshot(slot, chosen, market_of(instance, slot, chosen), before)
