"""Write an online policy of your own and let it compete.

A policy is two functions: ``start`` makes a state from what is known in advance, ``step`` turns a
state and what arrives now into the next state and a decision.  It cannot see the future, it does
not price itself, and its ratio is measured against a proved bound like everybody's.
"""

import dataclasses

import numpy as np

import farkas
from farkas.online.mlbroker.environment import Knowledge, PlacedSlot


@dataclasses.dataclass(frozen=True)
class FollowTheData(farkas.Policy):
    """Each job runs where it first had most data, with the server beside it, and never moves."""

    def start(self, known: Knowledge, seed: int) -> dict[int, int]:
        """Nobody has a home yet."""
        return {}

    def step(self, state: dict[int, int], arrivals):
        """Send new jobs home, keep the old ones there."""
        market = arrivals.market
        best = market.volume.argmax(axis=1)
        home = {job: state.get(job, int(best[i])) for i, job in enumerate(arrivals.jobs.tolist())}
        sites = np.array(list(home.values()), dtype=np.int64)
        workers = np.zeros((len(sites), market.num_sites), dtype=np.int64)
        workers[np.arange(len(sites)), sites] = np.maximum(market.workers_needed, 1)
        return home, PlacedSlot(arrivals.jobs, workers, sites)


instance = farkas.generate("mlbroker", "small", seed=0)
mine = farkas.run(instance, FollowTheData())
print(f"{'policy':22} {'cost':>9} {'proved bound':>13} {'ratio':>7}")
runs = [
    mine,
    *(farkas.run(instance, f"mlbroker.{n}") for n in ("mlbroker", "central", "local")),
]
for run in runs:
    assert run.certificate is not None
    print(f"{run.algorithm:22} {run.value:9.6g} {float(run.certificate):13.6g} {run.ratio:7.4f}")

parts = {part: sum(slot[part] for slot in mine.costs) for part in mine.costs[0]}
print("costs of mine: " + ", ".join(f"{part} {value:.5g}" for part, value in parts.items()))
assert not mine.violations
