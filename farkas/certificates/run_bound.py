"""Which certificates bound the runs of a kind; any other proves nothing about a run.

A run's file names the program whose optimum its certificate bounds.  That optimum bounds the run's
value only if every way to run is a point of the program, and at no better value.  Each kind lists
the certificates and programs of which this holds, beside its own certificate::

    run_bounds.add("dps", (RunBound("priced_tree", "dps.interval_lp[budget]"), ...))
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from farkas.certificates.files import Certificate
from farkas.errors import NotACertificate
from farkas.messages import named
from farkas.registry import Registry

Options = Mapping[str, Any]


def _every_run(options: Options, algorithm: str, decisions: Sequence[Any]) -> bool:
    return True


@dataclasses.dataclass(frozen=True, slots=True)
class RunBound:
    """A program whose optimum bounds runs."""

    certificate: str  #: Tag of the certificates that may prove the bound.
    program: str  #: Name with its whole variant, as certificates state it.
    #: Whether a run is bounded, from options and name of its algorithm and its decisions, as which
    #: a file may give anything; by default all are.
    holds_for: Callable[[Options, str, Sequence[Any]], bool] = _every_run
    #: Which decisions alone it bounds, in words; empty where it bounds all of the problem.
    among: str = ""


run_bounds: Registry[tuple[RunBound, ...]] = Registry(
    "list of what bounds runs", "farkas.certificates"
)


def among(kind: str, tag: str, program: str) -> str:
    """Say which decisions alone a certificate bounds; empty where it bounds all of the problem."""
    listed = run_bounds.get(kind) or ()
    return next((b.among for b in listed if (b.certificate, b.program) == (tag, program)), "")


def bounds_run(
    certificate: Certificate, kind: str, options: Options, algorithm: str, decisions: Sequence[Any]
) -> bool:
    """Whether a certificate's program bounds a run; parameters as of `require_run_bound`."""
    try:
        require_run_bound(certificate, kind, options, algorithm, decisions)
    except NotACertificate:
        return False
    return True


def require_run_bound(
    certificate: Certificate, kind: str, options: Options, algorithm: str, decisions: Sequence[Any]
) -> None:
    """Refuse a certificate whose program does not bound a run of ``kind``.

    Raises `NotACertificate` when the kind does not list certificate and program, or not for this
    run, of which ``options``, ``algorithm`` and ``decisions`` are.
    """
    tag = str(type(certificate).__struct_config__.tag)
    listed = run_bounds.get(kind)
    if listed is None:
        raise NotACertificate(f"kind {kind} lists no program that bounds its runs")
    found = [one for one in listed if (one.certificate, one.program) == (tag, certificate.program)]
    if found and not certificate.kind:
        raise NotACertificate(
            f"the certificate ({tag}) names no kind; give kind= and instance= to certify"
        )
    if certificate.kind != kind or not found:
        raise NotACertificate(
            f"the certificate ({tag}) is about {certificate.program}, which is not listed among"
            f" what bounds the runs of kind {kind}"
        )
    if not found[0].holds_for(options, algorithm, decisions):
        raise NotACertificate(
            f"{certificate.program} does not bound runs of {named(algorithm)} with these options"
            " and decisions"
        )
