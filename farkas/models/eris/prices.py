"""Posted prices: they grow exponentially with the share of a capacity that is in use.  Eris (6)."""

import dataclasses
from typing import Self

import numpy as np

from farkas.instances.eris import Auction
from farkas.numbers import Floats


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Prices of everything that can be used."""

    transfer: Floats  #: Shape (slots,), utility per MB, >= 0; α.
    resource: Floats  #: Shape (sites, resources, slots), utility per unit, >= 0; β.

    def rent(self, auction: Auction) -> float:
        """Capacity times price, over everything; the last two sums of Eris (4)."""
        resources = float((auction.capacity[:, :, None] * self.resource).sum())
        return float(auction.transfer_budget * self.transfer.sum() + resources)

    @classmethod
    def zero(cls, auction: Auction) -> Self:
        """Everything for nothing."""
        return cls(np.zeros(auction.slots), np.zeros_like(auction.used))


def transfer_price(auction: Auction, transferred: Floats) -> Floats:
    """Price of transfer at MB in use, shape (slots,): γ_d^(ρ/B) - 1, 0 without a budget."""
    if auction.transfer_budget == 0:
        return np.zeros_like(transferred)
    share = transferred / auction.transfer_budget
    return np.power(auction.price_base_transfer, share) - 1.0


def resource_price(auction: Auction, used: Floats, floor: Floats | None = None) -> Floats:
    """Price of resources at units in use: floor + γ_k^(η/C) - 1; 0 where there is no capacity.

    Shapes are (sites, resources, slots) and (resources,); as published there is no floor.
    """
    capacity = auction.capacity[:, :, None]
    share = np.divide(used, capacity, out=np.zeros_like(used), where=capacity > 0)
    price = np.power(auction.price_base[:, None], share) - 1.0
    if floor is not None:
        price = price + floor[:, None]
    return np.where(capacity > 0, price, 0.0)


def posted(auction: Auction, transferred: Floats, used: Floats) -> Prices:
    """All prices in a state."""
    return Prices(transfer_price(auction, transferred), resource_price(auction, used))


def posted_on_arrival(auction: Auction) -> Prices:
    """Prices in the state that the instance says every job meets."""
    return posted(auction, auction.transferred, auction.used)
