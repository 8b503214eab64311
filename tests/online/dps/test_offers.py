"""What sellers see of a market and of a job."""

from farkas.instances import library
from farkas.online.dps.environment import Knowledge, Offer
from tests.generators.dps import empty_market


def test_an_offer_shows_no_budget():
    offer = Offer.of(library.load("dps/tiny"), 0)
    assert not hasattr(offer, "budget")
    assert (offer.accepts(3.5), offer.accepts(3.5 * (1 + 2e-9))) == (True, False)
    assert not hasattr(Knowledge.of(library.load("dps/tiny")), "jobs")


def test_known_are_numbers_of_jobs_and_their_largest_demands():
    # types 0, 0, 1, 1, 0 with 2, 2, 3, 4, 1 workers; one server type with 1, 2, 1, 1, 3 units
    known = Knowledge.of(library.load("dps/tiny"))
    assert known.worker_jobs.tolist() == [3, 2]
    assert known.ps_jobs.tolist() == [5]
    assert known.most_workers.tolist() == [2, 4]
    assert known.most_ps.tolist() == [3]
    assert known.installed_workers.tolist() == [[2, 1], [2, 2]]
    assert (known.horizon, known.price_cap) == (10, 1.0)
    assert Knowledge.of(library.load("dps/tiny").replace(price_cap=None)).price_cap == 1.0
    nobody = Knowledge.of(empty_market())
    assert not nobody.worker_jobs.any()
    assert not nobody.most_ps.any()


def test_a_user_bids_what_the_market_says():
    market = library.load("dps/tiny")
    assert Offer.of(market, 1).bid == market.jobs[1].budget
