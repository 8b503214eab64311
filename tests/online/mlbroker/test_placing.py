"""What baselines remember: where jobs were one slot before."""

import dataclasses

import numpy as np
import pytest

from farkas.online import environments
from farkas.online.mlbroker.rounded import Placing
from tests.generators.mlbroker import single


@dataclasses.dataclass(frozen=True)
class Wandering(Placing):
    """All workers and the server at the site with most data; keeps what it was told."""

    told: list = dataclasses.field(default_factory=list)

    def place(self, now, state):
        self.told.append(now.deployed.tolist())
        site = now.market.volume.argmax(axis=1)
        workers = np.zeros((len(site), now.market.num_sites), int)
        workers[np.arange(len(site)), site] = now.market.workers_needed
        return workers, site


def test_a_job_is_deployed_where_it_was_in_the_slot_before_only():
    broker, world = single([[5.0, 0.0], [0.0, 5.0], [0.0, 5.0]]), environments["mlbroker"]
    policy = Wandering()
    state = policy.start(world.known(broker), 0)
    for arrival in world.arrivals(broker):
        state, _ = policy.step(state, arrival)
    assert policy.told == [[[False, False]], [[True, False]], [[False, True]]]


def test_a_baseline_that_places_nothing_says_so():
    world, broker = environments["mlbroker"], single([[5.0, 0.0]])
    state = Placing().start(world.known(broker), 0)
    with pytest.raises(NotImplementedError):
        Placing().step(state, world.arrivals(broker)[0])
