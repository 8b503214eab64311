"""What was solved or proved in this process, proved again from its certificate."""

from __future__ import annotations

import os

from farkas.certificates import Certificate, Proof
from farkas.certificates import check as prove_certificate
from farkas.errors import InvalidOption, NoAnswer, NotACertificate
from farkas.exact.proved import Proved
from farkas.online.run import Run
from farkas.required import require_type
from farkas.verbs.check_file import proof_of
from farkas.verbs.inputs import InstanceOrName
from farkas.verbs.solution import Solution


def prove_solved(what: Solution | Proved, instance: InstanceOrName | None) -> Proof:
    """Prove a certificate about the program it was made of, or about the instance."""
    known = (Certificate, Run, Solution, Proved, str, os.PathLike)
    require_type(what, known, "what is checked")
    if isinstance(what, Proved) and (instance is None or what.certificate is None):
        return what.verify()
    if what.certificate is None:
        raise NoAnswer(f"{what.form.name} was solved without a certificate: give certify=True")
    if instance is not None:
        return proof_of(what.certificate, instance)
    assert isinstance(what, Solution)
    try:
        return prove_certificate(what.certificate, what.form)
    except NotACertificate:
        if what.own is None:
            raise
        raise InvalidOption(
            f"instance: what bounds {what.form.name} is proved by {what.proved_by}, which is made"
            " from the instance; give it"
        ) from None
