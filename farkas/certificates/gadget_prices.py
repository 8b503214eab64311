"""What certificates of kind gadget share: prices as they are read, rents, rewards, roundings."""

import math
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.certificates.enclosures import Enclosure, enclose
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.sums import scaled
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats

DIGITS = 60  #: Binary digits of a claimed bound.

#: Binary digits to which what a job keeps is rounded up: of itself, whatever the unit.
MORE_DIGITS = 100

Price = Annotated[float, msgspec.Meta(ge=0.0)]
PriceRow = tuple[Price, ...]


class ClusterCertificate(PriceCertificate, frozen=True, kw_only=True):
    """What both certificates share."""

    about = "gadget"
    bound: str  #: Upper bound, a fraction.
    sense: Literal["max"] = "max"


def claimed(value: Fraction) -> str:
    """Short fraction at or above ``value``: a certificate may claim less."""
    return str(shortened(value, DIGITS))


def shortened(value: Fraction, digits: int = MORE_DIGITS) -> Fraction:
    """Fraction of ``digits`` binary digits at or just above ``value``."""
    size = value.numerator.bit_length() - value.denominator.bit_length()
    return scaled(math.ceil(value * scaled(1, digits - size)), size - digits)


def nested(values: Floats) -> Any:
    """Tuples of tuples, as files hold prices; -0 becomes 0."""
    rows = (values + 0.0).tolist()
    if values.ndim == 1:
        return tuple(rows)
    return tuple(nested(np.asarray(row)) for row in values)


def price_array(values: Any, shape: tuple[int, ...]) -> Floats:
    """Read prices; raises `NotACertificate` unless they are finite and of this shape."""
    try:
        array = np.array(values, dtype=float).reshape(shape)
    except ValueError:
        raise NotACertificate(f"prices have another shape than {shape}") from None
    if not np.isfinite(array).all():
        raise NotACertificate("a price is not finite")
    return array


def rent_of(capacity: Floats, price: Floats) -> Fraction:
    """Exact rent; a price on something unlimited would make it infinite."""
    total = Fraction(0)
    for r in np.flatnonzero(price).tolist():
        if not np.isfinite(capacity[r]):
            raise NotACertificate("an unlimited resource has a positive price")
        total += Fraction(float(capacity[r])) * Fraction(float(price[r]))
    return total


def dearest(price: Floats, demand: Floats) -> float:
    """Most that any job pays for one worker or link, but for rounding; infinite if too much."""
    with np.errstate(over="ignore"):
        return float((price * demand).sum(axis=1).max(initial=0.0))


def worth_of(cluster: Cluster, job: int, worker_slots: int) -> Enclosure:
    """Bounds on the reward."""
    one = cluster.jobs[job]
    return enclose(one.utility, one.efficiency, worker_slots)
