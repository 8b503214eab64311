"""Prove again what a file of a certificate or run claims, and nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from farkas.certificates.check import check as prove_certificate
from farkas.certificates.files import Certificate, from_json
from farkas.reading import read_record
from farkas.words import named

if TYPE_CHECKING:
    from farkas.certificates import Proof
    from farkas.online.run import Run
    from farkas.verbs.check_run import RunProof
    from farkas.verbs.inputs import InstanceOrName


def prove_file(
    path: str | os.PathLike[str], instance: InstanceOrName | None, most_work: int | None = None
) -> Proof | RunProof:
    """Prove the certificate or run of a file; arguments and errors as of `farkas.check`."""
    found = opened(path)
    if isinstance(found, Certificate):
        return proof_of(found, instance, most_work)
    from farkas.verbs.check_run import prove_run

    return prove_run(found, instance, named(os.fspath(path)))


def opened(path: str | os.PathLike[str]) -> Certificate | Run:
    """Read what a file holds, once; raises `FileProblem` when it is neither."""
    content, where = read_record(path), named(os.fspath(path))
    if not _is_of_a_run(content):
        return from_json(content, where)
    from farkas.online.run import from_json as run_from_json

    return run_from_json(content, where)


class _Algorithm(msgspec.Struct):
    """The field that runs have and certificates refuse."""

    algorithm: Any


def _is_of_a_run(content: bytes) -> bool:
    try:
        msgspec.json.decode(content, type=_Algorithm)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    return True


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
    return prove_certificate(certificate, form, instance=about, most_work=most_work)
