"""Certificates that kinds write: numbers that bound an optimum by a formula of the kind's own."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec
import numpy as np

from farkas.certificates.files import Certificate
from farkas.certificates.guards import finite, whole
from farkas.certificates.packed import rational, shown
from farkas.certificates.proof import Proof
from farkas.errors import NotACertificate
from farkas.numbers import Floats, Ints

if TYPE_CHECKING:
    from farkas.forms import LinearForm, Sense
    from farkas.instances import Instance


class PriceCertificate(Certificate, frozen=True, kw_only=True):
    """A bound that follows from numbers in the file and the instance, without a linear form.

    A kind states what it is about, and derives the bound anew in `prove_bound`.
    """

    about: ClassVar[str]  #: Kind of the instance.
    #: ``max`` for upper bounds on a maximum, ``min`` for lower bounds on a minimum.
    bounds: ClassVar[Literal["min", "max"]] = "max"

    @property
    def bound(self) -> str | None:
        """The claim, a fraction; None where all numbers are claimed to be bounds.

        A field of the kind's class, so that each file keeps its order.
        """
        raise NotImplementedError

    @property
    def subject(self) -> str:
        """The program that the numbers bound; a file that names another is refused."""
        raise NotImplementedError

    def prove_bound(self, instance: Any, /) -> Fraction | None:
        """Bound that the file's numbers prove; None when there is no point at all.

        Raises
        ------
        NotACertificate
            When the numbers are none that prove something.
        """
        raise NotImplementedError

    def prove_value(self, instance: Any, /) -> Fraction | None:
        """Value of the file's point, proved feasible; None without one."""
        return None

    def says(self, instance: Any, /) -> str:
        """Name what the proof is about."""
        return self.program

    def plain(self) -> dict[str, Any]:
        """Plain data, as in the file."""
        return dict(msgspec.to_builtins(self))

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Derive bound and value anew; the instance is needed, the form is not."""
        if instance is None or instance.kind != self.about:
            raise NotACertificate(
                f"the certificate is about an instance of kind {self.about}; give it"
            )
        if (self.kind, self.program) != (self.about, self.subject):
            raise NotACertificate(
                f"the certificate's numbers bound {self.subject} of kind {self.about},"
                f" not {self.program} of kind {self.kind}"
            )
        if self.options:
            raise NotACertificate(
                f"the certificate's numbers take no options, it gives {self.options}"
            )
        claimed = None if self.bound is None else rational(self.bound, "bound")
        proved = self.prove_bound(instance)
        if proved is not None and (claimed is None or self._better(claimed, proved)):
            raise NotACertificate(
                f"the certificate claims {_said(claimed)}, its numbers prove"
                f" {shown(str(proved))} only"
            )
        return about_instance(
            self.says(instance),
            self.bounds,
            claimed,
            self.instance,
            form,
            value=self.prove_value(instance),
        )

    def _better(self, claimed: Fraction, proved: Fraction) -> bool:
        return claimed > proved if self.bounds == "min" else claimed < proved


def _said(claim: Fraction | None) -> str:
    return "that there is no point" if claim is None else f"the bound {shown(str(claim))}"


def about_instance(
    program: str,
    sense: Sense,
    bound: Fraction | None,
    instance: str | None,
    form: LinearForm | None = None,
    *,
    value: Fraction | None = None,
) -> Proof:
    """Proof of ``bound`` that was derived from an instance and not from a linear form.

    Parameters
    ----------
    bound
        None where the program has no point.
    instance
        SHA-256 of the instance.
    form
        Linear form of the program, where the caller rebuilt it as well.
    value
        Reached by a point that is feasible exactly.
    """
    return Proof(
        program=program,
        sense=sense,
        bound=bound,
        infeasible=bound is None,
        value=value,
        tolerance=0.0,
        implied=0,
        form="" if form is None else form.sha256,
        instance=instance,
        provenance="instance",
    )


#: Stands for infinity: above every sum of prices, see `grid_exponent`; a few of it fit 64 bits.
FORBIDDEN = 1 << 59

PRICE_BITS = 40  #: Prices become integers of at most so many bits.

SUM_BITS = 58  #: Costs that are possible stay below ``2**SUM_BITS``.


def grid_exponent(largest: float, terms: int = 1) -> int:
    """Exponent g so that ``terms`` prices up to ``largest * 2**g`` add up to less than FORBIDDEN.

    Prices are below 2^PRICE_BITS and below 2^(SUM_BITS - b - 1), where ``terms`` has b bits: the
    sum of so many is below 2^(SUM_BITS - 1), and roundings cannot double it.

    Raises
    ------
    NotACertificate
        When the largest price is not finite, or so many cannot be added up.
    """
    if not 0 <= largest < np.inf:
        raise NotACertificate(f"prices add up to {largest}")
    bits = min(PRICE_BITS, SUM_BITS - 1 - max(1, terms).bit_length())
    if bits < 1:
        raise NotACertificate(f"{terms} prices cannot be added up exactly")
    return 0 if largest == 0 else bits - int(np.frexp(largest)[1])


def rounded_down(amount: Floats, price: Floats, exponent: int) -> Ints:
    """Floor of Σ_r amount_r price_r, over the last axis, on the grid ``2**-exponent``.

    Products and sums of doubles are correctly rounded, so the next double below is a lower bound.

    Parameters
    ----------
    amount, price
        Finite, >= 0.

    Raises
    ------
    NotACertificate
        When a number is negative or not finite, or a sum is too large.
    """
    for what, values in (("amounts", amount), ("prices", price)):
        if (finite(values, what) < 0).any():
            raise NotACertificate(f"{what}: a number is negative")
    total = np.zeros(np.broadcast_shapes(amount.shape, price.shape)[:-1])
    with np.errstate(over="ignore"):  # refused below
        for r in range(amount.shape[-1]):
            product = np.nextafter(amount[..., r] * price[..., r], -np.inf)
            total = np.nextafter(total + np.maximum(product, 0.0), -np.inf)
        scaled = np.floor(np.ldexp(np.maximum(total, 0.0), exponent))
    return whole(scaled, "prices", bits=PRICE_BITS + 1)
