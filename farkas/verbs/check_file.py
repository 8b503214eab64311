"""Prove again what a file of a certificate or run claims, and nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from farkas.certificates.check import check as prove_certificate
from farkas.certificates.files import Certificate, from_json
from farkas.reading import read_record
from farkas.words import named

if TYPE_CHECKING:
    from farkas.adversary.gap import Gap, GapProof
    from farkas.certificates import Proof
    from farkas.online.run import Run
    from farkas.verbs.check_run import RunProof
    from farkas.verbs.inputs import InstanceOrName


def prove_file(
    path: str | os.PathLike[str], instance: InstanceOrName | None, most_work: int | None = None
) -> Proof | RunProof | GapProof:
    """Prove what a file says; arguments and errors as of `farkas.check`."""
    found = opened(path)
    if isinstance(found, Certificate):
        return proof_of(found, instance, most_work)
    from farkas.verbs.check_decided import prove_decided

    return prove_decided(found, instance, named(os.fspath(path)))


def opened(path: str | os.PathLike[str]) -> Certificate | Run | Gap:
    """Read what a file holds, once; raises `FileProblem` when it is none of these."""
    content, where = read_record(path), named(os.fspath(path))
    fields = fields_of(content)
    if "certificate" in fields and not fields & {"algorithm", "statement"}:  # which they refuse
        return from_json(content, where)
    from farkas.verbs.check_decided import read_decided

    return read_decided(content, where, path)


def fields_of(content: bytes) -> set[str]:
    """Names of the fields of an object in JSON; none of anything else."""
    try:
        return set(msgspec.json.decode(content, type=dict[str, msgspec.Raw]))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return set()


def proof_of(
    certificate: Certificate, instance: InstanceOrName | None, most_work: int | None = None
) -> Proof:
    """Prove a certificate about its own data, or about its program on ``instance``."""
    if instance is None:
        return prove_certificate(certificate, most_work=most_work)
    from farkas.verbs.inputs import as_instance

    about, form = as_instance(instance), None
    if hasattr(certificate, "form"):  # numbers of a kind's own need no program
        from farkas.verbs.rebuild import rebuild

        form = rebuild(certificate, about)
    proof = prove_certificate(certificate, form, instance=about, most_work=most_work)
    if ".worst_" not in proof.program:
        return proof
    from farkas.verbs.worst_meaning import explained  # here: of few programs there is more to say

    return explained(proof, certificate)
