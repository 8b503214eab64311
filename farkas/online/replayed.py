"""What a replay proves about a fresh run."""

from __future__ import annotations

from typing import Any

from farkas.online.run import Bound, Run, Sense, certified_ratio, rounded_up
from farkas.replay import Replayed, audit, exact_ratio, words_on


def prove_value(run: Run, instance: Any) -> None:
    """Replay a fresh run and write down what that proves: exact value, and ratio to the bound.

    Raises
    ------
    NotACertificate
        When environment and replay disagree, or the value is better than the bound allows.
    """
    found = audit(run, instance)
    if run.violations:
        return
    if found is None:
        run.ratio = certified_ratio(run.sense, run.value, run.certificate)
        return
    bound = run.certificate
    run.value_exact = str(found.proved(run.sense))
    run.ratio = replayed_ratio(run.sense, found, bound)
    run.remarks.extend(words_on(found, run.sense, None if bound is None else bound.fraction))


def replayed_ratio(sense: Sense, found: Replayed, bound: Bound | None) -> float | None:
    """Return the certified ratio of replayed decisions, rounded up; as `exact_ratio`."""
    if bound is None:
        return None
    ratio = exact_ratio(sense, found, bound.fraction)
    return None if ratio is None else rounded_up(ratio)
