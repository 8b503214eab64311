"""Sites and prices of kind mlbroker, whatever the jobs."""

import math
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from farkas.errors import InvalidInstance
from farkas.instances.base import (
    Count,
    Instance,
    Matrix,
    Nonnegative,
    Positive,
    frozen,
    require,
    require_shape,
    table,
)
from farkas.numbers import Array, Floats

OptionalMatrix = tuple[tuple[Nonnegative | None, ...], ...]

EPSILONS = (1e-300, 1e300)  #: Smallest and largest ε; beyond, 1/ε has no digits or is infinite.


class Marketplace(Instance, frozen=True, kw_only=True):
    """Sites and prices of a broker.  mlBroker section 3; symbols of the paper after ";"."""

    #: num_sites, num_slots, num_resources: counts, >= 1; R, T, K.
    num_sites: Count
    num_slots: Count
    num_resources: Count
    #: Shape (sites, sites), USD per GB from row to column, zero diagonal; d. Neither symmetric nor
    #: metric in general.
    transfer_price: Matrix
    #: base_price, discount_price: shape (sites, resources), USD per unit and slot below and above
    #: the threshold; a and b with 0 <= b <= a. A null discount means none: b = a.
    base_price: Matrix
    discount_price: OptionalMatrix | None = None
    #: Shape (sites, resources), units per slot from which the discount counts; l. Null: none.
    discount_threshold: OptionalMatrix | None = None
    epsilon: Positive  #: Smoothing of the entropy term, > 0; ε.
    #: Constant of (8c) and (8d), USD; null takes the smallest valid one.
    big_m: float | None = None

    def check_prices(self) -> None:
        """Check shapes, prices and the range of ε."""
        sites, resources = self.num_sites, self.num_resources
        require_shape(self.transfer_price, (sites, sites), "$.transfer_price", ("site", "site"))
        for site in range(sites):
            price = self.transfer_price[site][site]
            where = f"transfer_price[{site}][{site}]"
            require(price == 0, f"{where} = {price:g}; moving nothing is free")
        low, high = EPSILONS
        require(
            low <= self.epsilon <= high,
            f"epsilon = {self.epsilon:g}; from {low:g} to {high:g}, so that 1/epsilon is a number",
        )
        for field in ("base_price", "discount_price", "discount_threshold"):
            values = getattr(self, field)
            if values is not None:
                require_shape(values, (sites, resources), f"$.{field}", ("site", "resource"))
        if self.discount_price is not None:
            for site, row in enumerate(self.discount_price):
                for resource, reduced in enumerate(row):
                    self._check_discount(reduced, site, resource)

    def _check_discount(self, price: float | None, site: int, resource: int) -> None:
        list_price = self.base_price[site][resource]
        require(
            price is None or price <= list_price,
            f"discount_price[{site}][{resource}] = {price}; "
            f"at most base_price[{site}][{resource}] = {list_price:g}",
        )

    #: USD per GB from row to column, shape (sites, sites); d.
    transfer = table("transfer_price", np.float64, width="num_sites")

    #: USD per unit and slot below the threshold, shape (sites, resources); a.
    list_price = table("base_price", np.float64, width="num_resources")

    @cached_property
    def _discounted(self) -> np.ndarray:
        """Where price and threshold are both given; a discount with a null in it is none."""
        shape = (self.num_sites, self.num_resources)
        given = np.ones(shape, dtype=bool)
        for values in (self.discount_price, self.discount_threshold):
            given &= values is not None and ~np.isnan(np.array(values, dtype=float))
        return given

    @cached_property
    def reduced_price(self) -> Floats:
        """USD per unit beyond the threshold, shape (sites, resources); b, = a without discount."""
        if self.discount_price is None:
            return self.list_price
        given = np.array(self.discount_price, dtype=float)
        return frozen(np.where(self._discounted, given, self.list_price))

    @cached_property
    def threshold(self) -> Floats:
        """Units from which the discount counts, shape (sites, resources); l, 0 without discount."""
        if self.discount_threshold is None:
            return frozen(np.zeros_like(self.list_price))
        given = np.array(self.discount_threshold, dtype=float)
        return frozen(np.where(self._discounted, given, 0.0))

    @cached_property
    def surcharge(self) -> Floats:
        """Constant of the discounted branch b h + e, shape (sites, resources); e = (a - b) l."""
        return frozen((self.list_price - self.reduced_price) * self.threshold)

    def resource_cost(self, usage: Floats) -> Floats:
        """USD per slot for using ``usage`` units, shape (..., sites, resources); F, concave.

        F(h) = min(a h, b h + e).
        """
        dear = self.list_price * usage
        return np.minimum(dear, self.reduced_price * usage + self.surcharge)

    @property
    def entropy_scale(self) -> float:
        """ln(1 + 1/ε); σ."""
        from farkas.portable import log1p  # here: only entropies need it

        return float(log1p(1.0 / self.epsilon))


def require_nowhere(bad: Array, message: str, where: str) -> None:
    """Refuse the first place at which ``bad`` holds, naming its path below ``where``.

    >>> require_nowhere(np.array([[False, True]]), "Expected a load", "$.loads")
    Traceback (most recent call last):
    farkas.errors.InvalidInstance: Expected a load - at `$.loads[0][1]`
    """
    for place in np.argwhere(bad)[:1].tolist():
        path = "".join(f"[{index}]" for index in place)
        raise InvalidInstance(f"{message} - at `{where}{path}`")


def require_sorted(values: Iterable[float], where: str, field: str) -> None:
    """Check that ``field`` never decreases along the list at ``where``."""
    last = -math.inf
    for index, value in enumerate(values):
        if value < last:
            raise InvalidInstance(
                f"Expected {field} {value} >= {last} of the entry before - at `{where}[{index}]`"
            )
        last = value
