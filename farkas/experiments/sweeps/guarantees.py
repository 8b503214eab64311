"""Guarantees of the papers' theorems as numbers, held against certified ratios.

A guarantee is a function of an instance and the options of a run, at most one per algorithm and
reading; kinds from outside register theirs when they are imported::

    @guarantee("mlbroker.fractional", "printed", source="mlBroker Theorem 3")
    def as_printed(instance, options):
        '''2 + (1 + ε) ln(1 + 1/ε).'''
        return ...                             # None where an assumption is false

What belongs to a kind is imported where it is used, so that a sweep of one kind loads one kind.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from farkas.certificates.doubles import double
from farkas.certificates.encoding import rational
from farkas.certificates.ratio import certified_ratio
from farkas.experiments import explanation
from farkas.experiments.figures.exhibit import half_width
from farkas.experiments.sweeps.task import Result
from farkas.forms import Sense
from farkas.instances import Instance
from farkas.instances.files import own_kinds
from farkas.registry import load_outside
from farkas.tolerances import SOLVER_GAP

if TYPE_CHECKING:
    from farkas.instances.coded import CodedComputing
    from farkas.instances.eris import Auction
    from farkas.instances.gadget import Cluster
    from farkas.instances.mlbroker import Brokerage


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """Value of one algorithm on one instance, over seeds, against one proved bound."""

    instance: str  #: Hash of the instance.
    seeds: int  #: Number of runs, >= 2.
    mean: float  #: Mean value of the runs.
    #: low, high: ends of the 95 % t interval of the expected value.
    low: float
    high: float
    ratio: float | None  #: Mean value to the tightest bound of the runs, >= 1, rounded up.
    #: least, most: the ratio at either end of the interval; None where it says nothing.
    least: float | None
    most: float | None


def expectations(runs: Iterable[Result], sense: Sense) -> list[Expectation]:
    """Return the expectation on every instance that has runs of two seeds and more.

    The runs are of one algorithm with one set of options, each with a value and a proved bound.
    """
    groups: dict[str, dict[int, Result]] = collections.defaultdict(dict)
    for run in runs:
        groups[run.task.instance][run.task.seed] = run
    return [
        _expectation(sha, list(by_seed.values()), sense)
        for sha, by_seed in sorted(groups.items())
        if len(by_seed) > 1
    ]


def _expectation(instance: str, runs: list[Result], sense: Sense) -> Expectation:
    values = [Fraction(run.value) for run in runs if run.value is not None]
    count, mean = len(values), sum(values, Fraction(0)) / len(values)
    half = Fraction(half_width(np.array(values, dtype=float)[:, None]).item())
    tightest = max if sense == "min" else min
    bound = tightest(rational(run.bound, "bound") for run in runs)
    better, worse = (mean - half, mean + half) if sense == "min" else (mean + half, mean - half)
    return Expectation(
        instance=instance,
        seeds=count,
        mean=float(mean),
        low=float(mean - half),
        high=float(mean + half),
        ratio=_ratio(sense, mean, bound),
        least=_ratio(sense, better, bound),
        most=_ratio(sense, worse, bound),
    )


def _ratio(sense: Sense, value: Fraction, bound: Fraction) -> float | None:
    """Ratio of a value that may lie beyond the bound, where it is 1."""
    beyond = value < bound if sense == "min" else value > bound
    found = certified_ratio(sense, bound if beyond else value, bound, exact=True)
    return None if found is None else double(found, up=True)


Reading = Literal["printed", "repaired"]
#: Called with the instance and every option of the run; None where an assumption is false.
Factor = Callable[[Any, Mapping[str, Any]], float | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Guarantee:
    """A bound on value over optimum (costs) or optimum over value (rewards)."""

    reading: Reading  #: ``printed`` as the paper has it, ``repaired`` as it can be proved.
    source: str  #: Where it stands.
    statement: str  #: The factor as a formula, with its assumptions.
    factor: Factor
    #: Algorithms, and searches for the optimum, whose value is never better than the optimum that
    #: the theorem speaks of. They can break a guarantee: the optimum is at least as good.
    witnesses: frozenset[str] = frozenset()
    #: The claim that states it, whose verdict says whether it is true; empty where none does.
    claim: str = ""
    #: Whether it is about the expected value of a randomised policy, not about every run.
    expected: bool = False


#: By algorithm and reading, as in ``mlbroker.fractional[printed]``.
guarantees: dict[str, Guarantee] = {}


def guarantee(
    algorithm: str,
    reading: Reading,
    *,
    source: str,
    witnesses: tuple[str, ...] = (),
    claim: str = "",
    expected: bool = False,
) -> Callable[[Factor], Factor]:
    """Register the decorated function as the factor of a theorem; its docstring is the statement.

    The value of the ``algorithm`` is bounded; the rest is as in `Guarantee`.
    """
    name = f"{algorithm}[{reading}]"

    def register(factor: Factor) -> Factor:
        words = explanation(factor, f"guarantee {name}")
        if name in guarantees:
            raise ValueError(f"two guarantees are called {name!r}: rename one")
        found = Guarantee(reading, source, words, factor, frozenset(witnesses), claim, expected)
        guarantees[name] = found
        return factor

    return register


def guarantees_of(algorithm: str) -> list[Guarantee]:
    """Guarantees of an algorithm, the printed one first; those of a variant are the same."""
    kind, stem = algorithm.partition(".")[0], algorithm.partition("[")[0]
    if kind not in own_kinds():
        load_outside(kind)
    return [guarantees[name] for name in sorted(guarantees) if name.startswith(f"{stem}[")]


@dataclasses.dataclass(slots=True, kw_only=True)
class Promise:
    """A guarantee held against the runs of one algorithm."""

    reading: str  #: As in `Guarantee`.
    source: str  #: As in `Guarantee`.
    statement: str  #: As in `Guarantee`.
    #: Whether it is about expected values: then its numbers count instances with two seeds and
    #: more, it is kept or broken where the whole 95 % interval is, and undecided else.
    expected: bool = False
    kept: int = 0  #: Runs whose certified ratio is within the factor: there the theorem is true.
    undecided: int = 0  #: Runs whose certified ratio is larger, though the true one may be smaller.
    #: Runs that cost more than the factor times a solution that exists: there it is false.
    broken: int = 0
    not_applicable: int = 0  #: Runs on which an assumption is false.
    #: smallest, largest: range of the factor over the runs.
    smallest: float | None = None
    largest: float | None = None
    #: Largest certified ratio over factor; at most 1 when every run keeps it.
    margin: float | None = None
    counterexample: str = ""  #: Hash of an instance on which it is broken.


def hold(
    guarantee: Guarantee,
    runs: Sequence[Result],
    instance: Callable[[str], Instance],
    values: Mapping[str, Mapping[str, float]],
    sense: Sense,
) -> Promise:
    """Compare certified runs with a guarantee.

    ``instance`` gives the instance of a hash, ``values`` are the best ones by instance and by
    algorithm that broke no requirement.
    """
    found = Promise(
        reading=guarantee.reading,
        source=guarantee.source,
        statement=guarantee.statement,
        expected=guarantee.expected,
    )
    for sha, options, ratio, most, best in _observed(guarantee, runs, sense):
        factor = guarantee.factor(instance(sha), options)
        if factor is None or ratio is None:
            found.not_applicable += 1
            continue
        found.smallest = min(factor, found.smallest if found.smallest is not None else factor)
        found.largest = max(factor, found.largest if found.largest is not None else factor)
        found.margin = max(ratio / factor, found.margin or 0.0)
        witness = _witness(guarantee, values[sha], sense)
        if most is not None and most <= factor * (1 + SOLVER_GAP):
            found.kept += 1
        elif witness is not None and _breaks(best, witness, factor, sense):
            found.broken += 1
            found.counterexample = found.counterexample or sha
        else:
            found.undecided += 1
    return found


def _observed(
    guarantee: Guarantee, runs: Sequence[Result], sense: Sense
) -> Iterator[tuple[str, Mapping[str, Any], float | None, float | None, float]]:
    """Yield instance, options, ratio, the most that it may be, and the best that the value may be.

    Of a run both are what they are, of an expectation the ends of its interval.
    """
    if not guarantee.expected:
        for run in runs:
            assert run.value is not None
            yield run.task.instance, run.task.options, run.ratio, run.ratio, run.value
        return
    for one in expectations(runs, sense):
        best = one.low if sense == "min" else one.high
        yield one.instance, runs[0].task.options, one.ratio, one.most, best


def _witness(guarantee: Guarantee, values: Mapping[str, float], sense: str) -> float | None:
    """Best value that is known to exist: the optimum is at least as good."""
    known = [value for name, value in values.items() if name in guarantee.witnesses]
    return (min if sense == "min" else max)(known, default=None)


def _breaks(value: float, witness: float, factor: float, sense: str) -> bool:
    worse, better = (value, witness) if sense == "min" else (witness, value)
    return worse > factor * better * (1 + SOLVER_GAP) and better >= 0


#: Plans that give every worker to one master, as (P5) does.
CODED = ("coded.brute_force", "coded.iterated_greedy", "coded.round_lp", "coded.uniform")


def _equal_masters(instance: CodedComputing) -> bool:
    from farkas.models.coded.kernel import Pairs

    speed = Pairs.of(instance).speed
    return bool(np.array_equal(speed, np.broadcast_to(speed[:1], speed.shape)))


@guarantee("coded.simple_greedy", "printed", source="Coded section III, remark on Algorithm 2",
           witnesses=CODED, claim="coded.largest_first")  # fmt: skip
def coded_printed(instance: CodedComputing, options: Mapping[str, Any]) -> float | None:
    """4/3 for masters that see every worker alike, over the optimum of (P5)."""
    return 4 / 3 if _equal_masters(instance) else None


@guarantee("coded.simple_greedy", "repaired", source="largest-first scheduling, maximising the "
           "least load", witnesses=CODED, claim="coded.largest_first")  # fmt: skip
def coded_sharper(instance: CodedComputing, options: Mapping[str, Any]) -> float | None:
    """(4 M − 2) / (3 M − 1) for masters that see every worker alike; tight for M = 2."""
    masters = len(instance.masters)
    return (4 * masters - 2) / (3 * masters - 1) if _equal_masters(instance) else None


#: Welfare that any of them reaches, the optimum reaches.
ERIS = ("eris.antman", "eris.eris", "eris.liquid", "eris.optimum",
        "eris.tiresias")  # fmt: skip


@guarantee("eris.eris", "printed", source="Eris Theorem 5", witnesses=ERIS,
           claim="eris.competitive_ratio")  # fmt: skip
def eris_printed(instance: Auction, options: Mapping[str, Any]) -> float:
    """2 log2(γ of transfer times the largest γ of a resource), over the optimum of (2)."""
    largest = float(instance.price_base.max(initial=1.0))
    return 2 * math.log(instance.price_base_transfer * largest) / math.log(2.0)


#: Rewards that any of them reaches, the optimum reaches.
GADGET = ("gadget.columns", "gadget.drf", "gadget.fifo", "gadget.gadget", "gadget.greedy_exact",
          "gadget.las", "gadget.optimum")  # fmt: skip


@guarantee("gadget.greedy_exact", "printed", source="GADGET Theorem 6", witnesses=GADGET,
           claim="gadget.greedy_ratio_without_concavity")  # fmt: skip
def gadget_exact(instance: Cluster, options: Mapping[str, Any]) -> float:
    """(1 + α) / α with α = 1: exact slots reach half of the optimum."""
    return 2.0


@guarantee("gadget.greedy_exact", "repaired", source="GADGET Theorem 6, with its assumptions",
           witnesses=GADGET, claim="gadget.greedy_ratio")  # fmt: skip
def gadget_concave(instance: Cluster, options: Mapping[str, Any]) -> float | None:
    """2 where every utility is concave, never falls, and is not negative."""
    from farkas.models.gadget.curvature import concave_in_reach, monotone_in_reach

    fits = (
        concave_in_reach(instance, job)
        and monotone_in_reach(instance, job)
        and instance.reward(job, 0.0) >= 0
        for job in range(instance.num_jobs)
    )
    return 2.0 if all(fits) else None


@guarantee("gadget.gadget", "printed", source="GADGET Theorem 10", witnesses=GADGET,
           claim="gadget.competitive_ratio")  # fmt: skip
def gadget_whole(instance: Cluster, options: Mapping[str, Any]) -> float | None:
    """3 Γ + 1, Γ the most sizes of a job's ring, for slots by Algorithm 2 that all qualify."""
    if options.get("slots", "lp_rs_mde") != "lp_rs_mde" or not instance.jobs:
        return None
    return 3.0 * max(job.max_workers for job in instance.jobs) + 1


#: Their decisions are points of every relaxation, at no smaller cost there.
MLBROKER = (
    "mlbroker.central", "mlbroker.gr", "mlbroker.gr[tight]", "mlbroker.ir", "mlbroker.ir[tight]",
    "mlbroker.local", "mlbroker.mlbroker", "mlbroker.mlbroker[tight]", "mlbroker.oasis",
    "mlbroker.one_shot", "mlbroker.opt", "mlbroker.optimum",
)  # fmt: skip


def _epsilon(instance: Brokerage, options: Mapping[str, Any]) -> float:
    return float(options.get("epsilon") or instance.epsilon)


@guarantee("mlbroker.fractional", "printed", source="mlBroker Theorem 3", witnesses=MLBROKER,
           claim="mlbroker.theorem3")  # fmt: skip
def mlbroker_printed(instance: Brokerage, options: Mapping[str, Any]) -> float:
    """2 + (1 + ε) ln(1 + 1/ε), over the optimum of the relaxation (9)."""
    return _r1(_epsilon(instance, options))


def _r1(epsilon: float) -> float:
    return 2 + (1 + epsilon) * math.log1p(1 / epsilon)


@guarantee(
    "mlbroker.fractional",
    "repaired",
    source="mlBroker Theorem 3, repaired",
    witnesses=MLBROKER,
    claim="mlbroker.theorem3_corrected",
)
def mlbroker_repaired(instance: Brokerage, options: Mapping[str, Any]) -> float | None:
    """max(1, σ) + R ε σ / κ with σ = ln(1 + 1/ε).

    κ = 1 for the tight relaxation; for the printed one κ is the least, over jobs, of
    max over slots (Y + 1) / U.  Needs deployment that never falls: printed semantics.
    """
    if options.get("semantics", "printed") != "printed":
        return None
    epsilon = _epsilon(instance, options)
    sigma = math.log1p(1 / epsilon)
    extra = instance.num_sites * epsilon * sigma / _least_presence(instance, options)
    return max(1.0, sigma) + extra


@guarantee("mlbroker.mlbroker", "printed", source="mlBroker Theorem 5", witnesses=MLBROKER,
           claim="mlbroker.theorem5")  # fmt: skip
def mlbroker_whole(instance: Brokerage, options: Mapping[str, Any]) -> float | None:
    """r₁ r₂ of Theorems 3 and 4, over the cheapest whole placement; none where r₂ is infinite."""
    from farkas.proofs.mlbroker.integral import ClaimedRatio  # here: it loads sympy

    if not instance.num_pairs:
        return None
    factor = _r1(_epsilon(instance, options)) * ClaimedRatio.of(instance).total
    return factor if math.isfinite(factor) else None


def _least_presence(instance: Brokerage, options: Mapping[str, Any]) -> float:
    """Total deployment that every job is charged for at least; κ."""
    if options.get("relax") == "tight" or not instance.num_pairs:
        return 1.0
    most: dict[int, int] = {}
    for job, needed in zip(instance.pair_job, instance.workers_needed, strict=True):
        most[job] = max(most.get(job, 0), int(needed) + 1)
    return min(most.values()) / instance.deployment_bound("printed")
