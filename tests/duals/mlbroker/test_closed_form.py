"""The dual point of a run in closed form, and its place among the multipliers of the relaxation."""

import dataclasses

import numpy as np
import pytest

from farkas.certificates.mlbroker import Guide, complete
from farkas.duals.mlbroker import lift
from farkas.online.mlbroker.fractional import move_prices, trajectory_bound
from farkas.relaxations.mlbroker.relaxed import Relaxed
from tests.generators.mlbroker import discounted, edge_cases, random_brokerage, single


def test_prices_of_moving_telescope():
    # c = 1 at two sites over three slots; what more deployment saves is subtracted slot by slot,
    # never below 0 nor above c
    data = single([[5.0, 0.0]] * 3)
    move, left = move_prices(data, np.array([[0.25, 2.0], [0.5, 0.1], [-0.9, -0.5]]))
    assert move.tolist() == [[1, 1], [0.75, 0], [0.25, 0]]
    assert left[0].tolist() == pytest.approx([1.0, 0.5])  # 0.25 + 0.9 is cut at 1


def test_exact_slots_telescope_to_the_printed_logarithm():
    # ε = 1, σ = ln 2: after v = 0.5 and then 1, μ(t) = (1/ln 2) ln(2 / (v(t-1) + 1))
    data = single([[5.0], [5.0]])
    saved = np.array([[np.log(1.5)], [np.log(2 / 1.5)]]) / np.log(2)
    move, left = move_prices(data, saved)
    assert move[:, 0] == pytest.approx([1.0, np.log(2 / 1.5) / np.log(2)])
    assert left[0, 0] == pytest.approx(0.0, abs=1e-15)


def test_jobs_begin_at_their_own_cost():
    data = single([[5.0], [5.0]])
    data = data.replace(jobs=[data.jobs[0], {**_plain(data.jobs[0]), "deploy_cost": 3.0}])
    move, left = move_prices(data, np.array([[0.25], [0.25], [1.0], [0.5]]))
    assert move[:, 0].tolist() == [1, 0.75, 3, 2]
    assert left[:, 0].tolist() == [0.5, 1.5]


def _plain(job):
    import msgspec

    return msgspec.to_builtins(job)


def test_the_bound_of_a_trajectory_weighs_growth_by_what_is_deployed():
    # v = 1/2, then 1: 7 + (1/ln 2) (1/2 ln 1.5 + 1 ln(2/1.5)); nothing was there before
    data = single([[5.0], [5.0]])
    want = 7 + (0.5 * np.log(1.5) + np.log(2 / 1.5)) / np.log(2)
    assert trajectory_bound(data, 7.0, np.array([[0.5], [1.0]])) == pytest.approx(want)


def test_each_family_gets_the_multiplier_of_its_own_sign():
    data = discounted()
    point = complete(data, Guide.zeros(data), "printed", "printed")
    marks = {f: 1.0 + n for n, f in enumerate(("alpha", "beta", "gamma", "mu", "psi", "eta"))}
    marks |= {"theta": 7.0, "rho": 8.0, "xi": 9.0, "phi_server": 10.0}
    marked = {name: np.full_like(getattr(point, name), mark) for name, mark in marks.items()}
    point = dataclasses.replace(point, **marked)
    form = Relaxed(relax="printed").form(data)
    multipliers = lift(form, point, data)
    found = {block.name: set(multipliers[block.where].tolist()) for block in form.rows}
    # rows are kept with their sides on the right: Σ connected = workers as Σ connected - workers
    assert found == {
        "enough_workers": {1.0}, "all_data_moved": {2.0}, "cost_at_list_price": {7.0},
        "cost_at_reduced_price": {8.0}, "one_branch": {9.0}, "one_server": {3.0},
        "present_where_used": {10.0}, "started_at_arrival": {4.0}, "started_when_new": {4.0},
        "workers_connect": {5.0}, "server_is_connected": {6.0},
    }  # fmt: skip


@pytest.mark.ids(5)
@pytest.mark.parametrize("name", [*edge_cases(), "random"])
def test_lifting_covers_every_row_of_every_instance(name):
    data = random_brokerage(3, sites=3, jobs=4) if name == "random" else edge_cases()[name]
    for relax, semantics in (("printed", "strict"), ("tight", "strict"), ("tight", "printed")):
        point = complete(data, Guide.zeros(data), relax, semantics)
        form = Relaxed(relax=relax, semantics=semantics).form(data)
        assert np.isfinite(lift(form, point, data)).all()
        assert lift(form, point, data).shape == (form.num_rows,)
