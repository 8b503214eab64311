"""What all sellers share: one job handled."""

import dataclasses

import pytest

from farkas.instances import library
from farkas.online.dps.environment import Decision
from farkas.online.dps.seller import Seller
from tests.references.dps_sellers import by_steps


@dataclasses.dataclass
class Told(Seller):
    """Explores the jobs it is told to, and asks everybody else for the same price."""

    new: tuple[int, ...] = ()
    price: float = 1.0
    quotes_blindly: bool = False
    over: list[int] = dataclasses.field(default_factory=list)
    told: list[tuple[int, bool]] = dataclasses.field(default_factory=list)

    def arrived(self, state, offer):
        return offer.job in self.new

    def finished(self, state, row):
        self.over.append(row)

    def answered(self, state, offer, quote, accepted):
        self.told.append((offer.job, accepted))

    def quote(self, state, offer):
        return self.at(offer, self.price, self.price)


def decide(seller):
    """Two jobs in slots 0 and 1 that hold the only server for two slots, one in slot 2."""
    return by_steps(seller, library.load("dps/one_server"))


def test_a_job_that_does_not_fit_is_asked_for_nothing_unless_prices_are_quoted_blindly():
    sold, full, again = decide(Told(price=0.25))
    assert sold == Decision("sold", 0.5, 0.25, 0.25, (0,), (1,), (1,))
    assert full == Decision("full")
    assert again.outcome == "sold"
    blind = decide(Told(price=0.25, quotes_blindly=True))
    assert blind[1] == Decision("full", 0.0, 0.25, 0.25)
    assert blind[::2] == [sold, again]


def test_a_dear_price_is_declined_and_leaves_the_server_idle():
    assert decide(Told(price=9.0)) == [Decision("declined", 0.0, 9.0, 9.0)] * 3


def test_exploration_is_free_and_needs_room_as_well():
    explored, full, sold = decide(Told(new=(0, 1), price=0.25))
    assert explored == Decision("explored", 0.0, None, None, (0,), (1,), (1,), exploring=True)
    assert full == Decision("full", exploring=True)
    assert (sold.outcome, sold.exploring) == ("sold", False)


def test_jobs_that_are_over_are_told_before_the_next_is_looked_at():
    seller = Told(price=0.25)
    decide(seller)
    assert seller.over == [0]


def test_every_answer_to_a_price_is_learned_and_no_other():
    # the second of three jobs is full whenever the first is served
    for new, price, told in (
        ((), 0.25, [(0, True), (2, True)]),
        ((), 9.0, [(0, False), (1, False), (2, False)]),
        ((0,), 0.25, [(2, True)]),
        ((0, 1), 9.0, [(2, False)]),
    ):
        seller = Told(new=new, price=price)
        decide(seller)
        assert seller.told == told


def test_a_seller_without_a_quote_says_so():
    with pytest.raises(NotImplementedError):
        decide(Seller())
