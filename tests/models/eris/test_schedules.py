"""All schedules of a job, listed."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.eris import Auction
from farkas.models.eris import schedules
from farkas.models.eris.best_schedule import PricedJobs
from farkas.models.eris.prices import (
    Prices,
    posted,
    posted_on_arrival,
    resource_price,
    transfer_price,
)
from farkas.models.eris.schedules import (
    compositions,
    list_schedules,
    spreads,
    unbeaten,
)
from farkas.relaxations.eris.welfare_bound import relaxation_by_columns
from farkas.solvers import Conclusion, solve
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


def test_listing_refuses_jobs_with_too_many_schedules() -> None:
    tiny = library.load("eris/tiny")
    record = {n: getattr(tiny.jobs[0], n) for n in tiny.jobs[0].__struct_fields__}
    large = tiny.replace(jobs=[{**record, "data": (40, 40)}])
    with pytest.raises(NotApplicable, match=r"jobs\[0\] has .* spreads"):
        programs.build("eris.schedule_ilp").form(large)


def test_compositions_are_all_ordered_sums() -> None:
    found = {tuple(row) for row in compositions(3, 3)}
    assert found == {c for c in itertools.product(range(4), repeat=3) if sum(c) == 3}


def test_a_row_is_beaten_by_one_that_is_nowhere_larger() -> None:
    rows = np.array([[1, 2], [2, 1], [2, 2], [1, 2], [0, 9]])
    assert unbeaten(rows).tolist() == [0, 1, 4]


def test_schedules_of_two_chunks_by_hand() -> None:
    # a chunk at each of two sites, nothing moves: each runs in slot 0 or 1; both early is worth 20
    auction = library.load("eris/one_chunk_twice")
    listed = list_schedules(auction)
    assert sorted(listed.worth.tolist()) == [15.0, 15.0, 15.0, 20.0]
    both_early = listed.used[np.argmax(listed.worth), :, 0]
    assert both_early.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert not listed.transfer.any()
    # 1 chunk to any of 2 slots x 2 sites, twice
    assert spreads(auction, 0) == 4 * 4


def test_workers_away_from_the_server_and_moved_chunks_are_transferred() -> None:
    # 3 chunks at site 0, where 1 worker fits: 2 move for 3 MB each to a server there, and the
    # worker that stays alone takes 5 MB
    job = {"data": [3, 0], "utility": [10.0], "parameter_size": 5.0}
    close = {"slots": 1, "site_capacity": [[1.0], [2.0]], "chunk_size": 3.0}
    listed = list_schedules(one_resource(dict(job), transfer_budget=16.0, **close))
    assert listed.transfer.tolist() == [[11.0]]
    assert len(list_schedules(one_resource(dict(job), transfer_budget=10.9, **close))) == 0


def test_what_fits_but_for_rounding_is_listed() -> None:
    # 0.1 + 0.1 + 0.1 = 0.30000000000000004 gpus of 0.3
    job = {"data": [3], "utility": [10.0], "worker_demand": [0.1]}
    close = {"slots": 1, "sites": 1}
    assert len(list_schedules(one_resource(dict(job), site_capacity=[[0.3]], **close))) == 1
    assert len(list_schedules(one_resource(dict(job), site_capacity=[[0.29]], **close))) == 0


def test_no_worker_fits_beside_a_server_that_leaves_nothing_however_little_it_takes() -> None:
    # two workers of 4e-12 exceed the site by less than what is forgiven of its whole capacity
    full = Auction.build(
        slots=1, sites=1, resource_names=["cpu"], site_capacity=[[1.0]], transfer_budget=3.0,
        chunk_size=1.0, price_base_transfer=20.0, price_base_resource=[20.0],
        jobs=[{"arrival": 0, "utility": [40.0], "data": [2], "epochs": 2, "worker_rate": 2,
               "worker_demand": [4e-12], "server_demand": [1.0], "parameter_size": 2.0}],
    )  # fmt: skip
    assert not list_schedules(full).worth.sum()
    assert relaxation_by_columns(full).bound == 0
    smaller = full.replace(jobs=[msgspec.structs.replace(full.jobs[0], server_demand=(0.5,))])
    assert list_schedules(smaller).worth.max() == 40
    assert relaxation_by_columns(smaller).bound == pytest.approx(40)


def test_rows_are_beaten_whatever_the_units_of_their_columns() -> None:
    # the sums of both rows are 2**60 in doubles, yet the second is smaller in column 1
    rows = np.array([[2.0**60, 2.0], [2.0**60, 1.0]])
    assert unbeaten(rows).tolist() == [1]
    assert unbeaten(rows[:, ::-1]).tolist() == [1]


def test_of_very_many_rows_only_repeated_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[i, 9 - i] for i in range(10)] * 2 + [[4, 4]])
    # (4, 5) and (5, 4) are beaten by (4, 4)
    assert unbeaten(rows).tolist() == [0, 1, 2, 3, 6, 7, 8, 9, 20]
    monkeypatch.setattr(schedules, "COMPARED", 5)
    assert unbeaten(rows).tolist() == [*range(10), 20]  # only repeated ones go


def test_prices_grow_exponentially_and_are_zero_without_capacity() -> None:
    tiny = library.load("eris/tiny").replace(site_capacity=[[0, 8], [2, 7]], occupied=None)
    used = np.zeros((2, 2, 3))
    used[1, 0, 0] = 1.0  # half of 2 gpus, base 40
    prices = posted(tiny, np.array([4.0, 2.0, 0.0]), used)
    assert prices.transfer == pytest.approx([39.0, 40**0.5 - 1, 0.0])
    assert prices.resource[1, 0] == pytest.approx([40**0.5 - 1, 0.0, 0.0])
    assert (prices.resource[0, 0] == 0).all()
    raised = resource_price(tiny, used, np.array([0.5, 0.25]))
    assert (raised[1, 0] - prices.resource[1, 0] == 0.5).all()
    assert (raised[0, 0] == 0).all()  # nothing to be had there, with a floor or without
    assert (raised[0, 1] == 0.25).all()


def test_rent_is_capacity_times_price() -> None:
    tiny = library.load("eris/tiny")
    prices = Prices(np.full(3, 2.0), np.full((2, 2, 3), 5.0))
    assert prices.rent(tiny) == pytest.approx(2 * 3 * 4.0 + 5 * 3 * (1 + 8 + 2 + 7))


def test_without_a_budget_transfer_costs_nothing() -> None:
    auction = one_resource({}, transfer_budget=0.0)
    assert transfer_price(auction, np.zeros(3)).tolist() == [0.0, 0.0, 0.0]


def test_jobs_without_data_complete_on_arrival_and_use_nothing() -> None:
    tiny = library.load("eris/tiny")
    job = tiny.jobs[0]
    idle = Auction.build(
        **{name: getattr(tiny, name) for name in tiny.__struct_fields__ if name != "jobs"},
        jobs=[{**{n: getattr(job, n) for n in job.__struct_fields__}, "data": (0, 0)}],
    )
    for name in ("eris.offline", "eris.offline[explicit]", "eris.schedule_ilp", "eris.dual"):
        assert optimum(name, idle) == pytest.approx(35.0)


def test_an_auction_without_jobs_is_worth_nothing() -> None:
    empty = library.load("eris/tiny").replace(jobs=())
    for name in ("eris.offline", "eris.offline[explicit]", "eris.schedule_lp", "eris.dual"):
        assert optimum(name, empty) == 0.0
    with pytest.raises(NotApplicable):
        programs.build("eris.one_shot").form(empty)


BOTH = pytest.mark.parametrize("name", ["eris.offline", "eris.offline[explicit]"])


@BOTH
@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("job", "changes", "worth"),
    [
        # (2i): worth counts once, although there is time to run twice
        ({"utility": [10.0, 10.0, 10.0]}, {}, 10.0),
        # (2a): both chunks must be processed; one worker makes one pass a slot, so in two slots
        ({"data": [2, 0], "utility": [10.0, 7.0, 1.0]}, {"site_capacity": [[1.0], [0.0]]}, 7.0),
        # (2b): three passes a chunk with two workers of two passes: one slot; of one pass: two
        ({"epochs": 3, "worker_rate": 2, "utility": [10.0, 7.0, 1.0]}, {}, 10.0),
        ({"epochs": 3, "utility": [10.0, 7.0, 1.0]}, {}, 0.0),
        # (2c): no server fits beside a worker, or only where the worker's data have to go
        ({"server_demand": [2.0]}, {"site_capacity": [[2.0], [0.0]]}, 0.0),
        ({"server_demand": [2.0]}, {"site_capacity": [[2.0], [2.0]]}, 10.0),
        # (2d): a worker away from the server exchanges λ = 1 MB
        ({"server_demand": [2.0]}, {"transfer_budget": 0.9}, 0.0),
        # (2g): from slot 1 on there are two slots, too few for three chunks
        ({"arrival": 1, "data": [3, 0]}, {"site_capacity": [[1.0], [0.0]]}, 0.0),
        ({"arrival": 1, "data": [2, 0]}, {"site_capacity": [[1.0], [0.0]]}, 10.0),
    ],
)
def test_schedules_by_hand(name: str, job: dict, changes: dict, worth: float) -> None:
    assert optimum(name, one_resource(dict(job), **changes)) == pytest.approx(worth, abs=1e-6)


def test_schedules_are_chosen_whole_or_in_shares() -> None:
    # three jobs of 2 gpus in 3: one runs; in shares of a half each, 3 · 1/2 of them
    job = {"data": [2], "utility": [10.0]}
    auction = one_resource(dict(job), dict(job), dict(job), slots=1, sites=1, site_capacity=[[3.0]])
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(10.0)
    assert optimum("eris.schedule_lp", auction) == pytest.approx(15.0)


@pytest.mark.parametrize("seed", range(12))
def test_best_schedule_earns_what_the_best_listed_schedule_earns(seed: int) -> None:
    auction = random_auction(seed)
    prices = posted_on_arrival(auction)
    listed = list_schedules(auction)
    payoff = (
        listed.worth
        - listed.transfer @ prices.transfer
        - np.einsum("nrkt,rkt->n", listed.used, prices.resource)
    )
    for job in range(auction.num_jobs):
        best = max(0.0, payoff[listed.job == job].max(initial=0.0))
        found = optimum("eris.best_schedule[full]", PricedJobs(auction, (job,), prices))
        assert max(0.0, found) == pytest.approx(best, abs=1e-6)


def test_residual_capacities_bind_and_full_ones_do_not() -> None:
    # one gpu of two is in use and costs 4**.5 - 1 = 1; two chunks need two gpus in the only slot
    state = {"transfer": [0.0], "resources": [[[1.0]]]}
    job = {"data": [2], "utility": [10.0]}
    auction = one_resource(job, slots=1, sites=1, site_capacity=[[2.0]], occupied=state)
    assert optimum("eris.best_schedule[full]", auction) == pytest.approx(10.0 - 2 * 1.0)
    assert optimum("eris.best_schedule[residual]", auction) == pytest.approx(0.0, abs=1e-9)


def test_jobs_chosen_together_do_not_compete() -> None:
    job = {"data": [2], "utility": [10.0]}
    auction = one_resource(dict(job), dict(job), slots=1, sites=1, site_capacity=[[2.0]])
    assert optimum("eris.offline", auction) == pytest.approx(10.0)
    assert optimum("eris.best_schedule", auction) == pytest.approx(20.0)
    only = PricedJobs(auction, (1,), Prices.zero(auction))
    assert optimum("eris.best_schedule", only) == pytest.approx(10.0)


def test_residual_budgets_bind_and_full_ones_do_not() -> None:
    # the chunk must move for 1 MB; 1.5 of 2 MB are in use, at 2**.75 - 1 a MB
    state = {"transfer": [1.5], "resources": [[[0.0]], [[0.0]]]}
    close = {"slots": 1, "site_capacity": [[0.0], [2.0]], "transfer_budget": 2.0}
    auction = one_resource({}, occupied=state, **close)
    assert optimum("eris.best_schedule[full]", auction) == pytest.approx(10.0 - (2**0.75 - 1))
    assert optimum("eris.best_schedule[residual]", auction) == pytest.approx(0.0, abs=1e-9)


def test_of_what_is_overfull_by_a_rounding_error_nothing_is_free() -> None:
    # 2 gpus and 1e-9 are taken of 2; a job that needs no gpu may still run
    state = {"transfer": [0.0], "resources": [[[2.0 + 1e-9]], [[0.0]]]}
    shape = {"slots": 1, "site_capacity": [[2.0], [0.0]]}
    job = {"data": [1, 0], "utility": [10.0], "worker_demand": [0.0], "server_demand": [0.0]}
    auction = one_resource(job, occupied=state, **shape)
    assert optimum("eris.best_schedule[residual]", auction) == pytest.approx(10.0)
    state = {"transfer": [2.0 + 1e-9], "resources": [[[0.0]], [[0.0]]]}
    auction = one_resource({}, occupied=state, transfer_budget=2.0, **shape)
    form = programs.build("eris.best_schedule[residual]").form(auction)
    assert form.row_upper.min() == 0.0 == form.row_lower.max()


@pytest.mark.parametrize("seed", range(10))
def test_7_and_8_have_the_same_optimum_with_every_pair_of_sites(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4)
    for capacity in ("residual", "full"):
        totals, pairs = (
            optimum(f"eris.best_schedule{which}[{capacity}]", auction) for which in ("", "_pairs")
        )
        assert pairs == pytest.approx(totals, abs=1e-6)
    if auction.chunks.any():
        answers = [
            solve(programs.build(f"eris.one_shot{which}").form(auction)) for which in ("", "_pairs")
        ]
        assert answers[0].claim is answers[1].claim
        if answers[0].claim is Conclusion.OPTIMAL:
            assert answers[1].objective == pytest.approx(answers[0].objective, abs=1e-6)
