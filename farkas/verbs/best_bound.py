"""The best bound that an instance owns, which its runs are held against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from farkas.certificates.runs import bounds_run
from farkas.errors import NoAnswer
from farkas.instances import Instance
from farkas.offline.climbing import Progress
from farkas.online.replayed import prove_value
from farkas.online.run import Bound, Run, Sense
from farkas.verbs.check_run import certificate_of
from farkas.verbs.optimum import optimum


def known_optimum(
    instance: Instance, problem: str, seconds: float, progress: Progress | None = None
) -> Run | None:
    """Search for the offline optimum of what runs are worth, for the sake of its bound.

    Parameters
    ----------
    problem
        Program whose points the runs are; empty for what runs of the kind are worth.
    seconds
        Time limit, > 0.
    progress
        Called whenever value or bound has become better.

    Returns
    -------
    The decisions with the bound; None where none were found in time.

    Raises
    ------
    InvalidOption
        The kind has no such search.
    """
    try:
        return optimum(instance, problem=problem or None, time_limit=seconds, progress=progress).run
    except NoAnswer:
        return None


def hold_against(run: Run, other: Run | None, instance: Any) -> Run:
    """Hold a run against the bound of another run where that is tighter and bounds it, too.

    Returns
    -------
    The run itself, or one whose `own_bound` is what it proved and whose ratio is to the other's.

    Raises
    ------
    NotACertificate
        The run is better than the other's bound allows: one of the two is wrong.
    """
    best = run.certificate if other is None else best_bounds([run, other])[0]
    own = run.certificate
    if best is None or (own is not None and best.fraction == own.fraction):
        return run
    found = msgspec.structs.replace(
        run, certificate=best, own_bound=own, ratio=None, value_exact=None, remarks=[*run.remarks]
    )
    prove_value(found, instance)
    found.remarks = list(dict.fromkeys(found.remarks))  # what it said of both bounds, it says once
    return found


def best_bounds(runs: Sequence[Run]) -> list[Bound | None]:
    """Return for each run the tightest bound proved by any that holds for it.

    A kind says which runs a certificate's program bounds; a bound without one holds for all.
    """
    read = [
        None
        if run.certificate is None or run.certificate.certificate is None
        else certificate_of(run, "a fresh run")
        for run in runs
    ]

    def holds(maker: int, run: Run) -> bool:
        certificate = read[maker]
        if runs[maker] is run or certificate is None:
            return True
        return bounds_run(certificate, run.kind, run.options, run.algorithm, run.decisions)

    return [
        tightest([r.certificate for k, r in enumerate(runs) if holds(k, run)], run.sense)
        for run in runs
    ]


def tightest(bounds: Iterable[Bound | None], sense: Sense) -> Bound | None:
    """Largest of lower bounds, smallest of upper ones."""
    proved = [bound for bound in bounds if bound is not None]
    pick = max if sense == "min" else min
    return pick(proved, key=lambda bound: bound.fraction, default=None)
