"""Liquid: a number of workers that balances traffic and time."""

from __future__ import annotations

import functools

import pytest

from tests.generators.eris import one_resource
from tests.references import eris_baselines
from tests.tools.eris_slots import hold_to_lists, pieces


@pytest.mark.parametrize(
    ("weight", "budget", "workers"),
    [
        # 16 chunks in 16 or 8 slots: 2 or 1 as a share of 8; one remote worker is 1/4 of 4 MB
        (0.5, 4.0, 2),  # 1 against .125 + .5
        (0.9, 4.0, 1),  # .2 against .225 + .1
        (0.0, 4.0, 2),
        (1.0, 4.0, 1),
        (0.5, 1.0, 1),  # 1 against .5 + .5: equal, so the fewest
        (0.5, 0.0, 1),  # no budget: remote workers count as they are, 1 against .5 + .5
    ],
)
def test_workers_balance_traffic_and_time(weight: float, budget: float, workers: int) -> None:
    auction = one_resource(
        {"data": [16, 0]}, site_capacity=[[1.0], [1.0]], transfer_budget=budget, chunk_size=0.0
    )
    found = pieces(auction, "eris.liquid", weight=weight)
    assert found == [{0: workers}] * 3


def test_up_to_twice_the_workers_that_are_asked_for_are_tried() -> None:
    auction = one_resource({"data": [16]}, slots=1, sites=1, site_capacity=[[9.0]])
    assert pieces(auction, "eris.liquid", weight=0.0) == [{0: 4}]


def test_whole_runs_are_those_of_lists() -> None:
    hold_to_lists("eris.liquid", eris_baselines.liquid)


def test_whole_runs_read_literally_are_those_of_lists() -> None:
    reference = functools.partial(eris_baselines.liquid, literal=True)
    hold_to_lists("eris.liquid[literal]", reference, pays=False)
