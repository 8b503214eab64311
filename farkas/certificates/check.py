"""Checking a certificate: from the file's numbers to a proof, without any solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.certificates.files import Certificate
from farkas.certificates.proof import Proof
from farkas.errors import NotACertificate

if TYPE_CHECKING:
    from farkas.forms import LinearForm
    from farkas.instances import Instance


def check(
    certificate: Certificate,
    form: LinearForm | None = None,
    *,
    instance: Instance | None = None,
    most_work: float | None = None,
) -> Proof:
    """Prove what ``certificate`` claims, from scratch and in exact arithmetic.

    Parameters
    ----------
    form
        The program rebuilt from the instance; its hash must be the certificate's.  Without it the
        data inside the file are used, and the proof is about those.
    instance
        The instance the form was rebuilt from; its hash must be the one the certificate names.
    most_work
        Steps after which a tree is given up; `farkas.certificates.guards.MOST_WORK` if left out.
        What other certificates take grows with their size alone.

    Raises
    ------
    NotACertificate
        When a hash differs, the data are malformed, or less is proved than claimed.
    """
    if instance is not None and certificate.instance != instance.sha256:
        named = f"{certificate.instance[:12]}..." if certificate.instance else "no instance"
        raise NotACertificate(
            f"the certificate is about {named}, the instance hashes to {instance.sha256[:12]}..."
        )
    if most_work is None:
        return certificate.prove(form, instance)
    from farkas.certificates.rational import prove_within

    return prove_within(certificate, form, instance, most_work)
