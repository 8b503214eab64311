"""Baseline mlbroker.opt."""

import dataclasses

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.offline import Offline
from farkas.online.driver import algorithm
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.solvers import Reason, solve


@algorithm("mlbroker.opt", source="mlBroker (8)")
@dataclasses.dataclass(frozen=True)
class Optimum:
    """The offline optimum, with all data known in advance: no online algorithm.

    The paper's "Opt" is the relaxation (9) in section 6.3 and (8) in Figs. 9 and 10; every run's
    certificate is a bound of the former kind, this is the latter, with every re-entry paid.

    Parameters
    ----------
    semantics
        "strict" pays every re-entry while optimising; "printed" optimises (8) literally, and is
        charged for re-entries nevertheless.
    solver, time_limit, gap
        Integer solver and its limits; with a limit the best placement found counts.
    """

    semantics: Semantics = "strict"
    solver: str = "highs"
    time_limit: float = 60.0
    gap: float = 0.0

    def decide(self, instance: Brokerage, seed: int) -> list[PlacedSlot]:
        """Solve the offline program.

        Raises
        ------
        NoAnswer
            When no placement was found in time.
        """
        workers = np.zeros((instance.num_pairs, instance.num_sites), np.int64)
        server = np.zeros(instance.num_pairs, np.int64)
        if instance.num_pairs:
            form = Offline(semantics=self.semantics, prices="two", presence="split").form(instance)
            answer = solve(form, self.solver, time_limit=self.time_limit, gap=self.gap)
            answer.unless_interrupted()
            if not answer.has_point:
                if answer.reason is Reason.TIME_LIMIT:
                    late = f"in {self.time_limit:g} s; raise time_limit"
                    raise NoAnswer(f"mlbroker.opt found no placement {late}")
                raise NoAnswer(f"mlbroker.opt got no placement of the solver {self.solver}")
            workers[:] = np.round(form.values(answer.point, "workers")).reshape(workers.shape)
            shares = form.values(answer.point, "server").reshape(workers.shape)
            server[:] = np.argmax(shares, axis=1)
        return [
            PlacedSlot(instance.jobs_at(slot), workers[pairs], server[pairs])
            for slot in range(instance.num_slots)
            for pairs in [instance.pairs_at(slot)]
        ]
