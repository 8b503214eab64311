"""Files that hold decisions: runs, and statements of how far two decisions are apart."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from farkas.certificates.files import from_json as certificate_from_json
from farkas.errors import FarkasError, FileProblem
from farkas.online.run import Run
from farkas.online.run import from_json as run_from_json
from farkas.verbs.check_file import fields_of
from farkas.verbs.check_run import RunProof, prove_run
from farkas.verbs.inputs import InstanceOrName, as_instance

if TYPE_CHECKING:
    from farkas.adversary.gap import Gap, GapProof

    DecidedProof = RunProof | GapProof


def read_decided(content: bytes, where: str, path: str | os.PathLike[str] = "") -> Run | Gap:
    """Read a run, or a statement of a gap; raises `FileProblem`, which says what else it is."""
    fields = fields_of(content)
    if not fields & {"algorithm", "statement"}:
        raise _no_certificate(content, where, path)
    if "statement" not in fields:
        return run_from_json(content, where)
    from farkas.adversary.gap import from_json

    return from_json(content, where)


def _no_certificate(content: bytes, where: str, path: str | os.PathLike[str]) -> FarkasError:
    from farkas.verbs.mistaken import mistaken  # here: files are mostly what they are given for

    try:
        certificate_from_json(content, where)
    except FileProblem as error:
        return mistaken(path, error, "certificate")
    return FileProblem(f"{where}: is no certificate")


def prove_decided(
    found: Run | Gap, instance: InstanceOrName | None, where: str
) -> RunProof | GapProof:
    """Prove a run on its instance, or a gap on one that is the given one or lies in its box."""
    if isinstance(found, Run):
        return prove_run(found, instance, where)
    from farkas.adversary.gap import prove_gap

    if instance is None:
        return prove_gap(found)
    from farkas.verbs.worst_program import placed  # loads programs, which few statements need

    return placed(prove_gap(found), as_instance(instance))
