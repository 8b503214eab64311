"""What a theorem promises, against what was certified."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from farkas.experiments.sweeps.guarantee import Guarantee
from farkas.experiments.sweeps.store import Result
from farkas.instances import Instance
from farkas.search_tolerances import SOLVER_GAP


@dataclasses.dataclass(slots=True, kw_only=True)
class Promise:
    """A guarantee held against the runs of one algorithm.

    Parameters
    ----------
    reading, source, statement
        As in `Guarantee`.
    kept
        Runs whose certified ratio is within the factor: there the theorem is true.
    undecided
        Runs whose certified ratio is larger, though the true one may be smaller.
    broken
        Runs that cost more than the factor times a solution that exists: there it is false.
    not_applicable
        Runs on which an assumption is false.
    smallest, largest
        Range of the factor over the runs.
    margin
        Largest certified ratio over factor; at most 1 when every run keeps it.
    counterexample
        Hash of an instance on which it is broken.
    """

    reading: str
    source: str
    statement: str
    kept: int = 0
    undecided: int = 0
    broken: int = 0
    not_applicable: int = 0
    smallest: float | None = None
    largest: float | None = None
    margin: float | None = None
    counterexample: str = ""


def hold(
    guarantee: Guarantee,
    runs: Sequence[Result],
    instance: Callable[[str], Instance],
    values: Mapping[str, Mapping[str, float]],
    sense: str,
) -> Promise:
    """Compare certified runs with a guarantee.

    Parameters
    ----------
    runs
        Done, with ratio.
    instance
        Gives the instance of a hash.
    values
        By instance, the best value of every algorithm that broke no requirement.
    sense
        ``min`` or ``max``.
    """
    found = Promise(
        reading=guarantee.reading, source=guarantee.source, statement=guarantee.statement
    )
    for run in runs:
        factor = guarantee.factor(instance(run.task.instance), run.task.options)
        if factor is None:
            found.not_applicable += 1
            continue
        _count(found, run, factor, _witness(guarantee, values[run.task.instance], sense), sense)
    return found


def _count(found: Promise, run: Result, factor: float, witness: float | None, sense: str) -> None:
    assert run.ratio is not None
    assert run.value is not None
    found.smallest = min(factor, found.smallest if found.smallest is not None else factor)
    found.largest = max(factor, found.largest if found.largest is not None else factor)
    found.margin = max(run.ratio / factor, found.margin or 0.0)
    if run.ratio <= factor * (1 + SOLVER_GAP):
        found.kept += 1
    elif witness is not None and _breaks(run.value, witness, factor, sense):
        found.broken += 1
        found.counterexample = found.counterexample or run.task.instance
    else:
        found.undecided += 1


def _witness(guarantee: Guarantee, values: Mapping[str, float], sense: str) -> float | None:
    """Best value that is known to exist: the optimum is at least as good."""
    known = [value for name, value in values.items() if name in guarantee.witnesses]
    return (min if sense == "min" else max)(known, default=None)


def _breaks(value: float, witness: float, factor: float, sense: str) -> bool:
    worse, better = (value, witness) if sense == "min" else (witness, value)
    return worse > factor * better * (1 + SOLVER_GAP) and better >= 0
