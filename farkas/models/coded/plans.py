"""Plans: who works for whom with how many rows, and the closed forms that make one."""

import dataclasses

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, theorem1_times
from farkas.numbers import Floats, Ints, floats
from farkas.tolerances import ROUNDING


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """A decision: shares and real loads."""

    share: Floats  #: Shape (masters, workers), within [0, 1], columns sum to at most 1; k.
    loads: Floats  #: Shape (masters, workers), rows, >= 0, 0 where the share is 0; l.

    @property
    def whole_loads(self) -> Floats:
        """Loads rounded up, as rows are sent; a load within 1e-9 of a whole number is one."""
        return np.asarray(np.ceil(self.loads * (1.0 - ROUNDING)))


def dedicated_plan(data: CodedComputing, owner: Ints) -> Allocation:
    """Give each master's workers the loads of Theorem 1, each master by its own time.  (15).

    Parameters
    ----------
    owner
        Shape (workers,), −1 where idle.  Workers on forbidden pairs stay idle, as do those of a
        master that nobody may serve.
    """
    pairs = Pairs.of(data)
    share = dedicated_share(owner, data.num_masters) * data.allowed
    times = theorem1_times(pairs.speed, owner)
    loads = pairs.loads(np.where(np.isfinite(times), times, 0.0))
    return Allocation(share, np.where(share > 0, loads, 0.0))


def dedicated_share(owner: Ints, masters: int) -> Floats:
    """Shares 0 and 1 of owners, shape (masters, workers)."""
    return floats((owner == np.arange(masters)[:, None]).astype(float))


def shared_plan(data: CodedComputing, share: Floats, time: float) -> Allocation:
    """Give every pair in use the load that is best by ``time``, whatever its share.  (14).

    Parameters
    ----------
    share
        Shape (masters, workers); k.
    time
        The common completion time; an infinite one loads nothing.
    """
    loads = Pairs.of(data).loads(time if np.isfinite(time) else 0.0)
    return Allocation(share, np.where(share > 0, loads, 0.0))
