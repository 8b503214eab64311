"""Grids, exploration and constants."""

import dataclasses

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances.dps import Learning
from farkas.online.dps.environment import Knowledge
from farkas.online.dps.learning import (
    Dps,
    explored,
    geometric_grid,
    grid_steps,
    uniform_grid,
)
from tests.generators.dps import random_market


@pytest.mark.parametrize("step", [1.0, 0.5, 0.25, 0.2, 0.1, 0.013])
def test_the_geometric_grid_ends_with_the_last_price_up_to_one(step):
    prices = geometric_grid(step)
    assert prices[0] == step
    assert prices[1:] == pytest.approx(prices[:-1] * (1 + step), rel=1e-13)
    assert prices[-1] <= 1 + 1e-12
    assert prices[-1] * (1 + step) > 1 + 1e-12


def test_a_price_of_one_up_to_rounding_is_on_the_grid():
    # sqrt 5 = 2.236: δ (1 + δ)^z = 1 for δ = 0.618..., z = 1
    step = (5**0.5 - 1) / 2
    assert geometric_grid(step)[-1] == pytest.approx(1.0)
    assert len(geometric_grid(step)) == 2


def test_the_uniform_grid_rounds_the_number_of_prices_up():
    assert uniform_grid(0.3).tolist() == [0.25, 0.5, 0.75, 1.0]
    assert uniform_grid(0.5).tolist() == [0.5, 1.0]
    assert uniform_grid(1.0).tolist() == [1.0]


def test_grids_that_fill_the_memory_are_refused():
    for grid in (geometric_grid, uniform_grid):
        with pytest.raises(InvalidOption, match="give a larger delta"):
            grid(1e-7)


def test_published_steps_and_exploration():
    volume, logs, jobs = np.array([8.0, 1e6]), np.array([1.0, 8.0]), np.array([3, 1000])
    # 8^(-1/3) 1^(2/3) = 1/2; (10^6)^(-1/3) 8^(2/3) = 0.04
    assert grid_steps(Learning(), volume, logs) == pytest.approx([0.5, 0.04])
    assert grid_steps(Learning(delta_scale=2.0, delta_max=0.9), volume, logs) == pytest.approx(
        [0.9, 0.08]
    )
    assert grid_steps(Learning(delta=0.3), volume, logs).tolist() == [0.3, 0.3]
    # (8 x 1)^(2/3) = 4; (8 10^6)^(2/3) = 40000
    assert explored(Learning(), volume, logs, jobs) == pytest.approx([4.0, 40000.0])
    capped = Learning(theta_scale=0.5, explore_cap=0.4)
    assert explored(capped, volume, logs, jobs) == pytest.approx([1.2, 400.0])


def test_types_of_which_nothing_is_installed_count_one_unit():
    # (T C)^(-1/3) and (T C ln n)^(2/3) of C = 0 would be no numbers of prices or arrivals
    market = random_market(0, jobs=9).replace(dps={"explore_cap": None})
    known = Knowledge.of(market)
    sides = []
    for units in (0, 1):
        installed = np.full_like(known.installed_workers, 0)
        installed[0] = units
        sides.append(Dps().sides(dataclasses.replace(known, installed_workers=installed))[0])
    nothing, one = sides
    assert nothing.capacity.tolist() == [0] * len(nothing.jobs)
    assert nothing.price.tolist() == one.price.tolist()
    assert nothing.explore.tolist() == one.explore.tolist()
    logs = np.log(np.maximum(known.worker_jobs, 2))
    assert nothing.explore == pytest.approx((market.horizon * logs) ** (2 / 3))
