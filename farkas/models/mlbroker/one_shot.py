"""Program mlbroker.one_shot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.algebra import Param, constraint, option
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker import data as shared
from farkas.models.mlbroker.data import Snapshot, snapshot
from farkas.models.mlbroker.discount import Choice
from farkas.models.mlbroker.slot import PlacementProgram
from farkas.numbers import Floats, Ints

if TYPE_CHECKING:
    from farkas.solvers.answer import Answer


class OneShot(PlacementProgram, Choice):
    """Cheapest integer placement of one slot, given where jobs were before.  (8), (8l), (8m).

    It sees neither past costs nor future data; the baselines one_shot (all jobs together) and
    oasis (each job alone, at list prices) solve it slot by slot.  On a whole instance the program
    is that of its first busy slot.  Staying deployed is free, so the deployment cost falls on
    sites where the job was not.
    """

    name = "mlbroker.one_shot"
    semantics: Any = option("strict")
    prices: str = option("choice", "single", "list")

    @property
    def pricing(self) -> str:
        """List prices are linear; otherwise the variant's price form."""
        return "chord" if self.prices == "list" else self.prices

    @property
    def linking(self) -> str:
        """Split: the job's own bound."""
        return "split"

    def declare(self, m: Any, data: Brokerage | Snapshot) -> None:
        """Declare the rules of (8) for one slot, and who was where before."""
        now = data if isinstance(data, Snapshot) else first_busy_slot(data)
        super().declare(m, now.market)
        m.deployed_before = Param(m.job_slots, m.sites, values=now.deployed)

    def _slope(self, data: Brokerage) -> Floats:
        slots = shared.busy_slots(data)
        return np.broadcast_to(data.list_price, (len(slots), *data.list_price.shape))

    @constraint("8h", "job_slots", "sites")
    def started_when_new(m, i, t, r):
        """A deployment is new where the job was absent one slot before."""
        return m.started[i, t, r] >= m.deployed[i, t, r] - m.deployed_before[i, t, r]

    started_at_arrival: Any = None


def placement(form: LinearForm, answer: Answer) -> tuple[Ints, Ints]:
    """Read workers, shape (jobs, sites), and servers, shape (jobs,)."""
    shape = form.column_block("server").shape
    workers = np.round(form.values(answer.point, "workers")).astype(np.int64)
    server = np.asarray(form.values(answer.point, "server"))
    return workers.reshape(shape), np.argmax(server.reshape(shape), axis=1)


def first_busy_slot(data: Brokerage) -> Snapshot:
    """Return the first slot with jobs, nothing deployed before."""
    slots = shared.busy_slots(data)
    return snapshot(data, int(slots[0]) if len(slots) else 0)
