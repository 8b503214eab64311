"""Certificates that kinds write: numbers that bound an optimum by a formula of the kind's own."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from farkas.certificates.encoding import rational, shown
from farkas.certificates.files import Certificate
from farkas.certificates.proof import Proof
from farkas.errors import NotACertificate

if TYPE_CHECKING:
    from farkas.forms import LinearForm
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

        Raises `NotACertificate` when the numbers are none that prove something.
        """
        raise NotImplementedError

    def stance(self) -> tuple[str | None, Literal["min", "max"]]:
        """Kind of the instance, and what is bounded."""
        return self.about, self.bounds

    def says(self, instance: Any, /) -> str:
        """Name what the proof is about."""
        return self.program

    def plain(self) -> dict[str, Any]:
        """Plain data, as in the file."""
        return dict(msgspec.to_builtins(self))

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Derive the bound anew; the instance is needed, the form is not."""
        about, bounds = self.stance()
        if instance is None or instance.kind != about:
            raise NotACertificate(f"the certificate is about an instance of kind {about}; give it")
        if (self.kind, self.program) != (about, self.subject):
            raise NotACertificate(
                f"the certificate's numbers bound {self.subject} of kind {about},"
                f" not {self.program} of kind {self.kind}"
            )
        if self.options:
            raise NotACertificate(
                f"the certificate's numbers take no options, it gives {self.options}"
            )
        claimed = None if self.bound is None else rational(self.bound, "bound")
        proved = self.prove_bound(instance)
        if proved is not None:
            said = f"the bound {shown(str(claimed))}" if self.bound else "that there is no point"
            if claimed is None or (claimed > proved if bounds == "min" else claimed < proved):
                raise NotACertificate(
                    f"the certificate claims {said}, its numbers prove {shown(str(proved))} only"
                )
        return Proof(
            program=self.says(instance),
            sense=bounds,
            bound=claimed,
            form="" if form is None else form.sha256,
            instance=self.instance,
            provenance="instance",
        )
