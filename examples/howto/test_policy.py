"""What generic tests cannot know: that nobody moves."""

import numpy as np

from farkas.instances import library
from farkas.online import algorithms

STAY_HOME = algorithms["mlbroker.stay_home"]


def test_a_job_does_not_move_when_its_data_do():
    # The data go to site 1 and come back; deployment is paid once, in the first slot.
    run = STAY_HOME.run(library.load("mlbroker/return_trip"))
    assert [slot["deploy"] > 0 for slot in run.costs] == [True] + [False] * (len(run.costs) - 1)


def test_spread_is_the_number_of_sites_of_a_job_with_enough_workers():
    run = STAY_HOME.run(library.load("mlbroker/tiny"), spread=2)
    # j0: 40 GB at 20 a worker: two workers, one at each site
    assert (np.array(run.decisions[0]["workers"][0]) > 0).sum() == 2
