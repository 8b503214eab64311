"""A new policy: every job stays where it first had most data.

The file would stand in ``farkas/online/mlbroker/``; then ``farkas run``, ``compare`` and ``sweep``
know it, and its option is ``--set spread=2``.
"""

import dataclasses
from typing import Annotated

import msgspec
import numpy as np

from farkas.instances import library
from farkas.models.mlbroker.one_shot import Snapshot
from farkas.online import algorithm, algorithms
from farkas.online.mlbroker.environment import Known, PlacedSlot

Home = dict[int, list[int]]


@algorithm("mlbroker.stay_home", source="none; an example")
@dataclasses.dataclass(frozen=True)
class StayHome:
    """Workers stay at the sites where the job had most data on arrival.

    ``spread``: over how many sites they are spread evenly; the server is at the first of them.
    """

    spread: Annotated[int, msgspec.Meta(ge=1)] = 1

    def start(self, known: Known, seed: int) -> Home:
        """Nobody has a home yet; nothing is random, so the seed is not used."""
        return {}

    def step(self, state: Home, arrivals: Snapshot) -> tuple[Home, PlacedSlot]:
        """Give new jobs a home, keep the old ones there."""
        market = arrivals.market
        home = {}
        workers = np.zeros((len(arrivals.jobs), market.num_sites), dtype=np.int64)
        for i, job in enumerate(arrivals.jobs.tolist()):
            order = np.argsort(-market.volume[i], kind="stable").tolist()
            home[job] = state.get(job, order[: self.spread])
            needed = max(1, int(market.workers_needed[i]))
            for k in range(needed):
                workers[i, home[job][k % len(home[job])]] += 1
        server = np.array([sites[0] for sites in home.values()], dtype=np.int64)
        return home, PlacedSlot(arrivals.jobs, workers, server)


def test_a_run_is_feasible_and_its_ratio_is_certified():
    run = algorithms["mlbroker.stay_home"].run(library.load("mlbroker/demo"), spread=2)
    assert not run.violations
    assert run.ratio >= 1


def test_a_job_does_not_move_when_its_data_do():
    # The data go to site 1 and come back; deployment is paid once, in the first slot.
    run = algorithms["mlbroker.stay_home"].run(library.load("mlbroker/return_trip"))
    assert [slot["deploy"] > 0 for slot in run.costs] == [True] + [False] * (len(run.costs) - 1)


if __name__ == "__main__":
    test_a_run_is_feasible_and_its_ratio_is_certified()
    test_a_job_does_not_move_when_its_data_do()
    print(algorithms["mlbroker.stay_home"].doc)
