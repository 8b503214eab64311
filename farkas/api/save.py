"""Files of what farkas gives: instances, runs, programs and certificates."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from farkas.api.compare import Comparison
from farkas.api.load import imported_instance
from farkas.api.solution import Solution
from farkas.certificates import (
    Certificate,
    InfeasibleCertificate,
    LinearCertificate,
    exact_feasibility,
    write_vipr,
    write_vipr_infeasible,
)
from farkas.certificates import write as write_certificate
from farkas.certificates.tree import TreeCertificate
from farkas.certificates.vipr import write_vipr_tree
from farkas.errors import InvalidOption, NoAnswer, NotACertificate, require_type
from farkas.exact.result import ProofResult
from farkas.files.writing import write_bytes
from farkas.forms.rational import as_rational
from farkas.forms.writers import write_lp, write_mps
from farkas.instances import Instance
from farkas.instances import write as write_instance
from farkas.messages import named
from farkas.numbers import Floats
from farkas.online.driver import write_run
from farkas.online.run import Run

if TYPE_CHECKING:
    from farkas.adversary.gap import Gap, GapProof
    from farkas.api.worst import WorstCase
    from farkas.instances.traces import ImportedInstance
    from farkas.offline.search import OfflineOptimum

PROGRAMS = {".mps": write_mps, ".lp": write_lp}
CERTIFICATES = (".json", ".vipr")
SAVED = (
    Instance,
    Run,
    Certificate,
    Solution,
    ProofResult,
    Comparison,
)  #: What is written as it is.


def check_suffix(path: str) -> None:
    """Refuse a file name whose suffix says nothing; raises `InvalidOption`."""
    suffix = Path(path).suffix
    known = [*PROGRAMS, *CERTIFICATES]
    if suffix not in known:
        raise InvalidOption.near(f"{named(path)}: unknown suffix {suffix!r}", suffix, known)


def check_certificate_suffix(path: str) -> None:
    """Refuse a file name that is no certificate's; raises `InvalidOption`."""
    if not needs_proof(path):
        raise InvalidOption(f"{named(path)}: a certificate is a .json or .vipr file")


def needs_proof(path: str) -> bool:
    """Whether the file holds a certificate."""
    return Path(path).suffix in CERTIFICATES


def save(
    what: Instance
    | ImportedInstance
    | Run
    | OfflineOptimum
    | Certificate
    | Solution
    | ProofResult
    | Comparison
    | Gap
    | GapProof
    | WorstCase,
    path: str | os.PathLike[str],
) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    what
        An instance, also as it was imported, a run or a certificate (JSON, under any name but that
        of a model, a proof in VIPR or a picture); a solution: of its program with suffix ``.mps``
        or ``.lp``, of its certificate with ``.json`` or ``.vipr``; of what :func:`farkas.prove`
        proved, its certificate; of an optimum its run; of a worst case its statement; a comparison
        (JSON, without its runs).

    Raises
    ------
    FileProblem
        The path cannot be written; nothing is left behind.
    InvalidOption
        The suffix is that of a file of another sort.
    NoAnswer
        The solution holds no certificate to write.

    Examples
    --------
    >>> import farkas, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "market.json")
    ...     farkas.save(farkas.load("mlbroker/tiny"), path)
    ...     farkas.load(path).sha256 == farkas.load("mlbroker/tiny").sha256
    True
    """
    written: Any = imported_instance(what) or what
    if not isinstance(written, SAVED):  # else searches are not loaded
        written = _found(what)
    require_type(path, (str, os.PathLike), "path")
    if path_suffix(path) in (".svg", ".png", ".pdf"):
        raise InvalidOption(f"{named(os.fspath(path))}: plot().save writes pictures")
    if not isinstance(written, Solution | ProofResult) and path_suffix(path) in (
        *PROGRAMS,
        ".vipr",
    ):
        raise InvalidOption(
            f"{named(os.fspath(path))}: what is saved is JSON, no {path_suffix(path)}; name a .json"
        )
    if isinstance(written, Instance):
        write_instance(written, path)
    elif isinstance(written, Run):
        write_run(written, path)
    elif isinstance(written, Certificate):
        write_certificate(written, path)
    elif isinstance(written, Comparison):
        content = msgspec.json.format(msgspec.json.encode(written.to_builtins()), indent=2)
        write_bytes(path, content + b"\n")
    elif isinstance(written, ProofResult):
        _save_proved(written, os.fspath(path))
    elif isinstance(written, Solution):
        _save_solution(written, os.fspath(path))
    else:
        written.write(os.fspath(path))  # a statement


def path_suffix(path: str | os.PathLike[str]) -> str:
    """Suffix of a path, in small letters."""
    return Path(path).suffix.lower()


def _found(what: Any) -> Any:
    """Return what is written of what searches find: the run of an optimum, or a statement."""
    from farkas.adversary.gap import Gap, GapProof
    from farkas.api.worst import WorstCase
    from farkas.offline.search import OfflineOptimum

    require_type(what, (*SAVED, OfflineOptimum, Gap, GapProof, WorstCase), "what is saved")
    if isinstance(what, OfflineOptimum):
        return what.run
    return what.gap if isinstance(what, GapProof | WorstCase) else what


def _save_proved(found: ProofResult, path: str) -> None:
    check_certificate_suffix(path)
    if found.certificate is None:
        raise NoAnswer(f"{named(path)}: nothing was proved of {named(found.form.name)} to write")
    if path.endswith(".json"):
        write_certificate(found.certificate, path)
    elif isinstance(found.certificate, TreeCertificate):
        write_vipr_tree(found.form, found.certificate, path)
    else:
        raise InvalidOption(f"{named(path)}: VIPR has no proof of unboundedness; write .json")


def _save_solution(solution: Solution, path: str) -> None:
    check_suffix(path)
    suffix = Path(path).suffix
    if suffix in PROGRAMS:
        PROGRAMS[suffix](solution.form, path)
        return
    if solution.certificate is None:
        raise NoAnswer(f"{path}: {solution.form.name} was solved without a certificate to write")
    if suffix == ".json":
        write_certificate(solution.certificate, path)
    else:
        _write_vipr(solution, solution.certificate, path)


def _write_vipr(solution: Solution, certificate: Certificate, path: str) -> None:
    form = solution.form
    if isinstance(certificate, InfeasibleCertificate):
        write_vipr_infeasible(form, certificate.ray.floats("ray", form.num_rows), path)
    elif isinstance(certificate, LinearCertificate):
        multipliers = certificate.multipliers.floats("multipliers", form.num_rows)
        write_vipr(form, multipliers, path, point=exactly_feasible(solution))
    else:
        assert isinstance(certificate, TreeCertificate)
        write_vipr_tree(as_rational(form), certificate, path)


def exactly_feasible(solution: Solution) -> Floats | None:
    """Point of the solution when it satisfies the form without any tolerance, as VIPR demands."""
    point = solution.answer.raw_point
    if point is None:
        return None
    rounded = np.where(solution.form.integer, np.rint(point), point)
    try:
        exact_feasibility(solution.form, rounded)
    except NotACertificate:
        return None
    return rounded
