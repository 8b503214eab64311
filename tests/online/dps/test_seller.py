"""What all sellers share: one job handled."""

import dataclasses

import pytest

from farkas.instances import library
from farkas.online.dps.environment import Decision
from farkas.online.dps.seller import Seller
from tests.references.dps_sellers import by_steps


@dataclasses.dataclass
class Told(Seller):
    """Asks everybody for the same price."""

    price: float | None = 1.0
    over: list[int] = dataclasses.field(default_factory=list)
    told: list[tuple[int, bool]] = dataclasses.field(default_factory=list)

    def finished(self, state, row):
        self.over.append(row)

    def answered(self, state, offer, prices, accepted):
        self.told.append((offer.job, accepted))

    def quote(self, state, offer):
        return None if self.price is None else (self.price, self.price)


def decide(seller):
    """Two jobs in slots 0 and 1 that hold the only server for two slots, one in slot 2."""
    return by_steps(seller, library.load("dps/one_server"))


def test_a_job_that_does_not_fit_is_asked_for_nothing():
    sold, full, again = decide(Told(price=0.25))
    assert sold == Decision("sold", 0.5, 0.25, 0.25, (0,), (1,), (1,))
    assert full == Decision("full")
    assert again.outcome == "sold"


def test_a_dear_price_or_none_is_declined_and_leaves_the_server_idle():
    assert decide(Told(price=9.0)) == [Decision("declined", 0.0, 9.0, 9.0)] * 3
    assert decide(Told(price=None)) == [Decision("declined")] * 3


def test_jobs_that_are_over_are_told_before_the_next_is_looked_at():
    seller = Told(price=0.25)
    decide(seller)
    assert seller.over == [0]


def test_every_answer_to_a_price_is_learned_and_no_other():
    # the second of three jobs is full whenever the first is served
    for price, told in (
        (0.25, [(0, True), (2, True)]),
        (9.0, [(0, False), (1, False), (2, False)]),
        (None, []),
    ):
        seller = Told(price=price)
        decide(seller)
        assert seller.told == told


def test_a_seller_without_a_quote_says_so():
    with pytest.raises(NotImplementedError):
        decide(Seller())
