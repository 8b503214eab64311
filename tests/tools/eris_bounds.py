"""What prices prove of an auction, added up."""

from __future__ import annotations

from fractions import Fraction

from farkas.certificates.eris import payoffs_by_job, rent_of
from farkas.instances.eris import Auction
from farkas.numbers import Floats


def prove_payoffs(auction: Auction, transfer: Floats, resource: Floats) -> Fraction:
    """Payoffs of all jobs."""
    return sum(payoffs_by_job(auction, transfer, resource), Fraction(0))


def prove_welfare(auction: Auction, transfer: Floats, resource: Floats) -> Fraction:
    """Rent and payoffs."""
    return rent_of(auction, transfer, resource) + prove_payoffs(auction, transfer, resource)
