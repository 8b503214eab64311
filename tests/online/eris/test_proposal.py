"""A schedule that is proposed, and what it uses."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from farkas.models.eris.prices import Prices
from farkas.online.eris.environment import Proposal, nothing, without_data
from farkas.relaxations.eris.payoff_bound import JobSlots, job_slots
from tests.generators.eris import one_resource


def met(*worth: float, **changes: object) -> JobSlots:
    auction = one_resource({"utility": list(worth), **changes}, slots=len(worth), chunk_size=2.0)
    return job_slots(auction, auction.jobs[0], Prices.zero(auction), None, None)


def test_use_of_a_schedule_by_hand() -> None:
    workers = np.array([[2, 1], [0, 0], [0, 3]])
    found = Proposal(4.0, 2, 1.5, workers, np.array([0, -1, 0]), np.array([1, 0, 2]))
    assert found.worth == 5.5
    assert found.slots.tolist() == [0, 2]
    # θ = 2 and λ = 0.5
    assert found.transfer(2.0, 0.5).tolist() == [2.5, 0.0, 5.5]


@pytest.mark.parametrize("unit", [2.0**-60, 1.0, 2.0**60])
def test_a_schedule_pays_when_payoff_is_more_than_rounding_of_its_worth(unit: float) -> None:
    def pays(payoff: float, cost: float) -> bool:
        empty = nothing(1, 1)
        return dataclasses.replace(empty, payoff=unit * payoff, cost=unit * cost).pays

    assert pays(1e-12, 0.0)  # for nothing
    assert pays(1.1e-9, 1.0)
    assert not pays(0.9e-9, 1.0)
    assert not pays(0.0, 0.0)


def test_jobs_without_data_are_worth_their_first_slot() -> None:
    found = without_data(met(7.0, 3.0, data=[0, 0]))
    assert (found.payoff, found.finish, found.cost, found.bound) == (7.0, 0, 0.0, 7.0)
    assert found.slots.tolist() == []
    worthless = without_data(met(0.0, 0.0, data=[0, 0]))
    assert (worthless.payoff, worthless.finish, worthless.bound) == (0.0, -1, 0.0)
