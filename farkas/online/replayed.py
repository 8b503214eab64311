"""What a replay proves about a fresh run."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from farkas.certificates.ratio import ratio_at_most
from farkas.online.run import Bound, Run
from farkas.replay import (
    Replayed,
    audit,
    excess_words,
    is_as_decided,
    replay,
    replayed_ratio,
)


def prove_value(run: Run, instance: Any) -> None:
    """Replay a fresh run and write down what that proves: exact value, and ratio to the bound.

    Raises
    ------
    NotACertificate
        When environment and replay disagree, or the value is better than the bound allows.
    """
    found = replay(run, instance)
    if found is not None and is_as_decided(run, found):
        run.value = float(found.proved(run.sense))  # what it is held to from now on
    found = audit(run, instance, found)
    if run.violations:
        return
    bound = run.certificate
    if found is None:
        run.ratio = ratio_to(run, instance, bound)
        return
    exact = None if bound is None else bound.fraction
    run.value_exact = str(found.proved(run.sense))
    run.ratio = None if exact is None else replayed_ratio(run.sense, found, exact)
    run.remarks.extend(words_on(found, run.sense, exact))


def ratio_to(run: Run, instance: Any, bound: Bound | None) -> float | None:
    """Return the certified ratio of a run to any proved bound on its instance, rounded up.

    A value without a replay may be better than the bound by the rounding of its sums.

    Raises
    ------
    NotACertificate
        When the value is better than the bound allows.
    """
    if bound is None or run.violations:
        return None
    value, limit = run.reached, bound.fraction
    exact = run.value_exact is not None
    if exact and (value < limit if run.sense == "min" else value > limit):
        # only what exceeds a requirement by what counts as kept can be better
        found = replay(run, instance)
        exact = found is None or not found.excess
    return ratio_at_most(run.sense, value, limit, exact=exact)


def words_on(found: Replayed, sense: str, bound: Fraction | None) -> list[str]:
    """Say so when decisions are better than the bound because they exceed something."""
    if bound is None or found.broken:
        return []
    value = found.proved(sense)
    if value >= bound if sense == "min" else value <= bound:
        return []
    return [
        "better than the proved bound, because requirements are missed by up to a share of "
        f"{excess_words(found)}, which counts as kept"
    ]
